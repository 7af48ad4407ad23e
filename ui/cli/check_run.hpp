#pragma once

#include <string>
#include <vector>

#include "engine/decide/check/judge.hpp"
#include "scenarios/questions/policy.hpp"
#include "stallcast/check.hpp"
#include "stallcast/result.hpp"
#include "ui/cli/command_line.hpp"

/// What `check` does, apart from its command line and its reports.
namespace stallcast::cli {

struct CheckOptions {
  CommonOptions common;
  std::vector<std::string> scenarios;
  std::vector<std::string> policies;
  std::vector<std::string> asserts;  ///< for every scenario
  std::string baseline;              ///< a file, or "git:REV"
  bool update_baseline = false;
  bool no_advice = false;
  check::CheckRules rules;
};

/// Loads, simulates all in one batch, judges, and looks for a fix of what fails. Faults of
/// scenarios are printed, and are part of the report. A failure when nothing can be checked: a
/// policy, the baseline or an assertion of the command line is wrong.
[[nodiscard]] Result<CheckReport> run_check(const CheckOptions& options);

/// The date in UTC: "2026-11-21".
[[nodiscard]] std::string today();

}  // namespace stallcast::cli
