#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/sim/context.hpp"

/// What both contexts must do alike. Each case runs in a context of its own and returns numbers
/// that must equal `expected` to 1e-9 relative (zero and infinity exactly).
namespace stallcast::tests {

struct ContextCase {
  const char* name;
  std::function<std::vector<double>(sim::Context&)> run;
  std::vector<double> expected;
};

[[nodiscard]] std::vector<ContextCase> context_cases();

[[nodiscard]] bool near(double a, double b, double relative);

}  // namespace stallcast::tests
