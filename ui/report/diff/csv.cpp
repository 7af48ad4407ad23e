#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "ui/report/diff/kinds.hpp"
#include "ui/report/diff/words.hpp"
#include "ui/report/renderers.hpp"

/// One row per figure; numbers in SI base units.
namespace stallcast::report {
namespace {

std::string metric_row(const std::string& point, const MetricChange& m) {
  return csv_row({"metric", point, m.metric, m.unit, csv_number(m.before), csv_number(m.after),
                  csv_number(m.difference()), csv_number(m.relative()),
                  std::string(effect_name(m.effect)), ""});
}

std::string input_row(const std::string& point, const InputMove& m, const std::string& change) {
  return csv_row({"input", point, m.path, "", m.before, m.after, "", "", "", change});
}

const std::vector<std::string> kHead = {"kind",  "point", "name",     "unit",   "before",
                                        "after", "delta", "relative", "effect", "change"};

}  // namespace

std::string diff_csv(const Diff& diff, const DiffContext&) {
  std::string out = csv_row(kHead);
  for (const InputChange& c : diff.inputs) {
    if (c.moves.empty())
      out += csv_row({"target", "", c.name, "", c.before, c.after, "", "", "", c.name});
    for (const InputMove& m : c.moves) out += input_row("", m, c.name);
  }
  for (const MetricChange* m : moved_metrics(diff)) {
    out += metric_row("", *m);
    const auto shares = diff.attributed.metrics.find(m->metric);
    if (shares == diff.attributed.metrics.end()) continue;
    const auto share = [&](const char* kind, double value, const std::string& change) {
      out += csv_row({kind, "", m->metric, m->unit, "", "", csv_number(value),
                      csv_number(value / m->difference()), "", change});
    };
    for (std::size_t i = 0; i < shares->second.shares.size(); ++i) {
      const std::string& name = diff.inputs[diff.attributed.changes[i]].name;
      share("share", shares->second.shares[i], name);
      share("alone", shares->second.alone[i], name);
    }
    share("interaction", shares->second.interaction, "");
  }
  for (const auto& [name, m] : diff.gone)
    out += csv_row({"gone", "", name, m.unit, csv_number(m.value), "", "", "", "", ""});
  for (const auto& [name, m] : diff.come)
    out += csv_row({"new", "", name, m.unit, "", csv_number(m.value), "", "", "", ""});
  return out;
}

std::string sweep_diff_csv(const SweepDiff& diff, const DiffContext&) {
  std::string out = csv_row(kHead);
  for (const SweepInputChange& i : diff.inputs)
    for (const InputMove& m : i.change.moves)
      out += input_row(std::to_string(i.points) + " points", m, i.change.name);
  for (const SweepPair& pair : diff.pairs)
    for (const MetricChange& m : pair.metrics) out += metric_row(pair.point, m);
  for (const auto& [kind, points] :
       {std::pair{"only_base", &diff.only_base}, {"only_head", &diff.only_head}})
    for (const std::string& point : *points)
      out += csv_row({kind, point, "", "", "", "", "", "", "", ""});
  return out;
}

}  // namespace stallcast::report
