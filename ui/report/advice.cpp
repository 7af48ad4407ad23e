#include "ui/report/advice.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report {
namespace {

// By less than this of its limit no target is closer.
constexpr double kCloser = 0.005;

/// ", goodput 93.0 % (+2.1 points)", where a change gains another goodput than utilization, as
/// where work is lost; "" else.
std::string goodput_phrase(const Alternative& a) {
  return gains_goodput(a)
             ? ", goodput " + print_share(a.goodput) + " (" + signed_points(a.goodput_gain, 1) + ")"
             : "";
}

/// "noisy 11 % slower"; "" where nobody is.
std::string slows_phrase(const Alternative& a) {
  std::vector<std::string> out;
  for (const auto& [id, by] : a.slows) out.push_back(id + " " + print_share(by) + " slower");
  return base::join(out, ", ");
}

/// "29 %" of its limit, "18.9 points" of a share.
std::string print_shortfall(double by, const std::string& id, const Prediction& p) {
  if (by >= 9.995) return "more than ten times";
  const std::string out = target_margin(p, id, by);
  return out.substr(out.starts_with('+') ? 1 : 0);
}

/// Whether `b` is the better buy: both add something, `a` costs more and gains nothing for it. By
/// prices where both have one, else by how much of the thing is added. A setting costs nothing, and
/// not everybody may change it: next to it something to buy is another answer.
bool is_dominated(const Alternative& a, const Alternative& b) {
  if (a.relative_cost <= 0.0 || b.relative_cost <= 0.0) return false;
  const bool dearer = a.cost && b.cost ? *a.cost > *b.cost : a.relative_cost > b.relative_cost;
  const double least = std::max(kNothing, a.noise);
  return dearer && b.slows.size() <= a.slows.size() && a.gain - b.gain < least &&
         a.goodput_gain - b.goodput_gain < least;
}

}  // namespace

bool gains_goodput(const Alternative& a) {
  return a.goodput > 0.0 && std::abs(a.goodput_gain - a.gain) >= kNothing;
}

GainedFigure figure_gained(const Prediction& p, bool some_gain_goodput) {
  const bool asked =
      std::any_of(p.assertions.begin(), p.assertions.end(), [](const AssertionOutcome& a) {
        return metric::parse(a.metric).figure.starts_with(metric::kGoodput);
      });
  if (mean_goodput(p) > 0.0 && (asked || some_gain_goodput))
    return {p.breakdown.size() > 1 ? "mean goodput of all GPUs" : "goodput", &Alternative::goodput,
            &Alternative::goodput_gain};
  return {mean_utilization_name(p), &Alternative::utilization, &Alternative::gain};
}

std::string target_margin(const Prediction& p, const std::string& id, double margin) {
  for (const AssertionOutcome& a : p.assertions)
    if (a.id == id && a.limit) return print_target_margin(margin, *a.limit, a.unit);
  return print_target_margin(margin, 1.0, "");
}

std::string missed_targets(const Alternative& a, const Prediction& p) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  for (const MissedTarget& t : a.missed) {
    if (out.size() == kMost) break;
    out.push_back(t.id + (t.by > 0.0 ? " by " + print_shortfall(t.by, t.id, p) : ""));
  }
  const std::size_t more = a.missed.size() - out.size();
  return base::join(out, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string targets_phrase(const Alternative& a, const Prediction& p) {
  if (a.verdict == Verdict::none) return "";
  if (a.verdict == Verdict::pass) return meets_phrase(p);
  const std::string missed = missed_targets(a, p);
  const bool sure = a.verdict == Verdict::fail;
  std::string out = sure ? "targets still missed" : "targets unsure";
  if (!missed.empty()) out += (sure ? ": " : ": it may miss ") + missed;
  return out + (a.closer <= -kCloser ? ", further off than now" : "");
}

std::string gain_text(const Alternative& a, const Prediction& p) {
  std::string text = !time_gained(p).empty()
                         ? print_share(std::max(a.gain, 0.0)) + " less time " + time_gained(p)
                         : std::string(mean_utilization_name(p)) + " " +
                               print_share(a.utilization) + " (" + signed_points(a.gain, 1) + ")";
  text += goodput_phrase(a);
  if (const double most = std::max(std::abs(a.gain), std::abs(a.goodput_gain));
      most >= kNothing && most < a.noise)
    text += ", within the luck of failures";
  if (const std::string slows = slows_phrase(a); !slows.empty()) text += ", " + slows;
  if (const std::string targets = targets_phrase(a, p); !targets.empty()) text += ", " + targets;
  return text;
}

std::string cost_phrase(const Alternative& a) {
  if (!a.cost || std::abs(*a.cost) < 1.0) return "";
  return (*a.cost > 0.0 ? "+" : "") + print_value(*a.cost, "USD");
}

std::string advice_phrase(const Prediction& p) {
  if (p.verdict != Verdict::fail || p.alternatives.empty()) return "";
  constexpr std::size_t kMost = 2;
  const bool nominal = tried_nominally(p);
  const GainedFigure figure = figure_gained(p, p.alternatives);
  // Of one job "GPUs" says enough; of several the mean is no figure of the target's job.
  const std::string name = p.breakdown.size() > 1                  ? figure.name
                           : figure.value == &Alternative::goodput ? "goodput"
                                                                   : "GPUs";
  std::vector<std::string> said;
  bool slows_some = false;  // what is said first: the other is what slows nobody, if anything does
  for (const Alternative& a : p.alternatives) {
    if (a.verdict != Verdict::pass || said.size() == kMost || (nominal && !is_useful(a, p)))
      continue;
    if (slows_some && !a.slows.empty()) continue;
    if (std::ranges::any_of(p.alternatives, [&](const Alternative& other) {
          return other.verdict == Verdict::pass && is_dominated(a, other);
        }))
      continue;
    slows_some = !a.slows.empty();
    std::vector<std::string> with;
    if (time_gained(p).empty()) with.push_back(name + " " + print_share(a.*figure.value));
    if (const std::string slows = slows_phrase(a); !slows.empty()) with.push_back(slows);
    if (const std::string cost = cost_phrase(a); !cost.empty()) with.push_back(cost);
    said.push_back(label::of_change(a.change) +
                   (with.empty() ? "" : " (" + base::join(with, ", ") + ")"));
  }
  if (said.empty()) return "no single change that was tried meets all targets";
  return (nominal ? "would meet all targets nominally, draws not tried: "
                  : "would meet all targets: ") +
         base::join(said, "; or ");
}

bool is_useful(const Alternative& a, const Prediction& p) {
  return std::max(a.gain, a.goodput_gain) >= std::max(kNothing, a.noise) ||
         (p.verdict != Verdict::pass &&
          (a.closer >= kCloser || (a.verdict == Verdict::pass && !tried_nominally(p))));
}

std::string_view targets_word(const Alternative& a, const Prediction& p) {
  return a.verdict == Verdict::pass           ? tried_nominally(p) ? "nominally" : "yes"
         : a.verdict == Verdict::inconclusive ? "unsure"
                                              : "no";
}

}  // namespace stallcast::report
