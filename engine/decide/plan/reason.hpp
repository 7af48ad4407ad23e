#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/plan.hpp"

/// What decides how much a design needs: docs/guide/plan.md, "The answer".
namespace stallcast::plan {

/// What a resource gives: "bandwidth", "operations", "metadata", "capacity", "cores", "compute";
/// "time" of what no amount of anything relieves, and of none.
[[nodiscard]] std::string_view given_by(std::string_view resource);

/// The neighbour of the answer that says why it has as much: one that misses a target, and that
/// would be taken if it did not; of several that of what was searched first. nullptr where there is
/// none.
[[nodiscard]] const PlanNeighbour* deciding_neighbour(const PlanResult& plan);

/// Which target it misses: the tightest. Where several things are searched a budget (of money,
/// power or room in racks) comes first: of what else is missed, more of another thing might do, and
/// would cost more. REQUIRES: it has targets.
[[nodiscard]] const TargetMargin& deciding_miss(const PlanResult& plan, const PlanPoint& neighbour);

/// By that neighbour; nullopt where there is none. `relieved`: of that neighbour, what the answer
/// has more of, if known.
[[nodiscard]] std::optional<PlanReason> reason_of(const PlanResult& plan,
                                                  const std::string& relieved = "");

/// Of what limits a design, `named` before all else and then most first, what `larger` has more of:
/// what a step to it relieves; "" where that is nothing that it waits for.
[[nodiscard]] std::string relieved_by(const Prediction& larger, const Prediction& smaller,
                                      const std::string& named = "");

/// What relieves a target where work is shared by more GPUs.
inline constexpr std::string_view kCompute = "compute";

/// Whether most of the time that the missed target `id` gets shorter by in `larger` - of a run, a
/// step, a sample - is compute.
[[nodiscard]] bool computes_less(const Prediction& larger, const Prediction& smaller,
                                 const std::string& id);

/// That `point`, which has `values`, misses a target.
[[nodiscard]] PlanReason missed_by(const PlanPoint& point, const TargetMargin& missed,
                                   std::string values);

/// Of a plan without an answer, what its largest `design` is limited by and was not searched, as
/// `--over` takes it; "" where nothing counts it, or where its value, by its pointer, `follows`
/// from what is searched.
[[nodiscard]] std::string unsearched_note(
    const Design& design, const PlanResult& plan,
    const std::function<bool(const std::string& pointer)>& follows);

/// How more is not always better: `beyond` is a larger design than the answer that misses; without
/// one, what misses lies before the answer.
[[nodiscard]] std::string non_monotone_note(const PlanResult& plan,
                                            const std::optional<PlanPoint>& beyond);

/// Of what is to be had least or most of, and no cost of what is bought: where the answer is at an
/// end of what was searched, and better than the design before that.
[[nodiscard]] std::vector<std::string> notes_of_ends(const PlanResult& plan);

}  // namespace stallcast::plan
