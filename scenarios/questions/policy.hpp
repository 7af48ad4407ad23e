#pragma once

#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"

namespace stallcast::scenarios {

/// One assertion of a policy file, and the scenarios it is for.
struct PolicyRule {
  Expectation expectation;
  /// Patterns ("*" stands for any text) of the ids or paths of scenarios; empty: all of them.
  std::vector<std::string> scenarios;
};

struct LoadedPolicy {
  std::vector<PolicyRule> rules;
  Diagnostics diagnostics;  ///< with file, line and column
};

/// Reads a policy: { "expect": [ { "id": "au", "that": "job.*.gpu.utilization >= 90 %",
/// "scenarios": ["llm-*"] } ] }, with `extends` as in scenarios. Never throws on any input.
[[nodiscard]] LoadedPolicy load_policy(const std::string& path);

/// Whether `rule` is for the scenario with this id in this file.
[[nodiscard]] bool applies(const PolicyRule& rule, const std::string& id, const std::string& path);

}  // namespace stallcast::scenarios
