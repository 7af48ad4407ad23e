#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/sim/context.hpp"
#include "models/contract/presumption.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/timeline.hpp"

namespace stallcast::models {

class Plant;
struct Window;

/// A design whose plant is built, to be run once.
class Simulation {
 public:
  /// Throws Refuted, from what runs it, where something `presumed` does not hold.
  /// REQUIRES: `design` was resolved without errors and outlives this.
  explicit Simulation(const Design& design, Presumed presumed = {});
  ~Simulation();

  /// Builds the jobs on `context`, runs them to their end, and returns what was measured. The same
  /// design and seed give the same result on every machine.
  /// REQUIRES: `context` is fresh; called once.
  [[nodiscard]] RunResult run(std::uint64_t seed, sim::Context& context);
  /// Runs the same up to the end of the window that `request` asks for, and returns what happened
  /// in it. REQUIRES: as `run`, instead of it. docs/adr/0022-record-a-second-run.md.
  [[nodiscard]] Timeline record(std::uint64_t seed, sim::Context& context,
                                const TimelineRequest& request);

  /// The figures of resources that a run reports, before anything has happened: nothing is
  /// simulated, and no value means anything. REQUIRES: as `run`, instead of it.
  [[nodiscard]] std::map<std::string, Metric> resources(sim::Context& context);

 private:
  struct Parts;
  /// All but what is made of it for whole runs.
  [[nodiscard]] Window measure(std::uint64_t seed, sim::Context& context);
  /// The same of another design, or of its own with whole runs that take longer by so much.
  [[nodiscard]] Window measure_also(const Design& design, std::uint64_t seed,
                                    std::map<std::string, Seconds> slowed) const;
  [[nodiscard]] RunResult finish(Window window) const;
  const Design& design_;
  Presumed presumed_;
  std::map<std::string, Seconds> slowed_{};  ///< whole runs, by job
  std::unique_ptr<Plant> plant_;
};

/// Runs a Simulation of `design` on a back end of the caller's choice.
[[nodiscard]] RunResult simulate(const Design& design, std::uint64_t seed, sim::Context& context);

}  // namespace stallcast::models
