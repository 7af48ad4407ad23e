#include "calibration/fit/joint.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "calibration/fit/draws.hpp"
#include "calibration/measure/flags.hpp"
#include "calibration/measure/statistics.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::fit {
namespace {

constexpr double kRefused = 0.25;

double solo(const Fit& fit, const FitCell& cell) {
  std::vector<double> theta;
  for (const FittedParameter& p : fit.parameters) theta.push_back(p.value);
  return law(fit.law).response(theta, cell);
}

/// What mixes of a cell take where each way has a line of its own: n requests, a share p of them
/// reads, go as fast as the line that is busy all the time, and no faster than one by one.
///                                                                    [docs/calibration.md, eq. 14]
double in_own_lines(const Fit& read, const Fit& write, const FitCell& cell, double p) {
  FitCell alone = cell;
  alone.depth = 1.0;
  const double least = p * solo(read, alone) + (1.0 - p) * solo(write, alone);
  return std::max({p * solo(read, cell), (1.0 - p) * solo(write, cell), least});
}

/// `draws` values of `statistic` over values drawn again from `values`.
template <class Statistic>
std::vector<double> bootstrap(const std::vector<double>& values, const FitOptions& options,
                              Statistic statistic) {
  Draws draws(options.seed);
  std::vector<double> out;
  for (int i = 0; i < options.draws; ++i) {
    std::vector<double> sample;
    for (std::size_t k = 0; k < values.size(); ++k)
      sample.push_back(values[draws.below(values.size())]);
    out.push_back(statistic(std::move(sample)));
  }
  return out;
}

double squares(const double* from, const double* to) {
  const std::vector<double> values(from, to);
  const double middle = mean(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum;
}

bool mixed(const Measurement& m) {
  return m.subject == Subject::io && m.read_share && *m.read_share > 0.0 && *m.read_share < 1.0 &&
         m.ops > OpRate{} && m.depth > 0.0 && unfit_flag(m).empty();
}

/// Takes lines of their own where these say what the mixes of `fit` took within 10 % in the median,
/// and better than one line, which is off by `shared`.
bool use_own_lines(Fit& fit, const std::vector<double>& apart, double shared) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < apart.size(); ++i)
    errors.push_back(std::abs(apart[i] / fit.residuals[i].measured - 1.0));
  if (apart.size() < 2 || median(errors) > kMedianBar || median(errors) >= shared) return false;
  fit.law = "own lines";
  fit.equation = "R = max(p R_read(n, b), (1 - p) R_write(n, b), R(1, b))";
  for (std::size_t i = 0; i < apart.size(); ++i) fit.residuals[i].fitted = apart[i];
  fit.median_error = median(errors);
  fit.p90_error = quantile(errors, 0.9);
  fit.verdict = FitVerdict::accepted;
  fit.reasons.push_back("reads and writes do not wait for each other");
  return true;
}

}  // namespace

std::optional<Fit> fit_mixes(std::span<const MeasurementSet> sets, const Fit& read,
                             const Fit& write, const FitOptions& options) {
  if (read.law.empty() || write.law.empty()) return std::nullopt;
  std::map<std::tuple<Bytes, double, double>, FitCell> cells;
  std::size_t busy = 0;
  for (const MeasurementSet& set : sets)
    for (const Measurement& m : set.measurements) {
      if (!mixed(m)) continue;
      FitCell& cell = cells[{m.size, m.depth, *m.read_share}];
      cell.size = m.size;
      cell.depth = m.depth;
      cell.runs.push_back(Ops::from(m.depth, unit::ops) / m.ops);
      if (has_flag(m, "busy")) ++busy;
    }
  if (cells.empty()) return std::nullopt;
  Fit fit;
  fit.id = "io.mixed";
  fit.law = "shared line";
  fit.equation = "R = c (p R_read(n, b) + (1 - p) R_write(n, b))";
  fit.cells = cells.size();
  std::vector<FitCell> all;
  std::vector<double> ratios, apart;
  for (const auto& [key, cell] : cells) {
    const double p = std::get<2>(key), measured = cell.response().in(unit::s);
    const double expected = p * solo(read, cell) + (1.0 - p) * solo(write, cell);
    ratios.push_back(measured / expected);
    apart.push_back(in_own_lines(read, write, cell, p));
    all.push_back(cell);
    fit.runs += cell.runs.size();
    fit.residuals.push_back({base::print_quantity(cell.size.in(unit::B), Dimension::bytes) + ", " +
                                 base::print_quantity(p, Dimension::ratio) + " reads, depth " +
                                 base::print_quantity(cell.depth, Dimension::number),
                             measured, expected, cell.runs.size()});
  }
  fit.noise = noise_of(all);
  const auto off = [&](double c) {
    std::vector<double> errors;
    for (const double ratio : ratios) errors.push_back(std::abs(c / ratio - 1.0));
    return errors;
  };
  // One line is at least what both wait for: c = 1 where it is enough, and where mixes are faster.
  const double measured = median(ratios);
  const bool undisturbed = median(off(1.0)) <= kMedianBar;
  const bool one = undisturbed || measured < 1.0;
  const double c = one ? 1.0 : measured;
  if (use_own_lines(fit, apart, median(off(c)))) {
    doubt_busy(fit, busy);
    return fit;
  }
  const std::vector<double> errors = off(c);
  fit.median_error = median(errors);
  fit.p90_error = quantile(errors, 0.9);
  std::vector<double> draws = bootstrap(ratios, options, median);
  for (double& draw : draws) {
    draw = one ? 1.0 : std::max(1.0, draw);
    fit.draws.push_back({draw});
  }
  fit.parameters.push_back(parameter_of("c", "ratio", c, draws));
  fit.verdict = undisturbed ? FitVerdict::accepted : FitVerdict::usable;
  const std::string times = base::print_quantity(measured, Dimension::number);
  if (undisturbed) {
    fit.reasons.push_back("one line for both is enough: c = 1 is used, " + times + " was measured");
  } else if (ratios.size() < 2 || fit.median_error > kRefused) {
    fit.verdict = FitVerdict::refused;
    fit.reasons.push_back("mixes do not follow from reads and writes alone: they take " + times +
                          " times as long");
  } else if (one) {
    fit.reasons.push_back("mixes are faster than one line for both (c = " + times +
                          "): c = 1 is used");
  } else {
    fit.reasons.push_back("mixes take " + times + " times as long as one line for both");
  }
  doubt_busy(fit, busy);
  return fit;
}

std::optional<Fit> fit_phases(std::span<const MeasurementSet> sets, const FitOptions& options) {
  const Measurement* longest = nullptr;
  for (const MeasurementSet& set : sets)
    for (const Measurement& m : set.measurements)
      if (m.subject == Subject::io && m.operation == "write" &&
          m.rate_series.size() >= 2 * kLeastPhase && unfit_flag(m).empty() &&
          (longest == nullptr || m.rate_series.size() > longest->rate_series.size()))
        longest = &m;
  if (longest == nullptr) return std::nullopt;
  const std::vector<double>& seconds = longest->rate_series;
  const double* begin = seconds.data();
  const double* end = begin + seconds.size();
  std::size_t split = kLeastPhase;
  double least = squares(begin, begin + split) + squares(begin + split, end);
  for (std::size_t k = kLeastPhase; k + kLeastPhase <= seconds.size(); ++k)
    if (const double error = squares(begin, begin + k) + squares(begin + k, end); error < least) {
      least = error;
      split = k;
    }
  const std::vector<double> before(begin, begin + split), after(begin + split, end);
  const double first = mean(before), second = mean(after), whole = squares(begin, end);
  Fit fit;
  fit.id = "io.write.sustained";
  fit.law = "two phases";
  fit.equation = "B1 until a buffer of C is full that drains at B2, then B2";
  fit.cells = 2;
  fit.runs = 1;
  const std::vector<double> firsts = bootstrap(before, options, mean);
  const std::vector<double> seconds_rate = bootstrap(after, options, mean);
  // The buffer drains at B2 while it fills: t = C / (B1 - B2)               [calibration.md, eq. 9]
  const auto span = static_cast<double>(split);
  std::vector<double> buffers;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    buffers.push_back((firsts[i] - seconds_rate[i]) * span);
    fit.draws.push_back({firsts[i], buffers[i], seconds_rate[i]});
  }
  fit.parameters = {parameter_of("B1", "B/s", first, firsts),
                    parameter_of("C", "B", (first - second) * span, buffers),
                    parameter_of("B2", "B/s", second, seconds_rate)};
  fit.median_error = std::sqrt(least / static_cast<double>(seconds.size())) / mean(seconds);
  fit.noise = fit.median_error;
  fit.ranges.push_back({"duration", "s", 0.0, static_cast<double>(seconds.size())});
  if (first < kLeastDrop * second || least > 0.5 * whole) {
    fit.verdict = FitVerdict::refused;
    fit.reasons.push_back("the rate does not fall within the " + std::to_string(seconds.size()) +
                          " s that were watched");
  } else if (after.size() < kPlateau) {
    fit.verdict = FitVerdict::usable;
    fit.reasons.push_back("the second rate was seen for " + std::to_string(after.size()) +
                          " s only, and may fall further");
  } else {
    fit.verdict = FitVerdict::accepted;
  }
  doubt_busy(fit, has_flag(*longest, "busy") ? 1 : 0);
  return fit;
}

}  // namespace stallcast::calibration::fit
