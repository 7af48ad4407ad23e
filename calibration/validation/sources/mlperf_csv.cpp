#include "calibration/validation/sources/mlperf_csv.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "calibration/measure/csv.hpp"
#include "calibration/validation/mlperf/baselines.hpp"
#include "calibration/validation/mlperf/calibrated_rows.hpp"
#include "calibration/validation/mlperf/prediction.hpp"
#include "calibration/validation/mlperf/ranges.hpp"
#include "calibration/validation/mlperf/scenario.hpp"
#include "calibration/validation/mlperf/simulated.hpp"
#include "calibration/validation/mlperf/step_law.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/random.hpp"
#include "engine/decide/uncertain/quantiles.hpp"

namespace stallcast::calibration {
namespace {

using namespace mlperf;

/// What two runs of one configuration differ by, in points of AU (90 %): 1.64 times 0.25, the
/// middle between the median row (0.18) and the tenth worst (0.85); and first steps by 5 %.
constexpr double kRepeatAu = 0.004, kRepeatFirst = 0.05;
/// Standard deviations that the worst of five runs is below their mean, on average.
constexpr double kWorstOfFive = 1.16296;
/// s; and the factor within which 14 of 18 rows agree on it with the row that calibrates them.
constexpr double kLeastBoot = 0.04, kBootVaries = 2.5;
constexpr std::size_t kBootDraws = 128;
/// Half a width of 90 % intervals of what no input explains, of accelerators as a factor
/// (bench/mlperf_widths.py); of the other figures it is that of all designs.
constexpr double kUnexplainedCount = 0.5;

const std::string kAu = "job.train.au", kFirst = "job.train.first_step";

/// A row of the table: what was run on what, and what came out.
struct Row {
  Submission said;
  Facts facts;
};

const std::string& id_of(const Row& row) { return row.said.id; }
std::string_view group_of(const Row& row) { return row.said.system.workload->rules.id; }

double steps_at(const Row& row, double ranks) {
  return row.said.accelerators == ranks && row.said.steps ? *row.said.steps
                                                          : steps_of(row.said.system, ranks);
}

/// What the first of five epochs began with besides reading, as the mean of all five has it: only
/// the workers of PyTorch import.
std::optional<double> boot_of(const Row& row) {
  const Results& came_out = row.said.results;
  if (!row.facts.torch || !came_out.first_step || !came_out.first_step_1) return std::nullopt;
  const Seconds longer = *came_out.first_step_1 - *came_out.first_step;
  return std::max(kLeastBoot, longer.in(unit::s) / 4.0);
}

/// What other rows of the system may have in its place.
NarrowedInput carried_boot(double boot) {
  NarrowedInput out;
  out.role = "loader";
  out.kind = "pytorch";
  out.field = "boot";
  out.dimension = Dimension::time;
  out.value = boot;
  out.low = out.low_before = boot / kBootVaries;
  out.high = out.high_before = boot * kBootVaries;
  for (std::size_t i = 0; i < kBootDraws; ++i) {
    const double whole = (static_cast<double>(i) + 0.5) * std::numbers::phi;
    const double z = base::normal_quantile(whole - std::floor(whole)) / uncertain::kStandardNine;
    out.draws.push_back(boot * std::pow(kBootVaries, z));
  }
  return out;
}

MeasuredRow measured_row(const Row& row) {
  const std::optional<double> ranks = accelerators_of(row.said);
  MeasuredRow out{row.said.id, std::string(group_of(row)), {}, {}, {}};
  if (!row.said.results.au || !ranks) return out;
  out.scenario = training(row.facts, *ranks, steps_at(row, *ranks));
  if (const std::optional<double> boot = boot_of(row)) {
    out.scenario["jobs"][0]["loader"]["boot"] = with_unit(*boot, "s");
    out.seen.push_back(carried_boot(*boot));
  }
  const double au = *row.said.results.au;
  out.observed.push_back({kAu, au, {au - kRepeatAu, std::min(au + kRepeatAu, 1.0)}});
  if (!row.said.results.first_step) return out;
  const double first = row.said.results.first_step->in(unit::s);
  out.observed.push_back(
      {kFirst, first, {first * (1.0 - kRepeatFirst), first * (1.0 + kRepeatFirst)}});
  return out;
}

std::vector<MeasuredRow> measured_rows(const std::vector<Row>& rows) {
  std::vector<MeasuredRow> out;
  for (const Row& row : rows) out.push_back(measured_row(row));
  return out;
}

class RowPredictor {
 public:
  RowPredictor(const std::vector<Row>& rows, const SourceOptions& options)
      : simulator_(row_options(options.predict, options.draws, options.scenarios)),
        known_(simulator_, measured_rows(rows)) {
    for (const Row& row : rows) said_.push_back(row.said);
  }

  Result<PredictedRow> predict(const Row& row) {
    PredictedRow out;
    out.case_id = row.said.id;
    out.group = group_of(row);
    out.notes = row.said.notes;
    for (const std::string& note : row.facts.notes)
      if (std::count(out.notes.begin(), out.notes.end(), note) == 0) out.notes.push_back(note);
    out.calibrates = row.said.calibration == row.said.id;
    const Result<Calibrated> known = known_.said_by(row.said.calibration, out.group, out.notes);
    if (!known.ok()) return known.failure();
    if (std::optional<Failure> failed = simulate(row, *known, out)) return *std::move(failed);
    put_measured(row.said, out);
    put_baselines(row, out);
    return out;
  }

 private:
  std::optional<Failure> simulate(const Row& row, const Calibrated& known, PredictedRow& out) {
    const double bar = row.said.system.workload->rules.bar.in(unit::ratio);
    const CalibrationProfile* profile = known.profile.narrowed.empty() ? nullptr : &known.profile;
    Result<Most> most = simulator_.most_per_host(
        [&](double per_host) {
          const double ranks = per_host * row.facts.hosts;
          return training(row.facts, ranks, steps_of(row.said.system, ranks));
        },
        row.said.id, profile, kAu, mean_to_pass(bar), guess_of(row));
    if (!most.ok()) return most.failure();
    out.predicted["accelerators"] = count_of(*most, row.facts.hosts, bar, known.beyond);
    if (!most->full.empty()) out.notes.push_back("accelerators: no more fit: " + most->full);
    if (most->of_one)
      out.notes.push_back("accelerators: 0, as one on each host has an AU of " +
                          base::percent(most->of_one->middle, 1) + ", and the bar is " +
                          base::percent(bar, 0));
    if (!row.said.accelerators) {
      out.notes.emplace_back("no accelerators given: only their number is predicted");
      return std::nullopt;
    }
    const double ranks = *row.said.accelerators;
    Result<DrawnFigures> drawn = simulator_.figures(
        training(row.facts, ranks, steps_at(row, ranks)), row.said.id, profile, {kAu, kFirst});
    if (!drawn.ok()) return drawn.failure();
    const DrawnFigure& au = (*drawn)[kAu];
    out.predicted["au_raw"] = figure_of(au, "ratio", known.beyond);
    PredictedFigure& passed = out.predicted["au"];
    passed = figure_of(published(au, bar), "ratio", known.beyond);
    if (passed.draws.front() == bar && passed.draws.back() == bar)
      out.notes.push_back("au: no draw reaches the bar of " + base::percent(bar, 0) +
                          ", which published rows passed: for a design that was never run take "
                          "au_raw");
    const auto above = [&](double& low) { low = std::min(passed.value, std::max(low, bar)); };
    above(passed.low);
    for (Interval& level : passed.levels) above(level.low);
    out.predicted["first_step_s"] = figure_of((*drawn)[kFirst], "s", known.beyond);
    return std::nullopt;
  }

  /// On all hosts. One is not too many where AU at one may reach the bar; more than fit are.
  static PredictedFigure count_of(const Most& most, double hosts, double bar,
                                  const Beyond& beyond) {
    DrawnFigure per_host = most.count;
    per_host.model = kUnexplainedCount;
    PredictedFigure out = figure_of(per_host, "count", beyond);
    const bool always = per_host.middle > 0.0 && out.draws.front() > 0.0;
    const auto whole = [&](double end) {
      return hosts * std::max(always ? 1.0 : 0.0, std::round(end));
    };
    const double fit = most.full.empty() ? kMostRanks : std::max(per_host.middle, out.draws.back());
    for (Interval& level : out.levels) level = {whole(level.low), whole(std::min(level.high, fit))};
    if (most.of_one) {
      const PredictedFigure au = figure_of(*most.of_one, "ratio", beyond);
      for (std::size_t i = 0; i < out.levels.size(); ++i)
        out.levels[i].high = au.levels[i].high >= mean_to_pass(bar) ? hosts : 0.0;
    }
    out.value = whole(out.value);
    out.low = out.levels[kNineInTen].low;
    out.high = out.levels[kNineInTen].high;
    for (double& draw : out.draws) draw = whole(draw);
    return out;
  }

  /// Where the search begins: what the sheets let the storage deliver, over what one needs.
  static double guess_of(const Row& row) {
    const Rate each = row.said.system.demand(1.0) * row.facts.hosts;
    return row.facts.stated.value_or(row.facts.sheets() * 0.5) / each;
  }

  /// Of a row that is known to have passed its bar: the draws that do, and what is nearest to the
  /// prediction. Their middle would not do: it jumps up where the prediction falls below the bar.
  static DrawnFigure published(DrawnFigure au, double bar) {
    std::erase_if(au.draws, [&](double one) { return one < bar; });
    if (au.draws.empty()) au.draws.push_back(bar);
    au.middle = std::max(au.middle, bar);
    return au;
  }

  void put_measured(const Submission& row, PredictedRow& out) const {
    if (row.results.au) out.measured["au"] = out.measured["au_raw"] = *row.results.au;
    if (row.results.first_step) out.measured["first_step_s"] = row.results.first_step->in(unit::s);
    if (!row.accelerators) return;
    out.measured["accelerators"] = *row.accelerators;
    if (!shows_limit(row, said_)) out.unscored.emplace_back("accelerators");
  }

  /// Simpler methods, and the law that was fitted to the table.
  void put_baselines(const Row& row, PredictedRow& out) const {
    const auto from = std::find_if(said_.begin(), said_.end(), [&](const Submission& one) {
      return one.id == row.said.calibration;
    });
    const Submission* calibration = from == said_.end() ? nullptr : &*from;
    out.baselines = baselines(row.said, calibration, said_);
    std::optional<SystemFit> fit;
    if (calibration != nullptr) fit = mlperf::calibrate(*calibration, out.calibrates);
    const LawPrediction law = predict_by_law(row.said, fit);
    std::map<std::string, double>& said = out.baselines["step law"];
    said["accelerators"] = law.accelerators;
    if (law.au) said["au_raw"] = *law.au;
    if (law.first_step) said["first_step_s"] = law.first_step->in(unit::s);
  }

  RowSimulator simulator_;
  CalibratedRows known_;
  std::vector<Submission> said_;
};

}  // namespace

std::string own_id(const std::string& id, std::size_t row, std::set<std::string>& taken) {
  const std::string first = id.empty() ? "row " + std::to_string(row + 1) : id;
  std::string out = first;
  for (int n = 2; !taken.insert(out).second; ++n) out = first + " #" + std::to_string(n);
  return out;
}

double mean_to_pass(double bar) {
  return bar + kWorstOfFive * kRepeatAu / uncertain::kStandardNine;
}

Result<RowValidation> predict_mlperf(const std::string& text, const std::string& file,
                                     const SourceOptions& options, Diagnostics& diagnostics) {
  const CsvTable table(text, file, diagnostics);
  const bool third = table.has("kind");
  if (!table.require(
          third ? std::vector<std::string>{"kind", "system", "workload"} : required_columns(),
          diagnostics))
    return Failure{ExitCode::bad_input, "a column is missing", ""};
  return third ? predict_mlperf_v3(table, options, diagnostics)
               : predict_mlperf_v1(table, options, diagnostics);
}

Result<RowValidation> predict_mlperf_v1(const CsvTable& table, const SourceOptions& options,
                                        Diagnostics& diagnostics) {
  RowValidation out;
  out.title = "MLPerf Storage v1.0, row by row";
  out.protocol = {
      "Every row is a scenario written from what was run on what, and from nothing that came out "
      "of it, simulated with its inputs drawn from their ranges. Where `calibration_case` names a "
      "row with results, the draws are those that explain its AU and first step; what is the "
      "benchmark program's own is carried over within a workload only.",
      "`accelerators` is searched for the workload's bar, which each of five runs has to pass, on "
      "the row's hosts, by the round's rule for the size of a data set; neither the submitted "
      "number nor steps, files or bytes "
      "that follow from it are read. It is scored where the submitter stopped near the limit.",
      "`au_raw` is the figure with inputs at their middles, for a design that was never run; `au` "
      "the same, or the bar where it is lower, with the draws that pass: published rows did.",
      "Next to the predictions: `constant`, the mean AU of the workload's rows of other systems; "
      "`bandwidth ratio`, the delivered rate of the calibration row over the demand; `data sheet`, "
      "the same with the sheets' rate; `step law`, a closed form with constants fitted to the "
      "open rows (in-sample on these)."};
  out.metrics = {{"au", "ratio", ErrorKind::points},
                 {"au_raw", "ratio", ErrorKind::points},
                 {"accelerators", "count", ErrorKind::factor},
                 {"first_step_s", "s", ErrorKind::factor}};
  std::vector<Row> rows;
  UnreadRows unread;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string id = own_id(table.text(i, "case_id"), i, ids);
    auto said = read_submission(table, i, diagnostics);
    if (!said) {
      add_unread(unread, i, id, table.text(i, "workload"), diagnostics);
      continue;
    }
    said->id = id;
    if (options.sheets_only) said->calibration.clear();
    Facts facts = read_facts(table, i, *said->system.workload, said->system.compute);
    facts.hosts = said->system.hosts;
    rows.push_back({*std::move(said), std::move(facts)});
  }
  if (diagnostics.has_errors()) return Failure{ExitCode::bad_input, "the table has faults", ""};
  predict_each(rows, RowPredictor(rows, options), out);
  put_back(std::move(unread), out.rows);
  out.errors = errors_of(out);
  out.coverage = coverage_of(out);
  return out;
}

}  // namespace stallcast::calibration
