#include <algorithm>
#include <set>

#include "engine/base/counted.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/plan_parts.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

/// Designs shown where there is no answer, besides the largest.
constexpr std::size_t kMostShown = 4;

/// The points people compare: the answer and its neighbours, or where the search ended.
std::vector<const PlanPoint*> shown(const PlanResult& plan) {
  std::vector<const PlanPoint*> out;
  if (plan.status == PlanStatus::found && plan.answer) {
    std::set<std::size_t> places{*plan.answer};
    for (const PlanNeighbour& n : plan.neighbours) places.insert(n.point);
    for (const std::size_t i : places) out.push_back(&plan.points[i]);
    return out;
  }
  if (plan.nearest && !plan.points.empty()) {
    const std::size_t at = plan.nearest->point, last = plan.points.size() - 1;
    for (const std::size_t i :
         std::set<std::size_t>{0, at > 0 ? at - 1 : 0, at, std::min(at + 1, last), last})
      out.push_back(&plan.points[i]);
    return out;
  }
  for (const PlanPoint& point : plan.points)
    if (plan.status == PlanStatus::found ? std::abs(point.count - plan.required) <= 1
                                         : out.size() < kMostShown || &point == &plan.points.back())
      out.push_back(&point);
  return out;
}

std::string assumed(std::size_t n) {
  return count_of(n, "value") + (n == 1 ? " is" : " are") +
         " assumed, not measured: set those above that you know; stallcast resolve --provenance "
         "lists all.";
}

constexpr std::string_view kWaitsFor = "tightest target waits for";

/// What a table says in its first columns, of so many characters.
struct Columns {
  std::vector<std::string> heads;
  std::vector<std::size_t> widths;  ///< of these; what ends in its system is not cut
  std::size_t limiter = 32;         ///< of 80 columns
};

Columns columns_of(const PlanResult& plan) {
  Columns out;
  constexpr std::size_t kUsual = 9, kWidest = 18, kOther = 48;
  std::size_t taken = 0;
  for (const PlanAxis& axis : plan.axes) {
    out.heads.push_back(axis.noun);
    const bool cut = plan.axes.size() == 1 && !says_owner(axis);
    out.widths.push_back(cut ? kUsual : std::clamp(axis.noun.size(), kUsual, kWidest));
    taken += out.widths.back() + 1;
  }
  if (out.heads.empty()) out.heads.push_back("count"), out.widths.push_back(kUsual);
  taken -= std::min(taken, kUsual + 1);
  out.limiter = page_columns() - std::min(page_columns(), kOther);
  out.limiter = taken + 12 < out.limiter ? out.limiter - taken : 12;
  return out;
}

/// Of a table of 80 columns.
std::string short_head(const Columns& columns, std::size_t a) {
  const bool alone = columns.heads.size() == 1;
  return alone && columns.heads[a].size() > columns.widths[a]
             ? "count"
             : shortened(columns.heads[a], columns.widths[a]);
}

/// What a table says of a point in its first columns.
std::vector<std::string> cells_of(const PlanPoint& point, const Columns& columns) {
  if (columns.heads.size() == point.values.size()) return point.values;
  return {std::to_string(point.count)};
}

std::string busy_text(const PlanPoint& point) {
  return point.binding_load > 0.0 ? print_share(point.binding_load) : "-";
}

std::string point_lines(const PlanPoint& point, const Columns& columns, bool alone,
                        const Ink& ink) {
  std::string line = " ";
  const std::vector<std::string> cells = cells_of(point, columns);
  for (std::size_t a = 0; a < cells.size(); ++a)
    line += (a > 0 ? " " : "") + right(cells[a], columns.widths[a]);
  line += "  ";
  line += ink.by_status(point.meets          ? "pass"
                        : point.inconclusive ? "unsure"
                                             : "fail",
                        left(status_name(point), 7));
  if (!alone) line += right(print_share(point.utilization), 10);
  if (!point.binding.empty())
    line += "  " +
            left(shortened(label::of_resource(point.binding), columns.limiter), columns.limiter) +
            " " + right(busy_text(point), 8);
  line += "\n";
  for (const TargetMargin& t : point.targets) line += wrapped("            ", margin_text(t), 14);
  return line;
}

std::string how_searched(const PlanResult& plan) {
  const std::size_t replicas = plan.prediction.seeds.size();
  const std::string each = " with " + count_of(replicas, "replica") + " each";
  std::string out;
  if (of_several(plan)) {
    out = "of " + counted(plan.candidates, "designs") + " " + std::to_string(plan.points.size()) +
          " were simulated" + each;
  } else {
    std::string counts;
    for (const PlanPoint& point : plan.points)
      counts += (counts.empty() ? "" : ", ") +
                (point.values.empty() ? std::to_string(point.count) : point.values.front());
    const bool bounded = plan.axes.empty() || plan.axes[0].bounded;
    out = std::string("searched from ") + (bounded ? "the fluid bound " : "") +
          (is_count(plan) ? std::to_string(plan.lower_bound) : plan.axes[0].from) + ", simulated " +
          counts + each;
  }
  if (plan.proven > 0) out += ", " + std::to_string(plan.proven) + " excluded by bounds";
  if (plan.invalid > 0) out += ", " + std::to_string(plan.invalid) + " no valid design";
  if (plan.implied > 0)
    out += "; " + std::to_string(plan.implied) + " of " + std::to_string(plan.cheaper) +
           (plan.status == PlanStatus::found ? " better ones" : "") + " left out, since " +
           (!plan.axes.empty() && plan.axes[0].falls ? "smaller" : "larger") + " ones miss";
  else if (plan.cheaper > 0 && plan.status == PlanStatus::found)
    out += "; every better one was tried";
  return out;
}

std::string plan_text(const PlanResult& plan, const ReportContext& context, const Style& style) {
  const Ink ink(style.colour);
  std::string out;
  for (const std::string& line : plan_headline(plan, ink))
    if (!line.empty()) out += wrapped(out.empty() ? "" : "  ", line, 2);
  const Columns columns = columns_of(plan);
  out += "\n ";
  for (std::size_t a = 0; a < columns.heads.size(); ++a)
    out += (a > 0 ? " " : "") + right(short_head(columns, a), columns.widths[a]);
  const bool alone = without_jobs(plan.prediction);
  out += "  " + left("targets", 7) + (alone ? "" : right("GPU util.", 10)) + "  " +
         left(columns.limiter > kWaitsFor.size() ? kWaitsFor : "waits for", columns.limiter) +
         right("load", 9) + "\n";
  for (const PlanPoint* point : shown(plan)) out += point_lines(*point, columns, alone, ink);
  for (const PlanPart& part : plan_parts(plan)) {
    out += "\n" + ink.bold(part.title) + "\n";
    if (part.table.empty())
      for (const std::string& line : part.lines) out += wrapped("  ", line, 4);
    out += part.table;
  }
  if (!context.assumptions.empty())
    out += "\n" + wrapped("", assumed(context.assumptions.size()), 0);
  if (!style.full)
    return out + "\n" +
           wrapped("",
                   counted(static_cast<std::int64_t>(plan.points.size()), "designs") +
                       " simulated; how they were searched: -v. " + made_by(context),
                   0);
  return out + "\n" + wrapped("", how_searched(plan) + "; " + made_by(context), 0);
}

std::string plan_csv(const PlanResult& plan) {
  std::string out = csv_row({"scenario", "metric", "count", "target", "value", "limit", "unit",
                             "margin", "status", "utilization", "binding", "binding_utilization",
                             "values", "when", "answer", "text"});
  const auto say = [&](const std::string& line) {
    std::vector<std::string> row = {plan.scenario_id, plan.metric};
    row.resize(15);
    row.push_back(line);
    out += csv_row(row);
  };
  const auto answer = plan.status == PlanStatus::found ? plan.answer : std::nullopt;
  for (std::size_t i = 0; i < plan.points.size(); ++i)
    for (const TargetMargin& t : plan.points[i].targets)
      out +=
          csv_row({plan.scenario_id, plan.metric, std::to_string(plan.points[i].count), t.id,
                   base::shortest(t.value), base::shortest(t.limit), t.unit,
                   base::shortest(t.margin), t.status, base::shortest(plan.points[i].utilization),
                   plan.points[i].binding, base::shortest(plan.points[i].binding_utilization),
                   base::counted(plan, plan.points[i]), t.when, answer == i ? "yes" : "no", ""});
  for (const std::string& line : headline_lines(plan)) say(line);
  for (const PlanPart& part : plan_parts(plan))
    for (const std::string& line : part.lines) say(part.title + ": " + line);
  return out;
}

std::string plan_markdown(const PlanResult& plan) {
  std::string out;
  for (const std::string& line : headline_lines(plan))
    out += (out.empty() ? "## " : "\n") + line + "\n";
  std::string rule = "|";
  out += "\n|";
  for (const std::string& head : columns_of(plan).heads) out += " " + head + " |", rule += "---:|";
  const bool alone = without_jobs(plan.prediction);
  out += std::string(" targets |") + (alone ? "" : " GPU utilization |") + " " +
         std::string(kWaitsFor) + " | load | by target |\n" + rule + "---|" +
         (alone ? "" : "---:|") + "---|---:|---|\n";
  for (const PlanPoint* point : shown(plan)) {
    out += "|";
    for (const std::string& cell : cells_of(*point, columns_of(plan))) out += " " + cell + " |";
    std::string margins;
    for (const TargetMargin& t : point->targets)
      margins += (margins.empty() ? "" : "; ") + margin_text(t);
    out += " " + std::string(status_name(*point)) + " | " +
           (alone ? "" : print_share(point->utilization) + " | ") +
           markdown_cell(label::of_resource(point->binding)) + " | " + busy_text(*point) + " | " +
           markdown_cell(margins) + " |\n";
  }
  for (const PlanPart& part : plan_parts(plan)) {
    out += "\n**" + part.title + "**\n\n";
    for (const std::string& line : part.lines) out += "- " + line + "\n";
  }
  return out + "\n" + how_searched(plan) + "\n";
}

}  // namespace

std::string render(const PlanResult& plan, const ReportContext& context, Format format,
                   const Style& style) {
  if (format == Format::json) return plan_json(plan, context, style);
  if (format == Format::csv) return plan_csv(plan);
  if (format == Format::markdown) return plan_markdown(plan);
  if (format == Format::html) return plan_html(plan, context, style);
  return plan_text(plan, context, style);
}

}  // namespace stallcast::report
