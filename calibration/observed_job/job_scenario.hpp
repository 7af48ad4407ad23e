#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/observe/job_facts.hpp"
#include "calibration/observed_job/commented_json.hpp"
#include "calibration/observed_job/first_batch.hpp"
#include "engine/base/jsonc.hpp"
#include "scenarios/importers/importer.hpp"
#include "stallcast/observation.hpp"

/// The scenario of an observed job. docs/models/observed-job.md says how each member of the
/// observation becomes a field.
namespace stallcast::calibration {

/// Where the job's waits come from, so that solving for it explains them.
enum class WaitCause {
  none,     ///< nothing is read
  storage,  ///< times of the storage, all of them alike
  cpu,      ///< core time of a sample
  handover  ///< what a batch that is ready costs the training loop
};

/// What no member says by itself, solved for by simulation.
struct FreeCosts {
  WaitCause cause = WaitCause::none;
  double storage = 1.0;   ///< on latencies and times of the bytes
  double readers = 1.0;   ///< on how many readers the storage was seen with
  double cpu = 1.0;       ///< on core time of a sample
  double handover = 1.0;  ///< on the hand-over of a batch
  double compute = 1.0;   ///< on the compute of one rank, where ranks meet
  /// What a first batch takes besides its samples, as if it began that much later; below 0: so
  /// much less than workers take to start as far as that is known.
  Seconds beginning;
  StartCosts known;                ///< what that is besides
  std::optional<KnownTime> first;  ///< the first batch that `beginning` was solved for
  std::optional<Rate> write;       ///< what a save is written with
  std::optional<Rate> serialize;   ///< what it is serialised with
  /// The waits decide `cause`'s factor: half of its 90 % interval, over the factor.
  std::optional<double> identified;
};

/// The classes of this job's figures and how far the scenario may be off, half of 90 %.
struct Discrepancy {
  std::optional<double> step, first_batch, checkpoint;  ///< over the figure
  std::optional<double> utilization;                    ///< of the log odds
};

struct JobWriting {
  std::string id = "observed";
  std::string profile;  ///< file with what probes of the storage gave; "" where there is none
  std::optional<double> alone;  ///< share of a read that is private; none: what its least time says
  std::optional<std::int64_t> most_steps;  ///< of an epoch: simulations that solve take fewer
  Discrepancy discrepancy;
  std::vector<std::string> checked;  ///< lines about the self-check, for the head of the file
};

struct WrittenJob {
  base::Json json;
  Comments comments;
  std::vector<scenarios::FieldNote> fields;
};

/// The first guess of the costs that are solved for.
[[nodiscard]] FreeCosts guess(const Observation& observation, const JobFacts& facts);

[[nodiscard]] WrittenJob write_job(const Observation& observation, const JobFacts& facts,
                                   const FreeCosts& costs, const JobWriting& how);

/// Ids in the scenario.
inline constexpr const char *kObservedJob = "train", *kObservedStore = "store",
                            *kObservedHost = "node";

}  // namespace stallcast::calibration
