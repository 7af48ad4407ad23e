#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/stage/job_order.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// When jobs in a row begin and end, at the earliest. docs/models/stages.md, eq. 7.
namespace stallcast::models {

/// A job, and the row of jobs it is in: all that follow one another, by whatever way.
struct JobDates {
  Seconds begin, end;
  Seconds row;             ///< when the last of its row ends
  std::size_t in_row = 1;  ///< jobs
  /// Of the time of its row.
  [[nodiscard]] double share() const { return in_row > 1 ? (end - begin) / row : 1.0; }
};

/// Of the jobs of a design, by their numbers, if no GPU ever waits; stages that move data take no
/// time. REQUIRES: all components are complete.
[[nodiscard]] std::vector<JobDates> job_dates(const Design& design);

/// Jobs of `among` in the row of `job`, itself included, in order.
[[nodiscard]] std::vector<std::size_t> row_of(const JobOrder& order, std::size_t job,
                                              const std::vector<bool>& among);

/// How long what is simulated of a job lasts if no GPU ever waits, and what ends it: the key of the
/// job, or "duration" of the run.
struct SimulatedTime {
  Seconds time;
  std::string_view by;
};
[[nodiscard]] SimulatedTime simulated_time(const Design& design, const JobDesign& job);

/// How long a job lasts if no GPU ever waits: as it is simulated, or its whole run.
[[nodiscard]] Seconds least_time(const Design& design, const JobDesign& job);

}  // namespace stallcast::models
