#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stallcast/design.hpp"
#include "stallcast/plan.hpp"

/// What decides how much a design needs: docs/guide/plan.md, "The answer".
namespace stallcast::plan {

/// What a resource gives: "bandwidth", "operations", "metadata", "capacity", "cores"; "time" of
/// what no amount of anything relieves, and of none.
[[nodiscard]] std::string_view given_by(std::string_view resource);

/// By the neighbour of the answer that misses a target, of what was searched first; nullopt where
/// none does.
[[nodiscard]] std::optional<PlanReason> reason_of(const PlanResult& plan);

/// That `point`, which has `values`, misses a target.
[[nodiscard]] PlanReason missed_by(const PlanPoint& point, const TargetMargin& missed,
                                   std::string values);

/// Of a plan without an answer, what its largest `design` is limited by and was not searched, as
/// `--over` takes it; "" where nothing counts it.
[[nodiscard]] std::string unsearched_note(const Design& design, const PlanResult& plan);

/// How more is not always better: `beyond` is a larger design than the answer that misses; without
/// one, what misses lies before the answer.
[[nodiscard]] std::string non_monotone_note(const PlanResult& plan,
                                            const std::optional<PlanPoint>& beyond);

}  // namespace stallcast::plan
