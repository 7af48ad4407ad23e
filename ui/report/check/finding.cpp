#include "ui/report/check/finding.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/sha256.hpp"
#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report {
namespace {

/// ">= 90 %" as the user wrote it, and what an expression of the baseline comes to.
std::string need_text(const AssertionOutcome& outcome) {
  std::string out = asked_phrase(outcome);
  if (out.find("base") == std::string::npos || !outcome.limit) return out;
  const auto text = [&](double end) {
    return as_counted(outcome.metric, print_value(end, outcome.unit));
  };
  const std::string limit = text(*outcome.limit);
  return out + " = " + (outcome.upper ? "[" + limit + ", " + text(*outcome.upper) + "]" : limit);
}

/// How far a value misses its limit or its baseline, relative.
double miss(const CheckedAssertion& a) {
  const double to = a.state == BaselineState::worse ? a.before.value_or(0.0)
                                                    : a.outcome.limit.value_or(a.outcome.value);
  return std::abs(a.outcome.value - to) / (to != 0.0 ? std::abs(to) : 1.0);
}

int rank(const Finding& f) {
  if (f.assertion == nullptr)
    return f.scenario->exit == ExitCode::internal    ? 0
           : f.scenario->exit == ExitCode::bad_input ? 1
                                                     : 3;
  if (!f.error) return 4;
  return f.assertion->status == CheckStatus::fail ? 2 : 3;
}

}  // namespace

std::string_view status_name(CheckStatus status) {
  return status == CheckStatus::fail           ? "fail"
         : status == CheckStatus::inconclusive ? "inconclusive"
         : status == CheckStatus::waived       ? "waived"
         : status == CheckStatus::known        ? "known"
                                               : "pass";
}

std::string place_text(const Position& at) {
  return at.line > 0 ? at.file + ":" + std::to_string(at.line) : at.file;
}

std::string_view state_name(BaselineState state) {
  return state == BaselineState::absent  ? ""
         : state == BaselineState::fresh ? "new"
         : state == BaselineState::same  ? "unchanged"
                                         : "updated";
}

namespace {

/// " = 87.4 % (need >= 90 %)", how it stands to the baseline, and how often draws say it holds.
std::string judged(const CheckedAssertion& a) {
  std::string out = " = " + print_predicted(a.outcome) + " (need " + need_text(a.outcome);
  if (a.before && (a.state == BaselineState::worse || a.state == BaselineState::better)) {
    const double moved = a.outcome.value - *a.before;
    out += "; baseline " +
           as_counted(a.outcome.metric, print_beside(*a.before, a.outcome.value, a.outcome.unit));
    if (a.outcome.unit == "ratio")
      out += ", " + signed_points(moved, 1);
    else if (*a.before != 0.0)
      out += ", " + print_margin(moved / std::abs(*a.before));
    if (a.state == BaselineState::worse)
      out += " is worse by more than " + print_value(a.tolerance, "ratio");
  }
  const std::string sure = probability_phrase(a.outcome);
  return out + ")" + (sure.empty() ? "" : ", " + sure);
}

/// "job.train.gpu.utilization = 87.4 % (need >= 90 %)", with the baseline where it moved.
std::string value_text(const CheckedAssertion& a) { return a.outcome.metric + judged(a); }

}  // namespace

std::string value_phrase(const CheckedScenario& s, const CheckedAssertion& a) {
  const bool with_job = s.prediction && s.prediction->breakdown.size() > 1;
  return label::of_metric(a.outcome.metric, a.outcome.unit, with_job) + judged(a);
}

std::string limited_now(const CheckedScenario& s, const CheckedAssertion& a) {
  const bool with_job = s.prediction && s.prediction->breakdown.size() > 1;
  std::string limit = limited_phrase(a.outcome);
  // How busy it is on average says little of what it costs.
  if (a.outcome.change)
    limit +=
        ": " + changed_words("the " + label::of_metric(a.outcome.metric, a.outcome.unit, with_job),
                             a.outcome.limited_by, *a.outcome.change);
  else if (!a.load.empty())
    limit += ", " + a.load;
  // A baseline knows figures, not designs: what limits this one may have limited it before.
  return a.state == BaselineState::worse ? "now " + limit + " (what made it worse: stallcast diff)"
                                         : limit;
}

bool is_said_of_all(const CheckedScenario& s, const CheckedAssertion& a) {
  return !limit_text(s).empty() && limit_of(*s.prediction).name == a.outcome.limited_by;
}

std::string reason_text(const CheckedScenario& s, const CheckedAssertion& a) {
  if (!a.is_open()) return "";
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  const bool worse = a.state == BaselineState::worse;
  if (!a.outcome.limited_by.empty())
    add(!worse && is_said_of_all(s, a) ? limit_text(s) : limited_now(s, a));
  // It meets the limit, and may still be worse than before.
  if (!a.fix.empty())
    add((worse ? "meets the limit: " : "nearest fix: ") + label::of_change(a.fix));
  return out;
}

std::string message_text(const CheckedScenario& s, const CheckedAssertion& a) {
  std::string out = value_text(a);
  for (const std::string& more : {reason_text(s, a), a.note})
    if (!more.empty()) out += "; " + more;
  if (a.is_open() && !a.outcome.why.empty()) out += " (" + a.outcome.why + ")";
  return out;
}

std::vector<Finding> scenario_findings(const CheckedScenario& s) {
  std::vector<Finding> out;
  if (s.exit == ExitCode::ok) return out;
  for (const Diagnostic& d : s.faults)
    if (d.severity == Severity::error)
      out.push_back({&s, nullptr, true, d.code,
                     (d.pointer.empty() ? "" : d.pointer + ": ") + d.message +
                         (d.hint.empty() ? "" : "; " + d.hint),
                     d.position,
                     base::sha256(s.uri + "|" + s.id + "|" + d.code + "|" + d.pointer)});
  const char* rule = s.exit == ExitCode::internal       ? "internal-error"
                     : s.exit == ExitCode::inconclusive ? "inconclusive"
                                                        : "bad-input";
  if (out.empty())
    out.push_back({&s,
                   nullptr,
                   true,
                   rule,
                   s.failure + (s.hint.empty() ? "" : "; " + s.hint),
                   {s.uri, 0, 0},
                   base::sha256(s.uri + "|" + s.id + "|" + rule)});
  return out;
}

Finding finding_of(const CheckedScenario& s, const CheckedAssertion& a) {
  return {&s,        &a,           a.is_error(), a.outcome.id, s.id + ": " + message_text(s, a),
          a.culprit, a.fingerprint};
}

std::vector<Finding> findings(const CheckReport& report) {
  std::vector<Finding> out;
  for (const CheckedScenario& s : report.scenarios) {
    for (Finding& f : scenario_findings(s)) out.push_back(std::move(f));
    for (const CheckedAssertion& a : s.assertions)
      if (a.is_open()) out.push_back(finding_of(s, a));
  }
  std::stable_sort(out.begin(), out.end(), [](const Finding& a, const Finding& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return a.assertion != nullptr && b.assertion != nullptr &&
           miss(*a.assertion) > miss(*b.assertion);
  });
  return out;
}

std::string stale_place(const CheckReport& report) {
  if (!report.baseline.empty()) return report.baseline;
  return report.scenarios.empty() ? "baseline" : report.scenarios.front().uri;
}

std::vector<std::string> warnings_of(const CheckedScenario& s) {
  return s.prediction ? s.prediction->warnings : std::vector<std::string>();
}

std::string verdict_text(const CheckedScenario& s) {
  if (!s.prediction) return s.failure;
  const auto worse = static_cast<std::size_t>(
      std::count_if(s.assertions.begin(), s.assertions.end(), [](const CheckedAssertion& a) {
        return a.state == BaselineState::worse && a.is_open() && a.outcome.status == "pass";
      }));
  const std::string judged = verdict_phrase(*s.prediction);
  if (s.misjudged() && s.assertions.empty()) return s.failure;
  const std::string phrase = s.misjudged() ? s.failure + ", " + judged : judged;
  if (worse == 0) return phrase;
  const std::string also = count_of(worse, "figure") + " worse than the baseline";
  return s.prediction->verdict == Verdict::pass ? also : phrase + ", " + also;
}

std::string limit_text(const CheckedScenario& s) {
  const bool tried = s.prediction && s.prediction->gains && s.prediction->verdict == Verdict::fail;
  return tried ? limit_phrase(*s.prediction) : "";
}

std::string counts_text(const CheckReport& report) {
  const CheckCounts n = count(report);
  std::set<std::string> until;
  for (const CheckedScenario& s : report.scenarios)
    for (const CheckedAssertion& a : s.assertions)
      if (a.status == CheckStatus::waived) until.insert(a.until);
  std::string out;
  const auto add = [&](std::size_t k, const std::string& what) {
    if (k > 0) out += (out.empty() ? "" : ", ") + std::to_string(k) + " " + what;
  };
  add(n.broken, n.broken == 1 ? "scenario not predicted" : "scenarios not predicted");
  add(n.unsure, n.unsure == 1 ? "scenario unsure" : "scenarios unsure");
  add(n.wrong, n.wrong == 1 ? "assertion is wrong" : "assertions are wrong");
  add(n.failed, "failed");
  add(n.inconclusive, "inconclusive");
  add(n.warned, n.warned == 1 ? "warning" : "warnings");
  add(n.passed, "passed");
  add(n.known, "known");
  add(n.waived, "waived (until " + (until.empty() ? "" : *until.begin()) + ")");
  if (out.empty()) out = "no assertions";
  return n.stale > 0 ? out + ", baseline stale" : out;
}

std::string idle_rule_text(const std::string& rule) {
  return "the rule \"" + rule +
         "\" of the policy is for none of these scenarios and not judged (\"scenarios\" are "
         "patterns "
         "of ids and paths)";
}

std::string_view verdict_word(const CheckReport& report) {
  return report.exit == ExitCode::ok             ? "pass"
         : report.exit == ExitCode::answer_no    ? "fail"
         : report.exit == ExitCode::inconclusive ? "inconclusive"
                                                 : "error";
}

}  // namespace stallcast::report
