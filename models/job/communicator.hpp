#pragma once

#include <string>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "models/contract/communication.hpp"
#include "models/contract/statistics.hpp"
#include "models/plant/plant.hpp"
#include "models/record/recorder.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// Where the collectives of a job run.
[[nodiscard]] CommunicationSite communication_site(const JobDesign& job, const Plant& plant);
/// The traffic of one step of a job; nothing when it has no communication. With a seed connections
/// are placed on the links of the fabric as drawn, without one as well as can be.
[[nodiscard]] StepTraffic step_traffic(const JobDesign& job, const Plant& plant,
                                       std::optional<std::uint64_t> seed = std::nullopt);
/// The resource that undisturbed traffic waits for most, all that a step exchanges: the NICs, links
/// between switches that have less than these, NVLink, or the collectives' own start.
[[nodiscard]] std::string limit_of(const Traffic& traffic, const JobDesign& job,
                                   const Plant& plant);

/// Runs the collectives of one job, step by step: as flows over the NICs that storage traffic uses
/// too when the fabric is converged, as delays otherwise. docs/models/communication.md.
class Communicator {
 public:
  Communicator(const JobDesign& job, Plant& plant, sim::Context& context, std::uint64_t seed);

  /// From now on `recorder` receives events, too.
  void record(Recorder& recorder, const std::string& job);
  /// Step number `number` begins, in which `classes` classes of ranks compute for `mean` on
  /// average.
  void begin_step(std::int64_t number, std::size_t classes, Seconds mean);
  /// Compute of a rank of `compute`, slowed by what runs alongside it: first the part nothing runs
  /// beside, then `reached`, then the part with it.
  struct Split {
    Seconds before, beside;
  };
  [[nodiscard]] Split split(Seconds compute) const;
  /// One class has computed its part before.
  void reached();
  /// What runs alongside compute: starts when every class has reached that point.
  [[nodiscard]] sim::Task<void> hidden();
  /// What training waits for at the end of a step.
  [[nodiscard]] sim::Task<void> exposed();
  /// The step's communication added `time` to it.
  void end_step(Seconds time);

  /// Between two steps nothing is under way.
  void describe(sim::Ledger& ledger) {
    times_.describe(ledger);
    exposed_.describe(ledger);
  }

  [[nodiscard]] Seconds slowed() const;  ///< of this step, by what runs alongside compute
  [[nodiscard]] ResourceIndex limited_by() const { return limited_by_; }
  void report(const std::string& job, RunResult& out) const;

 private:
  [[nodiscard]] sim::Task<void> run(Traffic StepTraffic::*part);
  [[nodiscard]] sim::Task<void> exchange(const std::vector<sim::LinkId>& path, double hosts,
                                         double share, const Traffic& traffic);

  sim::Context& context_;
  Plant& plant_;
  StepTraffic traffic_;
  std::string host_;
  struct Path {
    std::vector<sim::LinkId> ports, outside;  ///< within an area, and between areas
    double hosts = 1.0;                       ///< of the job
    StepTraffic traffic = {};                 ///< as seen from the area that they lie in
  };
  std::vector<Path> paths_;  ///< of each host group; empty: a delay
  sim::Signal ready_;
  std::size_t missing_ = 0;
  std::int64_t step_ = 0;
  Lane* lane_ = nullptr;
  Seconds window_;
  Seconds running_;  ///< of this step's collectives
  ResourceIndex own_limit_, limited_by_;
  Series times_, exposed_;
};

}  // namespace stallcast::models
