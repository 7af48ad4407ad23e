#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/explain_tree.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/markdown.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"
#include "ui/report/waterfall.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

// Deeper than this a line has no room for words.
constexpr int kDeepestIndent = 12;
// The first is what all others are parts of.
constexpr std::size_t kTreesInCompact = 1;
constexpr std::size_t kLabelColumns = 36;

std::string title(const Explanation& e) {
  return e.asked.empty() ? e.scenario_id : e.scenario_id + ", " + base::join(e.asked, ", ");
}

/// What is missing although it was asked for; "" of a whole explanation.
std::string partial(const ReportContext& context) {
  return context.partial.empty() ? "" : "partial: " + context.partial + "; closed forms alone";
}

std::string line_text(const TreeLine& line, const Ink& ink) {
  const std::string indent(static_cast<std::size_t>(2 * std::min(line.level, kDeepestIndent)), ' ');
  std::string head = line.head;
  if (line.above) head += " (see above)";
  if (line.hidden > 0) head += " ...";
  const std::string below(indent.size() + 4, ' ');
  std::string out;
  if (line.level == 0)
    out = "\n" + ink.bold(head) + "\n";
  else if (!line.name.empty() &&
           indent.size() + head.size() + line.name.size() + 4 <= page_columns())
    out = indent + head + "  [" + line.name + "]\n";
  else if (line.name.empty())
    out = wrapped(indent + head, "", below.size());
  else
    out = indent + head + "\n" + below + "[" + line.name + "]\n";
  if (!line.sum.empty())
    out += wrapped(below + "= ", line.sum + (line.page.empty() ? "" : " [" + line.page + "]"),
                   below.size() + 2);
  if (!line.small.empty() && !line.above) out += wrapped(below, line.small, below.size());
  return out;
}

Json missed_ids(const Alternative& a) {
  Json out = Json::array();
  for (const MissedTarget& t : a.missed)
    if (t.sure) out.push_back(t.id);
  return out;
}

/// Where the time of each job goes, before any derivation.
std::string falls(const Explanation& e, const Ink& ink) {
  std::string out;
  if (!e.prediction) return out;
  for (const auto& [job, shares] : e.prediction->breakdown)
    out += "\n" + ink.bold("Where 100 % of the GPU time of " + job + " goes") + "\n" +
           waterfall_lines(waterfall(shares, cpu_words(*e.prediction, job)));
  return out;
}

/// What sets the bound, what limits the run, and what would limit it next.
std::string limits(const Explanation& e, const Ink& ink) {
  std::string out = "\n" + ink.bold("What limits it") + "\n";
  if (e.prediction.has_value()) {
    std::size_t shown = 0;
    for (const LimitRow& row : limit_rows(*e.prediction))
      out += wrapped("  " + std::to_string(++shown) + " " +
                         left(label::of_resource(row.resource) + " ", kLabelColumns),
                     row.text, 6);
    if (shown == 0) out += wrapped("  ", no_limit_rows(*e.prediction), 4);
    if (const std::string rest = limits_left_out(*e.prediction); shown > 0 && !rest.empty())
      out += wrapped("  ", rest, 4);
  }
  return out + wrapped("  without simulating: ", bound_phrase(e), 4);
}

std::string what_ifs(const Explanation& e, const Ink& ink) {
  std::string out;
  for (const auto& [kind, head] : {std::pair{WhatIf::Kind::relieve, "What if"},
                                   std::pair{WhatIf::Kind::save, "What could be left out"}}) {
    std::string lines, useless;
    for (const WhatIf& w : e.what_ifs) {
      if (w.kind != kind) continue;
      if (kind == WhatIf::Kind::relieve && e.prediction && !is_useful(w, *e.prediction))
        useless += (useless.empty() ? "" : "; ") + label::of_change(w.change);
      else
        lines += wrapped("  " + label::of_change(w.change) + ": ", gain_text(w, *e.prediction), 6);
    }
    if (!useless.empty()) lines += wrapped("  no gain from: ", useless, 6);
    if (!lines.empty())
      out += "\n" + ink.bold(std::string(head) + ", each tried alone by simulation") + "\n" + lines;
  }
  return out;
}

Json node_object(const ExplainNode& node) {
  Json out;
  out["name"] = node.name;
  if (!node.symbol.empty()) out["symbol"] = node.symbol;
  out["value"] = node.value;
  out["unit"] = node.unit;
  out["text"] = print_node(node);
  out["kind"] = kind_name(node.kind);
  if (!node.equation.empty()) out["equation"] = node.equation;
  if (!node.reference.empty()) out["reference"] = node.reference;
  if (!node.note.empty()) out["note"] = node.note;
  if (node.source.has_value())
    out["source"] = {{"where", node.source->where},
                     {"citation", node.source->citation},
                     {"assumed", node.source->assumption}};
  if (!node.children.empty()) {
    out["children"] = Json::array();
    for (const ExplainNode& child : node.children) out["children"].push_back(node_object(child));
  }
  return out;
}

std::string explanation_text(const Explanation& e, const ReportContext& context,
                             const Style& style) {
  const Ink ink(style.colour);
  const bool asked = !e.asked.empty();
  std::string out = ink.bold(title(e)) + "\n";
  if (!context.partial.empty()) out += wrapped("  ", partial(context), 4);
  if (e.prediction)
    for (const std::string& phrase :
         {e.prediction->system, asked ? std::string() : limit_phrase(*e.prediction)})
      if (!phrase.empty()) out += wrapped("  ", phrase, 4);
  if (!asked) out += falls(e, ink) + limits(e, ink);
  out += what_ifs(e, ink);
  std::set<std::string> shown;
  std::size_t told = 0;
  for (const ExplainNode& tree : e.trees) {
    if (!asked && !style.full && told == kTreesInCompact) break;
    ++told;
    walk_tree(tree, style.depth, shown, [&](const TreeLine& line) { out += line_text(line, ink); });
  }
  std::vector<std::string> more;
  if (told < e.trees.size())
    more.push_back("-v takes " + count_of(e.trees.size() - told, "more number") + " apart");
  if (e.prediction.has_value() && style.depth >= 0 && !asked)
    more.emplace_back("lines that end in ... go deeper: name the metric, or --depth N");
  if (!more.empty()) out += "\n" + wrapped("", base::join(more, "; "), 0);
  if (e.prediction && !e.prediction->warnings.empty())
    out += "\n" + ink.bold("Warnings") + "\n" +
           bullets(e.prediction->warnings, e.prediction->warnings.size(), "more");
  return out + "\n" + made_by(context) + "\n";
}

std::string explanation_csv(const Explanation& e, const Style& style) {
  std::string out =
      csv_row({"scenario", "metric", "level", "what", "from", "equation", "page", "source"});
  for (const ExplainNode& tree : e.trees) {
    std::set<std::string> shown;
    walk_tree(tree, style.depth, shown, [&](const TreeLine& line) {
      out += csv_row({e.scenario_id, tree.name, std::to_string(line.level), line.head, line.name,
                      line.sum, line.page, line.small});
    });
  }
  for (const WhatIf& w : e.what_ifs)
    out += csv_row(
        {e.scenario_id, "", "", w.change, w.set, gain_text(w, *e.prediction), "", "simulated"});
  return out;
}

std::string explanation_markdown(const Explanation& e, const ReportContext& context,
                                 const Style& style) {
  std::string out = "## " + title(e) + "\n";
  if (!context.partial.empty()) out += "\n" + partial(context) + "\n";
  std::set<std::string> shown;
  for (const ExplainNode& tree : e.trees)
    walk_tree(tree, style.depth, shown, [&](const TreeLine& line) {
      const std::string indent(static_cast<std::size_t>(2 * line.level), ' ');
      if (line.level == 0)
        out += "\n- **" + line.head + "**";
      else
        out += indent + "- " + line.head;
      if (!line.name.empty()) out += " (`" + line.name + "`)";
      if (line.above) out += ", see above";
      if (!line.sum.empty()) out += "<br>= " + line.sum;
      if (!line.page.empty()) out += " [" + line.page + "]";
      if (!line.small.empty() && !line.above) out += "<br>" + line.small;
      out += "\n";
    });
  if (!e.what_ifs.empty()) out += "\n| change | tried alone by simulation |\n|---|---|\n";
  for (const WhatIf& w : e.what_ifs)
    out += "| " + markdown_cell(label::of_change(w.change)) + " | " +
           markdown_cell(gain_text(w, *e.prediction)) + " |\n";
  if (e.prediction.has_value() && e.asked.empty())
    out += "\n" + prediction_markdown(*e.prediction, context);
  else if (e.prediction.has_value())
    out += warnings_markdown(e.prediction->warnings);
  return out;
}

}  // namespace

std::string explanation_json(const Explanation& e, const ReportContext& context,
                             const Style& style) {
  Json out;
  out["schema"] = "stallcast.explain/2";
  out["tool"] = tool_object(context, e.prediction ? e.prediction->profile_sha256 : "");
  out["scenario"] = {{"id", e.scenario_id}};
  if (!context.partial.empty()) out["partial"] = context.partial;
  out["asked"] = e.asked;
  out["bound"] = {{"utilization", e.bound}, {"by", e.bound_by}};
  if (!e.bound_of.empty()) out["bound"]["job"] = e.bound_of;
  out["trees"] = Json::array();
  for (const ExplainNode& tree : e.trees) out["trees"].push_back(node_object(tree));
  out["what_if"] = Json::array();
  for (const WhatIf& w : e.what_ifs) {
    out["what_if"].push_back({{"kind", w.kind == WhatIf::Kind::save ? "save" : "relieve"},
                              {"change", w.change},
                              {"set", w.set},
                              {"utilization", w.utilization},
                              {"gain", w.gain},
                              {"relative_cost", w.relative_cost},
                              {"meets_targets", w.verdict == Verdict::pass},
                              {"verdict", verdict_name(w.verdict)},
                              {"missed", missed_ids(w)}});
    if (w.noise > 0.0) out["what_if"].back()["noise"] = w.noise;
    add_goodput(w.goodput, w.goodput_gain, out["what_if"].back());
    add_slows(w, out["what_if"].back());
  }
  if (e.prediction && tried_nominally(*e.prediction))
    for (Json& what_if : out["what_if"]) what_if["nominal"] = true;
  out["result"] =
      e.prediction.has_value() ? result_object(*e.prediction, context, style) : Json(nullptr);
  return dump(out);
}

std::string render(const Explanation& explanation, const ReportContext& context, Format format,
                   const Style& style) {
  if (format == Format::json) return explanation_json(explanation, context, style);
  if (format == Format::csv) return explanation_csv(explanation, style);
  if (format == Format::markdown) return explanation_markdown(explanation, context, style);
  if (format == Format::html) return explanation_html(explanation, context, style);
  return explanation_text(explanation, context, style);
}

}  // namespace stallcast::report
