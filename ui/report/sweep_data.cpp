#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/base/quantity_text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/markdown.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sweep_parts.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

/// The metric of a column, or nullptr.
const Metric* sweep_metric(const SweepRow& row, const std::string& column) {
  if (!row.outcome) return nullptr;
  const auto at = row.outcome->metrics.find(column);
  return at == row.outcome->metrics.end() ? nullptr : &at->second;
}

/// "1/s" cannot be part of a name.
std::string unit_suffix(const std::string& unit) {
  if (unit.empty()) return "";
  if (unit == "1/s") return "_per_s";
  std::string out = "_" + unit;
  if (const std::size_t slash = out.find('/'); slash != std::string::npos)
    out.replace(slash, 1, "_per_");
  return out;
}

/// The unit of a column in any row that has the figure.
std::string unit_of(const SweepReport& sweep, const std::string& column) {
  for (const SweepRow& row : sweep.rows)
    if (const Metric* metric = sweep_metric(row, column)) return metric->unit;
  return "";
}

/// The one unit in which all values of an axis are numbers; nullopt when they are not.
std::optional<std::string> axis_unit(const SweepReport& sweep, std::size_t axis) {
  std::optional<std::string> unit;
  for (const SweepRow& row : sweep.rows) {
    if (!row.numbers[axis] || (unit && *unit != row.numbers[axis]->unit)) return std::nullopt;
    unit = row.numbers[axis]->unit;
  }
  return unit;
}

std::string status_word(const SweepRow& row) {
  return !row.outcome ? "missing" : row.outcome->failed ? "failed" : "done";
}

std::string verdict_word(const SweepRow& row) {
  return row.outcome && !row.outcome->failed ? std::string(verdict_name(row.outcome->verdict)) : "";
}

std::string wide_csv(const SweepReport& sweep) {
  std::vector<std::string> head = {"scenario", "point"};
  std::vector<std::optional<std::string>> units;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    units.push_back(axis_unit(sweep, a));
    head.push_back(sweep.axes[a] + unit_suffix(units[a].value_or("")));
  }
  for (const SweepColumn& column : sweep.columns)
    if (!sweep_axis(sweep, column.name)) {
      const std::string unit = unit_suffix(unit_of(sweep, column.name));
      head.push_back(column.name + unit);
      if (sweep.draws == 0) continue;
      for (const char* end : {".median", ".ci90.low", ".ci90.high"})
        head.push_back(column.name + end + unit);
    }
  for (const char* name :
       {"status", "verdict", "pareto", "limited_by", "most_waited_for", "message"})
    head.emplace_back(name);
  std::string out = csv_row(head);
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const SweepRow& row = sweep.rows[i];
    std::vector<std::string> line = {sweep.scenario_id, std::to_string(i + 1)};
    for (std::size_t a = 0; a < sweep.axes.size(); ++a)
      line.push_back(units[a] ? csv_number(row.numbers[a]->value) : row.values[a]);
    for (const SweepColumn& column : sweep.columns) {
      if (sweep_axis(sweep, column.name)) continue;
      const Metric* metric = sweep_metric(row, column.name);
      line.push_back(metric == nullptr ? "" : csv_number(metric->value));
      if (sweep.draws == 0) continue;
      const bool drawn = metric != nullptr && metric->median && metric->ci90;
      line.push_back(drawn ? csv_number(*metric->median) : "");
      line.push_back(drawn ? csv_number(metric->ci90->first) : "");
      line.push_back(drawn ? csv_number(metric->ci90->second) : "");
    }
    line.push_back(status_word(row));
    line.push_back(verdict_word(row));
    line.push_back(sweep.has_goals() ? (row.pareto ? "true" : "false") : "");
    line.push_back(row.outcome ? row.outcome->limited_by : "");
    line.push_back(row.outcome ? row.outcome->most_waited_for : "");
    line.push_back(row.outcome ? row.outcome->message : "");
    out += csv_row(line);
  }
  return out;
}

/// "job.train." when all metrics are of one job, else "".
std::string common_job(const SweepReport& sweep) {
  std::set<std::string> jobs;
  const auto look_at = [&](const std::string& full) {
    const metric::Name name = metric::parse(full);
    if (name.domain == metric::Domain::job && !sweep_axis(sweep, full))
      jobs.insert(metric::of_job(name.id));
  };
  for (const SweepColumn& column : sweep.columns) look_at(column.name);
  if (sweep.columns.empty())
    for (const SweepRow& row : sweep.rows)
      if (row.outcome && jobs.empty())
        for (const auto& [name, metric] : row.outcome->metrics) look_at(name);
  return jobs.size() == 1 ? *jobs.begin() : "";
}

Json counts_object(const SweepReport& sweep) {
  const SweepReport::Counts counts = sweep.counts();
  return {{"points", sweep.rows.size()}, {"done", counts.done}, {"failed", counts.failed},
          {"missing", counts.missing},   {"meet", counts.meet}, {"miss", counts.miss},
          {"unsure", counts.unsure},     {"parts", sweep.parts}};
}

Json point_object(const SweepReport& sweep, const SweepRow& row, std::size_t i) {
  Json set = Json::object(), metrics = Json::object();
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) set[sweep.axes[a]] = row.values[a];
  for (const SweepColumn& column : sweep.columns)
    if (const Metric* metric = sweep_metric(row, column.name))
      metrics[column.name] = metric_object(*metric);
  Json out = {
      {"point", i + 1}, {"sha256", row.key}, {"set", std::move(set)}, {"status", status_word(row)}};
  if (row.outcome && !row.outcome->failed) out["verdict"] = verdict_word(row);
  if (row.outcome && !row.outcome->limited_by.empty()) out["limited_by"] = row.outcome->limited_by;
  if (row.outcome && !row.outcome->most_waited_for.empty())
    out["most_waited_for"] = row.outcome->most_waited_for;
  if (row.outcome && row.outcome->failed) {
    out["exit"] = static_cast<int>(row.outcome->exit);
    out["message"] = row.outcome->message;
  }
  if (row.outcome && !row.outcome->warnings.empty()) out["warnings"] = row.outcome->warnings;
  if (sweep.has_goals()) out["pareto"] = row.pareto;
  out["metrics"] = std::move(metrics);
  return out;
}

}  // namespace

std::vector<SweepRemark> sweep_remarks(const SweepReport& sweep, bool failed) {
  std::vector<SweepRemark> out;
  std::map<std::string, std::size_t> places;  // of a text in `out`
  const auto add = [&](const std::string& text, std::size_t row) {
    const auto [at, fresh] = places.try_emplace(text, out.size());
    if (fresh) out.push_back({text, {}});
    out[at->second].points.push_back(row);
  };
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const std::optional<SweepOutcome>& outcome = sweep.rows[i].outcome;
    if (!outcome || outcome->failed != failed) continue;
    if (failed) add(outcome->message, i);
    for (const std::string& warning : outcome->warnings) add(warning, i);
  }
  return out;
}

std::string sweep_points(const SweepRemark& remark) {
  const std::size_t more = remark.points.size() - 1;
  return "point " + std::to_string(remark.points.front() + 1) +
         (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::optional<SweepFigure> sweep_figure(const SweepReport& sweep, const SweepRow& row,
                                        const std::string& column) {
  if (const auto axis = sweep_axis(sweep, column)) return row.numbers[*axis];
  const Metric* metric = sweep_metric(row, column);
  return metric == nullptr ? std::nullopt : std::optional(SweepFigure{metric->value, metric->unit});
}

const Metric* sweep_outcomes(const SweepRow& row, const std::string& column) {
  const Metric* metric = sweep_metric(row, column);
  return metric != nullptr && metric->ci90 && metric->median ? metric : nullptr;
}

std::string sweep_title(const SweepReport& sweep, const std::string& column) {
  constexpr std::string_view kParams = "params.";
  if (sweep_axis(sweep, column))
    return column.starts_with(kParams) ? column.substr(kParams.size()) : column;
  const std::string job = common_job(sweep);
  return !job.empty() && column.starts_with(job) ? column.substr(job.size()) : column;
}

std::string sweep_words(const SweepReport& sweep, const std::string& column) {
  const std::string title = sweep_title(sweep, column);
  if (sweep_axis(sweep, column)) return title;
  const std::string words = label::of_metric(column, "", common_job(sweep).empty());
  return words == column ? title : words;
}

std::string sweep_label(const SweepReport& sweep, const std::string& column) {
  const bool with_job = common_job(sweep).empty();
  const auto words_of = [&](const std::string& name) {
    if (!sweep_axis(sweep, name)) return label::of_metric(name, "", with_job);
    if (const std::string counted = label::of_count(name);
        counted != name && name.ends_with(".count"))
      return "number of " + counted;
    const std::string input = label::of_input(name);
    return input == name ? sweep_title(sweep, name) : input;
  };
  std::string words = words_of(column);
  for (const std::string& other : sweep_names(sweep))
    if (other != column && words_of(other) == words) return sweep_title(sweep, column);
  return words;
}

std::string sweep_status(const SweepRow& row) {
  if (!row.outcome) return "missing";
  if (row.outcome->failed) return "FAILED";
  const Verdict verdict = row.outcome->verdict;
  return verdict == Verdict::pass           ? "meets"
         : verdict == Verdict::fail         ? "misses"
         : verdict == Verdict::inconclusive ? "unsure"
                                            : "-";
}

std::optional<std::size_t> sweep_axis(const SweepReport& sweep, const std::string& column) {
  const auto at = std::find(sweep.axes.begin(), sweep.axes.end(), column);
  if (at == sweep.axes.end()) return std::nullopt;
  return static_cast<std::size_t>(at - sweep.axes.begin());
}

std::vector<std::string> sweep_names(const SweepReport& sweep) {
  std::vector<std::string> out = sweep.axes;
  for (const SweepColumn& column : sweep.columns)
    if (!sweep_axis(sweep, column.name)) out.push_back(column.name);
  return out;
}

std::string sweep_cell(const SweepReport& sweep, const SweepRow& row, const std::string& column) {
  if (const auto axis = sweep_axis(sweep, column)) return row.values[*axis];
  const Metric* metric = sweep_metric(row, column);
  if (metric == nullptr) return "-";
  std::string out = metric->unit == "ratio" ? print_share(metric->value)
                                            : print_value(metric->value, metric->unit);
  if (metric->ci90 && metric->ci90->first != metric->ci90->second)
    out += " (" + print_end(metric->ci90->first, metric->unit) + " to " +
           print_end(metric->ci90->second, metric->unit) + ")";
  return as_counted(column, std::move(out));
}

std::string sweep_json(const SweepReport& sweep, bool with_points) {
  Json out;
  out["schema"] = "stallcast.sweep/1";
  out["tool"] = tool_object({sweep.version, sweep.model_version, {}}, sweep.profile_sha256);
  out["scenario"] = {{"id", sweep.scenario_id}, {"file", sweep.scenario_file}};
  out["headline"] = sweep_phrase(sweep);
  out["sha256"] = sweep.sha256;
  out["varied"] = sweep.axes;
  if (sweep.draws > 0) out["draws"] = sweep.draws;
  out["counts"] = counts_object(sweep);
  if (!with_points) return dump(out);
  out["goals"] = Json::object();
  for (const SweepColumn& column : sweep.columns)
    if (column.goal != Goal::none)
      out["goals"][column.name] = column.goal == Goal::minimum ? "min" : "max";
  out["points"] = Json::array();
  for (std::size_t i = 0; i < sweep.rows.size(); ++i)
    out["points"].push_back(point_object(sweep, sweep.rows[i], i));
  return dump(out);
}

namespace {

std::string sweep_csv(const SweepReport& sweep, bool wide) {
  if (wide) return wide_csv(sweep);
  std::string out = csv_row({"scenario", "run", "metric", "stat", "value", "unit"});
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const SweepRow& row = sweep.rows[i];
    const auto line = [&](const std::string& metric, const char* stat, const std::string& value,
                          const std::string& unit) {
      out += csv_row({sweep.scenario_id, std::to_string(i + 1), metric, stat, value, unit});
    };
    for (std::size_t a = 0; a < sweep.axes.size(); ++a)
      line(sweep.axes[a], "set", row.numbers[a] ? csv_number(row.numbers[a]->value) : row.values[a],
           row.numbers[a] ? row.numbers[a]->unit : "");
    line("status", "", status_word(row), "");
    if (const std::string verdict = verdict_word(row); !verdict.empty())
      line("verdict", "", verdict, "");
    if (row.outcome && row.outcome->failed) line("message", "", row.outcome->message, "");
    for (const SweepColumn& column : sweep.columns) {
      const Metric* metric = sweep_metric(row, column.name);
      if (metric == nullptr) continue;
      const auto [stem, stat] = name_and_stat(column.name);
      line(stem, stat.c_str(), csv_number(metric->value), metric->unit);
      const auto ends = [&, &stem = stem, &stat = stat](const auto& interval, const char* name) {
        if (!interval) return;
        line(stem, (stat + name + ".low").c_str(), csv_number(interval->first), metric->unit);
        line(stem, (stat + name + ".high").c_str(), csv_number(interval->second), metric->unit);
      };
      ends(metric->ci95, ".ci95");
      if (metric->median)
        line(stem, (stat + ".median").c_str(), csv_number(*metric->median), metric->unit);
      ends(metric->ci90, ".ci90");
    }
  }
  return out;
}

std::string remarks_markdown(const SweepReport& sweep, const char* head, bool failed) {
  std::string out;
  for (const SweepRemark& remark : sweep_remarks(sweep, failed))
    out += "- " + sweep_points(remark) + ": " + markdown_literal(remark.text) + "\n";
  return out.empty() ? out : std::string("\n### ") + head + "\n\n" + out;
}

std::string sweep_markdown(const SweepReport& sweep) {
  std::string out = "## " + markdown_cell(sweep_phrase(sweep)) + "\n\n| point |";
  std::string rule = "\n|---:|";
  const std::vector<std::string> names = sweep_names(sweep);
  for (const std::string& name : names) {
    out += " " + markdown_cell(name) + " |";
    rule += "---:|";
  }
  out += " targets |" + rule + "---|\n";
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const SweepRow& row = sweep.rows[i];
    out += "| " + std::to_string(i + 1) + (row.pareto ? " \\*" : "") + " |";
    for (const std::string& name : names)
      out += " " + markdown_cell(sweep_cell(sweep, row, name)) + " |";
    out += " " + sweep_status(row) + " |\n";
  }
  if (sweep.has_goals()) out += "\n\\* on the Pareto front\n";
  out += remarks_markdown(sweep, "Failed", true) + remarks_markdown(sweep, "Warnings", false);
  return out + "\nstallcast " + sweep.version + ", models " + sweep.model_version + "\n";
}

}  // namespace

std::string render(const SweepReport& sweep, const SweepStyle& style) {
  if (style.format == Format::json) return sweep_json(sweep, true);
  if (style.format == Format::csv) return sweep_csv(sweep, style.wide);
  if (style.format == Format::markdown) return sweep_markdown(sweep);
  if (style.format == Format::html) return sweep_html(sweep);
  return sweep_text(sweep, style.style);
}

std::string render_status(const SweepReport& sweep, const SweepStyle& style) {
  if (style.format == Format::json) return sweep_json(sweep, false);
  if (style.format == Format::text) return sweep_headline(sweep);
  return render(sweep, style);
}

}  // namespace stallcast::report
