#include "calibration/validation/sources/mlperf_csv.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "calibration/measure/csv.hpp"
#include "calibration/validation/mlperf/baselines.hpp"
#include "calibration/validation/mlperf/refit.hpp"
#include "calibration/validation/mlperf/scenario.hpp"

namespace stallcast::calibration {
namespace {

using namespace mlperf;

/// A calibration row's own AU is reproduced, not predicted: what repeats of a run differ by.
constexpr double kRepeats = 0.01;
void put_measured(const Submission& row, std::span<const Submission> all, PredictedRow& out) {
  if (row.results.au) out.measured["au"] = out.measured["au_raw"] = *row.results.au;
  if (row.results.first_step) out.measured["first_step_s"] = row.results.first_step->in(unit::s);
  if (!row.accelerators) return;
  out.measured["accelerators"] = *row.accelerators;
  if (!shows_limit(row, all)) out.unscored.emplace_back("accelerators");
}

PredictedRow predict_row(const Submission& row, const Submission* calibration,
                         std::span<const Submission> all) {
  PredictedRow out;
  out.case_id = row.id;
  out.group = row.system.workload->rules.id;
  out.calibrates = calibration == &row;
  out.notes = row.notes;
  std::optional<SystemFit> fit;
  if (calibration != nullptr) fit = calibrate(*calibration, out.calibrates);
  if (calibration == nullptr)
    out.notes.push_back(row.calibration.empty()
                            ? "no calibration row: data sheets"
                            : "no row \"" + row.calibration + "\" to calibrate from: data sheets");
  else if (!fit)
    out.notes.push_back("\"" + calibration->id + "\" has no results: data sheets");
  const mlperf::RowPrediction said = predict(row, fit);
  out.predicted["accelerators"] = said.accelerators;
  if (said.au) {
    const bool known = out.calibrates && fit.has_value();
    const double au = row.results.au.value_or(0.0);
    out.predicted["au"] =
        known ? PredictedFigure{au, au - kRepeats, std::min(1.0, au + kRepeats)} : *said.au;
    out.predicted["au_raw"] = *said.au_raw;
    out.predicted["first_step_s"] = *said.first_step;
  } else {
    out.notes.emplace_back("no accelerators given: only their number is predicted");
  }
  put_measured(row, all, out);
  out.baselines = baselines(row, calibration, all);
  return out;
}

void put_left_out(const mlperf::RowPrediction& said, PredictedRow& out) {
  std::map<std::string, double>& metrics = out.baselines["system left out"];
  metrics["accelerators"] = said.accelerators.value;
  if (said.au) metrics["au"] = said.au->value;
  if (said.au_raw) metrics["au_raw"] = said.au_raw->value;
  if (said.first_step) metrics["first_step_s"] = said.first_step->value;
}

/// Runs the rows that the simulator can follow, with what the closed forms know.
std::optional<Failure> simulate(std::span<const Submission> rows,
                                const predict::PredictOptions& options, RowValidation& out) {
  std::vector<std::size_t> which;
  std::vector<Design> designs;
  std::vector<Supply> supplies;
  std::vector<bool> calibrated;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Submission& row = rows[i];
    if (!can_simulate(row.system) || !row.accelerators) continue;
    const auto calibration = std::find_if(rows.begin(), rows.end(), [&](const Submission& other) {
      return other.id == row.calibration;
    });
    std::optional<SystemFit> fit;
    if (calibration != rows.end()) fit = calibrate(*calibration, calibration->id == row.id);
    supplies.push_back(fit ? supply_of_fit(row.system, *fit) : supply_of_sheet(row.system));
    calibrated.push_back(fit.has_value());
    const double steps = row.steps.value_or(steps_of(row.system, *row.accelerators));
    const Scenario scenario =
        scenario_of(row.system, *row.accelerators, simulated_steps(steps), supplies.back(), row.id);
    if (!scenario.ok()) return scenario.failure();
    which.push_back(i);
    designs.push_back(scenario.design());
  }
  const auto results = predict::predict_all(designs, options);
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (!results[k].ok()) return results[k].failure();
    const Submission& row = rows[which[k]];
    const auto& metrics = results[k]->metrics;
    const Seconds first = Seconds::from(metrics.at("job.train.first_step").value, unit::s);
    const Simulated said = with_intervals(row, calibrated[k], metrics.at("job.train.au").value,
                                          first + mean_first_epoch(supplies[k]));
    PredictedRow& to = out.rows[which[k]];
    to.predicted["au_simulated"] = said.au;
    to.predicted["first_step_s_simulated"] = said.first_step;
    if (row.results.au) to.measured["au_simulated"] = *row.results.au;
    if (row.results.first_step)
      to.measured["first_step_s_simulated"] = row.results.first_step->in(unit::s);
  }
  out.metrics.push_back({"au_simulated", "ratio", ErrorKind::points});
  out.metrics.push_back({"first_step_s_simulated", "s", ErrorKind::factor});
  return std::nullopt;
}

}  // namespace

Result<RowValidation> predict_mlperf(const std::string& text, const std::string& file,
                                     const SourceOptions& options, Diagnostics& diagnostics) {
  const CsvTable table(text, file, diagnostics);
  const bool third = table.has("kind");
  if (!table.require(
          third ? std::vector<std::string>{"kind", "system", "workload"} : required_columns(),
          diagnostics))
    return Failure{ExitCode::bad_input, "a column is missing", ""};
  return third ? predict_mlperf_v3(table, diagnostics)
               : predict_mlperf_v1(table, options, diagnostics);
}

Result<RowValidation> predict_mlperf_v1(const CsvTable& table, const SourceOptions& options,
                                        Diagnostics& diagnostics) {
  RowValidation out;
  out.title = "MLPerf Storage v1.0, row by row";
  out.protocol = {
      "Each system's row named in `calibration_case` gives what is the system's own: the rate its "
      "storage delivered, whether one client was the limit, the burst of the first step. All other "
      "rows are predicted from what was run on what, and from nothing that came out of them. "
      "Constants of the benchmark program are the same for all systems; they were fitted to the "
      "published rows of v1.0. Equations and constants: docs/validation-mlperf.md.",
      "`accelerators` is searched for the workload's bar on the row's hosts, by the round's "
      "rule for the size of a data set; neither the submitted number nor steps, files or bytes "
      "that follow "
      "from it are read. It is scored where the submitter stopped near the limit.",
      "`au` is the figure at the submitted number, given that the row is a published result and so "
      "passed its bar. `au_raw` is what the law says without that knowledge: the figure for a "
      "design that was never run.",
      "Next to the predictions: `constant`, the mean AU of the workload's rows of other systems; "
      "`bandwidth ratio`, the delivered rate of the calibration row over the demand; `data sheet`, "
      "the same with the sheets' rate; `system left out`, our prediction with constants fitted "
      "anew without any row of the predicted system, where the table has results of six systems."};
  out.metrics = {{"au", "ratio", ErrorKind::points},
                 {"au_raw", "ratio", ErrorKind::points},
                 {"accelerators", "count", ErrorKind::factor},
                 {"first_step_s", "s", ErrorKind::factor}};
  std::vector<Submission> rows;
  for (std::size_t i = 0; i < table.rows(); ++i)
    if (auto row = read_submission(table, i, diagnostics)) rows.push_back(*std::move(row));
  std::map<std::string, const Submission*> by_id;
  for (const Submission& row : rows) by_id.emplace(row.id, &row);
  for (const Submission& row : rows) {
    const auto at = by_id.find(row.calibration);
    out.rows.push_back(predict_row(row, at == by_id.end() ? nullptr : at->second, rows));
  }
  const auto left_out = leave_one_out(rows);
  for (PredictedRow& row : out.rows)
    if (const auto at = left_out.find(row.case_id); at != left_out.end() && !row.calibrates)
      put_left_out(at->second, row);
  if (options.simulate)
    if (auto failure = simulate(rows, options.predict, out)) return *std::move(failure);
  out.errors = errors_of(out);
  return out;
}

}  // namespace stallcast::calibration
