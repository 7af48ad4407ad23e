#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/outages.hpp"
#include "models/failure/kinds.hpp"
#include "models/job/job.hpp"
#include "models/plant/plant.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// One entry of `failures[]` of such a kind, in simulated time. The jobs outlive it.
class StorageFault {
 public:
  StorageFault(const Design& design, const Component& component, Plant& plant,
               sim::Context& context, std::uint64_t seed,
               std::span<const std::unique_ptr<TrainingJob>> jobs);
  /// From now on `recorder` receives events, too.
  void record(Recorder& recorder);
  /// Fails, comes back, and fails again, until `end`.
  [[nodiscard]] sim::Task<void> run();
  /// The run is over: from the present date on everything works again, and nothing fails.
  void end();
  /// Adds "failure.<id>. ..." metrics. REQUIRES: ended.
  void report(RunResult& out) const;

  [[nodiscard]] const std::string& storage() const { return p_.on; }
  /// What is waited for while nobody is answered: "failure.F".
  [[nodiscard]] std::string resource() const { return "failure." + id_; }
  /// Until others took over.
  [[nodiscard]] const Outages& outages() const { return outages_; }

 private:
  sim::Task<void> fail();
  void degrade(StoragePart part, double fraction);
  void restore();
  /// What is broken works again, and what it cost is known.
  void close_fault();
  /// What the GPUs did while it lasted, mean over the jobs that ran then, all faults together.
  [[nodiscard]] TrainingJob::GpuTime gpu_time() const;

  std::string id_;
  StorageFaultParams p_;
  StorageModel& storage_;
  sim::Context& context_;
  base::RandomStream random_;
  std::span<const std::unique_ptr<TrainingJob>> jobs_;
  std::vector<std::pair<StoragePart, double>> broken_;
  Outages outages_;
  Lane* lane_ = nullptr;
  std::optional<Seconds> began_;                     ///< of the fault under way
  std::vector<std::pair<Seconds, Seconds>> lasted_;  ///< faults that are over: from, until
  double count_ = 0.0;
  std::optional<Seconds> over_;    ///< when the run was
  bool comes_after_said_ = false;  ///< the scenario says when the run ends, and that is before
};

}  // namespace stallcast::models
