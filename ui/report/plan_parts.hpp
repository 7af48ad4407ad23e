#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/plan.hpp"
#include "ui/report/layout.hpp"

/// What a plan says besides its table: how firm the answer is.
namespace stallcast::report {

/// "found", "infeasible", "inconclusive".
[[nodiscard]] std::string_view status_name(PlanStatus status);
/// "meets", "misses", "unsure".
[[nodiscard]] std::string_view status_name(const PlanPoint& point);

/// Whether more than one thing is searched.
[[nodiscard]] bool of_several(const PlanResult& plan);
/// Whether what is searched alone is a number of things, not a value. REQUIRES: it is alone.
[[nodiscard]] bool is_count(const PlanResult& plan);
/// Whether its name says of what it is: "OSTs of cold".
[[nodiscard]] bool says_owner(const PlanAxis& axis);

/// "needs" of what the targets ask for, "supports" of what asks for more itself.
[[nodiscard]] std::string needs(const PlanResult& plan);
/// "saves", or "gains" of what is maximized.
[[nodiscard]] std::string saves(const PlanResult& plan);
/// "18 OSTs", "at least 512 hosts" where the range ended there. REQUIRES: an answer.
[[nodiscard]] std::string answer_text(const PlanResult& plan);
/// In which months before the last the answer does not do; "" where it does in all.
[[nodiscard]] std::string too_early(const PlanResult& plan);
/// How to search further where the answer is the end of the range; else "".
[[nodiscard]] std::string look_further(const PlanResult& plan);

/// What is searched for: "least cost.capex".
[[nodiscard]] std::string goal_text(const PlanResult& plan);
/// "au: 84.1 % against 90 %, margin -5.9 points".
[[nodiscard]] std::string margin_text(const TargetMargin& target);
/// `margin` of the target that a swing is of, in points of shares: "-0.3 points".
[[nodiscard]] std::string swing_margin(const PlanResult& plan, const PlanSwing& swing,
                                       double margin);
/// "with it the targets hold": what they do with the best interval between saves.
[[nodiscard]] std::string with_interval(const PlanResult& plan, const PlanInterval& interval);

/// One thing to say, line by line.
struct PlanPart {
  std::string title;               ///< "Softer targets"
  std::vector<std::string> lines;  ///< not broken
  std::string table = {};          ///< the same for text reports, where columns read better
};

/// What one more of each dimension is worth, what softer targets would save, what the answer owes
/// to inputs that are assumed, how often jobs should save, and notes: those there are.
[[nodiscard]] std::vector<PlanPart> plan_parts(const PlanResult& plan);

/// Designs next to the answer, by how often their targets hold; without one, those that came
/// nearest. No lines without draws.
[[nodiscard]] PlanPart drawn_part(const PlanResult& plan);
/// "90 % of all cases".
[[nodiscard]] std::string asked_text(const ConfidentPlan& plan);
/// "58 OSTs for 90 % of all cases: with 51 OSTs the targets hold in 40 of 64 draws"; "" where
/// nobody asked.
[[nodiscard]] std::string confident_text(const PlanResult& plan);
/// The answer that was asked for with a confidence, where it is another than that of the design as
/// it is stated: "needs 58 OSTs for 90 % of all cases", "no design that was looked at meets the
/// targets in 90 % of all cases"; "" elsewhere.
[[nodiscard]] std::string drawn_answer(const PlanResult& plan);
/// ", with which the targets hold in 40 of 100 cases": what draws say of the answer without them.
[[nodiscard]] std::string stated_cases(const PlanResult& plan);
/// "by capacity: with 36 OSTs room on scratch is 101.2 %, against 100 %"; "" without a reason.
[[nodiscard]] std::string reason_text(const PlanResult& plan);

/// `--set` of the best interval, as a shell takes it.
[[nodiscard]] std::string set_options(const PlanInterval& interval);
/// `jobs[train].mode=async` as an option of a command line.
[[nodiscard]] std::string set_option(const std::string& set);
/// Where nothing that is searched meets the targets, that a save of its only job at another
/// interval does: ", but they hold with 2 boxes where job mm saves every 45 min 11 s: --set ...";
/// else "".
[[nodiscard]] std::string met_by_saves(const PlanResult& plan);

/// Where nothing meets the targets: "nearest: with 32 OSTs save is 10.4 s, against 10.2 s"; "" of
/// plans that have an answer.
[[nodiscard]] std::string nearest_text(const PlanResult& plan);

/// What was asked for: where draws were asked for a design theirs, else that of the design as it is
/// stated. The first line of a plan, its exit and its JSON go by it.
[[nodiscard]] PlanStatus asked_status(const PlanResult& plan);
/// The answer to that, one value of each axis; nullptr where there is none.
[[nodiscard]] const std::vector<std::string>* asked_answer(const PlanResult& plan);
/// Of what is searched first, or alone, so many; none where there is no answer.
[[nodiscard]] std::optional<std::int64_t> asked_count(const PlanResult& plan);

/// The answer, and what is to be said of it at once: a line each, some "".
[[nodiscard]] std::vector<std::string> plan_headline(const PlanResult& plan, const Ink& ink);
/// The same as plain lines, without empty ones.
[[nodiscard]] std::vector<std::string> headline_lines(const PlanResult& plan);

}  // namespace stallcast::report
