#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/check.hpp"
#include "stallcast/client.hpp"
#include "ui/app/diff.hpp"

/// The use case `check`: whether designs still are what they were decided to be.
namespace stallcast::client {

/// A scenario to check. It goes by `path` in reports: "-" is standard input.
struct CheckInput {
  std::string path;
  ScenarioFile file;
  std::optional<Scenario> scenario = std::nullopt;  ///< ok(), when it was read already
};

/// What is compared with: a file, a revision or a text, or nothing.
struct CheckBaseline {
  std::string file = {};                     ///< that `update` wrote
  bool update = false;                       ///< write what is predicted now to `file`
  std::optional<std::string> revision = {};  ///< of git: the scenarios as they were in it
  std::string text = {};                     ///< what such a file says
  std::string path = {};                     ///< of the scenario in `text`; "": the one of its id
  [[nodiscard]] bool empty() const { return file.empty() && !revision && text.empty(); }
};

struct CheckRequest {
  std::vector<CheckInput> scenarios;
  std::vector<std::string> policies = {};  ///< files
  std::vector<Expectation> asserts = {};   ///< of read_assert, for every scenario
  CheckBaseline baseline = {};
  CheckRules rules = {};   ///< no day: today in UTC; `model` is set by `check`
  Question question = {};  ///< its time limit is for everything together
  bool advise = true;      ///< look for a fix of what fails by simulation
  /// Places are told relative to the repository around the working folder.
  bool in_repository = true;
};

/// What is said while a check runs. Each may be empty.
struct CheckWatch {
  /// Faults and warnings of one scenario or policy; those of scenarios are in the report, too.
  std::function<void(const Diagnostics&)> on_diagnostics = {};
  std::function<void(const std::string& message, const std::string& hint)> on_notice = {};
};

/// An assertion from elsewhere than a scenario, `where`: it goes by its metric.
[[nodiscard]] Result<Expectation> read_assert(const std::string& that, const std::string& where);

/// "cost.capex=0.5%", "job.*.step.time = 1 %", or "2%" for every metric.
[[nodiscard]] Result<Tolerance> read_tolerance(const std::string& text);

/// Reads what `request` names, simulates all in one batch, judges, and looks for a fix of what
/// fails. Wrong scenarios are part of the report. A failure when nothing can be checked: a policy
/// or the baseline is wrong. With `predict_all` designs are predicted by that, without assertions.
[[nodiscard]] Result<CheckReport> check(Session& session, const CheckRequest& request,
                                        const CheckWatch& watch = {},
                                        const PredictAll& predict_all = {});

/// What `check` fails with before it simulates anything.
[[nodiscard]] std::optional<Failure> check_request(Session& session, const CheckRequest& request);

}  // namespace stallcast::client
