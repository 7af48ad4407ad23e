#include "ui/report/advice.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report {
namespace {

// By less than this of its limit no target is closer.
constexpr double kCloser = 0.005;

/// ", goodput 93.0 % (+2.1 points)", where a change gains another goodput than utilization, as
/// where work is lost; "" else.
std::string goodput_phrase(const Alternative& a) {
  return a.goodput > 0.0 && std::abs(a.goodput_gain - a.gain) >= kNothing
             ? ", goodput " + print_share(a.goodput) + " (" + signed_points(a.goodput_gain, 1) + ")"
             : "";
}

}  // namespace

std::string targets_phrase(const Alternative& a, const Prediction& p,
                           const std::vector<std::string>& missed) {
  switch (a.verdict) {
    case Verdict::none:
      return "";
    case Verdict::pass:
      return meets_phrase(p);
    case Verdict::inconclusive:
      return "targets unsure";
    case Verdict::fail:
      break;
  }
  std::string text = missed.empty() ? "targets still missed" : "misses " + base::join(missed, ", ");
  if (a.margin && a.closer >= kCloser)
    text += ", by " + print_share(-*a.margin) + " for " + print_share(a.closer - *a.margin);
  return text;
}

std::string gain_text(const Alternative& a, const Prediction& p,
                      const std::vector<std::string>& missed) {
  std::string text = !time_gained(p).empty()
                         ? print_share(std::max(a.gain, 0.0)) + " less time " + time_gained(p)
                         : std::string(mean_utilization_name(p)) + " " +
                               print_share(a.utilization) + " (" + signed_points(a.gain, 1) + ")";
  text += goodput_phrase(a);
  if (const std::string targets = targets_phrase(a, p, missed); !targets.empty())
    text += ", " + targets;
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
  std::vector<std::string> said;
  for (const Alternative& a : p.alternatives) {
    if (a.verdict != Verdict::pass || said.size() == kMost || (nominal && !is_useful(a, p)))
      continue;
    std::vector<std::string> with;
    if (time_gained(p).empty()) with.push_back("GPUs " + print_share(a.utilization));
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
  return std::max(a.gain, a.goodput_gain) >= kNothing ||
         (p.verdict != Verdict::pass &&
          (a.closer >= kCloser || (a.verdict == Verdict::pass && !tried_nominally(p))));
}

std::string_view targets_word(const Alternative& a, const Prediction& p) {
  return a.verdict == Verdict::pass           ? tried_nominally(p) ? "nominally" : "yes"
         : a.verdict == Verdict::inconclusive ? "unsure"
                                              : "no";
}

}  // namespace stallcast::report
