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

double Error::scaled(double value) const {
  const double at = on_error_scale(unit == "ratio" ? std::min(value, 1.0) : value, unit);
  return std::clamp(at, least, most);
}

Error error_of(const ObservedFigure& observed, const std::string& unit, const Design& design) {
  const Interval& within = observed.within;
  // What is a share of something else may be more than all of it: it has no odds.
  const bool share = unit == "ratio" && observed.value <= 1.0;
  Error out{0.0, 0.0, share || unit != "ratio" ? unit : ""};
  // An end at 1 has infinite odds: the other end tells the width.            [docs, eq. 8]
  const bool to_most = share && within.high >= 1.0, to_least = share && within.low <= 0.0;
  const double middle = 0.5 * (std::max(within.low, 0.0) + std::min(within.high, 1.0));
  if (to_most) out.most = on_error_scale(std::min(middle, observed.value), unit);
  if (to_least) out.least = on_error_scale(std::max(middle, observed.value), unit);
  if (to_most && to_least) out.least = out.most;
  out.centre = out.scaled(observed.value);
  const double low = on_error_scale(within.low, out.unit),
               high = on_error_scale(share ? std::min(within.high, 1.0) : within.high, out.unit);
  const double half = to_most    ? out.centre - low
                      : to_least ? high - out.centre
                                 : 0.5 * (high - low);
  out.measured = half / kStandardNine;
  out.model = discrepancy_of(observed.metric, design, {}) / kStandardNine;
  out.sd = std::max(std::hypot(out.measured, out.model), kLeastSd);
  return out;
}

// Given the draw and what was observed before, the model's error is known to
// 1 / (1 / model^2 + 1 / before^2): what is observed now tells of the draw what is left.
Error beside(Error error, std::span<const SeenFigure> before) {
  const auto squared = [](double sd) { return std::max(sd, kLeastSd) * std::max(sd, kLeastSd); };
  double precision = 0.0, at = 0.0;  // of what was measured before
  for (const SeenFigure& seen : before) {
    precision += 1.0 / squared(seen.sd);
    at += seen.at / squared(seen.sd);
  }
  if (precision == 0.0 || error.model == 0.0) return error;
  const double model = error.model * error.model, known = 1.0 / precision;
  error.centre = ((model + known) * error.centre - model * at / precision) / known;
  error.sd = std::sqrt(squared(error.measured) + model * known / (model + known)) *
             (model + known) / known;
  return error;
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
  for (const Particle& particle : all) out.push_back(error.scaled(particle.figures[k]));
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
