#include "calibration/validation/grid/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "calibration/fit/cells.hpp"
#include "calibration/validation/grid/draws.hpp"
#include "calibration/validation/grid/scenario.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "stallcast/breakdown.hpp"

namespace stallcast::calibration::grid {
namespace {

/// Runs of one configuration, medians of three: AU of runs spreads by 1.2 % in the median row and
/// 4.9 % in the tenth worst, a lognormal with mean 2.2 %; the median of three has 0.72 of that.
constexpr double kRuns = 0.016;

/// What is said of a row, the metric of a simulation it is read from, and its unit.
struct Figure {
  const char* id;
  const char* metric;
  double scale;
};
constexpr Figure kFigures[] = {{"au", "job.train.steady.au", 1.0},
                               {"ckpt_stall_s", "job.train.checkpoint.stall.total", 1.0},
                               {"first_batch_ms", "job.train.first_batch.waited", 1e3},
                               {"step_ms", "job.train.steady.step.time", 1e3}};

struct StoreModel {
  StoreFit fit;
  DrawSpread spread;
};

Failure no_use(std::string message) { return {ExitCode::bad_input, std::move(message), ""}; }

/// The designs of all draws of `row`, or why it has none (a batch larger than its data set).
Result<std::vector<Design>> designs_of(const GridRow& row, const Machine& machine,
                                       const DrawSpread& spread, std::uint64_t seed, int draws) {
  std::vector<Design> out;
  for (int i = 0; i < draws; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const Scenario scenario = scenario_of(row, machine, draw(spread, i, draws), seed + index);
    if (!scenario.ok()) return scenario.failure();
    out.push_back(scenario.design());
  }
  return out;
}

/// Figures of one row's draws; without a step that counts there are none.
std::map<std::string, std::vector<double>> figures_in(std::span<const Result<Prediction>> draws,
                                                      std::string& why_not) {
  std::map<std::string, std::vector<double>> out;
  for (const Result<Prediction>& one : draws) {
    if (!one.ok()) {
      why_not = one.failure().message;
      return {};
    }
    for (const Figure& figure : kFigures)
      out[figure.id].push_back(figure.scale * figure_or_zero(*one, figure.metric));
  }
  if (median(out["step_ms"]) > 0.0) return out;
  why_not = "an epoch has no step after its first";
  return {};
}

void put_measured(const GridRow& row, PredictedRow& out) {
  const auto put = [&](const char* id, std::optional<double> measured) {
    if (!measured) return;
    out.measured[id] = *measured;
    if (*measured > 0.0) return;
    out.unscored.emplace_back(id);
    out.notes.push_back(std::string(id) + ": nothing was measured to be off by: not scored");
  };
  if (row.au && *row.au > 1.0)
    out.notes.push_back("au is " + base::percent(*row.au, 1) +
                        ", above 100 %: it counts as not measured");
  else
    put("au", row.au);
  put("step_ms", row.step_ms);
  put("first_batch_ms", row.first_batch_ms);
  // Rows without saves have no stall to be compared.
  if (row.saves()) put("ckpt_stall_s", row.ckpt_stall_s);
}

/// The same under the names that tables of other layouts have: no row had to pass a bar to be in
/// the table, so AU is the raw one, and times of steps are seconds there.
void also_say(std::map<std::string, PredictedFigure>& predicted) {
  predicted["au_raw"] = predicted.at("au");
  PredictedFigure step = predicted.at("step_ms");
  for (double* part : {&step.value, &step.low, &step.high}) *part *= unit::ms.scale;
  for (Interval& level : step.levels) level.low *= unit::ms.scale, level.high *= unit::ms.scale;
  for (double& draw : step.draws) draw *= unit::ms.scale;
  predicted["step_time_s"] = std::move(step);
}

}  // namespace

PredictedFigure figure_of(std::vector<double> draws, double runs) {
  const double value = median(draws);
  PredictedFigure out{value, value, value};
  out.levels.fill({value, value});
  if (!(value > 0.0)) return out;
  for (double& d : draws) d = std::log(std::max(d, 1e-9) / value);
  std::sort(draws.begin(), draws.end());
  out.levels = uncertain::by_level(draws, [&](double low, double high, double times) {
    const double reach = uncertain::kStandardNine * times * runs;
    return Interval{value * std::exp(-std::hypot(std::max(0.0, -low), reach)),
                    value * std::exp(std::hypot(std::max(0.0, high), reach))};
  });
  out.low = out.levels[kNineInTen].low;
  out.high = out.levels[kNineInTen].high;
  return out;
}

Result<std::vector<PredictedRow>> predict_rows(const std::vector<GridRow>& rows,
                                               const ProbeFiles& probes,
                                               const predict::PredictOptions& options,
                                               Diagnostics& diagnostics) {
  const LoaderFit loader = fit_loader(probes.cpu, diagnostics);
  std::map<std::string, StoreModel> stores;
  for (const GridRow& row : rows) {
    if (stores.contains(row.store)) continue;
    StoreModel& model = stores[row.store];
    model.fit = fit_store(probes, row.store, diagnostics);
    model.spread = spread_of(probes, row.store, model.fit, loader, diagnostics);
  }
  for (const GridRow& row : rows) {
    (void)sample_cpu(probes.cpu, row.format, diagnostics);
    (void)collate(probes.cpu, row.format, row.batch, diagnostics);
    (void)overshoot(probes.cpu, row.compute, diagnostics);
  }
  if (diagnostics.has_errors()) return no_use("the probes lack what these rows need");

  predict::PredictOptions each = options;
  each.replicas = 1;
  each.seed = std::nullopt;  // every draw has a seed of its own
  const int draws = options.replicas > 0 ? options.replicas : kDraws;
  std::vector<Design> designs;
  std::vector<std::string> faults;
  for (const GridRow& row : rows) {
    const StoreModel& model = stores.at(row.store);
    const auto own =
        designs_of(row, {probes, model.fit, loader}, model.spread, options.seed.value_or(1), draws);
    faults.push_back(own.ok() ? "" : own.failure().message);
    if (own.ok()) designs.insert(designs.end(), own->begin(), own->end());
  }
  const std::vector<Result<Prediction>> predictions = predict::predict_all(designs, each);
  // Interrupts and time limits end it; other faults are of one row.
  for (const Result<Prediction>& one : predictions)
    if (!one.ok() && one.failure().exit == ExitCode::inconclusive) return one.failure();

  std::vector<PredictedRow> out;
  std::size_t next = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const GridRow& row = rows[r];
    PredictedRow said;
    said.case_id = row.id;
    said.group = row.group;
    std::map<std::string, std::vector<double>> values;
    if (faults[r].empty()) {
      const auto size = static_cast<std::size_t>(draws);
      values = figures_in(std::span(predictions).subspan(next, size), faults[r]);
      next += size;
    }
    if (values.empty()) {
      said.notes.push_back("not predicted: " + faults[r]);
      out.push_back(std::move(said));
      continue;
    }
    for (const auto& [id, drawn] : values)
      said.predicted[id] =
          figure_of(drawn, id == "first_batch_ms" ? stores.at(row.store).spread.boot : kRuns);
    PredictedFigure& au = said.predicted["au"];
    au.high = std::min(1.0, au.high);
    for (Interval& level : au.levels) level.high = std::min(1.0, level.high);
    also_say(said.predicted);
    if (!row.warm && probes.stores.at(row.store).find(row.format, 1) == nullptr)
      said.notes.push_back("no probe read " + row.format + " from " + row.store +
                           ": costs of a file are scaled from other sizes");
    said.baselines = baselines(row, probes);
    put_measured(row, said);
    out.push_back(std::move(said));
  }
  return out;
}

}  // namespace stallcast::calibration::grid
