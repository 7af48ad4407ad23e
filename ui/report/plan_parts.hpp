#pragma once

#include <string>

#include "stallcast/plan.hpp"
#include "ui/report/layout.hpp"

/// What a plan says beside its table: how firm the answer is. Each part is "" when there is nothing
/// to say; else it begins with an empty line.
namespace stallcast::report {

/// "51 OSTs" of a count, "cache 64 GB" of anything else.
[[nodiscard]] std::string amount(const PlanAxis& axis, const std::string& value);

/// What one more of each dimension is worth.
[[nodiscard]] std::string plan_worth(const PlanResult& plan, const Ink& ink);
/// What softer targets would save.
[[nodiscard]] std::string plan_prices(const PlanResult& plan, const Ink& ink);
/// What the answer owes to inputs that are assumed.
[[nodiscard]] std::string plan_tornado(const PlanResult& plan, const Ink& ink);
/// How often jobs should save.
[[nodiscard]] std::string plan_intervals(const PlanResult& plan, const Ink& ink);

}  // namespace stallcast::report
