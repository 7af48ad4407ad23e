#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stallcast/prediction.hpp"

namespace stallcast {

/// How far one target is from its limit at one candidate.
struct TargetMargin {
  std::string id;
  std::string that;
  double value = 0.0;  ///< in `unit`
  double limit = 0.0;  ///< in `unit`
  std::string unit;
  double margin = 0.0;  ///< (value - limit) / limit on the good side, negative when missed
  std::string status;   ///< "pass", "fail", "inconclusive"
};

/// One simulated candidate of a search.
struct PlanPoint {
  std::int64_t count = 0;
  bool meets = false;                ///< every error-level target passes
  bool inconclusive = false;         ///< the interval of a target straddles its limit
  double utilization = 0.0;          ///< GPU utilization, mean over jobs
  std::string binding;               ///< resource most to blame; "" when none
  double binding_utilization = 0.0;  ///< of that resource
  std::vector<TargetMargin> targets;
};

enum class PlanStatus { found, infeasible, inconclusive };

/// The fewest of something that meets the targets, with its neighbours.
struct PlanResult {
  std::string scenario_id;
  std::string scenario_file;
  std::string metric;  ///< "storage.scratch.osts.required"
  std::string noun;    ///< what is counted: "OSTs"
  std::string owner;   ///< of what: "storage scratch"
  PlanStatus status = PlanStatus::found;
  std::int64_t required = 0;       ///< when found
  std::int64_t lower_bound = 1;    ///< where the search started
  std::int64_t infinity = 0;       ///< the count that stood for "more than enough"
  bool non_monotone = false;       ///< a larger count failed where a smaller one passed
  std::vector<PlanPoint> points;   ///< every candidate simulated, by count
  Prediction prediction;           ///< of `required`, or of `infinity` when there is no answer
  std::vector<std::string> notes;  ///< what the reader must know about the search
};

/// The candidate with `count`, or nullptr when it was not simulated.
[[nodiscard]] inline const PlanPoint* find_point(const PlanResult& plan, std::int64_t count) {
  for (const PlanPoint& point : plan.points)
    if (point.count == count) return &point;
  return nullptr;
}

}  // namespace stallcast
