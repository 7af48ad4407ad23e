#include "calibration/fit/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "calibration/fit/draws.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::fit {
namespace {

/// One figure for all cells: of the seconds of a run, and of the figure the seconds again.
///                                                                         [calibration.md, eq. 10]
struct Constant {
  const char *law, *equation, *name, *unit;
  double (*of)(const FitCell& cell, double seconds);
  bool by_core_time = false;  ///< what else ran took nothing of these seconds
};
constexpr Constant kTime{"time", "R = T", "T", "s",
                         [](const FitCell&, double seconds) { return seconds; }};
constexpr Constant kRate{"rate", "R(n, b) = n b / B", "B", "B/s",
                         [](const FitCell& cell, double seconds) {
                           return cell.depth * cell.size.in(unit::B) / seconds;
                         }};
constexpr Constant kCoreRate{"rate", "R(b) = b / B, of core time", kRate.name, kRate.unit, kRate.of,
                             true};

using Values = std::vector<std::vector<double>>;  // of runs, by cell

double middle(const Values& cells, std::size_t without) {
  std::vector<double> all;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (i != without) all.insert(all.end(), cells[i].begin(), cells[i].end());
  return median(std::move(all));
}
double middle(const Values& cells) { return middle(cells, cells.size()); }

Values drawn(const Values& cells, Draws& draws) {
  Values out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::vector<double>& runs = cells[draws.below(cells.size())];
    std::vector<double>& sample = out.emplace_back();
    for (std::size_t r = 0; r < runs.size(); ++r) sample.push_back(runs[draws.below(runs.size())]);
  }
  return out;
}

/// One run does not tell what another would give: as far off as a usable figure may be at most.
///                                                                         [calibration.md, eq. 10]
std::vector<double> drawn_about(double value, const FitOptions& options) {
  constexpr double kOf90Percent = 1.645;
  const double spread = std::log(1.0 + kNoFigure) / kOf90Percent;
  std::vector<double> out;
  Draws draws(options.seed);
  for (int i = 0; i < options.draws; ++i) out.push_back(value * std::exp(spread * draws.normal()));
  return out;
}

/// By the bar of figures: usable up to kNoFigure.                       [calibration.md, eq. 10]
Fit as_figure(Fit fit) {
  if (fit.verdict == FitVerdict::refused && fit.median_error <= kNoFigure)
    fit.verdict = FitVerdict::usable;
  return fit;
}

/// What a process that was kept waiting did once says nothing, in neither direction.
void doubt_once(Fit& fit, const FitSeries& part, const Constant& constant) {
  doubt(fit, "one run: what another would give is taken to be within " +
                 base::print_quantity(kNoFigure, Dimension::ratio));
  if (constant.by_core_time || part.flagged("busy") == 0) return;
  fit.verdict = FitVerdict::refused;
  fit.reasons.emplace_back("one run on a busy machine is no figure of it: measure again");
}

Fit fit_constant(const FitSeries& part, const Constant& constant, const FitOptions& options) {
  Fit fit = fit_without_law(part);
  fit.law = constant.law;
  fit.equation = constant.equation;
  Values cells;
  for (const FitCell& cell : part.cells) {
    std::vector<double>& runs = cells.emplace_back();
    for (const Seconds run : cell.runs) runs.push_back(constant.of(cell, run.in(unit::s)));
  }
  const double value = middle(cells);
  const bool once = fit.runs == 1;
  std::vector<double> values;
  Draws draws(options.seed);
  if (once) values = drawn_about(value, options);
  for (int i = 0; i < options.draws && !once; ++i) values.push_back(middle(drawn(cells, draws)));
  for (const double one : values) fit.draws.push_back({one});
  fit.parameters.push_back(parameter_of(constant.name, constant.unit, value, values));
  Values parts = cells;  // what is held out in turn
  if (cells.size() == 1) {
    parts.clear();
    for (const double run : cells.front()) parts.push_back({run});
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < parts.size() && parts.size() > 1; ++i)
    errors.push_back(std::abs(middle(parts, i) / median(parts[i]) - 1.0));
  if (!errors.empty()) {
    fit.median_error = median(errors);
    fit.p90_error = quantile(errors, 0.9);
  }
  for (const FitCell& cell : part.cells)
    fit.residuals.push_back(
        {cell_name(cell), cell.response().in(unit::s), constant.of(cell, value), cell.runs.size()});
  judge(fit, part);
  doubt_undecided(fit);
  fit = as_figure(std::move(fit));
  if (once) doubt_once(fit, part, constant);
  return fit;
}

/// The cells of `series` that `keep` takes, as a series of its own.
template <class Keep>
FitSeries part_of(const FitSeries& series, const char* suffix, Keep keep) {
  FitSeries out{series.id + suffix, series.subject, series.operation, {}, {}};
  out.devices = series.devices;
  std::copy_if(series.cells.begin(), series.cells.end(), std::back_inserter(out.cells), keep);
  return out;
}

bool one(const FitCell& cell) { return cell.depth == 1.0; }

/// The cells of `least` bytes and more; all where none is so large.
FitSeries large(FitSeries series, Bytes least) {
  const auto small = [&](const FitCell& cell) { return cell.size < least; };
  if (!std::all_of(series.cells.begin(), series.cells.end(), small))
    std::erase_if(series.cells, small);
  return series;
}

/// Core time in place of response time, of the cells where all runs recorded it.
FitSeries core_time(const FitSeries& series) {
  FitSeries out = part_of(series, ".core", [](const FitCell& cell) {
    return cell.core_runs.size() == cell.runs.size() && cell.size > Bytes{};
  });
  for (FitCell& cell : out.cells) {
    cell.runs = cell.core_runs;
    cell.depth = 1.0;
  }
  return large(std::move(out), kLeastBlock);
}

/// Whether one process does it without a wait: how fast it is its core time says, however much of
/// the time it had no core.
bool computes(const FitSeries& series) {
  if (series.subject == Subject::loader) return series.operation == "decode";
  constexpr std::array<std::string_view, 4> kOfOneCore{"crc32c", "memcpy", "page-cache-read",
                                                       "sha256"};
  return series.subject == Subject::memory &&
         std::find(kOfOneCore.begin(), kOfOneCore.end(), series.operation) != kOfOneCore.end();
}

/// The rate of one thread: by core time where it computes and all its runs recorded that.
Fit fit_rate(FitSeries thread, const FitOptions& options) {
  const bool recorded =
      std::all_of(thread.cells.begin(), thread.cells.end(),
                  [](const FitCell& cell) { return cell.core_runs.size() == cell.runs.size(); });
  if (!recorded || !computes(thread)) return fit_constant(thread, kRate, options);
  for (FitCell& cell : thread.cells) cell.runs = cell.core_runs;
  return fit_constant(thread, kCoreRate, options);
}

std::vector<Fit> loader_fits(const FitSeries& series, const FitOptions& options) {
  if (series.operation == "decode") return {fit_rate(large(series, kLeastBlock), options)};
  if (series.operation == "worker")
    return {fit_constant(large(series, kLeastBatch), kRate, options)};
  if (series.operation == "loaded") return {};  // shows what the others make of it
  const bool each = series.operation == "start" || series.operation == "boot";
  if (each || series.cells.size() == 1) return {fit_constant(series, kTime, options)};
  Fit fit = fit_series(series, options);
  // Fields take it as figures: samples of a batch cost some microseconds each, and the training
  // process has other work, which bytes do not tell.
  return {fit.law.empty() ? fit : as_figure(std::move(fit))};
}

std::vector<Fit> network_figures(const FitSeries& series, const FitOptions& options) {
  std::vector<Fit> out;
  FitSeries messages = part_of(series, ".one", one);
  if (messages.cells.size() > 2) {
    out.push_back(fit_series(messages, options));
  } else if (!messages.cells.empty()) {
    messages.cells.resize(1);  // of the smallest size: a latency
    out.push_back(fit_constant(messages, kTime, options));
  }
  const FitSeries many =
      large(part_of(series, ".many", [](const FitCell& c) { return !one(c); }), kLeastBlock);
  if (!many.cells.empty()) out.push_back(fit_constant(many, kRate, options));
  const FitSeries core = core_time(series);
  if (!core.cells.empty()) out.push_back(fit_constant(core, kRate, options));
  return out;
}

/// What one thread reads or writes by itself, which a law over threads may not tell.
std::optional<Fit> gds_thread(const FitSeries& series, const FitOptions& options) {
  FitSeries thread = part_of(series, ".one", one);
  if (thread.cells.empty()) return std::nullopt;
  const bool law = thread.cells.size() > 2;
  if (!law)  // of the largest size: a rate
    thread.cells.erase(thread.cells.begin(), thread.cells.end() - 1);
  Fit out = law ? fit_series(thread, options) : fit_constant(thread, kRate, options);
  if (series.id.ends_with(".gpud") && out.verdict != FitVerdict::refused)
    out.reasons.push_back(
        "B is \"gds.stream\" of the host where the data went past its memory, which gdsio does not "
        "say: no field is set (gdscheck -p)");
  return out;
}

}  // namespace

std::vector<Fit> fits_of(const FitSeries& series, const FitOptions& options) {
  if (series.subject == Subject::loader && !series.cells.empty())
    return loader_fits(series, options);
  std::vector<Fit> out{fit_series(series, options)};
  if (series.subject == Subject::memory) {
    const FitSeries thread = large(part_of(series, ".one", one), kLeastBlock);
    if (!thread.cells.empty()) out.push_back(fit_rate(thread, options));
  } else if (series.subject == Subject::network) {
    const std::vector<Fit> figures = network_figures(series, options);
    out.insert(out.end(), figures.begin(), figures.end());
  } else if (series.subject == Subject::gds) {
    if (std::optional<Fit> thread = gds_thread(series, options)) out.push_back(*std::move(thread));
  }
  if (out.size() > 1 && series.cells.size() == 1) out.erase(out.begin());  // a cell has no law
  return out;
}

}  // namespace stallcast::calibration::fit
