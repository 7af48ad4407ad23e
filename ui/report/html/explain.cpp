#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/explain_tree.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

using html::element;
using html::path;

/// "compute = 300 s": its name, and its value in bold.
std::string head(const TreeLine& line) {
  const std::size_t equals = line.head.find(" = ");
  std::string out = equals == std::string::npos ? path(line.head)
                                                : path(line.head.substr(0, equals)) + " = " +
                                                      element("b", line.head.substr(equals + 3));
  if (!line.name.empty()) out += " " + element("span", line.name, "soft path");
  if (line.above) out += " " + element("span", "taken apart above", "soft");
  return out;
}

std::string small_print(const TreeLine& line) {
  std::string out;
  if (!line.sum.empty()) {
    out += "<p>= " + markup(line.sum);
    if (!line.page.empty()) out += " " + element("span", "[" + line.page + "]", "soft");
    out += "</p>";
  }
  if (!line.small.empty() && !line.above) out += element("small", line.small);
  return out;
}

/// The lines of one level from `at` on, each with what it is made of inside.
std::string branch(const std::vector<TreeLine>& lines, std::size_t& at, int open_levels) {
  const int level = lines[at].level;
  std::string out = "<ul class=\"tree\">\n";
  while (at < lines.size() && lines[at].level == level) {
    const TreeLine& line = lines[at++];
    const std::string top = head(line), below = small_print(line);
    out += "<li>";
    if (at < lines.size() && lines[at].level > level) {
      const bool open = open_levels < 0 || level < open_levels;
      out += std::string("<details") + (open ? " open" : "") + "><summary>" + top + "</summary>" +
             below + branch(lines, at, open_levels) + "</details>";
    } else {
      out += top + below;
    }
    out += "</li>\n";
  }
  return out + "</ul>\n";
}

std::string trees(const Explanation& e, int open_levels) {
  std::string out;
  std::set<std::string> shown;
  for (const ExplainNode& tree : e.trees) {
    std::vector<TreeLine> lines;
    walk_tree(tree, -1, shown, [&](const TreeLine& line) { lines.push_back(line); });
    for (std::size_t at = 0; at < lines.size();) out += branch(lines, at, open_levels);
  }
  return out;
}

std::string falls(const Explanation& e) {
  std::string out;
  if (!e.prediction || !e.asked.empty()) return out;
  for (const auto& [job, shares] : e.prediction->breakdown) {
    if (e.prediction->breakdown.size() > 1) out += element("h3", "Job " + job);
    out += html::waterfall_chart(job, shares, cpu_words(*e.prediction, job));
  }
  return out;
}

std::string limits(const Explanation& e) {
  const std::string out = element("p", "Without simulating: " + bound_phrase(e) + ".");
  return e.prediction ? out + html::limits_table(*e.prediction) : out;
}

std::string changes(const Explanation& e, WhatIf::Kind kind) {
  const std::string time = time_gained(e);
  if (!e.prediction) return "";
  const bool alone = !time.empty(), nominal = tried_nominally(*e.prediction);
  const GainedFigure figure = figure_gained(*e.prediction, e.what_ifs);
  std::vector<html::GainBar> gains;
  std::vector<std::vector<std::string>> rows;
  for (const WhatIf& w : e.what_ifs) {
    if (w.kind != kind) continue;
    const double by = alone ? w.gain : w.*figure.gain;
    const std::string gain = alone ? print_share(by) : signed_points(by, 1);
    gains.push_back({label::of_change(w.change), 0.0, by, gain});
    rows.push_back({html::titled(label::of_change(w.change), w.change),
                    print_share(w.*figure.value), gain,
                    html::targets_mark(w.verdict, nominal, missed_targets(w, *e.prediction))});
    if (alone) rows.back().erase(rows.back().begin() + 1);
  }
  if (rows.empty()) return "";
  std::vector<html::Column> heads = {
      {"change"}, {figure.name, "number"}, {"points", "number"}, {"targets"}};
  if (alone) heads = {{"change"}, {"time " + time + " saved", "number"}, {"targets"}};
  return element("p",
                 "Each change alone, simulated" + std::string(nominal ? ", without draws." : "."),
                 "soft") +
         html::gain_bars(alone ? "time " + time + " saved" : "points of " + figure.name, gains,
                         html::kShownGain) +
         html::table(heads, rows);
}

}  // namespace

std::string explanation_html(const Explanation& e, const ReportContext& context,
                             const Style& style) {
  const std::string phrase = e.asked.empty() ? "where its headline numbers come from"
                                             : "where " + base::join(e.asked, ", ") + " comes from";
  const std::string cut = context.partial.empty() ? "" : "; partial: " + context.partial;
  const std::string limit = e.prediction ? limit_phrase(*e.prediction) : "";
  const Prediction* shown = e.prediction ? &*e.prediction : e.estimate ? &*e.estimate : nullptr;
  return html::page(
      "Stallcast explains: " + e.scenario_id,
      html::heading(e.scenario_id, "", phrase + cut, limit, shown != nullptr ? shown->system : "") +
          (shown != nullptr ? html::picture_figure(*shown) : std::string()) +
          html::section("Where 100 % of the GPU time goes", falls(e)) +
          html::section("What limits it", e.asked.empty() ? limits(e) : "") +
          html::section(
              "What each number is made of",
              element("p",
                      "A number opens into the numbers of its equation, with the page that "
                      "derives it, down to inputs with who set them.",
                      "soft") +
                  trees(e, style.depth)) +
          html::section("What if", changes(e, WhatIf::Kind::relieve)) +
          html::section("What could be left out", changes(e, WhatIf::Kind::save)) +
          html::section("Warnings", e.prediction ? html::list(e.prediction->warnings) : "") +
          html::reproduce_section(context, e.prediction ? &*e.prediction : nullptr, style) +
          html::data("result", explanation_json(e, context, style)));
}

}  // namespace stallcast::report
