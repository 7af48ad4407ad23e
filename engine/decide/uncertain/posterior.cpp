#include "engine/decide/uncertain/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/random.hpp"
#include "engine/decide/uncertain/centre.hpp"
#include "engine/decide/uncertain/cut_short.hpp"
#include "engine/decide/uncertain/particles.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "engine/decide/uncertain/sobol.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::uncertain {
namespace {

constexpr std::uint64_t kPriorPoints = 20261123;
constexpr std::size_t kKept = 128;          // rows of a posterior
constexpr std::size_t kMostProposed = 256;  // draws of a round after the first
constexpr std::size_t kMostRounds = 4;
constexpr std::size_t kStarts = 20000, kMoves = 60;  // of a surrogate: they cost next to nothing
constexpr std::size_t kMovesPerSweep = 6;
constexpr double kStep = 0.4;  // of a move: z' = sqrt(1 - step^2) z + step xi
constexpr double kNone = -std::numeric_limits<double>::infinity();

class Conditioning {
 public:
  Conditioning(const Design& design, std::span<const ObservedFigure> observed,
               const ConditionOptions& options)
      : design_(design),
        observed_(observed),
        options_(options),
        how_(predict::one_run(options.predict)),
        joint_(options.known.rows) {
    out_.inputs = options.known.inputs;
    std::ranges::move(inputs_of(design), std::back_inserter(out_.inputs));
  }

  Result<Posterior> run() {
    if (out_.inputs.empty())
      return Failure{ExitCode::bad_input, "nothing of the scenario is uncertain",
                     "give what you do not know as a range, as \"4 GB/s +- 10 %\""};
    if (std::optional<Failure> unknown = find_errors()) return *unknown;
    std::vector<std::vector<double>> first = first_points();
    const std::size_t asked = first.size();
    std::vector<Particle> all = simulated_draws(std::move(first));
    if (failed_) return *failed_;
    if (all.size() * 10 < asked)
      return Failure{ExitCode::inconclusive, "too few draws make a design that can be built",
                     "narrow the ranges of its inputs"};
    begin(all);
    std::vector<double> weights = weights_of(all);
    out_.effective = std::min(effective(weights), effective(of_rows(all, weights)));
    while (out_.effective < options_.effective && out_.rounds < kMostRounds) {
      ++out_.rounds;
      std::vector<Particle> more = around(all);
      if (failed_) return *failed_;
      const std::vector<double> corrected = weights_of(more);
      const double found = effective(corrected);
      for (const Particle& particle : more) all.push_back(particle);
      take_best(more);
      if (found < out_.effective) continue;
      out_.effective = found;
      kept_ = resampled(more, corrected, kKept);
    }
    if (kept_.empty())  // of the first ones, since no round told more
      kept_ = resampled({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(weights.size())},
                        weights, kKept);
    const Particle centre =
        least_surprising(all, errors_, [&](std::vector<std::vector<double>> points) {
          std::vector<Particle> found = simulated_moves(std::move(points));
          take_best(found);
          return found;
        });
    if (failed_) return *failed_;
    out_.centre = joint_.inputs_at(centre.point);
    finish(kept_);
    return std::move(out_);
  }

 private:
  /// How far off each observed figure may be; that the design as it is has it is known before many
  /// draws are simulated for nothing.
  std::optional<Failure> find_errors() {
    const Result<Prediction> nominal = predict::predict(design_, how_);
    if (!nominal.ok()) return nominal.failure();
    for (const ObservedFigure& figure : observed_) {
      const auto metric = nominal->metrics.find(figure.metric);
      if (metric == nominal->metrics.end())
        return Failure{ExitCode::bad_input,
                       (figure.at.empty() ? "" : figure.at + ": ") +
                           "the scenario has no metric \"" + figure.metric + "\"",
                       predict::metric_hint(figure.metric, *nominal)};
      units_.push_back(metric->second.unit);
      alone_.push_back(error_of(figure, units_.back(), design_));
      seen_.emplace_back();
      std::ranges::copy_if(options_.seen, std::back_inserter(seen_.back()),
                           [&](const SeenFigure& seen) { return seen.metric == figure.metric; });
      errors_.push_back(beside(alone_.back(), seen_.back()));
    }
    return std::nullopt;
  }

  /// Points that fill the priors evenly; with them the rows of what is known, one after the other.
  std::vector<std::vector<double>> first_points() const {
    const KnownDraws& known = options_.known;
    const std::size_t others = out_.inputs.size() - known.inputs.size();
    if (known.inputs.empty()) return scrambled_sobol(options_.draws, others, kPriorPoints);
    const std::size_t n =
        others > 0 ? std::max(options_.draws, known.rows.size()) : known.rows.size();
    std::vector<std::vector<double>> rest(n);
    if (others > 0) rest = scrambled_sobol(n, others, kPriorPoints);
    std::vector<std::vector<double>> out;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> point = known.rows[i % known.rows.size()];
      point.insert(point.end(), rest[i].begin(), rest[i].end());
      out.push_back(joint_.independent_of(point));
    }
    return out;
  }

  /// Draws that can be built and simulated to their end.
  std::vector<Particle> simulated_draws(std::vector<std::vector<double>> points) {
    return simulated(std::move(points), [&](const std::vector<double>& point, std::size_t i) {
      Design design = drawn(design_, out_.inputs, joint_.inputs_at(point));
      if (options_.vary) options_.vary(design, i);
      return design;
    });
  }
  /// The same of designs as they are stated, and as a profile measured them, but for inputs that
  /// are moved.
  std::vector<Particle> simulated_moves(std::vector<std::vector<double>> points) {
    return simulated(std::move(points), [&](const std::vector<double>& point, std::size_t) {
      return moved(design_, out_.inputs, joint_.inputs_at(point));
    });
  }

  template <class MakeDesign>
  std::vector<Particle> simulated(std::vector<std::vector<double>> points,
                                  const MakeDesign& design_at) {
    std::vector<Particle> out;
    std::vector<Design> designs;
    for (std::size_t i = 0; i < points.size(); ++i) {
      Design design = design_at(points[i], i);
      if (options_.valid && !options_.valid(design)) continue;
      out.push_back({std::move(points[i]), {}, {}, kNone, 0.0, i});
      designs.push_back(std::move(design));
    }
    std::vector<Result<Prediction>> all = predict::predict_all(designs, how_);
    std::vector<Particle> ended;
    const Failure* cut = nullptr;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].ok()) {
        // Draws that were cut off would leave out those that take long.
        if (all[i].failure().exit == ExitCode::inconclusive)
          cut = &all[i].failure();
        else if (ended.empty() && i + 1 == all.size())
          failed_ = all[i].failure();
        continue;
      }
      ++out_.simulated;
      judge(*all[i], out[i]);
      ended.push_back(std::move(out[i]));
    }
    ended_.insert(ended_.end(), ended.begin(), ended.end());
    if (cut == nullptr) return ended;
    const double worth = out_.effective > 0.0 ? out_.effective : effective(weights_of(ended_));
    failed_ = cut_short(*cut, observed_, units_, ended_, worth);
    return {};
  }

  /// Gives a draw its figures and its likelihood.                       [docs, eq. 8]
  void judge(const Prediction& prediction, Particle& particle) {
    double sum = 0.0;
    for (std::size_t k = 0; k < observed_.size(); ++k) {
      const auto metric = prediction.metrics.find(observed_[k].metric);
      // This draw made no such thing happen: it explains nothing.
      if (metric == prediction.metrics.end()) return particle.figures.clear();
      particle.figures.push_back(metric->second.value);
      const double off = errors_[k].off(errors_[k].scaled(metric->second.value));
      sum -= 0.5 * off * off;
    }
    particle.likelihood = std::isfinite(sum) ? sum : kNone;
    for (const JobDesign& job : design_.jobs)
      particle.uses.push_back(
          figure_or_zero(prediction, metric::of_job(job.job.id, "gpu.utilization")));
  }

  void begin(const std::vector<Particle>& all) {
    for (std::size_t k = 0; k < observed_.size(); ++k) {
      Fitted fitted;
      fitted.observed = observed_[k];
      fitted.seen = alone_[k].model > 0.0 ? seen_[k].size() : 0;
      fitted.at = alone_[k].centre;
      fitted.measured = alone_[k].measured;
      fitted.unit = units_[k];
      fitted.before = interval_of(all, k);
      out_.figures.push_back(std::move(fitted));
    }
    take_best(all);
  }

  void take_best(const std::vector<Particle>& all) {
    for (const Particle& particle : all)
      if (particle.likelihood > best_.likelihood) best_ = particle;
  }

  static Interval interval_of(const std::vector<Particle>& all, std::size_t k) {
    const std::vector<double> values = sorted(all, &Particle::figures, k);
    return {quantile_of(values, 0.05), quantile_of(values, 0.95)};
  }
  static double middle_of(const std::vector<Particle>& all, std::vector<double> Particle::*of,
                          std::size_t k) {
    const std::vector<double> values = sorted(all, of, k);
    return values.empty() ? 0.0 : quantile_of(values, 0.5);
  }
  static std::vector<double> sorted(const std::vector<Particle>& all,
                                    std::vector<double> Particle::*of, std::size_t k) {
    std::vector<double> values;
    for (const Particle& particle : all)
      if (k < (particle.*of).size()) values.push_back((particle.*of)[k]);
    std::sort(values.begin(), values.end());
    return values;
  }

  /// Likelihoods over those that they were drawn by, so that their sum is one.
  static std::vector<double> weights_of(const std::vector<Particle>& all) {
    double most = kNone;
    for (const Particle& particle : all)
      most = std::max(most, particle.likelihood - particle.drawn_by);
    std::vector<double> out;
    double sum = 0.0;
    for (const Particle& particle : all) {
      const bool possible = std::isfinite(particle.likelihood) && std::isfinite(most);
      out.push_back(possible ? std::exp(particle.likelihood - particle.drawn_by - most) : 0.0);
      sum += out.back();
    }
    for (double& weight : out)
      weight = sum > 0.0 ? weight / sum : 1.0 / static_cast<double>(out.size());
    return out;
  }

  static double effective(const std::vector<double>& weights) {
    double squares = 0.0;
    for (const double weight : weights) squares += weight * weight;
    return 1.0 / squares;
  }

  /// The weights of the rows of what is known, or of all where nothing is.
  std::vector<double> of_rows(const std::vector<Particle>& all,
                              const std::vector<double>& weights) const {
    const std::size_t rows = options_.known.rows.size();
    if (rows == 0) return weights;
    std::vector<double> out(rows, 0.0);
    for (std::size_t i = 0; i < all.size(); ++i) out[all[i].varied % rows] += weights[i];
    return out;
  }

  /// `n` of `all`, each about as often as its weight says: one of every n-th part of the weights,
  /// at random, since neighbours in a Sobol sequence are far from each other in a regular way.
  std::vector<Particle> resampled(const std::vector<Particle>& all,
                                  const std::vector<double>& weights, std::size_t n) {
    base::RandomStream random(kPriorPoints, "posterior", "resample", ++resamples_);
    std::vector<Particle> out;
    double sum = 0.0;
    double next = random.uniform() / static_cast<double>(n);
    for (std::size_t i = 0; i < all.size(); ++i) {
      sum += weights[i];
      while (out.size() < n && next < sum) {
        out.push_back(all[i]);
        next = (static_cast<double>(out.size()) + random.uniform()) / static_cast<double>(n);
      }
    }
    while (!out.empty() && out.size() < n) out.push_back(out.back());
    return out;
  }

  /// Draws from what surrogates of the figures make of the observed, simulated.  [docs, eq. 9]
  std::vector<Particle> around(const std::vector<Particle>& all) {
    const OfScores likelihood = expanded(all, errors_, out_.rounds > 2);
    base::RandomStream random(kPriorPoints, "posterior", "around", out_.rounds);
    std::vector<Particle> starts(kStarts);
    for (Particle& start : starts) {
      for (std::size_t i = 0; i < out_.inputs.size(); ++i) start.point.push_back(random.normal());
      start.likelihood = likelihood(start.point);
    }
    starts = resampled(starts, weights_of(starts), std::min(kMostProposed, options_.draws / 2));
    std::vector<std::vector<double>> points;
    std::vector<double> drawn_by;
    for (Particle& at : starts) {
      for (std::size_t i = 0; i < kMoves; ++i) {
        move(at, likelihood, random);
        if (i % kMovesPerSweep == 0) sweep(at, likelihood, random);
      }
      at.point = quantiles_of(at.point);
      points.push_back(at.point);
      drawn_by.push_back(at.likelihood);
    }
    std::vector<Particle> found = simulated_draws(std::move(points));
    std::size_t next = 0;  // some cannot be simulated
    for (Particle& particle : found) {
      while (particle.point != starts[next].point) ++next;
      particle.drawn_by = drawn_by[next++];
    }
    return found;
  }

  /// A step that keeps the priors as they are, so that only likelihoods decide.
  template <class Likelihood>
  static void move(Particle& at, const Likelihood& likelihood, base::RandomStream& random) {
    std::vector<double> to;
    for (const double z : at.point)
      to.push_back(std::sqrt(1.0 - kStep * kStep) * z + kStep * random.normal());
    const double there = likelihood(to);
    if (std::log(std::max(random.uniform(), 1e-300)) >= there - at.likelihood) return;
    at.point = std::move(to);
    at.likelihood = there;
  }

  /// Each input in turn drawn anew from its prior. Few starts lie where the observed is: many
  /// chains begin at one, and inputs that decide nothing would keep what that had of them by
  /// chance, as joint moves are seldom accepted there.
  template <class Likelihood>
  static void sweep(Particle& at, const Likelihood& likelihood, base::RandomStream& random) {
    for (std::size_t i = 0; i < at.point.size(); ++i) {
      std::vector<double> to = at.point;
      to[i] = random.normal();
      const double there = likelihood(to);
      if (std::log(std::max(random.uniform(), 1e-300)) >= there - at.likelihood) continue;
      at.point = std::move(to);
      at.likelihood = there;
    }
  }

  void finish(const std::vector<Particle>& all) {
    // Equal ones stand together. In the order of their numbers' bits from the last on, the first
    // 2^k are spread over all of them.
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::size_t from = 0;
      for (std::size_t bit = 1; bit < kKept; bit *= 2) from = 2 * from + ((i & bit) != 0 ? 1 : 0);
      out_.points.push_back(joint_.inputs_at(all[from % all.size()].point));
      out_.varied.push_back(all[from % all.size()].varied);
    }
    for (std::size_t j = 0; j < design_.jobs.size(); ++j)
      out_.uses.push_back(middle_of(all, &Particle::uses, j));
    out_.explained = std::isfinite(best_.likelihood);
    for (std::size_t k = 0; k < out_.figures.size(); ++k) {
      Fitted& fitted = out_.figures[k];
      fitted.after = interval_of(all, k);
      fitted.median = middle_of(all, &Particle::figures, k);
      if (k >= best_.figures.size()) continue;
      fitted.closest = best_.figures[k];
      fitted.off = alone_[k].off(alone_[k].scaled(fitted.closest));
      if (std::abs(fitted.off) > kFarOff) out_.explained = false;
    }
  }

  const Design& design_;
  std::span<const ObservedFigure> observed_;
  const ConditionOptions& options_;
  predict::PredictOptions how_;
  Joint joint_;
  std::vector<Error> alone_, errors_;          ///< by themselves, and beside what was seen before
  std::vector<std::vector<SeenFigure>> seen_;  ///< of each observed figure
  std::vector<std::string> units_;             ///< of the observed metrics
  std::vector<Particle> kept_, ended_;         ///< of the posterior, and all that were simulated
  std::uint64_t resamples_ = 0;
  Particle best_;
  std::optional<Failure> failed_;
  Posterior out_;
};

}  // namespace

double on_error_scale(double value, std::string_view unit) {
  constexpr double kLeast = 1e-6;
  if (unit == "ratio" && value >= 0.0 && value <= 1.0) {
    const double inside = std::clamp(value, kLeast, 1.0 - kLeast);
    return std::log(inside / (1.0 - inside));
  }
  return value > 0.0 ? std::log(value) : std::log(kLeast);
}

double from_error_scale(double value, std::string_view unit) {
  return unit == "ratio" ? 1.0 / (1.0 + std::exp(-value)) : std::exp(value);
}

Result<Posterior> condition(const Design& design, std::span<const ObservedFigure> observed,
                            const ConditionOptions& options) {
  return Conditioning(design, observed, options).run();
}

}  // namespace stallcast::uncertain
