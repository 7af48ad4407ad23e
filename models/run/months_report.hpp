#pragma once

#include <cstdint>
#include <string>

#include "models/failure/renewal.hpp"
#include "models/job/job.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// Of time without saves, the share that GPUs compute.
[[nodiscard]] double busy_of(const TrainingJob::Measured& run);

/// The number of steps between two saves that keeps most of the histories, and the share it keeps.
struct BestMonths {
  std::int64_t steps = 1;
  double kept = 0.0;
};

/// What histories of a job say, as metrics of its run.
class MonthsReport {
 public:
  MonthsReport(const JobProcess& job, const TrainingJob::Measured& run, RunResult& out);

  /// Where histories were given up before their work was done: a warning, and of more than a few
  /// nothing that is kept.    [docs/models/whole-run.md, eq. 6]
  void give_up_rarely(JobOutlook& outlook);
  void add(const JobOutlook& outlook);
  void add(const BestMonths& best);

 private:
  void set(const std::string& key, double value, const char* unit);
  void add_luck(const JobOutlook& outlook);
  void add_histories(const JobOutlook& outlook);
  void add_bad_saves(const JobHistory& mean);
  void lend(const JobHistory& mean);
  void split(const JobHistory& mean);

  const JobProcess& job_;
  const TrainingJob::Measured& run_;
  std::string name_;
  double busy_;
  RunResult& out_;
};

}  // namespace stallcast::models
