#include "engine/decide/uncertain/particles.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/random.hpp"
#include "engine/decide/uncertain/chaos.hpp"
#include "engine/decide/uncertain/discrepancy.hpp"
#include "engine/decide/uncertain/posterior.hpp"
#include "engine/decide/uncertain/quantiles.hpp"

namespace stallcast::uncertain {
namespace {

constexpr double kLeastSd = 1e-3, kLeastShare = 1e-9;

}  // namespace

Error error_of(const ObservedFigure& observed, const std::string& unit, const Design& design) {
  const auto scaled = [&](double x) { return on_error_scale(x, unit); };
  const double measured =
      (scaled(observed.within.high) - scaled(observed.within.low)) / (2.0 * kStandardNine);
  const double model = discrepancy_of(observed.metric, design, {}) / kStandardNine;
  return {scaled(observed.value), std::max(std::hypot(measured, model), kLeastSd), unit};
}

std::vector<double> Particle::scores() const {
  std::vector<double> out;
  for (const double u : point) out.push_back(base::normal_quantile(u));
  return out;
}

std::vector<double> quantiles_of(const std::vector<double>& scores) {
  std::vector<double> out;
  for (const double z : scores)
    out.push_back(std::clamp(0.5 * std::erfc(-z / std::sqrt(2.0)), kLeastShare, 1.0 - kLeastShare));
  return out;
}

std::vector<std::vector<double>> scores_of(const std::vector<Particle>& all) {
  std::vector<std::vector<double>> out;
  for (const Particle& particle : all) out.push_back(particle.scores());
  return out;
}

std::vector<double> figures_of(const std::vector<Particle>& all, std::size_t k,
                               const Error& error) {
  std::vector<double> out;
  for (const Particle& particle : all)
    out.push_back(on_error_scale(particle.figures[k], error.unit));
  return out;
}

OfScores expanded(std::vector<Particle> all, const std::vector<Error>& errors, bool near) {
  std::erase_if(all, [&](const Particle& p) { return p.figures.size() < errors.size(); });
  std::stable_sort(all.begin(), all.end(), [](const Particle& a, const Particle& b) {
    return a.likelihood > b.likelihood;
  });
  if (near) all.resize(std::max<std::size_t>(all.size() / 2, 1));
  const std::vector<std::vector<double>> scores = scores_of(all);
  std::vector<Surrogate> surrogates;
  for (std::size_t k = 0; k < errors.size(); ++k)
    surrogates.push_back(surrogate(scores, figures_of(all, k, errors[k])));
  return [errors, surrogates](const std::vector<double>& z) {
    double sum = 0.0;
    for (std::size_t k = 0; k < surrogates.size(); ++k) {
      const double sd = std::hypot(errors[k].sd, surrogates[k].sd);
      const double off = (surrogates[k].at(z) - errors[k].centre) / sd;
      sum -= 0.5 * off * off;
    }
    return sum;
  };
}

}  // namespace stallcast::uncertain
