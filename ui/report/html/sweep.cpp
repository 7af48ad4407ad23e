#include <algorithm>
#include <map>
#include <set>

#include "engine/base/assertion.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sweep_parts.hpp"

namespace stallcast::report {
namespace {

using html::element;

constexpr std::size_t kMostPoints = 2000;  ///< in the table, and in the data for programs

constexpr const char* kNoTargets = "without targets";

struct Look {
  const char* css;
  const char* label;
  bool filled;
};

Look look_of(const SweepRow& row) {
  const std::string status = sweep_status(row);
  if (status == "meets") return {"good", "all met", true};
  if (status == "misses") return {"bad", "some missed", false};
  if (status == "unsure") return {"unsure", "too close to call", false};
  return {"bar", kNoTargets, true};
}

/// What could be an axis of the picture: all that is varied or shown and is a number.
std::vector<std::string> numeric_columns(const SweepReport& sweep) {
  std::vector<std::string> names = sweep_names(sweep);
  std::erase_if(names, [&](const std::string& name) {
    std::set<double> values;
    std::set<std::string> units;
    for (const SweepRow& row : sweep.rows)
      if (const auto figure = sweep_figure(sweep, row, name))
        values.insert(figure->value), units.insert(figure->unit);
    return values.size() < 2 || units.size() > 1;
  });
  return names;
}

/// The first two goals; else what is varied first, and the first figure.
std::vector<std::string> plot_axes(const SweepReport& sweep) {
  const std::vector<std::string> can = numeric_columns(sweep);
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (out.size() < 2 && std::find(can.begin(), can.end(), name) != can.end() &&
        std::find(out.begin(), out.end(), name) == out.end())
      out.push_back(name);
  };
  for (const SweepColumn& column : sweep.columns)
    if (column.goal != Goal::none) add(column.name);
  if (out.size() == 1 && !sweep_axis(sweep, out.front())) {
    const std::string goal = out.front();
    out.clear();
    for (const std::string& axis : sweep.axes)
      if (out.empty()) add(axis);
    add(goal);
  }
  for (const std::string& name : can)
    if (out.empty() || !sweep_axis(sweep, name)) add(name);
  for (const std::string& name : can) add(name);
  return out.size() == 2 ? out : std::vector<std::string>{};
}

std::string point_title(const SweepReport& sweep, std::size_t i,
                        const std::vector<std::string>& columns) {
  std::string out = "point " + std::to_string(i + 1);
  for (const std::string& name : columns)
    out += ", " + sweep_title(sweep, name) + " " + sweep_cell(sweep, sweep.rows[i], name);
  return out;
}

/// "checkpoint.every 5 min": the values that a curve has of what else is varied.
std::string curve_name(const SweepReport& sweep, const std::vector<std::string>& others) {
  std::string out;
  for (std::size_t i = 0; i < others.size(); ++i)
    if (!others[i].empty())
      out += (out.empty() ? "" : ", ") + sweep_label(sweep, sweep.axes[i]) + " " + others[i];
  return out;
}

/// The limits that targets have on a metric.
std::vector<html::Mark> targets_of(const SweepReport& sweep, const std::string& metric,
                                   const std::string& unit) {
  std::vector<html::Mark> out;
  for (const SweepTarget& target : sweep.targets) {
    const Result<base::Assertion> asked = base::parse_assertion(target.that);
    if (!asked.ok() || asked->metric != metric || !asked->relative.empty()) continue;
    if (const Result<double> limit = base::limit_in(*asked, unit); limit.ok())
      out.push_back({*limit,
                     "target " + asked->op + " " + as_counted(metric, print_limit(*limit, unit)),
                     "ink"});
  }
  return out;
}

bool has_front(const SweepReport& sweep) {
  return sweep.has_goals() && std::any_of(sweep.rows.begin(), sweep.rows.end(),
                                          [](const SweepRow& row) { return row.pareto; });
}

std::string picture(const SweepReport& sweep) {
  const std::vector<std::string> axes = plot_axes(sweep);
  if (axes.empty()) return "";
  std::vector<std::string> told = sweep.axes;
  for (const std::string& axis : axes)
    if (!sweep_axis(sweep, axis)) told.push_back(axis);
  html::Plot plot;
  std::vector<html::Dot>& dots = plot.dots;
  std::map<std::string, std::size_t> looks;
  std::map<std::vector<std::string>, std::size_t> curves;  // by what else is varied
  const auto of_x = sweep_axis(sweep, axes[0]);
  plot.joined = of_x.has_value() && !sweep_axis(sweep, axes[1]);
  plot.x.name = sweep_label(sweep, axes[0]), plot.y.name = sweep_label(sweep, axes[1]);
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const SweepRow& row = sweep.rows[i];
    const auto at_x = sweep_figure(sweep, row, axes[0]), at_y = sweep_figure(sweep, row, axes[1]);
    if (!at_x || !at_y || !row.outcome || row.outcome->failed) continue;
    plot.x.unit = metric::shown_unit(axes[0], at_x->unit);
    plot.y.unit = metric::shown_unit(axes[1], at_y->unit);
    const Look look = look_of(row);
    ++looks[look.label];
    std::vector<std::string> others = row.values;
    if (of_x) others[*of_x].clear();
    const std::size_t curve = curves.try_emplace(others, curves.size()).first->second;
    if (curve == plot.curves.size()) plot.curves.push_back(curve_name(sweep, others));
    dots.push_back({at_x->value, at_y->value, look.css, look.filled, row.pareto,
                    point_title(sweep, i, told), std::nullopt, curve});
    if (const Metric* drawn = sweep_outcomes(row, axes[1]))
      dots.back().outcomes = {drawn->ci90->first, *drawn->median, drawn->ci90->second};
  }
  if (!plot.joined || plot.curves.size() < 2 || plot.curves.size() > html::kMostCurves)
    plot.curves.clear();
  if (!plot.curves.empty())
    for (html::Dot& dot : dots) dot.css = html::curve_colour(dot.curve);
  plot.targets = targets_of(sweep, axes[1], plot.y.unit);
  if (dots.size() < 2) return "";
  std::string legend;
  if (looks.size() == 1 && looks.contains(kNoTargets)) looks.clear();
  for (const auto& [label, n] : looks)
    legend += (legend.empty() ? "Targets " : ", ") + std::string(label) + ": " + std::to_string(n);
  if (!legend.empty()) legend += ". Dots are filled where all targets hold, else hollow. ";
  if (has_front(sweep)) legend += "Circled and joined: the Pareto front.";
  if (std::any_of(dots.begin(), dots.end(), [](const html::Dot& d) { return d.outcomes; }))
    legend += std::string(legend.empty() || legend.back() == ' ' ? "" : " ") +
              "Bands and whiskers hold nine of ten outcomes of a point; dotted is their middle.";
  return html::scatter(axes[1] + " against " + axes[0], plot) +
         (legend.empty() ? "" : element("p", legend, "soft"));
}

bool is_judged(const SweepReport& sweep) {
  return std::any_of(sweep.rows.begin(), sweep.rows.end(),
                     [](const SweepRow& row) { return sweep_status(row) != "-"; });
}

std::string table_of_points(const SweepReport& sweep, bool front_only) {
  std::vector<std::string> names = sweep_names(sweep);
  std::vector<html::Column> columns = {{"point", "number"}};
  for (const std::string& name : names) columns.push_back({sweep_label(sweep, name), "number"});
  const bool judged = is_judged(sweep);
  if (judged) columns.push_back({"targets"});
  std::vector<std::string SweepOutcome::*> limits;
  for (const auto& [title, limit] : {std::pair{"limited by", &SweepOutcome::limited_by},
                                     std::pair{"most waited for", &SweepOutcome::most_waited_for}})
    if (std::any_of(sweep.rows.begin(), sweep.rows.end(), [limit = limit](const SweepRow& row) {
          return row.outcome && !((*row.outcome).*limit).empty();
        })) {
      columns.push_back({title});
      limits.push_back(limit);
    }
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t i : sweep_rows_shown(sweep, kMostPoints)) {
    const SweepRow& row = sweep.rows[i];
    if (front_only && !row.pareto) continue;
    std::vector<std::string> cells = {std::to_string(i + 1) + (row.pareto ? " *" : "")};
    for (const std::string& name : names) cells.push_back(markup(sweep_cell(sweep, row, name)));
    const std::string status = sweep_status(row);
    if (judged)
      cells.push_back(element("span", status,
                              status == "meets"                          ? "pass"
                              : status == "misses" || status == "FAILED" ? "fail"
                              : status == "unsure"                       ? "inconclusive"
                                                                         : "soft"));
    for (const auto limit : limits)
      cells.push_back(row.outcome ? html::named((*row.outcome).*limit) : "");
    rows.push_back(std::move(cells));
  }
  if (rows.empty()) return "";
  std::string out = "<div class=\"wide\">" + html::table(columns, rows) + "</div>\n";
  if (!front_only && rows.size() < sweep.rows.size())
    out +=
        element("p", std::to_string(sweep.rows.size() - rows.size()) + " more: --format csv --wide",
                "soft");
  return out;
}

std::string pareto_front(const SweepReport& sweep) {
  std::string out;
  for (const SweepColumn& column : sweep.columns)
    if (column.goal != Goal::none)
      out += (out.empty() ? "" : ", ") + column.name +
             (column.goal == Goal::minimum ? " small" : " large");
  return out.empty() ? ""
                     : element("p",
                               std::string("No other point ") +
                                   (is_judged(sweep) ? "that meets the targets " : "") +
                                   "is better in one and as good in the rest: " + out + ".",
                               "soft");
}

std::string pareto_section(const SweepReport& sweep) {
  if (has_front(sweep)) return pareto_front(sweep) + table_of_points(sweep, true);
  return element("p",
                 is_judged(sweep) ? "No point meets all targets: none is on it." : "No points.");
}

std::string remarks(const SweepReport& sweep, bool failed) {
  std::vector<std::vector<std::string>> rows;
  for (const SweepRemark& remark : sweep_remarks(sweep, failed))
    rows.push_back({std::to_string(remark.points.size()), markup(remark.text)});
  return html::table({{"points", "number"}, {failed ? "why" : "what"}}, rows);
}

}  // namespace

std::string sweep_html(const SweepReport& sweep) {
  std::string phrase = sweep_phrase(sweep);
  if (phrase.starts_with(sweep.scenario_id + ": ")) phrase.erase(0, sweep.scenario_id.size() + 2);
  const std::string by = "stallcast " + sweep.version + ", models " + sweep.model_version;
  return html::page("Stallcast sweep: " + sweep.scenario_id,
                    html::heading(sweep.scenario_id, "", phrase, "") +
                        html::section("Points, as simulated", picture(sweep)) +
                        (sweep.has_goals() ? html::section("Pareto front", pareto_section(sweep))
                                           : std::string()) +
                        html::section("All points", table_of_points(sweep, false)) +
                        html::section("Failed", remarks(sweep, true)) +
                        html::section("Warnings", remarks(sweep, false)) +
                        html::section("Made by", element("p", by, "soft")) +
                        html::data("result", sweep_json(sweep, sweep.rows.size() <= kMostPoints)));
}

}  // namespace stallcast::report
