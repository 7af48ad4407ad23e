#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/report/diff/kinds.hpp"
#include "ui/report/diff/sections.hpp"
#include "ui/report/diff/words.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

/// Two sweeps as text and JSON.
namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostListed = 8;

}  // namespace

std::string sweep_diff_text(const SweepDiff& diff, const DiffContext& context) {
  const Ink ink(context.style.colour);
  const std::string word = sweep_diff_word(diff);
  std::string out = wrapped(word + " ", sweep_diff_headline(diff), 2);
  if (!diff.changed() && diff.warnings.empty()) return out;
  std::vector<std::string> inputs;
  for (const SweepInputChange& i : diff.inputs)
    inputs.push_back(change_text(i.change) + " (" + std::to_string(i.points) + " of " +
                     std::to_string(diff.pairs.size()) + " points)");
  out += titled_list(ink, "Inputs changed", inputs, kMostRows);
  const auto moved = moved_metrics(diff);
  const std::size_t n = std::min(moved.size(), kMostRows);
  if (n > 0) out += "\n" + ink.bold("Metrics, points") + "\n";
  for (std::size_t i = 0; i < n; ++i) {
    const SweepMetricChange& m = *moved[i];
    std::string counts;
    for (const auto& [count, what] :
         {std::pair{m.worse, " worse"}, {m.better, " better"}, {m.changed, " changed"}})
      if (count > 0) counts += (counts.empty() ? "" : ", ") + std::to_string(count) + what;
    out += wrapped("  ",
                   m.metric + ": " + counts + "; most " + before_text(m.most) + " -> " +
                       after_text(m.most) + " (" + delta_text(m.most) + ") at " + m.point,
                   6);
  }
  out += more_line(n, diff.metrics.size());
  out += titled_list(ink, "Only in base", diff.only_base, kMostListed) +
         titled_list(ink, "Only in head", diff.only_head, kMostListed) +
         titled_list(ink, "Warnings", diff.warnings, kMostListed);
  return out + "\n" + made_by(context.tool) + "\n";
}

std::string sweep_diff_json(const SweepDiff& diff, const DiffContext& context) {
  Json out;
  out["schema"] = "stallcast.sweep-diff/1";
  out["tool"] = tool_object(context.tool, "");
  out["changed"] = diff.changed();
  out["base"] = {{"name", diff.base}, {"id", diff.base_scenario}};
  out["head"] = {{"name", diff.head}, {"id", diff.head_scenario}};
  out["matched_by"] = diff.matched_by;
  out["counts"] = {{"both", diff.pairs.size()},
                   {"only_base", diff.only_base.size()},
                   {"only_head", diff.only_head.size()},
                   {"not_simulated", diff.unfinished},
                   {"failed", diff.failed},
                   {"now_meet", diff.now_meet},
                   {"now_miss", diff.now_miss}};
  out["inputs"] = Json::array();
  for (const SweepInputChange& i : diff.inputs)
    out["inputs"].push_back({{"name", i.change.name},
                             {"before", i.change.before},
                             {"after", i.change.after},
                             {"points", i.points}});
  out["metrics"] = Json::array();
  for (const SweepMetricChange& m : diff.metrics)
    out["metrics"].push_back(
        {{"metric", m.metric},
         {"unit", m.most.unit},
         {"worse", m.worse},
         {"better", m.better},
         {"changed", m.changed},
         {"same", m.same},
         {"most", {{"point", m.point}, {"before", m.most.before}, {"after", m.most.after}}}});
  out["points"] = Json::array();
  for (const SweepPair& pair : diff.pairs) {
    Json metrics = Json::object();
    for (const MetricChange& m : pair.metrics)
      metrics[m.metric] = {
          {"before", m.before}, {"after", m.after}, {"effect", effect_name(m.effect)}};
    out["points"].push_back(
        {{"point", pair.point},
         {"base", pair.base_key},
         {"head", pair.head_key},
         {"verdict", {{"base", verdict_name(pair.before)}, {"head", verdict_name(pair.after)}}},
         {"metrics", std::move(metrics)}});
  }
  out["only_base"] = diff.only_base;
  out["only_head"] = diff.only_head;
  out["warnings"] = diff.warnings;
  return dump(out);
}

}  // namespace stallcast::report
