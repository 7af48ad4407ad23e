#include "ui/report/diff/sections.hpp"

#include <algorithm>

#include "stallcast/metric.hpp"
#include "ui/report/diff/words.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

Section inputs_section(const Diff& diff) {
  Section out{"Inputs changed", {"", "input", "base", "head", "where"}, {}, {}};
  for (std::size_t i = 0; i < diff.inputs.size(); ++i) {
    const InputChange& c = diff.inputs[i];
    out.rows.push_back(
        {std::to_string(i + 1), c.name, or_none(c.before), or_none(c.after), place_text(c)});
    if (c.moves.size() != 1 || c.moves.front().path != c.name)
      for (const InputMove& m : c.moves)
        out.rows.push_back({"", m.path, or_none(m.before), or_none(m.after), ""});
    if (!c.together.empty())
      out.lines.push_back(std::to_string(i + 1) + " is one change: " + c.together);
  }
  if (!diff.inputs_known) out.lines.push_back(unknown_inputs_text(diff));
  return out;
}

Section metrics_section(const Diff& diff) {
  Section out{"Metrics", {"metric", "base", "head", "change", ""}, {}, {}};
  for (const MetricChange* m : moved_metrics(diff))
    out.rows.push_back({metric_label(m->metric), before_text(*m), after_text(*m), delta_text(*m),
                        std::string(effect_name(m->effect))});
  for (const auto& [name, m] : diff.gone)
    out.rows.push_back(
        {metric_label(name), as_counted(name, print_value(m.value, m.unit)), "none", "", "gone"});
  for (const auto& [name, m] : diff.come)
    out.rows.push_back(
        {metric_label(name), "none", as_counted(name, print_value(m.value, m.unit)), "", "new"});
  return out;
}

Section shares_section(const Diff& diff) {
  Section out{"Share of each change", {"metric", "change", "share", "of it", "alone"}, {}, {}};
  if (const std::string method = method_text(diff); !method.empty()) out.title += ", " + method;
  if (diff.attributed.changes.size() > 1)
    for (const MetricChange* m : headline_metrics(diff, kMostSentences)) {
      const std::vector<Blame> all = blames(diff, *m);
      for (const Blame& b : all)
        out.rows.push_back({metric_label(m->metric), change_text(*b.change), part_text(b.share, *m),
                            print_share(b.fraction), part_text(b.alone, *m)});
      if (all.empty()) continue;
      const double interaction = diff.attributed.metrics.at(m->metric).interaction;
      // Shapley values share it out: it is in the rows above, which add up to all.
      const bool own_row = diff.attributed.method == Attribution::one_at_a_time;
      out.rows.push_back(
          {metric_label(m->metric),
           own_row ? "only together (interaction)" : "in these shares: only together (interaction)",
           part_text(interaction, *m), own_row ? print_share(interaction / m->difference()) : "",
           ""});
    }
  out.lines = diff.attributed.notes;
  return out;
}

}  // namespace

Sections sections_of(const Diff& diff) {
  Sections out{std::string(diff_word(diff)), diff_headline(diff), {}, {}};
  if (diff.changed()) {
    for (const MetricChange* m : headline_metrics(diff, kMostSentences))
      out.sentences.push_back(sentence(diff, *m));
    out.sentences.push_back(bottleneck_text(diff));
    out.sections = {inputs_section(diff), metrics_section(diff), shares_section(diff)};
  }
  out.sections.push_back({"Warnings", {}, {}, diff.warnings});
  return out;
}

std::string sweep_diff_word(const SweepDiff& diff) {
  if (!diff.changed()) return "SAME";
  bool worse = diff.now_miss > 0, better = diff.now_meet > 0;
  for (const SweepMetricChange& m : diff.metrics) {
    const metric::Domain domain = metric::parse(m.metric).domain;
    const bool asked_for = domain == metric::Domain::job || domain == metric::Domain::cost;
    worse = worse || (asked_for && m.worse > 0);
    better = better || (asked_for && m.better > 0);
  }
  return worse && better ? "MIXED" : worse ? "WORSE" : better ? "BETTER" : "CHANGED";
}

std::string sweep_diff_headline(const SweepDiff& diff) {
  const auto moved = static_cast<std::size_t>(std::count_if(
      diff.pairs.begin(), diff.pairs.end(), [](const SweepPair& p) { return !p.metrics.empty(); }));
  const std::string& is = diff.head_scenario;
  std::string out = (diff.base_scenario == is ? is : diff.base_scenario + " -> " + is) + ": ";
  if (!diff.changed())
    return out + "nothing changed (" + count_of(diff.pairs.size(), "point") + ")";
  out += count_of(diff.pairs.size(), "point") + " in both";
  if (!diff.pairs.empty()) out += ", metrics moved in " + std::to_string(moved);
  if (diff.now_miss > 0) out += ", " + std::to_string(diff.now_miss) + " now miss a target";
  if (diff.now_meet > 0) out += ", " + std::to_string(diff.now_meet) + " now meet all targets";
  if (!diff.only_base.empty())
    out += "; " + std::to_string(diff.only_base.size()) + " only in base";
  if (!diff.only_head.empty())
    out += "; " + std::to_string(diff.only_head.size()) + " only in head";
  return out;
}

Sections sections_of(const SweepDiff& diff) {
  Sections out{sweep_diff_word(diff), sweep_diff_headline(diff), {}, {}};
  Section inputs{"Inputs changed", {"input", "base", "head", "points"}, {}, {}};
  for (const SweepInputChange& i : diff.inputs)
    inputs.rows.push_back({i.change.name, or_none(i.change.before), or_none(i.change.after),
                           std::to_string(i.points)});
  Section metrics{"Metrics", {"metric", "worse", "better", "changed", "most", "at"}, {}, {}};
  for (const SweepMetricChange* m : moved_metrics(diff))
    metrics.rows.push_back(
        {metric_label(m->metric), std::to_string(m->worse), std::to_string(m->better),
         std::to_string(m->changed),
         before_text(m->most) + " -> " + after_text(m->most) + " (" + delta_text(m->most) + ")",
         m->point});
  out.sections = {std::move(inputs),
                  std::move(metrics),
                  {"Only in base", {}, {}, diff.only_base},
                  {"Only in head", {}, {}, diff.only_head},
                  {"Warnings", {}, {}, diff.warnings}};
  return out;
}

}  // namespace stallcast::report
