#include "engine/decide/uncertain/known.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "engine/base/random.hpp"
#include "engine/decide/uncertain/particles.hpp"

namespace stallcast::uncertain {
namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr double kCertain = 4.0;  ///< standard errors of a correlation that is none
constexpr double kWeaker = 0.9;   ///< times each, until they are those of some distribution
constexpr double kLeastRest = 1e-3;

double score_of(double u) { return u == kAsStated ? 0.0 : base::normal_quantile(u); }

Matrix correlations(const Matrix& rows) {
  const std::size_t n = rows.empty() ? 0 : rows.front().size();
  const std::set<std::vector<double>> different(rows.begin(), rows.end());
  const double least = kCertain / std::sqrt(static_cast<double>(different.size()));
  Matrix scores;
  for (const std::vector<double>& row : rows) {
    std::vector<double>& z = scores.emplace_back();
    for (const double u : row) z.push_back(score_of(u));
  }
  std::vector<double> squares(n, 0.0);
  for (const std::vector<double>& z : scores)
    for (std::size_t i = 0; i < n; ++i) squares[i] += z[i] * z[i];
  Matrix out(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0.0;
      for (const std::vector<double>& z : scores) sum += z[i] * z[j];
      const double both = std::sqrt(squares[i] * squares[j]);
      const double r = both > 0.0 ? sum / both : 0.0;
      if (std::abs(r) > least) out[i][j] = r;
    }
  return out;
}

/// Nothing where no distribution has these correlations.
std::optional<Matrix> cholesky(const Matrix& correlation, double times) {
  Matrix out = correlation;
  for (std::size_t i = 0; i < out.size(); ++i) {
    double rest = 1.0;
    for (std::size_t j = 0; j < i; ++j) {
      double sum = times * correlation[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= out[i][k] * out[j][k];
      out[i][j] = sum / out[j][j];
      rest -= out[i][j] * out[i][j];
    }
    if (rest < kLeastRest) return std::nullopt;
    out[i][i] = std::sqrt(rest);
  }
  return out;
}

}  // namespace

Joint::Joint(const Matrix& rows) {
  const Matrix correlation = correlations(rows);
  for (double times = 1.0;; times *= kWeaker)
    if (std::optional<Matrix> found = cholesky(correlation, times)) {
      factor_ = *std::move(found);
      return;
    }
}

std::vector<double> Joint::inputs_at(const std::vector<double>& independent) const {
  std::vector<double> scores(factor_.size(), 0.0);
  for (std::size_t i = 0; i < factor_.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) scores[i] += factor_[i][j] * score_of(independent[j]);
  std::vector<double> out = quantiles_of(scores);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (scores[i] == 0.0) out[i] = kAsStated;
  out.insert(out.end(), independent.begin() + static_cast<std::ptrdiff_t>(out.size()),
             independent.end());
  return out;
}

std::vector<double> Joint::independent_of(const std::vector<double>& inputs) const {
  std::vector<double> scores;
  for (std::size_t i = 0; i < factor_.size(); ++i) {
    double rest = score_of(inputs[i]);
    for (std::size_t j = 0; j < i; ++j) rest -= factor_[i][j] * scores[j];
    scores.push_back(rest / factor_[i][i]);
  }
  std::vector<double> out = quantiles_of(scores);
  out.insert(out.end(), inputs.begin() + static_cast<std::ptrdiff_t>(out.size()), inputs.end());
  return out;
}

}  // namespace stallcast::uncertain
