#include "ui/report/growth_parts.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"

namespace stallcast::report {
namespace {

using Kind = GrowthCeiling::Kind;

std::optional<int> month_of(const GrowthResult& growth, Kind kind, const std::string& name) {
  for (const GrowthCeiling& c : growth.ceilings)
    if (c.kind == kind && c.name == name) return c.month;
  return std::nullopt;
}

std::string cell_of(const std::optional<double>& value, const std::string& unit,
                    const std::string& metric) {
  return value ? as_counted(metric, print_value(*value, unit)) : "-";
}

std::vector<std::string> cells_of_series(const std::vector<std::optional<double>>& values,
                                         const std::string& unit,
                                         const std::vector<std::size_t>& columns,
                                         const std::string& metric = {}) {
  std::vector<std::string> out;
  for (const std::size_t i : columns)
    out.push_back(i < values.size() ? cell_of(values[i], unit, metric) : "-");
  return out;
}

/// Of a figure of the table of metrics: "GPU utilization of train".
std::string label_of(const std::string& name) {
  const metric::Name figure = metric::parse(name);
  // As it goes on, which is what a table of months is about.
  if (figure.domain == metric::Domain::job && figure.figure == metric::kLastingUtilization)
    return label_of(metric::gpu_utilization(figure.id));
  const metric::Figure* row = metric::find(name);
  if (row == nullptr) return name;
  const metric::Name parsed = metric::parse(name);
  std::string out(row->name_alone());
  if (!parsed.statistic.empty()) out += ", " + std::string(parsed.statistic);
  return parsed.id.empty() ? out : out + " of " + std::string(parsed.id);
}

/// "missed from 25", "missed 14-17, from 30", "unsure": the months of a target that stand so.
std::string stretches(const GrowthResult& growth, const GrowthTarget& target,
                      std::string_view status, const std::string& word) {
  std::string out;
  for (std::size_t i = 0; i < target.status.size(); ++i) {
    if (target.status[i] != status) continue;
    const std::size_t from = i;
    while (i + 1 < target.status.size() && target.status[i + 1] == status) ++i;
    const bool to_the_end = i + 1 == target.status.size();
    const std::string first = std::to_string(growth.months[from]);
    out += out.empty() ? word + " " : ", ";
    if (from == 0 && to_the_end) return word;
    out += to_the_end  ? "from " + first
           : from == i ? first
                       : first + "-" + std::to_string(growth.months[i]);
  }
  return out;
}

/// "missed from month 25", "missed in 14-17, from 30", "unsure 0-2; missed from 3".
std::string missed_text(const GrowthResult& growth, const GrowthTarget& target) {
  if (!growth.judges(target.id)) return "not judged";
  std::vector<std::string> parts = {stretches(growth, target, "inconclusive", "unsure"),
                                    stretches(growth, target, "fail", "missed")};
  std::erase(parts, "");
  return base::join(parts, "; ");
}

}  // namespace

std::string month_name(int month) { return month == 0 ? "now" : "mo " + std::to_string(month); }

std::string growth_headline(const GrowthResult& growth) {
  if (growth.ceilings.empty()) {
    std::vector<std::string> but;
    if (!growth.undrawn.empty())
      but.push_back(base::join(growth.undrawn, ", ") + " is not judged: no draws");
    if (!growth.unsure.empty())
      but.push_back(base::join(growth.unsure, ", ") + " is too close to call");
    return "nothing runs out within " + std::to_string(growth.until) + " months" +
           (but.empty() ? "" : ", but " + base::join(but, "; "));
  }
  const GrowthCeiling& first = growth.ceilings.front();
  return (first.month == 0 ? std::string("now")
                           : "first, in month " + std::to_string(first.month)) +
         ": " + first.message;
}

std::vector<std::size_t> growth_columns(const GrowthResult& growth, std::size_t most) {
  std::vector<std::size_t> out;
  const std::size_t n = growth.months.size();
  // As even in time as the simulated months are.
  for (std::size_t i = 0; i < most; ++i) {
    const double wanted = growth.until * static_cast<double>(i) / static_cast<double>(most - 1);
    std::size_t best = 0;
    for (std::size_t k = 1; k < n; ++k)
      if (std::abs(growth.months[k] - wanted) < std::abs(growth.months[best] - wanted)) best = k;
    if (out.empty() || out.back() != best) out.push_back(best);
  }
  return out;
}

std::string growth_left_out(const GrowthResult& growth, const std::vector<std::size_t>& columns) {
  constexpr std::size_t kMostNamed = 12;
  std::vector<std::string> months;
  for (std::size_t i = 0; i < growth.months.size(); ++i)
    if (std::find(columns.begin(), columns.end(), i) == columns.end())
      months.push_back(std::to_string(growth.months[i]));
  if (months.empty()) return "";
  const bool more = months.size() > kMostNamed;
  if (more) months.resize(kMostNamed);
  return "not in the table: month" + std::string(months.size() == 1 ? " " : "s ") +
         base::join(months, ", ") + (more ? ", ..." : "") + " (--format csv)";
}

std::vector<std::string> growth_lines(const GrowthResult& growth) {
  std::vector<std::string> out;
  for (const GrownValue& value : growth.trends)
    out.push_back(label::of_input(value.path) + " " + value.written + ": " + value.first +
                  " now, " + value.last + " in month " + std::to_string(growth.until));
  return out;
}

std::vector<GrowthRow> growth_rows(const GrowthResult& growth,
                                   const std::vector<std::size_t>& columns) {
  std::vector<GrowthRow> out;
  std::string group;
  const auto add = [&](const std::string& title, GrowthRow row) {
    row.group = title == group ? "" : title;
    group = title;
    out.push_back(std::move(row));
  };
  const auto reached = [&](Kind kind, const std::string& name) {
    const std::optional<int> month = month_of(growth, kind, name);
    return month ? in_month(*month) : "";
  };
  for (const GrowthSeries& s : growth.space)
    add("Filled",
        {"", s.name, cells_of_series(s.values, s.unit, columns), reached(Kind::space, s.name)});
  for (const GrowthSeries& s : growth.loads)
    add("Asked for, of what it can do",
        {"", label::of_resource(s.name), cells_of_series(s.values, s.unit, columns),
         reached(Kind::load, s.name)});
  for (const GrowthTarget& t : growth.targets)
    add("Targets", {"", t.id + t.that.substr(std::min(t.that.find(' '), t.that.size())),
                    cells_of_series(t.values, t.unit, columns, t.metric), missed_text(growth, t)});
  for (const GrowthSeries& s : growth.figures)
    add("Figures", {"", label_of(s.name), cells_of_series(s.values, s.unit, columns, s.name), ""});
  return out;
}

std::vector<std::string> growth_events(const GrowthResult& growth) {
  std::vector<std::string> out;
  for (const GrowthCeiling& c : growth.ceilings)
    out.push_back(
        in_month(c.month) + ": " + c.message +
        (c.remedy.empty() ? "" : "; in month " + std::to_string(growth.until) + ": " + c.remedy));
  return out;
}

}  // namespace stallcast::report
