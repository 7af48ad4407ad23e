#include <algorithm>

#include "ui/report/diff/kinds.hpp"
#include "ui/report/diff/words.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::report {
namespace {

/// Of a line of the table of metrics: behind the figures, the two figures, and a name at least.
constexpr std::size_t kBehind = 22, kFigures = 26, kLeastName = 12;

std::size_t name_columns() {
  const std::size_t page = std::min(page_columns(), kColumns);
  return std::max(page - std::min(page, kBehind + kFigures), kLeastName);
}

constexpr std::size_t kMostMoves = 4;
constexpr std::size_t kMostWarnings = 8;

std::string coloured_effect(const Ink& ink, std::string_view word, std::string_view text) {
  return word == "WORSE" || word == "worse"     ? ink.bad(text)
         : word == "BETTER" || word == "better" ? ink.good(text)
         : word == "SAME" || word == "same"     ? std::string(text)
                                                : ink.doubtful(text);
}

std::string inputs(const Diff& diff, const Ink& ink) {
  if (!diff.inputs_known) return "\n" + wrapped("", unknown_inputs_text(diff), 0);
  if (diff.inputs.empty()) return "";
  std::string out = "\n" + ink.bold("Inputs changed") + "\n";
  for (std::size_t i = 0; i < diff.inputs.size(); ++i) {
    const InputChange& c = diff.inputs[i];
    const std::string place = place_text(c);
    out += wrapped("  " + left(std::to_string(i + 1), 3),
                   change_text(c) + (place.empty() ? "" : "  (" + place + ")"), 5);
    const bool told =
        !c.together.empty() || (c.moves.size() == 1 && c.moves.front().path == c.name);
    if (!told)
      for (std::size_t k = 0; k < std::min(c.moves.size(), kMostMoves); ++k)
        out += wrapped("       ",
                       c.moves[k].path + " " +
                           (c.moves[k].before.empty() ? "none" : c.moves[k].before) + " -> " +
                           (c.moves[k].after.empty() ? "none" : c.moves[k].after),
                       9);
    if (!told && c.moves.size() > kMostMoves)
      out += "       ... and " + std::to_string(c.moves.size() - kMostMoves) + " more values\n";
    if (!c.together.empty()) out += wrapped("       as one: ", c.together, 9);
  }
  return out;
}

/// Without figures of the steady state where those of the whole run moved, too.
std::vector<const MetricChange*> told(std::vector<const MetricChange*> moved) {
  const std::vector<const MetricChange*> all = moved;
  std::erase_if(moved, [&](const MetricChange* m) {
    constexpr std::string_view kSteady = ".steady.";
    const std::size_t at = m->metric.find(kSteady);
    if (at == std::string::npos) return false;
    std::string whole = m->metric;
    whole.replace(at, kSteady.size(), ".");
    return std::any_of(all.begin(), all.end(), [&](const auto* o) { return o->metric == whole; });
  });
  return moved;
}

std::string metrics(const Diff& diff, const Ink& ink) {
  const std::size_t all_moved = moved_metrics(diff).size();
  const auto moved = told(moved_metrics(diff));
  std::string out;
  if (!moved.empty())
    out += "\n" + ink.bold(left("Metrics", name_columns() + 2)) + right("base", 13) +
           right("head", 13) + "\n";
  const std::size_t n = std::min(moved.size(), kMostRows);
  for (std::size_t i = 0; i < n; ++i) {
    const MetricChange& m = *moved[i];
    const std::string effect(effect_name(m.effect));
    const std::string figures = " " + right(before_text(m), 12) + " " + right(after_text(m), 12);
    // Long figures take of the name.
    const std::size_t both = name_columns() + kFigures;
    const std::size_t name = std::max(both - std::min(both, figures.size()), kLeastName);
    std::vector<std::string> lines = in_lines(metric_label(m.metric), name);
    lines.back() = left(lines.back(), name) + figures + " " + right(delta_text(m), 11) + " " +
                   coloured_effect(ink, effect, effect);
    for (const std::string& line : lines) out += "  " + line + "\n";
  }
  out += more_line(n, all_moved);
  for (const auto& [what, all] :
       {std::pair{"Only in base: ", &diff.gone}, {"Only in head: ", &diff.come}}) {
    if (all->empty()) continue;
    std::string names;
    std::size_t said = 0;
    for (const auto& [name, metric] : *all) {
      if (said++ == kMostMoves) break;
      names += (names.empty() ? "" : ", ") + name + " = " +
               as_counted(name, print_value(metric.value, metric.unit));
    }
    if (all->size() > kMostMoves)
      names += ", and " + std::to_string(all->size() - kMostMoves) + " more";
    out += "\n" + wrapped(what, names, 2);
  }
  return out;
}

std::string shares(const Diff& diff, const Ink& ink) {
  std::string out;
  if (diff.attributed.changes.size() > 1)
    for (const MetricChange* m : headline_metrics(diff, kMostSentences)) {
      const std::vector<Blame> all = blames(diff, *m);
      if (all.empty()) continue;
      out += "  " + metric_label(m->metric) + ", " + part_text(m->difference(), *m) + "\n";
      for (const Blame& b : all)
        out += wrapped(
            "  " + right(part_text(b.share, *m), 14) + right(print_share(b.fraction), 9) + "  ",
            change_text(*b.change), 27);
      const MetricShares& found = diff.attributed.metrics.at(m->metric);
      const double part = found.interaction / m->difference();
      const bool own_line = diff.attributed.method == Attribution::one_at_a_time;
      if (part < -0.005 || part > 0.005)
        out += "  " + right(part_text(found.interaction, *m), 14) +
               right(own_line ? print_share(part) : "", 9) +
               (own_line ? "  only together (interaction)\n"
                         : "  in these shares: only together (interaction)\n");
    }
  if (!out.empty())
    out = "\n" + ink.bold("Share of each change") + ", " + method_text(diff) + "\n" + out;
  if (out.empty() && !diff.attributed.notes.empty())
    out = "\n" + ink.bold("Share of each change") + ", not told\n";
  for (const std::string& note : diff.attributed.notes) out += wrapped("  - ", note, 4);
  return out;
}

}  // namespace

std::string diff_text(const Diff& diff, const DiffContext& context) {
  const Ink ink(context.style.colour);
  const std::string word(diff_word(diff));
  std::string out = wrapped(word + " ", diff_headline(diff), 2);
  out = coloured_effect(ink, word, word) + out.substr(word.size());
  if (!diff.changed() && diff.warnings.empty()) return out;
  if (diff.changed()) {
    for (const MetricChange* m : headline_metrics(diff, kMostSentences))
      out += wrapped("  ", sentence(diff, *m), 4);
    out += wrapped("  ", bottleneck_text(diff), 4);
    out += inputs(diff, ink) + metrics(diff, ink) + shares(diff, ink);
  }
  return out + titled_list(ink, "Warnings", diff.warnings, kMostWarnings) + "\n" +
         wrapped("", made_by(context.tool), 0);
}

}  // namespace stallcast::report
