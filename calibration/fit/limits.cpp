#include "calibration/fit/limits.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "calibration/fit/cells.hpp"
#include "calibration/fit/draws.hpp"
#include "calibration/measure/flags.hpp"
#include "calibration/measure/statistics.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::fit {
namespace {

constexpr double kAtLimit = 0.85;    ///< of the most: a run that the limit decides
constexpr double kFewRequests = 20;  ///< a burst of fewer is known to a twentieth at best
constexpr double kMoreLater = 1.3;   ///< burst after the longest rest over that after the shortest
constexpr double kRefusedBurst = 0.25;

/// A run after a rest.
struct Burst {
  double size = 0.0;      ///< B of a request
  double requests = 0.0;  ///< that passed at once; 0: no faster than under load
  double lasted = 0.0;    ///< s
  double gap = 0.0;       ///< s until the next was complete
  double after = 0.0;     ///< requests a second from then on
  double rest = 0.0;      ///< s before
  bool busy = false;
};

double figure_of(const Measurement& m, const char* key) {
  const auto at = m.figures.find(key);
  return at == m.figures.end() ? 0.0 : at->second;
}

/// All of one operation: runs after rests, and requests a second of runs under load by size.
struct Way {
  std::vector<Burst> bursts;
  struct Loaded {
    double size = 0.0;    ///< B of a request
    double ops = 0.0;     ///< a second
    double lasted = 0.0;  ///< s
  };
  std::vector<Loaded> loaded;
  std::size_t rested = 0;

  /// Most requests, and bytes, a second under load.
  [[nodiscard]] double most_ops() const {
    double most = 0.0;
    for (const Loaded& run : loaded) most = std::max(most, run.ops);
    return most;
  }
  [[nodiscard]] double most_bytes() const {
    double most = 0.0;
    for (const Loaded& run : loaded) most = std::max(most, run.size * run.ops);
    return most;
  }
  /// Bursts of which what came after was seen: no less was complete than under load, nor more.
  [[nodiscard]] std::vector<Burst> told() const {
    std::vector<Burst> out;
    for (const Burst& b : bursts)
      if (b.gap > 0.0 && b.after > 0.0 && b.after <= most_ops() / kAtLimit &&
          b.after * b.size <= most_bytes() / kAtLimit)
        out.push_back(b);
    return out;
  }
  /// How long a slice is, where what passes comes back in slices: then nothing passes for most of
  /// one after a burst. 0: it comes back all the time.
  [[nodiscard]] double slice() const {
    std::vector<double> lengths;
    const std::vector<Burst> all = told();
    for (const Burst& b : all)
      if (b.gap > 3.0 / b.after && b.gap > 0.5 * b.requests / b.after)
        lengths.push_back(b.lasted + b.gap);
    return 2 * lengths.size() > all.size() ? median(std::move(lengths)) : 0.0;
  }
};

void collect(const Measurement& m, Way& way) {
  if (m.subject != Subject::io || m.ops <= OpRate{} || m.read_share) return;
  const double size = m.size.in(unit::B);
  if (m.path == kRested) {
    ++way.rested;
    Burst burst{size,
                figure_of(m, "burst_requests"),
                figure_of(m, "burst_s"),
                figure_of(m, "gap_s"),
                figure_of(m, "after_ops"),
                figure_of(m, "rest_s"),
                has_flag(m, "busy")};
    if (burst.requests > 0.0 && burst.lasted > 0.0) way.bursts.push_back(burst);
  } else if (m.path.empty() && unfit_flag(m).empty()) {
    way.loaded.push_back({size, m.ops.in(unit::per_s), m.duration.value_or(Seconds{}).in(unit::s)});
  }
}

/// What `of` says of the runs under load that the limit decides: those within 15 % of the most. A
/// run of time D that begins and ends in slices of T holds up to T / D too many: half of it.
template <class Of>
std::vector<double> at_limit(const Way& way, double most, const Of& of) {
  std::vector<double> out;
  const double half = 0.5 * way.slice();
  for (const Way::Loaded& run : way.loaded)
    if (of(run.size, run.ops) >= kAtLimit * most)
      out.push_back(of(run.size, run.ops) *
                    (run.lasted > 0.0 ? run.lasted / (run.lasted + half) : 1.0));
  return out;
}

template <class Values>
std::vector<double> medians(const Values& values, const FitOptions& options) {
  Draws draws(options.seed);
  std::vector<double> out;
  for (int i = 0; i < options.draws; ++i) {
    std::vector<double> sample;
    for (std::size_t k = 0; k < values.size(); ++k)
      sample.push_back(values[draws.below(values.size())]);
    out.push_back(median(std::move(sample)));
  }
  return out;
}

/// The limits of one operation; none of a kind where no record shows it.
struct Limits {
  std::optional<double> bytes, requests;

  /// Requests of `size` a second that pass in the long run.
  [[nodiscard]] double ops(double size) const {
    const double by_bytes = bytes ? *bytes / size : INFINITY;
    return std::min(by_bytes, requests.value_or(INFINITY));
  }
};

void add(Fit& fit, const char* name, const char* unit, const std::vector<double>& values,
         const FitOptions& options) {
  const std::vector<double> draws = medians(values, options);
  fit.parameters.push_back(parameter_of(name, unit, median(values), draws));
  fit.draws.resize(draws.size());
  for (std::size_t i = 0; i < draws.size(); ++i) fit.draws[i].push_back(draws[i]);
}

// Of I and B, the one that a run does not reach is not what held it back.    [calibration.md, eq.
// 13]
Fit rates_of(const std::string& id, const Way& way, const FitOptions& options, Limits& limits) {
  Fit fit;
  fit.id = id;
  fit.law = "limit";
  fit.equation = "X(b) = min(I, B / b) under load";
  const double most_ops = way.most_ops(), most_bytes = way.most_bytes();
  const std::vector<Burst> told = way.told();
  const auto below = [&](const auto& reached) {
    return std::any_of(told.begin(), told.end(), [&](const Burst& b) { return !reached(b); });
  };
  const bool by_bytes = below([&](const Burst& b) { return b.after >= kAtLimit * most_ops; });
  const bool by_requests =
      below([&](const Burst& b) { return b.after * b.size >= kAtLimit * most_bytes; });
  if (by_bytes || !by_requests) {
    const std::vector<double> values =
        at_limit(way, most_bytes, [](double size, double ops) { return size * ops; });
    add(fit, "B", "B/s", values, options);
    limits.bytes = median(values);
  }
  if (by_requests) {
    const std::vector<double> values =
        at_limit(way, most_ops, [](double, double ops) { return ops; });
    add(fit, "I", "1/s", values, options);
    limits.requests = median(values);
  }
  return fit;
}

/// What passed at once, as time at the limit: T = k / X of slices, (k - X t) / X of tokens that
/// come meanwhile.                                                             [calibration.md, eq.
/// 13]
double depth_of(const Burst& burst, const Limits& limits, bool slices) {
  const double ops = limits.ops(burst.size);
  return burst.requests / ops - (slices ? 0.0 : burst.lasted);
}

void judge_bursts(Fit& fit, const std::vector<std::pair<double, double>>& seen) {
  std::vector<double> errors;
  const double depth = fit.parameters.front().value;
  for (const auto& [rest, each] : seen) errors.push_back(std::abs(depth / each - 1.0));
  fit.median_error = median(errors);
  fit.p90_error = quantile(errors, 0.9);
  fit.verdict = fit.median_error <= kMedianBar      ? FitVerdict::accepted
                : fit.median_error <= kRefusedBurst ? FitVerdict::usable
                                                    : FitVerdict::refused;
  if (fit.verdict != FitVerdict::accepted)
    fit.reasons.push_back("bursts are off by " +
                          base::print_quantity(fit.median_error, Dimension::ratio) +
                          " in the median");
  std::map<double, std::vector<double>> by_rest;
  for (const auto& [rest, each] : seen) by_rest[rest].push_back(each);
  const double after_least = median(by_rest.begin()->second);
  const double after_most = median(by_rest.rbegin()->second);
  if (after_most > kMoreLater * after_least)
    doubt(fit, "after " + base::print_quantity(by_rest.rbegin()->first, Dimension::time) +
                   " more passes at once than after " +
                   base::print_quantity(by_rest.begin()->first, Dimension::time) +
                   ": the bucket may be deeper than was seen");
}

}  // namespace

std::vector<Fit> fit_limits(std::span<const MeasurementSet> sets, const FitOptions& options) {
  std::map<std::string, Way> ways;
  for (const MeasurementSet& set : sets)
    for (const Measurement& m : set.measurements)
      if (m.operation == "read" || m.operation == "write") collect(m, ways[m.operation]);
  std::vector<Fit> out;
  std::vector<std::pair<double, double>> depths;  // rest, T
  std::size_t slices = 0, bursts = 0, busy = 0;
  std::set<double> sizes;
  for (const auto& [operation, way] : ways) {
    if (2 * way.bursts.size() <= way.rested || way.told().empty()) continue;
    Limits limits;
    Fit fit = rates_of("io." + operation + ".limit", way, options, limits);
    const bool few = std::none_of(way.bursts.begin(), way.bursts.end(),
                                  [](const Burst& b) { return b.requests >= kFewRequests; });
    const bool sliced = way.slice() > 0.0;
    std::vector<double> errors;
    for (const Burst& burst : way.told())
      errors.push_back(std::abs(limits.ops(burst.size) / burst.after - 1.0));
    for (const Burst& burst : way.bursts) {
      sizes.insert(burst.size);
      busy += burst.busy ? 1U : 0U;
      if (!few && burst.requests < kFewRequests) continue;
      depths.emplace_back(burst.rest, depth_of(burst, limits, sliced));
    }
    fit.cells = sizes.size();
    fit.runs = way.bursts.size() + way.loaded.size();
    fit.median_error = median(errors);
    fit.p90_error = quantile(errors, 0.9);
    fit.verdict = FitVerdict::accepted;
    if (fit.median_error > kMedianBar)
      doubt(fit, "what passes after a burst is off by " +
                     base::print_quantity(fit.median_error, Dimension::ratio) + " in the median");
    out.push_back(std::move(fit));
    bursts += way.bursts.size();
    slices += sliced ? way.bursts.size() : 0U;
  }
  if (depths.empty()) return out;
  Fit depth;
  depth.id = "io.limit";
  depth.law = 2 * slices > bursts ? "slices" : "steady";
  depth.equation = "so many pass at once: n = T min(I, B / b)";
  depth.cells = sizes.size();
  depth.runs = depths.size();
  std::vector<double> values;
  for (const auto& [rest, each] : depths) values.push_back(each);
  add(depth, "T", "s", values, options);
  judge_bursts(depth, depths);
  doubt_busy(depth, busy);
  out.push_back(std::move(depth));
  return out;
}

void accept_rested(Fit& fit) {
  constexpr double kTwice = 1.0;
  if (fit.verdict != FitVerdict::refused || fit.law.empty() || fit.p90_error > kTwice) return;
  fit.verdict = FitVerdict::usable;
  fit.reasons.emplace_back("used all the same: behind a limiter it decides short times only");
}

}  // namespace stallcast::calibration::fit
