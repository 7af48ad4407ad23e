#include "calibration/fit/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibration/fit/draws.hpp"
#include "calibration/fit/open_axes.hpp"
#include "calibration/fit/robust.hpp"
#include "calibration/fit/unseen.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::fit {
namespace {

double response_of(const FitCell& cell) { return cell.response().in(unit::s); }

/// As many runs the noise of a series counts in that of a cell.
constexpr double kRunsOfSeries = 8.0;

/// Cells that repeat well weigh more: 1 / max(noise, 1 %)^2, within a factor of 25 of each other.
/// n runs tell little of what more would: the noise of the series counts as so many of them, so
/// that a cell that ran once has that, and a few runs that agree by chance do not decide the fit.
double weight_of(const FitCell& cell, double of_series) {
  const double own = cell.noise();
  const double share =
      kRunsOfSeries / (kRunsOfSeries + static_cast<double>(cell.runs.size()) - 1.0);
  const double noise = std::sqrt(share * of_series * of_series + (1.0 - share) * own * own);
  return 1.0 / std::pow(std::clamp(noise, 0.01, 0.05), 2);
}

std::vector<Point> points_of(std::span<const FitCell> cells) {
  std::vector<Point> out;
  const double noise = noise_of(cells);
  for (const FitCell& cell : cells)
    out.push_back({&cell, response_of(cell), weight_of(cell, noise)});
  return out;
}

/// Where a search goes on from `theta`: a parameter that went to nothing could never come back, as
/// all are searched by their logarithms.
std::vector<double> restart(const Law& law, const FitSeries& series, std::vector<double> theta) {
  const std::vector<double> start = law.start(series.cells);
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = std::max(theta[i], 1e-3 * start[i]);
  return theta;
}

/// Parameters within what the law says anything of. A term of a law over ranks that adds less than
/// a millionth of the quickest meeting is nothing.
std::vector<double> settled(const Law& law, const FitSeries& series, std::vector<double> theta) {
  for (std::size_t i = 0; i < theta.size(); ++i)
    theta[i] = std::max(theta[i], law.parameters[i].least);
  if (!series.over_ranks) return theta;
  double quickest = response_of(series.cells.front());
  for (const FitCell& cell : series.cells) quickest = std::min(quickest, response_of(cell));
  for (double& value : theta)
    if (value < 1e-6 * quickest) value = 0.0;
  return theta;
}

Estimate regress_all(const Law& law, const FitSeries& series) {
  return regress_from_several(law, points_of(series.cells), law.start(series.cells));
}

/// |fitted / measured - 1| of every cell, fitted without it and its fold.
std::vector<double> held_out(const Law& law, const FitSeries& series,
                             const std::vector<double>& start, int folds) {
  const std::vector<Point> all = points_of(series.cells);
  const auto n = all.size();
  const auto parts = std::min<std::size_t>(static_cast<std::size_t>(folds), n);
  std::vector<double> errors(n);
  for (std::size_t fold = 0; fold < parts; ++fold) {
    std::vector<Point> kept;
    for (std::size_t i = 0; i < n; ++i)
      if (i % parts != fold) kept.push_back(all[i]);
    if (kept.size() < law.parameters.size()) return {};
    const Estimate estimate = regress(law, kept, start);
    for (std::size_t i = fold; i < n; i += parts)
      errors[i] = std::abs(law.response(estimate.theta, *all[i].cell) / all[i].response - 1.0);
  }
  return errors;
}

struct Scored {
  const Law* law = nullptr;
  Estimate whole;  ///< of all cells
  std::vector<double> errors;
  double score = 0.0;     ///< mean held-out error, wild points held at 1
  double standard = 0.0;  ///< standard error of the score
};

Scored score(const Law& law, const FitSeries& series, int folds) {
  Scored out{&law, regress_all(law, series), {}, 0.0, 0.0};
  out.errors = held_out(law, series, restart(law, series, out.whole.theta), folds);
  if (out.errors.empty()) return out;
  const auto n = static_cast<double>(out.errors.size());
  for (const double error : out.errors) out.score += std::min(error, 1.0) / n;
  for (const double error : out.errors)
    out.standard += std::pow(std::min(error, 1.0) - out.score, 2) / (n * std::max(1.0, n - 1.0));
  out.standard = std::sqrt(out.standard);
  return out;
}

/// Fewest parameters among the laws within one standard error of the best. Errors that differ by
/// less than a ten-thousandth are the same.
const Scored* choose(const std::vector<Scored>& scored) {
  const Scored* best = nullptr;
  for (const Scored& one : scored)
    if (!one.errors.empty() && (best == nullptr || one.score < best->score)) best = &one;
  const Scored* chosen = best;
  for (const Scored& one : scored) {
    constexpr double kSame = 1e-4;
    if (one.errors.empty() || one.score > best->score + std::max(best->standard, kSame)) continue;
    const std::size_t size = one.law->parameters.size(), least = chosen->law->parameters.size();
    if (size < least || (size == least && one.score < chosen->score)) chosen = &one;
  }
  return chosen;
}

bool repeats(const FitSeries& series) {
  return std::any_of(series.cells.begin(), series.cells.end(),
                     [](const FitCell& cell) { return cell.repeats(); });
}

/// How much farther from the middle the 5 % of Student's distribution with `spare` degrees of
/// freedom are than those of a normal one, z: Cornish and Fisher's expansion.
double student_over_normal(double spare) {
  constexpr double z2 = 1.6449 * 1.6449;
  return 1.0 + (z2 + 1.0) / (4.0 * spare) + ((5.0 * z2 + 16.0) * z2 + 3.0) / (96.0 * spare * spare);
}

/// What the law leaves of each cell, as a logarithm. Where p parameters were fitted to n cells that
/// is too small by sqrt((n - p) / n), and how much is known of n - p only. Where so few cells agree
/// by chance, it is at least what the middles of their runs are known to.
std::vector<double> left_by(const Law& law, const FitSeries& series,
                            const std::vector<double>& theta, std::span<const Point> points) {
  const auto n = static_cast<double>(points.size());
  const double spare = std::max(1.0, n - static_cast<double>(theta.size()));
  const double wider = std::sqrt(n / spare) * student_over_normal(spare);
  const double noise = noise_of(series.cells);
  std::vector<double> out;
  double left = 0.0, known = 0.0;  // mean squares
  for (const Point& point : points) {
    const double off = std::log(point.response / law.response(theta, *point.cell));
    out.push_back(off * wider);
    left += out.back() * out.back() / n;
    known += noise * noise / (n * static_cast<double>(point.cell->runs.size()));
  }
  for (std::size_t i = 0; left < known && i < out.size(); ++i)
    out[i] = left > 0.0 ? out[i] * std::sqrt(known / left)
                        : std::sqrt(known) * (i % 2 == 0 ? 1.0 : -1.0);
  return out;
}

/// One bootstrap sample: each cell as far off the law as some cell is.
std::vector<Point> resample(const Law& law, const std::vector<double>& theta,
                            std::span<const Point> points, std::span<const double> left,
                            Draws& draws) {
  std::vector<Point> out(points.begin(), points.end());
  for (Point& point : out)
    point.response = law.response(theta, *point.cell) * std::exp(left[draws.below(left.size())]);
  return out;
}

/// How far from the fit the search for a draw begins, as the standard deviation of a logarithm:
/// what no cell decides stays as far, 90 % of it within a factor of six.
const double kFarStart = std::log(3.0);

/// The fit to `points`. What they leave open is drawn: of many parameters that say the same of
/// them, those next to a place at random about `start`, and within `ranges` of limits that no cell
/// reached.
std::vector<double> drawn(const Law& law, std::span<const Point> points,
                          const std::vector<double>& start, std::span<const Unseen> ranges,
                          Draws& draws) {
  const Estimate near = regress(law, points, start);
  std::vector<double> away = start;
  for (double& value : away) value *= std::exp(kFarStart * draws.normal());
  for (const Unseen& range : ranges) away[range.parameter] = at_part(range, draws.part());
  Estimate far = regress(law, points, away);
  if (ranges.empty()) return far.loss <= kAsGood * near.loss ? far.theta : near.theta;
  // What is next to nothing draws a search away for ever.
  for (const Unseen& range : ranges) far.theta[range.parameter] = away[range.parameter];
  const bool as_good = loss_of(law, points, far.theta) <= within_luck(points) * near.loss;
  return as_good ? far.theta : near.theta;
}

/// The limits that no cell reached.
std::vector<Unseen> draw_parameters(Fit& fit, const Law& law, const FitSeries& series,
                                    const std::vector<double>& theta, const FitOptions& options) {
  Draws draws(options.seed);
  const std::vector<Point> points = points_of(series.cells);
  const std::vector<double> left = left_by(law, series, theta, points);
  const std::vector<double> start = restart(law, series, theta);
  const std::vector<Unseen> ranges = unseen(law, series, points, start);
  for (int i = 0; i < options.draws; ++i)
    fit.draws.push_back(settled(
        law, series, drawn(law, resample(law, theta, points, left, draws), start, ranges, draws)));
  std::vector<double> middle = theta;
  for (const Unseen& range : ranges) {
    std::vector<double> values;
    for (const auto& draw : fit.draws) values.push_back(draw[range.parameter]);
    middle[range.parameter] = median(values);
  }
  // Two that no cell reached may together be what one would have.
  const bool at_once = !ranges.empty() && loss_of(law, points, middle) <=
                                              within_luck(points) * loss_of(law, points, start);
  const std::vector<double>& value = at_once ? middle : theta;
  for (std::size_t j = 0; j < law.parameters.size(); ++j) {
    std::vector<double> values;
    for (const auto& draw : fit.draws) values.push_back(draw[j]);
    fit.parameters.push_back(parameter_of(std::string(law.parameters[j].name),
                                          std::string(law.parameters[j].unit), value[j], values));
  }
  return ranges;
}

void add_range(Fit& fit, const char* quantity, const char* unit, std::span<const FitCell> cells,
               double (*of)(const FitCell&)) {
  double low = of(cells.front()), high = low;
  for (const FitCell& cell : cells) {
    low = std::min(low, of(cell));
    high = std::max(high, of(cell));
  }
  fit.ranges.push_back({quantity, unit, low, high});
}

/// Flags of importers that do not keep a run from being fitted, and what they put in doubt.
struct Doubt {
  std::string_view flag, why;
};
constexpr std::array kDoubts{
    Doubt{"cache-possible", "memory of the hosts may have answered in place of the storage"},
    Doubt{"depth-rounded", "the tool held another depth than was asked for"},
    Doubt{"invalid-run", "the tool calls them invalid"},
    Doubt{"path-unproven", "the tool does not say which way the data took"},
    Doubt{"stonewalled", "they moved less than was asked for"},
    Doubt{"stragglers", "the first was done long before the last"},
    Doubt{"unsteady", "iterations lie a factor of three apart"}};

/// Whether so many runs of `fit` are too many to take it as it is.
bool doubted(const Fit& fit, std::size_t runs) {
  return static_cast<double>(runs) > kDoubtedRuns * static_cast<double>(fit.runs);
}

/// A cell that the law is far off at, which medians over all cells do not see.
void doubt_worst(Fit& fit) {
  const auto off = [](const FitResidual& r) {
    return std::max(r.measured / r.fitted, r.fitted / r.measured) - 1.0;
  };
  const auto worst = std::ranges::max_element(fit.residuals, {}, off);
  if (worst == fit.residuals.end() || off(*worst) <= std::max(kWorstBar, kWorstNoise * fit.noise))
    return;
  doubt(fit, "the law is far off at " + worst->cell + ": it has " +
                 base::print_quantity(worst->fitted, Dimension::time) + ", measured was " +
                 base::print_quantity(worst->measured, Dimension::time));
}

/// More than a tenth of the runs in cells that fall apart: no spread of one device.
void doubt_apart(Fit& fit, const FitSeries& series) {
  std::vector<double> apart;
  std::size_t runs = 0;
  for (const FitCell& cell : series.cells)
    if (const double times = cell.apart(); times > kFallApart) {
      apart.push_back(times);
      runs += cell.runs.size();
    }
  if (!doubted(fit, runs)) return;
  doubt(fit, "runs of one cell lie a factor of " +
                 base::print_quantity(median(apart), Dimension::number) + " apart in " +
                 std::to_string(apart.size()) + " of " + std::to_string(fit.cells) +
                 " cells: more than one device, or one that changed meanwhile");
}

}  // namespace

std::string cell_name(const FitCell& cell, bool over_ranks) {
  if (over_ranks) return base::print_quantity(cell.processes, Dimension::number) + " ranks";
  return base::print_quantity(cell.size.in(unit::B), Dimension::bytes) + ", depth " +
         base::print_quantity(cell.depth, Dimension::number);
}

Fit fit_without_law(const FitSeries& series) {
  Fit fit;
  fit.id = series.id;
  fit.cells = series.cells.size();
  if (series.cells.empty()) return fit;
  for (const FitCell& cell : series.cells) fit.runs += cell.runs.size();
  fit.noise = noise_of(series.cells);
  if (series.over_ranks) {
    add_range(fit, "ranks", "count", series.cells, [](const FitCell& c) { return c.processes; });
    return fit;
  }
  add_range(fit, "size", "B", series.cells, [](const FitCell& c) { return c.size.in(unit::B); });
  add_range(fit, "depth", "count", series.cells, [](const FitCell& c) { return c.depth; });
  return fit;
}

FittedParameter parameter_of(std::string name, std::string unit, double value,
                             const std::vector<double>& draws) {
  FittedParameter out{std::move(name), std::move(unit), value, quantile(draws, 0.05),
                      quantile(draws, 0.95)};
  out.low = std::min(out.low, value);
  out.high = std::max(out.high, value);
  out.identified = 0.5 * (out.high - out.low) <= kIdentified * std::abs(value);
  return out;
}

void judge(Fit& fit, const FitSeries& series) {
  // Repeats that differ by as much excuse no law that says so little.
  const double bar = std::min(std::max(kMedianBar, 2.0 * fit.noise), kMostBar);
  if (fit.median_error > bar)
    fit.reasons.push_back("held-out cells are off by " +
                          base::print_quantity(fit.median_error, Dimension::ratio) +
                          " in the median, the bar is " +
                          base::print_quantity(bar, Dimension::ratio) + only_corners(series));
  fit.verdict = fit.reasons.empty() ? FitVerdict::accepted : FitVerdict::refused;
  if (fit.p90_error > kP90Bar)
    doubt(fit, "one held-out cell in ten is off by more than " +
                   base::print_quantity(fit.p90_error, Dimension::ratio));
  doubt_worst(fit);
  if (!repeats(series))
    doubt(fit, "nothing was measured twice: the spread of repeats is not known");
  doubt_apart(fit, series);
  if (series.devices.size() > 1)
    doubt(fit, "the runs are of different devices: " +
                   base::join(std::vector(series.devices.begin(), series.devices.end()), "; "));
  doubt_busy(fit, series.flagged("busy"));
  for (const auto& [flag, why] : kDoubts)
    if (const std::size_t runs = series.flagged(std::string(flag)); doubted(fit, runs))
      doubt(fit, std::to_string(runs) + " of " + std::to_string(fit.runs) + " runs are \"" +
                     std::string(flag) + "\": " + std::string(why));
}

void doubt(Fit& fit, std::string why) {
  fit.reasons.push_back(std::move(why));
  if (fit.verdict == FitVerdict::accepted) fit.verdict = FitVerdict::usable;
}

void doubt_undecided(Fit& fit) {
  for (const FittedParameter& p : fit.parameters)
    if (!p.identified) doubt(fit, "the measurements do not decide \"" + p.name + "\"");
}

void doubt_busy(Fit& fit, std::size_t busy) {
  if (!doubted(fit, busy)) return;
  doubt(fit, "the machine was busy with something else in " + std::to_string(busy) + " of " +
                 std::to_string(fit.runs) + " runs: what it can do alone may be more");
}

Fit fit_series(const FitSeries& series, const FitOptions& options) {
  Fit fit = fit_without_law(series);
  std::vector<Scored> scored;
  for (const Law* law : candidates(series)) scored.push_back(score(*law, series, options.folds));
  const Scored* chosen = choose(scored);
  if (chosen == nullptr) {
    fit.reasons.push_back(series.over_ranks ? "too few numbers of ranks for any law: " +
                                                  std::to_string(fit.cells) + ", and 3 are needed"
                                            : too_few(series));
    return fit;
  }
  const Law& law = *chosen->law;
  fit.law = law.id;
  fit.equation = law.equation;
  fit.median_error = median(chosen->errors);
  fit.p90_error = quantile(chosen->errors, 0.9);
  const Estimate& estimate = chosen->whole;
  const std::vector<Unseen> ranges =
      draw_parameters(fit, law, series, settled(law, series, estimate.theta), options);
  for (const FitCell& cell : series.cells)
    fit.residuals.push_back({cell_name(cell, series.over_ranks), response_of(cell),
                             law.response(estimate.theta, cell), cell.runs.size()});
  judge(fit, series);
  // A parameter that went to nothing is not a sign that others cannot be told apart.
  const bool at_bound = std::any_of(fit.parameters.begin(), fit.parameters.end(),
                                    [](const FittedParameter& p) { return p.value == 0.0; });
  if (estimate.condition > kLargestCondition && !at_bound)
    doubt(fit, "the parameters cannot be told apart");
  leave_open(fit, series, options);
  say_unseen(fit, ranges);
  return fit;
}

}  // namespace stallcast::calibration::fit
