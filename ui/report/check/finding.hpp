#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stallcast/check.hpp"

/// What all kinds of reports of `check` say about one thing, in the same words.
namespace stallcast::report {

/// Something to look at: an assertion that is open, or a scenario without a prediction.
struct Finding {
  const CheckedScenario* scenario = nullptr;
  const CheckedAssertion* assertion = nullptr;  ///< none: about the scenario
  bool error = true;                            ///< false: a warning
  std::string rule;                             ///< id of the assertion, or code of the fault
  std::string message;                          ///< one line
  Position at;  ///< relative to the repository; line 0 when not known
  std::string fingerprint;
};

/// The worst first: bugs, bad input, failures by how far they miss, what is not sure, warnings.
[[nodiscard]] std::vector<Finding> findings(const CheckReport& report);

/// What is to be said of one assertion, whatever became of it.
[[nodiscard]] Finding finding_of(const CheckedScenario& scenario,
                                 const CheckedAssertion& assertion);
/// What is to be said of the scenario itself; nothing when all is well.
[[nodiscard]] std::vector<Finding> scenario_findings(const CheckedScenario& scenario);

/// Where a stale baseline is listed among files: the baseline, or that of a scenario.
[[nodiscard]] std::string stale_place(const CheckReport& report);
/// The rule that stale baselines go by in lists of findings.
inline constexpr const char* kStaleRule = "stale-baseline";

/// "pass", "fail", "inconclusive", "waived", "known".
[[nodiscard]] std::string_view status_name(CheckStatus status);
/// "designs/a.json:12", or the file alone when no line is known.
[[nodiscard]] std::string place_text(const Position& at);
/// "new", "unchanged", "updated"; "" without a baseline.
[[nodiscard]] std::string_view state_name(BaselineState state);

/// "GPU utilization = 87.4 % (need >= 90 %)", with the baseline where it moved.
[[nodiscard]] std::string value_phrase(const CheckedScenario& scenario,
                                       const CheckedAssertion& assertion);
/// "limited by OSTs of scratch: twice as fast cuts the stall per save by 33 %", or where nothing
/// was tried ", 97 % busy"; of what became worse than the baseline: "now limited by ... (what made
/// it worse: stallcast diff)". REQUIRES: something limits it.
[[nodiscard]] std::string limited_now(const CheckedScenario& scenario,
                                      const CheckedAssertion& assertion);
/// What limits it, in the words of the text report, and the nearest fix: "limited by the OSTs of
/// scratch, target au: twice as fast saves 3 % of the time; nearest fix: 20 OSTs"; "" when there is
/// nothing to say.
[[nodiscard]] std::string reason_text(const CheckedScenario& scenario,
                                      const CheckedAssertion& assertion);
/// limit_text says it.
[[nodiscard]] bool is_said_of_all(const CheckedScenario& scenario,
                                  const CheckedAssertion& assertion);
/// "job.train.gpu.utilization = 87.4 % (need >= 90 %)", why, and the note.
[[nodiscard]] std::string message_text(const CheckedScenario& scenario,
                                       const CheckedAssertion& assertion);

/// What its prediction warns of.
[[nodiscard]] std::vector<std::string> warnings_of(const CheckedScenario& scenario);

/// As verdict_phrase says it, with what became worse than the baseline: "1 of 2 targets missed".
[[nodiscard]] std::string verdict_text(const CheckedScenario& scenario);
/// limit_phrase of what misses a target, "" of all else: only there parts were made faster to see.
[[nodiscard]] std::string limit_text(const CheckedScenario& scenario);

/// "1 failed, 4 passed, 1 waived (until 2027-03-01), baseline stale".
[[nodiscard]] std::string counts_text(const CheckReport& report);
/// What is said of a rule of a policy that is for no scenario of a check.
[[nodiscard]] std::string idle_rule_text(const std::string& rule);
/// "fail", "pass", "inconclusive", "error": what the exit code says in a word.
[[nodiscard]] std::string_view verdict_word(const CheckReport& report);

}  // namespace stallcast::report
