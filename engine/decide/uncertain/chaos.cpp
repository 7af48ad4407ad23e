#include "engine/decide/uncertain/chaos.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

namespace stallcast::uncertain {
namespace {

using Vector = std::vector<double>;
using Rows = std::vector<std::size_t>;

constexpr double kGain = 0.02;       // least part of the error that a term takes away
constexpr std::size_t kFolds = 8;    // parts of the rows that are left out in turn
constexpr std::size_t kMost = 40;    // terms of an expansion
constexpr std::size_t kPerTerm = 3;  // rows for each
constexpr std::size_t kLeastRows = 8;
constexpr double kRounding = 1e-12;
/// A term without effect gets (1 - R2) / n of the variance, times the square of a normal score: the
/// largest of a hundred terms about so many times that.
constexpr double kChance = 20.0;

/// The polynomial of a degree up to 3 of z_i (j = i), or z_i z_j.
struct Polynomial {
  std::size_t i = 0;
  std::size_t j = 0;
  int degree = 1;

  [[nodiscard]] double at(const Vector& z) const {
    if (i != j) return z[i] * z[j];
    if (degree == 3) return (z[i] * z[i] - 3.0) * z[i] / std::sqrt(6.0);
    return degree == 2 ? (z[i] * z[i] - 1.0) / std::numbers::sqrt2 : z[i];
  }
};

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(Vector& a, double factor, const Vector& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] -= factor * b[k];
}

struct Candidate {
  Polynomial polynomial;
  Vector column;       // at the rows
  double norm = 0.0;   // of the column less its mean
  bool spent = false;  // chosen, or the same as what was chosen
};

/// An expansion by least squares that grows term by term. Terms = Q R with orthonormal Q; columns
/// of the inverse of R stay as they are when a term is added.
class Expansion {
 public:
  Expansion(const std::vector<Vector>& scores, std::span<const double> outcomes, Rows rows)
      : scores_(scores), rows_(std::move(rows)), hat_(rows_.size(), 0.0) {
    for (const std::size_t row : rows_) residual_.push_back(outcomes[row]);
    const auto fitted = append(Vector(rows_.size(), 1.0));
    accept(*fitted);
    for (std::size_t i = 0; i < scores[0].size(); ++i) {
      offer({i, i, 1});
      offer({i, i, 2});
    }
  }

  /// Adds terms until one does not take 2 % off the error.
  void grow() {
    const std::size_t most = std::min(kMost, rows_.size() / kPerTerm);
    while (chosen_.size() < most)
      if (!add_best()) break;
  }

  [[nodiscard]] const std::vector<Polynomial>& chosen() const { return chosen_; }
  /// Mean squared error of rows predicted from the others.
  [[nodiscard]] double error() const { return error_; }

  /// Coefficients with the first `count` terms; that of the constant comes first.
  [[nodiscard]] Vector coefficients(std::size_t count) const {
    Vector out(count + 1, 0.0);
    for (std::size_t k = 0; k <= count; ++k)
      for (std::size_t m = 0; m <= k; ++m) out[m] += inverse_[k][m] * projected_[k];
    return out;
  }

  /// The outcome at `z` with no term, one, two, ...
  [[nodiscard]] Vector predictions(const Vector& z) const {
    Vector values{1.0};
    for (const Polynomial& p : chosen_) values.push_back(p.at(z));
    Vector out;
    double sum = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      double q = 0.0;
      for (std::size_t m = 0; m <= k; ++m) q += inverse_[k][m] * values[m];
      out.push_back(sum += q * projected_[k]);
    }
    return out;
  }

 private:
  /// What one more term would make of the expansion.
  struct Fitted {
    Vector q;        // its column, orthogonal to the others, of length 1
    Vector inverse;  // its column of the inverse of R
    double projected = 0.0;
    Vector residual;
    Vector hat;  // diagonal of the hat matrix
    double trace = 0.0;
    double error = 0.0;
  };

  void offer(Polynomial polynomial) {
    Candidate out{polynomial, {}};
    double sum = 0.0;
    for (const std::size_t row : rows_) sum += out.column.emplace_back(polynomial.at(scores_[row]));
    const double mean = sum / static_cast<double>(rows_.size());
    for (const double x : out.column) out.norm += (x - mean) * (x - mean);
    out.norm = std::sqrt(out.norm);
    if (out.norm > 0.0) candidates_.push_back(std::move(out));
  }

  /// nullopt when the column follows from the others.
  [[nodiscard]] std::optional<Fitted> append(const Vector& column) const {
    Fitted out;
    out.q = column;
    out.inverse.assign(q_.size() + 1, 0.0);
    Vector r(q_.size(), 0.0);
    for (int pass = 0; pass < 2; ++pass)  // the second removes what rounding left
      for (std::size_t k = 0; k < q_.size(); ++k) {
        const double along = dot(q_[k], out.q);
        r[k] += along;
        subtract(out.q, along, q_[k]);
      }
    const double length = std::sqrt(dot(out.q, out.q));
    if (length <= 1e-6 * std::sqrt(dot(column, column))) return std::nullopt;
    for (double& x : out.q) x /= length;

    for (std::size_t k = 0; k < q_.size(); ++k)
      for (std::size_t m = 0; m <= k; ++m) out.inverse[m] -= inverse_[k][m] * r[k] / length;
    out.inverse.back() = 1.0 / length;
    out.trace = trace_ + dot(out.inverse, out.inverse);
    out.projected = dot(out.q, residual_);
    out.residual = residual_;
    subtract(out.residual, out.projected, out.q);
    out.hat = hat_;
    for (std::size_t row = 0; row < out.hat.size(); ++row) out.hat[row] += out.q[row] * out.q[row];
    out.error = leave_one_out(out);
    return out;
  }

  /// Mean squared error of each row predicted from the others, by the hat matrix, times
  /// n / (n - P) (1 + tr((Psi^T Psi)^-1)) for P terms (Blatman and Sudret 2011).
  [[nodiscard]] double leave_one_out(const Fitted& fitted) const {
    double sum = 0.0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double rest = 1.0 - fitted.hat[row];
      if (rest <= 1e-9) return std::numeric_limits<double>::infinity();
      sum += fitted.residual[row] * fitted.residual[row] / (rest * rest);
    }
    const double n = static_cast<double>(rows_.size());
    const double terms = static_cast<double>(q_.size() + 1);
    return sum / (n - terms) * (1.0 + fitted.trace);
  }

  void accept(const Fitted& fitted) {
    q_.push_back(fitted.q);
    inverse_.push_back(fitted.inverse);
    projected_.push_back(fitted.projected);
    residual_ = fitted.residual;
    hat_ = fitted.hat;
    trace_ = fitted.trace;
    error_ = fitted.error;
  }

  [[nodiscard]] Candidate* best_candidate() {
    Candidate* best = nullptr;
    double most = 0.0;
    for (Candidate& candidate : candidates_) {
      if (candidate.spent) continue;
      const double fit = std::abs(dot(candidate.column, residual_)) / candidate.norm;
      if (fit > most) {
        most = fit;
        best = &candidate;
      }
    }
    return best;
  }

  bool add_best() {
    while (Candidate* best = best_candidate()) {
      best->spent = true;
      const std::optional<Fitted> fitted = append(best->column);
      if (!fitted) continue;
      if (!(fitted->error <= (1.0 - kGain) * error_)) return false;
      accept(*fitted);
      choose(best->polynomial);
      return true;
    }
    return false;
  }

  void choose(Polynomial polynomial) {
    chosen_.push_back(polynomial);
    for (const std::size_t input : {polynomial.i, polynomial.j}) {
      if (std::find(inputs_.begin(), inputs_.end(), input) != inputs_.end()) continue;
      for (const std::size_t other : inputs_)
        offer({std::min(input, other), std::max(input, other)});
      // What is bent more than a square does would be laid to whatever input looks like it.
      offer({input, input, 3});
      inputs_.push_back(input);
    }
  }

  const std::vector<Vector>& scores_;
  Rows rows_;
  std::vector<Candidate> candidates_;
  std::vector<Polynomial> chosen_;
  std::vector<std::size_t> inputs_;  // of those chosen
  std::vector<Vector> q_;
  std::vector<Vector> inverse_;  // columns of the inverse of R
  Vector projected_;             // outcomes along Q
  Vector residual_;
  Vector hat_;
  double trace_ = 0.0;  // of (Psi^T Psi)^-1
  double error_ = 0.0;
};

double squares(std::span<const double> values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double sum = 0.0;
  for (const double v : values) sum += (v - mean) * (v - mean);
  return sum;
}

/// Summed squared errors of rows predicted without them, with no term, one, ... up to `most`.
/// Where fewer are chosen without them, with those.
Vector unseen_errors(const std::vector<Vector>& scores, std::span<const double> outcomes,
                     std::size_t most) {
  const std::size_t n = outcomes.size();
  Vector errors(most + 1, 0.0);
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    const std::size_t begin = fold * n / kFolds;
    const std::size_t end = (fold + 1) * n / kFolds;
    Rows rows;
    for (std::size_t row = 0; row < n; ++row)
      if (row < begin || row >= end) rows.push_back(row);
    Expansion expansion(scores, outcomes, std::move(rows));
    expansion.grow();
    for (std::size_t row = begin; row < end; ++row) {
      const Vector predicted = expansion.predictions(scores[row]);
      for (std::size_t count = 0; count <= most; ++count) {
        const double error = outcomes[row] - predicted[std::min(count, predicted.size() - 1)];
        errors[count] += error * error;
      }
    }
  }
  return errors;
}

bool all_alike(std::span<const double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least <= kRounding * std::max(std::abs(*least), std::abs(*most));
}

}  // namespace

Shares variance_shares(const std::vector<std::vector<double>>& scores,
                       std::span<const double> outcomes) {
  assert(scores.size() == outcomes.size());
  const std::size_t inputs = scores.empty() ? 0 : scores[0].size();
  Shares shares{Vector(inputs, 0.0), Vector(inputs, 0.0), 0.0};
  if (inputs == 0 || outcomes.size() < kLeastRows || all_alike(outcomes)) return shares;

  Rows rows(outcomes.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Expansion expansion(scores, outcomes, std::move(rows));
  expansion.grow();
  const Vector errors = unseen_errors(scores, outcomes, expansion.chosen().size());
  const auto best = std::min_element(errors.begin(), errors.end());
  const auto count = static_cast<std::size_t>(best - errors.begin());
  const double explained = std::clamp(1.0 - *best / squares(outcomes), 0.0, 1.0);
  if (count == 0 || explained == 0.0) return shares;

  const Vector coefficients = expansion.coefficients(count);
  double variance = 0.0;
  for (std::size_t k = 1; k <= count; ++k) variance += coefficients[k] * coefficients[k];
  shares.explained = explained;
  const double chance = kChance * (1.0 - explained) / static_cast<double>(outcomes.size());
  for (std::size_t k = 0; k < count; ++k) {
    const Polynomial& term = expansion.chosen()[k];
    const double part = explained * coefficients[k + 1] * coefficients[k + 1] / variance;
    if (part < chance) continue;
    if (term.i == term.j) shares.first[term.i] += part;
    shares.total[term.i] += part;
    if (term.i != term.j) shares.total[term.j] += part;
  }
  return shares;
}

Surrogate surrogate(const std::vector<std::vector<double>>& scores,
                    std::span<const double> outcomes) {
  assert(!scores.empty() && scores.size() == outcomes.size());
  Rows rows(outcomes.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Expansion expansion(scores, outcomes, std::move(rows));
  if (!all_alike(outcomes)) expansion.grow();
  Vector coefficients = expansion.coefficients(expansion.chosen().size());
  Surrogate out;
  out.sd = std::sqrt(std::max(expansion.error(), 0.0));
  out.at = [terms = expansion.chosen(), by = std::move(coefficients)](const Vector& z) {
    double sum = by[0];
    for (std::size_t k = 0; k < terms.size(); ++k) sum += by[k + 1] * terms[k].at(z);
    return sum;
  };
  return out;
}

}  // namespace stallcast::uncertain
