#include "engine/decide/sweep/pareto.hpp"

#include <algorithm>
#include <set>

#include "engine/base/assertion.hpp"
#include "engine/base/glob.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::sweep {
namespace {

/// Of the time, less that failures undo is not worth a column; nor are more figures of one target.
constexpr double kUndone = 5e-4;
constexpr std::size_t kMostOfTarget = 4;

/// `a` is at least as good as `b` in every goal and better in one.
bool dominates(const std::vector<std::optional<double>>& a,
               const std::vector<std::optional<double>>& b) {
  bool better = false;
  for (std::size_t g = 0; g < a.size(); ++g) {
    if (*a[g] > *b[g]) return false;
    better = better || *a[g] < *b[g];
  }
  return better;
}

std::vector<std::string> names_in(const SweepReport& report) {
  std::set<std::string> metrics;
  for (const SweepRow& row : report.rows)
    if (row.outcome)
      for (const auto& [name, metric] : row.outcome->metrics) metrics.insert(name);
  std::vector<std::string> out = report.axes;
  out.insert(out.end(), metrics.begin(), metrics.end());
  return out;
}

bool is_axis(const SweepReport& report, const std::string& name) {
  return std::find(report.axes.begin(), report.axes.end(), name) != report.axes.end();
}

/// What a report of results with these metrics says first.
std::vector<std::string> said_first(const std::vector<std::string>& names) {
  Prediction any;
  any.method = "simulation";
  for (const std::string& full : names) {
    any.metrics[full] = {};
    const metric::Name name = metric::parse(full);
    if (name.domain == metric::Domain::job && name.figure == metric::kGpuUtilization)
      any.breakdown[std::string(name.id)] = {};
  }
  return headlines(any);
}

/// Goodput of jobs of which failures undo a part of what GPUs did: utilization alone ranks designs
/// that save rarely first.
std::vector<std::string> goodputs(const SweepReport& report) {
  std::set<std::string> out;
  for (const SweepRow& row : report.rows) {
    if (!row.outcome) continue;
    for (const auto& [name, metric] : row.outcome->metrics) {
      const metric::Name parsed = metric::parse(name);
      if (parsed.domain != metric::Domain::job || parsed.figure != metric::kGoodput) continue;
      const auto use = row.outcome->metrics.find(metric::gpu_utilization(parsed.id));
      if (use != row.outcome->metrics.end() && use->second.value - metric.value >= kUndone)
        out.insert(name);
    }
  }
  return {out.begin(), out.end()};
}

/// What targets are about: figures of `names`, of a target on many the first ones.
std::vector<std::string> judged(const SweepReport& report, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const SweepTarget& target : report.targets) {
    const Result<base::Assertion> that = base::parse_assertion(target.that);
    if (!that.ok()) continue;
    std::size_t left = kMostOfTarget;
    for (const std::string& known : names)
      if (left > 0 && base::matches_metric(that->metric, known)) out.push_back(known), --left;
  }
  return out;
}

/// A goal on an axis needs numbers of one unit.
std::optional<std::string> fault_of(const SweepReport& report, const SweepColumn& column) {
  if (column.goal == Goal::none || !is_axis(report, column.name)) return std::nullopt;
  std::set<std::string> units;
  for (const SweepRow& row : report.rows) {
    const auto figure = figure_of(report, row, column.name);
    if (!figure)
      return "\"" + column.name + "\" has values that are not numbers and cannot be ordered";
    units.insert(figure->unit);
  }
  if (units.size() > 1) return "the values of \"" + column.name + "\" differ in kind";
  return std::nullopt;
}

/// "NAME", "NAME:min" or "NAME:max"; a parameter that is varied goes by its bare name, too.
SweepColumn read_column(const SweepReport& report, std::string name) {
  Goal goal = Goal::none;
  for (const auto& [suffix, meaning] :
       {std::pair{":min", Goal::minimum}, std::pair{":max", Goal::maximum}})
    if (name.ends_with(suffix)) {
      goal = meaning;
      name.resize(name.size() - 4);
      break;
    }
  const std::string full = "params." + name;
  return {is_axis(report, full) ? full : std::move(name), goal};
}

std::string none_named(const std::string& name, const std::string& near) {
  return "no metric and nothing varied is named \"" + name + "\"" +
         (near.empty() ? "" : "; did you mean \"" + near + "\"?");
}

}  // namespace

std::vector<bool> pareto_front(const std::vector<std::vector<std::optional<double>>>& rows) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::all_of(rows[i].begin(), rows[i].end(), [](const auto& x) { return x.has_value(); }))
      order.push_back(i);
  // Who dominates a row comes before it in this order, and is itself dominated by one of the front.
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  std::vector<bool> out(rows.size(), false);
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    if (std::any_of(front.begin(), front.end(),
                    [&](std::size_t f) { return dominates(rows[f], rows[i]); }))
      continue;
    front.push_back(i);
    out[i] = true;
  }
  return out;
}

std::optional<SweepFigure> number_of(std::string_view value) {
  const auto read = base::parse_any_quantity(value);
  if (!read) return std::nullopt;
  return SweepFigure{
      read->value,
      std::string(read->dimension == Dimension::number ? "" : metric::unit_of(read->dimension))};
}

std::optional<SweepFigure> figure_of(const SweepReport& report, const SweepRow& row,
                                     const std::string& column) {
  for (std::size_t a = 0; a < report.axes.size(); ++a)
    if (report.axes[a] == column) return row.numbers[a];
  if (!row.outcome) return std::nullopt;
  const auto metric = row.outcome->metrics.find(column);
  if (metric == row.outcome->metrics.end()) return std::nullopt;
  return SweepFigure{metric->second.value, metric->second.unit};
}

void mark_front(SweepReport& report) {
  std::vector<SweepColumn> goals;
  for (const SweepColumn& column : report.columns)
    if (column.goal != Goal::none) goals.push_back(column);
  std::vector<std::vector<std::optional<double>>> figures;
  for (SweepRow& row : report.rows) {
    row.pareto = false;
    const bool meets = row.outcome && row.outcome->meets();
    std::vector<std::optional<double>>& line = figures.emplace_back();
    for (const SweepColumn& goal : goals) {
      const auto figure = meets ? figure_of(report, row, goal.name) : std::nullopt;
      line.push_back(!figure                      ? std::nullopt
                     : goal.goal == Goal::maximum ? std::optional(-figure->value)
                                                  : std::optional(figure->value));
    }
  }
  if (goals.empty()) return;
  const std::vector<bool> front = pareto_front(figures);
  for (std::size_t i = 0; i < front.size(); ++i) report.rows[i].pareto = front[i];
}

std::vector<SweepColumn> columns_of(const SweepReport& report, std::span<const std::string> wanted,
                                    std::optional<std::string>& fault) {
  const std::vector<std::string> names = names_in(report);
  std::vector<SweepColumn> out;
  const auto add = [&](SweepColumn column) {
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const auto& c) { return c.name == column.name; });
    if (same == out.end())
      out.push_back(std::move(column));
    else if (column.goal != Goal::none)
      same->goal = column.goal;
  };
  for (const std::string& asked : wanted) {
    const auto [name, goal] = read_column(report, asked);
    bool found = false;
    for (const std::string& known : names)
      if (base::matches_metric(name, known)) {
        found = true;
        add({known, goal});
      }
    if (!found) {
      add({name, goal});
      fault = none_named(name, base::nearest(name, names));
    }
  }
  if (std::all_of(out.begin(), out.end(), [&](const auto& c) { return is_axis(report, c.name); })) {
    for (std::vector<std::string>& figures :
         std::vector{said_first(names), goodputs(report), judged(report, names)})
      for (std::string& figure : figures) add({std::move(figure), Goal::none});
    for (const std::string_view usual : kUsualColumns)
      for (const std::string& known : names)
        if (base::matches_glob(usual, known)) add({known, Goal::none});
  }
  for (const SweepColumn& column : out)
    if (!fault) fault = fault_of(report, column);
  return out;
}

std::optional<std::string> unknown_column(const SweepReport& report,
                                          std::span<const std::string> wanted) {
  for (const std::string& asked : wanted) {
    const std::string name = read_column(report, asked).name;
    if (metric::is_reported(name) ||
        std::any_of(report.axes.begin(), report.axes.end(),
                    [&](const std::string& axis) { return base::matches_glob(name, axis); }))
      continue;
    const std::string_view figure = metric::parse(name).figure;
    std::vector<std::string> known = report.axes;
    for (const std::string& key : metric::figures_of(metric::parse(name).domain))
      known.push_back(name.substr(0, name.size() - figure.size()) + key);
    return none_named(name, base::nearest(name, known));
  }
  return std::nullopt;
}

}  // namespace stallcast::sweep
