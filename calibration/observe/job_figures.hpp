#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/observe/job_facts.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/observation.hpp"

/// Figures of an observed job that a simulation has too.
namespace stallcast::calibration {

struct JobFigure {
  enum class What { step, wait, first_batch, save };
  What what = What::step;
  std::string label;   ///< for people: "step time"
  std::string metric;  ///< of the simulation
  Dimension dimension = Dimension::time;
  double value = 0.0;  ///< base unit
  double error = 0.0;  ///< half of the observation's own 90 % interval, over the value
};

/// Of the job `job`: the time of a step (its saves and waits included, without the first step of
/// the run), the wait in it, the first batch, the time of a save. Those that were seen.
[[nodiscard]] std::vector<JobFigure> figures_of(const JobFacts& facts, const std::string& job);

/// First batches of the run and of its later epochs, which a simulation has no figures of.
/// REQUIRES: they are told apart.
[[nodiscard]] std::vector<JobFigure> first_batches_of(const JobFacts& facts);

/// Reads the file of an observed job; faults, and one that holds no steps, go to `diagnostics` with
/// their place.
[[nodiscard]] std::optional<Observation> read_job(const std::string& text, const std::string& file,
                                                  Diagnostics& diagnostics);

}  // namespace stallcast::calibration
