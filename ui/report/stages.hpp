#pragma once

#include <string>
#include <vector>

#include "stallcast/prediction.hpp"

namespace stallcast::report {

/// One stage of a pipeline, as reports show it.
struct StageLine {
  std::string id;
  double start = 0.0, end = 0.0;  ///< s after the beginning of the run
  double begins = 0.0;            ///< share of the time of all stages that is over when it starts
  double lasts = 0.0;             ///< share that it takes
  std::string dates = {};         ///< "from 2 h 10 min, takes 1 d 3 h"
  std::string rate = {};          ///< "reads 12.3 GB/s"; "" of a job
  std::string waited = {};        ///< "waits 3 h for its input"; "" where it does not
  std::string limit = {};         ///< what limits it: a resource, or a stage; ""
};

/// Stages in the order they start. Empty where there are none.
[[nodiscard]] std::vector<StageLine> stage_lines(const Prediction& prediction);

/// What limits a stage, or "pipeline", by its name among the metrics; "" where nothing does.
[[nodiscard]] std::string limit_named(const Prediction& prediction, const std::string& name);

/// "clean limits: 13.4 % of the time of all stages, at 12.3 GB/s, above all by the CPU cores of
/// prep"; "" without stages.
[[nodiscard]] std::string stage_limit(const Prediction& prediction);

}  // namespace stallcast::report
