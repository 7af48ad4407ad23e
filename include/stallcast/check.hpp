#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/diff.hpp"
#include "stallcast/prediction.hpp"

/// What `check` found: every assertion of every scenario, judged against its limit and against a
/// baseline.
namespace stallcast {

/// What counts when nobody can say whether an assertion holds.
enum class Inconclusive { exit_three, fail, warn, pass };
/// From which level on a failed assertion makes the answer "no".
enum class FailOn { error, warn, never };

/// How strict a check is.
struct CheckRules {
  std::string today;  ///< "2026-11-21": a waiver holds on its last day, too
  std::string model;  ///< version of the models of this program
  bool new_only = false;
  bool allow_skew = false;
  Inconclusive inconclusive = Inconclusive::exit_three;
  FailOn fail_on = FailOn::error;
  std::vector<Tolerance> tolerances = {};
};

enum class CheckStatus {
  pass,
  fail,
  inconclusive,
  waived,  ///< it fails, and somebody said until when that is accepted
  known,   ///< it fails as it did in the baseline, and only new failures were asked for
};

/// How an assertion stands to the baseline.
enum class BaselineState { absent, fresh, same, better, worse };

/// The note of an assertion for which nothing was found.
inline constexpr const char* kNoChange = "no single change that was tried meets all targets";

struct CheckedAssertion {
  AssertionOutcome outcome;  ///< level, value, limit, who limits
  CheckStatus status = CheckStatus::pass;
  BaselineState state = BaselineState::absent;
  std::string better = {};                      ///< "higher", "lower", or "" when neither is
  std::optional<double> before = std::nullopt;  ///< value in the baseline
  double tolerance = 0.0;                       ///< how far it may move for the worse, relative
  std::string waive = {};                       ///< why a failure is accepted
  std::string until = {};                       ///< last day of that
  std::string note = {};                        ///< what else there is to say, one phrase
  std::string load = {};                        ///< of what limits: "97 % busy"; "" when unknown
  std::string fix = {};  ///< a change that was simulated and meets all targets
  Position at = {};      ///< of the assertion; relative to the repository
  /// Of the input that the fix changes, or that limits; of the assertion when it is not known.
  Position culprit = {};
  std::string culprit_path = {};  ///< "storage[scratch].ost.count"; "" when it is not known
  std::string fingerprint = {};   ///< the same in every run, wherever the lines have moved

  [[nodiscard]] bool is_error() const { return outcome.level != "warn"; }
  /// Neither passes nor is accepted.
  [[nodiscard]] bool is_open() const {
    return status == CheckStatus::fail || status == CheckStatus::inconclusive;
  }
};

struct CheckedScenario {
  std::string path;  ///< as the user named it
  std::string uri;   ///< relative to the repository, with forward slashes
  std::string id;
  std::string design_sha256 = {};
  std::string profile_sha256 = {};
  std::vector<CheckedAssertion> assertions = {};
  /// With the targets that are not accepted as missed; where one is missed, with what limits it and
  /// changes that were tried. None: it was not predicted.
  std::optional<Prediction> prediction = std::nullopt;
  /// Why there is no prediction, or why it is not a whole one; "" otherwise.
  std::string failure = {};
  std::string hint = {};
  /// ok; inconclusive (time limit, fitted range), bad_input or internal with `failure`.
  ExitCode exit = ExitCode::ok;
  std::vector<Diagnostic> faults = {};  ///< of its input, with their places

  /// It was predicted, and an assertion is wrong.
  [[nodiscard]] bool misjudged() const { return exit == ExitCode::bad_input && prediction; }
  /// There is a whole prediction.
  [[nodiscard]] bool predicted() const { return exit == ExitCode::ok || misjudged(); }
};

struct CheckReport {
  std::vector<CheckedScenario> scenarios;  ///< in the order of the command line
  std::vector<std::string> stale;          ///< why the baseline no longer fits; empty: it does
  std::string baseline = {};               ///< its file, as `uri` of scenarios; "" when it is none
  std::vector<std::string> idle_rules = {};  ///< of policies: ids of those for no scenario of these
  ExitCode exit = ExitCode::ok;
  int signal = 0;  ///< that ended it early; 0: none did
  double wall_s = 0.0;

  /// What a program that made it ends with.
  [[nodiscard]] int exit_code() const {
    return signal != 0 ? 128 + signal : static_cast<int>(exit);
  }
};

/// How many assertions ended how; warnings are assertions of level "warn" that are open. What
/// passes in a prediction that is not whole is counted with its scenario.
struct CheckCounts {
  std::size_t failed = 0;
  std::size_t warned = 0;
  std::size_t inconclusive = 0;
  std::size_t waived = 0;
  std::size_t known = 0;
  std::size_t passed = 0;
  std::size_t broken = 0;  ///< scenarios without a prediction
  std::size_t unsure = 0;  ///< scenarios with one that is not whole
  std::size_t wrong = 0;   ///< assertions that name no metric, or have another unit
  std::size_t stale = 0;   ///< why the baseline no longer fits: reasons
};

[[nodiscard]] inline CheckCounts count(const CheckReport& report) {
  CheckCounts out;
  out.stale = report.stale.size();
  for (const CheckedScenario& scenario : report.scenarios) {
    const bool unsure = !scenario.predicted() && scenario.prediction;
    if (!scenario.predicted()) ++(unsure ? out.unsure : out.broken);
    if (scenario.misjudged()) out.wrong += scenario.faults.size();
    for (const CheckedAssertion& a : scenario.assertions) {
      if (unsure && a.status == CheckStatus::pass) continue;
      if (a.is_open() && !a.is_error())
        ++out.warned;
      else
        ++(a.status == CheckStatus::fail           ? out.failed
           : a.status == CheckStatus::inconclusive ? out.inconclusive
           : a.status == CheckStatus::waived       ? out.waived
           : a.status == CheckStatus::known        ? out.known
                                                   : out.passed);
    }
  }
  return out;
}

}  // namespace stallcast
