#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "calibration/fit/observed.hpp"
#include "calibration/fit/observed_runs.hpp"
#include "calibration/measure/csv.hpp"
#include "calibration/measure/importers/importer.hpp"
#include "calibration/measure/metric_text.hpp"
#include "calibration/measure/node_reader.hpp"
#include "calibration/observe/job_figures.hpp"
#include "calibration/observe/observation_json.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/place_text.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "stallcast/metric.hpp"

/// The files that an observed run may come in.
namespace stallcast::calibration {
namespace {

using base::Json;
using Observed = ObservedFigure;

constexpr double kNine = uncertain::kStandardNine, kNineteen = 1.959963984540054;

/// A figure as it was given; a plain number has no dimension.
struct Given {
  double value = 0.0;
  std::optional<Dimension> dimension;
};

/// A number in the unit of `metric`, or a quantity of its dimension: "93.5 %", "850 ms".
std::optional<Given> figure_of(std::string_view text, const std::string& metric) {
  text = base::trim(text);
  if (const auto number = base::parse_number(text)) return Given{*number, {}};
  if (const std::optional<Dimension> known = dimension_of(metric)) {
    const auto value = figure_in(text, metric::unit_said(metric));
    return value ? std::optional(Given{*value, known}) : std::nullopt;
  }
  for (const Dimension dimension :
       {Dimension::ratio, Dimension::time, Dimension::rate, Dimension::op_rate, Dimension::bytes})
    if (const auto value = base::parse_quantity(text, dimension).value)
      return Given{*value, dimension};
  return std::nullopt;
}

/// A width; in percent it is a part of `value`, but of shares points.
std::optional<Given> width_of(std::string_view text, const std::string& metric, double value) {
  const bool share = dimension_of(metric).value_or(Dimension::ratio) == Dimension::ratio;
  const auto part = base::parse_quantity(base::trim(text), Dimension::ratio).value;
  if (share || !part || text.find('%') == std::string_view::npos) return figure_of(text, metric);
  return Given{*part * value, dimension_of(metric)};
}

/// Why a text is no figure of its metric.
std::string no_figure(const std::string& metric) {
  return dimension_of(metric) ? does_not_fit(metric, metric::unit_said(metric))
                              : "is no number and no quantity of its metric";
}

/// What takes time, or goes at a rate, wherever it happens at all: waits may be none.
bool never_zero(const metric::Name& name) {
  constexpr std::string_view kFigures[] = {"step.time",
                                           "steady.step.time",
                                           "throughput.samples",
                                           "throughput.bytes",
                                           "run.time",
                                           "checkpoint.rank0",
                                           "checkpoint.duration",
                                           "checkpoint.bandwidth",
                                           "restore.rank0",
                                           "restore.duration",
                                           "restore.bandwidth",
                                           "latency",
                                           "ttft",
                                           "itl",
                                           "query",
                                           "chunk",
                                           "makespan",
                                           "operations",
                                           "queries",
                                           "tokens",
                                           "time"};
  return std::find(std::begin(kFigures), std::end(kFigures), name.figure) != std::end(kFigures);
}

/// Why nobody can have observed that; "" for what may be.
std::string impossible(const std::string& metric, const Given& given) {
  const metric::Name name = metric::parse(metric);
  if (!std::isfinite(given.value)) return "is no finite number";
  if (name.domain == metric::Domain::storage) return "";  // what is left of it, or needed of it
  if (given.value < 0.0) return "is negative";
  if (given.value == 0.0 && never_zero(name)) return "is zero, which this figure never is";
  constexpr double kAll = 1.0 + 1e-9;  // as sums of shares round
  if (given.value > kAll && dimension_of(metric).value_or(
                                given.dimension.value_or(Dimension::number)) == Dimension::ratio)
    return "is a share, and more than 1";
  return "";
}

constexpr const char* kAsGiven = "as 0.935, \"93.5 %\" or \"850 ms\"";

/// What would be one.
std::string as_figure(const std::string& metric) {
  return dimension_of(metric) ? what_fits(metric::unit_said(metric)) + ", or a number in that unit"
                              : kAsGiven;
}

/// What a result of `run` is taken to have seen of a job or a tenant: figures none of which follows
/// from another. All others would count again what these say.
bool seen_of_result(const std::string& metric) {
  constexpr std::string_view kOfJobs[] = {"gpu.utilization", "first_batch", "checkpoint.duration",
                                          "restore.duration"};
  constexpr std::string_view kOfTenants[] = {"operations", "latency", "ttft", "makespan"};
  const metric::Name name = metric::parse(metric);
  if (!metric.ends_with(name.figure)) return false;  // "first_batch.p95"
  if (name.domain == metric::Domain::job) return std::ranges::count(kOfJobs, name.figure) > 0;
  return name.domain == metric::Domain::tenant && std::ranges::count(kOfTenants, name.figure) > 0;
}

class ObservedTable {
 public:
  ObservedTable(const CsvTable& table, Diagnostics& diagnostics)
      : table_(table), diagnostics_(diagnostics) {}

  std::vector<Observed> read() {
    table_.warn_of_others(
        {"metric", "value", "unit", "low", "high", "sd", "stat", "scenario", "run"}, diagnostics_);
    std::vector<Observed> out;
    std::map<std::string, int> lines;
    for (std::size_t i = 0; i < table_.rows(); ++i) {
      if (left_out(i)) continue;
      const auto [before, fresh] =
          lines.try_emplace(table_.text(i, "metric"), table_.position(i, "metric").line);
      if (!fresh)
        fault(i, "metric", "duplicate", "was given in line " + std::to_string(before->second),
              "remove one of both, or give their mean, with \"low\" and \"high\" or \"sd\"");
      const auto given = cell(i, "value", true);
      if (!given) continue;
      const double value = given->value;
      Observed one{
          table_.text(i, "metric"), value, {}, base::place_text(table_.position(i, "metric"))};
      one.within = as_repeated(one.metric, value, given->dimension);
      const auto low = cell(i, "low", false), high = cell(i, "high", false);
      const auto sd = cell(i, "sd", false, value);
      if (sd) one.within = {value - kNine * sd->value, value + kNine * sd->value};
      if (low && high) one.within = {low->value, high->value};
      for (const auto& [end, other] : {std::pair{"low", "high"}, std::pair{"high", "low"}})
        if (!table_.text(i, end).empty() && table_.text(i, other).empty())
          fault(i, end, "range", "has no other end", "give both \"low\" and \"high\"");
      if (!(one.within.low <= value && value <= one.within.high))
        fault(i, "value", "range", "is not between its low and its high");
      out.push_back(std::move(one));
    }
    return out;
  }

 private:
  /// Of a result as a table, rows of other statistics than the mean, what counts again what others
  /// say, and what never was.
  bool left_out(std::size_t row) {
    const std::string& stat = table_.text(row, "stat");
    return table_.has("stat") && !stat.empty() &&
           (stat != "mean" || !seen_of_result(table_.text(row, "metric")) ||
            base::parse_number(table_.text(row, "value")) == 0.0);
  }
  /// With the unit of its row, where it has none of its own; metrics without a unit are shares or
  /// plain numbers.
  std::string said(std::size_t row, std::string_view column) {
    const std::string& text = table_.text(row, column);
    const std::string unit(base::trim(table_.text(row, "unit")));
    const bool own = unit.empty() || unit == "ratio" || unit == "count" ||
                     unit == metric::unit_said(table_.text(row, "metric"));
    return own || column == "metric" || !base::parse_number(text) ? text : text + " " + unit;
  }
  std::optional<Given> cell(std::size_t row, std::string_view column, bool needed,
                            double of = 0.0) {
    const std::string text = said(row, column);
    if (text.empty() && !needed) return std::nullopt;
    const std::string& metric = table_.text(row, "metric");
    const auto value = column == "sd" ? width_of(text, metric, of) : figure_of(text, metric);
    if (!value) {
      fault(row, column, "type", no_figure(metric), as_figure(metric));
      return std::nullopt;
    }
    // An end of an interval, or a width, may be nothing.
    const std::string why =
        column != "value" && value->value == 0.0 ? "" : impossible(metric, *value);
    if (why.empty()) return value;
    fault(row, column, "range", why);
    return std::nullopt;
  }
  void fault(std::size_t row, std::string_view column, std::string_view code,
             const std::string& what, const std::string& hint = kAsGiven) {
    diagnostics_.add(
        {Severity::error, std::string(code), "", table_.position(row, column),
         "\"" + said(row, column) + "\" in column \"" + std::string(column) + "\" " + what, hint});
  }

  const CsvTable& table_;
  Diagnostics& diagnostics_;
};

/// {"metrics": {"job.train.au": {"value": 0.93, "ci95": [0.92, 0.94]}}}
class ObservedReport : private NodeReader {
 public:
  using NodeReader::NodeReader;

  std::vector<Observed> read() {
    std::vector<Observed> out;
    const auto metrics = document_.root.find("metrics");
    if (metrics == document_.root.end() || !metrics->is_object()) {
      error("type", "/metrics", "\"metrics\" is an object with a figure for each metric", "");
      return out;
    }
    const auto schema = document_.root.find("schema");
    result_ = schema != document_.root.end() && schema->is_string() &&
              schema->get_ref<const std::string&>().starts_with("stallcast.result/");
    for (const auto& [name, node] : metrics->items()) {
      if (result_ && !seen_of_result(name)) continue;
      const std::string at = "/metrics" + base::pointer_token(name);
      const Json& said = node.is_object() && node.contains("value") ? node["value"] : node;
      const auto value = number(said, at, name);
      // A job that makes no save has none that took so long.
      if (!value || (result_ && value->value == 0.0)) continue;
      if (const std::string why = impossible(name, *value); !why.empty()) {
        error("range", at, "this " + why, kAsGiven);
        continue;
      }
      Observed one{name, value->value, as_repeated(name, value->value, value->dimension),
                   base::place_text(base::locate(document_, at, base::PointAt::key))};
      if (node.is_object()) {
        const Interval given = within(node, at, one);
        one.within = result_ ? wider(one.within, given) : given;
        if (!(one.within.low <= one.value && one.value <= one.within.high))
          error("range", at, "this is not between its low and its high", kAsGiven);
      }
      out.push_back(std::move(one));
    }
    return out;
  }

 private:
  /// `width_at`: the figure that this is a width of.
  std::optional<Given> number(const Json& node, const std::string& at, const std::string& metric,
                              std::optional<double> width_at = {}) {
    std::optional<Given> out;
    if (node.is_number()) out = Given{node.get<double>(), {}};
    if (node.is_string()) {
      const auto& text = node.get_ref<const std::string&>();
      out = width_at ? width_of(text, metric, *width_at) : figure_of(text, metric);
      if (!out) {
        error("type", at, "\"" + text + "\" " + no_figure(metric), as_figure(metric));
        return std::nullopt;
      }
    }
    if (!out || !std::isfinite(out->value)) {
      error("type", at, "this takes a number or a quantity of its metric", as_figure(metric));
      return std::nullopt;
    }
    return out;
  }
  /// An end of an interval, or a width: possible, or nothing.
  std::optional<double> end(const Json& node, const std::string& at, const std::string& key,
                            const std::string& metric, std::optional<double> width_at = {}) {
    const std::string place = at + base::pointer_token(key);
    const auto value = number(node[key], place, metric, width_at);
    const std::string why = !value || value->value == 0.0 ? "" : impossible(metric, *value);
    if (!why.empty()) error("range", place, "this " + why, kAsGiven);
    return value && why.empty() ? std::optional(value->value) : std::nullopt;
  }
  Interval within(const Json& node, const std::string& at, const Observed& one) {
    constexpr std::pair<std::string_view, double> kPairs[] = {{"ci90", 1.0},
                                                              {"ci95", kNine / kNineteen}};
    for (const auto& [key, times] : kPairs)
      // Of a result "ci90" is what another run may be, by what inputs and the model leave open.
      if (node.contains(key) && !(result_ && key == "ci90")) {
        if (!node[key].is_array() || node[key].size() != 2) {
          error("type", at + base::pointer_token(key), "this takes two ends", kAsGiven);
          continue;
        }
        const auto low = number(node[key][0], at, one.metric),
                   high = number(node[key][1], at, one.metric);
        if (low && high)
          return {one.value - times * (one.value - low->value),
                  one.value + times * (high->value - one.value)};
      }
    for (const auto& [first, other] : {std::pair{"low", "high"}, std::pair{"high", "low"}})
      if (node.contains(first) && !node.contains(other))
        error("range", at + base::pointer_token(first), "this has no other end",
              "give both \"low\" and \"high\"");
    if (node.contains("low") && node.contains("high")) {
      const auto low = end(node, at, "low", one.metric), high = end(node, at, "high", one.metric);
      if (low && high) return {*low, *high};
    }
    if (node.contains("sd"))
      if (const auto sd = end(node, at, "sd", one.metric, one.value))
        return {one.value - kNine * *sd, one.value + kNine * *sd};
    return one.within;
  }
  static Interval wider(Interval a, Interval b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }

  bool result_ = false;  ///< of `run --format json`
};

}  // namespace

std::vector<Observed> read_observed(const std::string& text, const std::string& file,
                                    const Design& design, Diagnostics& diagnostics) {
  std::vector<Observed> out;
  const std::string_view begin = base::trim(text);
  const std::size_t known = diagnostics.items().size();
  if (const ResultImporter* importer = recognise_results(text);
      importer != nullptr && importer->id == "dlio-results") {
    const MeasurementSet set = import_results(*importer, text, file, diagnostics);
    if (design.jobs.size() == 1) out = seen_of_summary(set, file, design, diagnostics);
  } else if (is_observation(begin)) {
    const std::optional<Observation> seen = read_job(text, file, diagnostics);
    if (seen && design.jobs.size() == 1) out = seen_of_job(*seen, file, design, diagnostics);
  } else if (begin.starts_with('{')) {
    const base::JsonDocument document = base::parse_jsonc(text, file, diagnostics);
    if (document.root.is_object()) out = ObservedReport(document, diagnostics).read();
  } else {
    const CsvTable table(text, file, diagnostics);
    if (table.require({"metric", "value"}, diagnostics))
      out = ObservedTable(table, diagnostics).read();
  }
  if (out.empty() && diagnostics.items().size() == known)
    diagnostics.add({Severity::error,
                     "missing",
                     "",
                     {file, 1, 1},
                     "there is no figure of a run of this scenario in the file",
                     "a table with the columns metric and value, JSON with \"metrics\", or, for a "
                     "scenario with one job, an observation or a summary.json of DLIO"});
  return out;
}

}  // namespace stallcast::calibration
