#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "calibration/measure/statistics.hpp"
#include "calibration/validation/mlperf/calibrated_rows.hpp"
#include "calibration/validation/mlperf/round3.hpp"
#include "calibration/validation/mlperf/scenario.hpp"
#include "calibration/validation/sources/mlperf_csv.hpp"
#include "engine/decide/uncertain/quantiles.hpp"

namespace stallcast::calibration {
namespace {

using namespace mlperf;

const std::string kAu3 = "job.train.au", kSave = "job.save.checkpoint.rank0",
                  kLoad = "job.save.restore.rank0";
/// What runs of one configuration differ by (90 %) where the table has no spread.
constexpr double kRepeatAu3 = 0.004, kRepeatSeconds = 0.05;
/// Of an epoch, where the table does not say how many files there are.
constexpr double kSteps = 400.0;
/// Sizes of a checkpoint that are one: tables round.
constexpr double kSameSize = 0.02;

struct Row3 {
  Facts facts;
  std::string calibration, group;
  double ranks = 1.0;
  std::optional<double> hosts;
  bool training = false;
  base::Json scenario;
  std::vector<std::string> figures;  ///< what is predicted: "au_raw", "save_s", "load_s"
  std::map<std::string, double> measured;
  std::vector<ObservedFigure> observed;
  std::vector<std::string> rough;  ///< figures whose runs differ too much to be scored
  std::map<std::string, std::map<std::string, double>> baselines;
};

const std::string& id_of(const Row3& row) { return row.facts.id; }
std::string_view group_of(const Row3& row) { return row.group; }

class RowReader {
 public:
  RowReader(const CsvTable& table, std::size_t row, Diagnostics& diagnostics)
      : table_(table), row_(row), diagnostics_(diagnostics) {}

  std::optional<Row3> read() {
    Row3 out;
    out.group = text("workload");
    out.calibration = text("calibration_case");
    const auto ranks = count("accelerators_or_ranks");
    const std::string& kind = text("kind");
    if (table_.has("kind") && kind != "training" && kind != "save" && kind != "load")
      return unknown("kind", "known are training, save and load");
    if (!ranks && diagnostics_.has_errors()) return std::nullopt;
    if (!ranks) return unknown("accelerators_or_ranks", "the number of accelerators or ranks");
    out.ranks = *ranks;
    out.hosts = count("hosts");
    const bool known = out.group.starts_with("llama3-") ? checkpoint(kind, out) : training(out);
    if (!known) return std::nullopt;
    if (out.facts.id.empty()) out.facts.id = name_of(out, kind, text("system"));
    if (!out.hosts) out.facts.notes.emplace_back("no number of hosts: 1 is assumed");
    return out;
  }

 private:
  const std::string& text(std::string_view column) const { return table_.text(row_, column); }
  std::optional<double> number(std::string_view column) {
    const auto value = table_.number(row_, column, diagnostics_);
    return value && *value > 0.0 ? value : std::nullopt;
  }
  /// A whole number above 0; empty and 0 are not given, and what else there is is an error.
  std::optional<double> count(std::string_view column) {
    const auto value = table_.number(row_, column, diagnostics_);
    if (!value || *value == 0.0) return std::nullopt;
    if (*value > 0.0 && *value == std::floor(*value)) return value;
    diagnostics_.add(
        {Severity::error, "range", "", table_.position(row_, column),
         "\"" + text(column) + "\" in column \"" + std::string(column) + "\" is not a count", ""});
    return std::nullopt;
  }
  /// "e2000:save:llama3-70b:h16:n64".
  static std::string name_of(const Row3& row, const std::string& kind, const std::string& system) {
    const auto whole = [](double n) { return std::to_string(std::llround(n)); };
    return system + ":" + kind + ":" + row.group + ":h" + whole(row.hosts.value_or(1.0)) + ":n" +
           whole(row.ranks);
  }
  std::nullopt_t unknown(std::string_view column, std::string hint) {
    diagnostics_.add({Severity::warning, "unknown", "", table_.position(row_, column),
                      "\"" + text(column) + "\" in column \"" + std::string(column) +
                          "\" is not known: not predicted",
                      std::move(hint)});
    return std::nullopt;
  }

  bool training(Row3& out) {
    const auto dash = out.group.rfind('-');
    const Workload* workload = find_workload(out.group.substr(0, dash));
    const Seconds compute = workload == nullptr || dash == std::string::npos
                                ? Seconds{}
                                : workload->compute(out.group.substr(dash + 1));
    if (!(compute > Seconds{}) || !workload->step.prefetching_workers) {
      unknown("workload", "known are unet3d with a100, h100 or b200, retinanet with b200");
      return false;
    }
    out.training = true;
    out.facts = read_facts_v3(table_, row_, workload, compute, out.ranks);
    const double per_step = workload->rules.batch * out.ranks;
    const double steps = number("num_files").value_or(kSteps * per_step) / per_step;
    out.scenario = mlperf::training(out.facts, out.ranks, std::max(2.0, std::floor(steps)));
    out.figures = {"au", "au_raw"};
    if (out.facts.stated)
      out.baselines["bandwidth ratio"]["au_raw"] =
          std::min(1.0, *out.facts.stated / (workload->batch_bytes() / compute * out.ranks));
    const auto percent = number("au_pct");
    if (!percent) return true;
    if (*percent > 100.0) {
      out.facts.note("au_pct", text("au_pct"), "not known");
      return true;
    }
    const double au = *percent / 100.0;
    out.measured["au"] = out.measured["au_raw"] = au;
    const double sd = number("au_sd_epochs").value_or(0.0) / 100.0;
    const double within = std::max(kRepeatAu3, uncertain::kStandardNine * sd);
    out.observed.push_back({kAu3, au, {au - within, std::min(au + within, 1.0)}});
    return true;
  }

  bool checkpoint(const std::string& kind, Row3& out) {
    auto size = checkpoint_size(out.group, out.ranks);
    if (!size) {
      unknown("workload", "known are llama3-8b, -70b, -405b and -1t");
      return false;
    }
    out.facts = read_facts_v3(table_, row_, nullptr, Seconds{}, out.ranks);
    const std::optional<Bytes> stated = stated_size(*size);
    if (stated) size->all = *stated;
    out.scenario = checkpointing(out.facts, out.group, out.ranks, stated);
    const bool both = kind.empty();
    if (both || kind == "save") phase("save_s", kSave, both ? "save_s" : "duration_s", *size, out);
    if (both || kind == "load") phase("load_s", kLoad, both ? "load_s" : "duration_s", *size, out);
    return true;
  }

  /// Of the table, where it is another one than the benchmark's formulas give.
  std::optional<Bytes> stated_size(const CheckpointSize& known) {
    const auto cell = number("checkpoint_GiB");
    if (!cell) return std::nullopt;
    const Bytes said = Bytes::from(*cell, unit::GiB);
    const bool same = std::abs(said / known.all - 1.0) < kSameSize;
    return same ? std::nullopt : std::optional(said);
  }

  void phase(const std::string& id, const std::string& metric, const std::string& column,
             const CheckpointSize& size, Row3& out) {
    out.figures.push_back(id);
    if (out.facts.stated)
      out.baselines["bandwidth ratio"][id] = (size.all / *out.facts.stated).in(unit::s);
    const auto seconds = number(column);
    if (!seconds) return;
    out.measured[id] = *seconds;
    const double sd =
        number(column == "duration_s" ? "duration_sd_s" : column + "_sd").value_or(0.0);
    const double within = std::max(kRepeatSeconds * *seconds, uncertain::kStandardNine * sd);
    // Runs that differ by a quarter and more say little.
    if (sd > 0.24 * *seconds) {
      out.rough.push_back(id);
      return;
    }
    out.observed.push_back(
        {metric, *seconds, {std::max(0.1 * *seconds, *seconds - within), *seconds + within}});
  }

  const CsvTable& table_;
  std::size_t row_;
  Diagnostics& diagnostics_;
};

class Predictor3 {
 public:
  Predictor3(const std::vector<Row3>& rows, const SourceOptions& options)
      : simulator_(row_options(options.predict, options.draws, options.scenarios)),
        known_(simulator_, measured(rows)) {}

  Result<PredictedRow> predict(const Row3& row) {
    PredictedRow out;
    out.case_id = row.facts.id;
    out.group = row.group;
    out.calibrates = row.calibration == row.facts.id;
    out.notes = row.facts.notes;
    const Result<Calibrated> said = known_.said_by(row.calibration, row.group, out.notes);
    if (!said.ok()) return said.failure();
    const CalibrationProfile* known = said->profile.narrowed.empty() ? nullptr : &said->profile;
    const Result<DrawnFigures> drawn = simulator_.figures(
        row.scenario, row.facts.id, known,
        row.training ? std::vector<std::string>{kAu3} : std::vector<std::string>{kSave, kLoad});
    if (!drawn.ok()) return drawn.failure();
    for (const std::string& id : row.figures) {
      const bool au = id.starts_with("au");
      const std::string& metric = au ? kAu3 : id == "save_s" ? kSave : kLoad;
      DrawnFigure figure = drawn->at(metric);
      // Of seconds the median of the draws is nearer (by 4 points on the open rows), of AU the
      // middle.
      if (!au) figure.middle = median(figure.draws);
      out.predicted[id] = figure_of(figure, au ? "ratio" : "s", said->beyond);
    }
    out.measured = row.measured;
    out.baselines = row.baselines;
    out.unscored = row.rough;
    for (const std::string& id : row.rough)
      out.notes.push_back(id + ": runs differ by a quarter and more: not scored");
    return out;
  }

 private:
  static std::vector<MeasuredRow> measured(const std::vector<Row3>& rows) {
    std::vector<MeasuredRow> out;
    for (const Row3& row : rows)
      out.push_back({row.facts.id,
                     row.group,
                     row.scenario,
                     row.observed,
                     {},
                     row.rough.empty() ? "results" : "results that repeat within a quarter"});
    return out;
  }

  RowSimulator simulator_;
  CalibratedRows known_;
};

/// The mean AU of the other rows.
void put_constants(std::vector<PredictedRow>& rows) {
  double sum = 0.0, count = 0.0;
  for (const PredictedRow& row : rows)
    if (const auto at = row.measured.find("au_raw"); at != row.measured.end())
      sum += at->second, count += 1.0;
  for (PredictedRow& row : rows)
    if (const auto at = row.measured.find("au_raw"); at != row.measured.end() && count > 1.0)
      row.baselines["constant"]["au_raw"] = (sum - at->second) / (count - 1.0);
}

}  // namespace

Result<RowValidation> predict_mlperf_v3(const CsvTable& table, const SourceOptions& options,
                                        Diagnostics& diagnostics) {
  RowValidation out;
  out.title = "MLPerf Storage v3.0, row by row";
  out.protocol = {
      "Every row is a scenario written from what was run on what, and from nothing that came out "
      "of it, simulated with its inputs drawn from their ranges. Where `calibration_case` names a "
      "row with results, the draws are those that explain them; of a row of another workload only "
      "what hosts, network and storage are is carried over.",
      "Seconds of a checkpoint are rank 0's own, as the benchmark reports them."};
  out.metrics = {{"au", "ratio", ErrorKind::points},
                 {"au_raw", "ratio", ErrorKind::points},
                 {"save_s", "s", ErrorKind::factor},
                 {"load_s", "s", ErrorKind::factor}};
  std::vector<Row3> rows;
  UnreadRows unread;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    auto row = RowReader(table, i, diagnostics).read();
    if (!row) {
      const std::string& id = table.text(i, "case_id");
      add_unread(unread, i, own_id(id.empty() ? table.text(i, "system") : id, i, ids),
                 table.text(i, "workload"), diagnostics);
      continue;
    }
    row->facts.id = own_id(row->facts.id, i, ids);
    if (options.sheets_only) row->calibration.clear();
    rows.push_back(*std::move(row));
  }
  if (diagnostics.has_errors()) return Failure{ExitCode::bad_input, "the table has faults", ""};
  predict_each(rows, Predictor3(rows, options), out);
  put_back(std::move(unread), out.rows);
  put_constants(out.rows);
  out.errors = errors_of(out);
  out.coverage = coverage_of(out);
  return out;
}

Result<RowValidation> predict_mlperf_v3_rows(const std::string& text, const std::string& file,
                                             const SourceOptions& options,
                                             Diagnostics& diagnostics) {
  const CsvTable table(text, file, diagnostics);
  if (!table.require({"case_id", "workload", "accelerators_or_ranks"}, diagnostics))
    return Failure{ExitCode::bad_input, "a column is missing", ""};
  return predict_mlperf_v3(table, options, diagnostics);
}

}  // namespace stallcast::calibration
