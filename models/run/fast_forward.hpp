#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/ledger.hpp"
#include "models/job/job.hpp"
#include "models/plant/plant.hpp"

namespace stallcast::models {

/// Skips what only repeats: when the complete state of a simulation comes back twice after the same
/// time, whole periods are counted without being simulated, as many as nothing interferes with. The
/// engine is not touched: what is left to do shrinks, and dates that time is counted from move
/// back. docs/models/fast-forward.md.
class FastForward {
 public:
  using Jobs = std::vector<std::unique_ptr<TrainingJob>>;
  /// All must outlive this.
  FastForward(sim::Context& context, Plant& plant, const Jobs& jobs)
      : context_(context), plant_(plant), jobs_(jobs) {}

  /// Nothing at or after this date of the run is to be skipped.
  void stop_before(Seconds date) { until_ = date; }
  /// To be called at the end of every step of one job.
  void step_done();
  /// Time that was counted and not simulated.
  [[nodiscard]] Seconds skipped() const { return skipped_; }

 private:
  /// A state of the past.
  struct Seen {
    sim::Ledger ledger;
    Seconds at;                           ///< skipped time included
    std::array<std::uint64_t, 3> keys{};  ///< of the ledger
    std::vector<Seconds> periods{};       ///< after which it had been seen before
  };
  void describe(sim::Ledger& ledger);
  [[nodiscard]] std::vector<std::size_t> find(const Seen& present) const;
  bool skip(const Seen& present, const std::vector<std::size_t>& same);
  void keep(Seen present);

  sim::Context& context_;
  Plant& plant_;
  const Jobs& jobs_;
  bool off_ = false;
  Seconds skipped_;
  Seconds until_ = Seconds::infinity();
  std::vector<Seen> past_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_key_;
  std::size_t numbers_ = 0;   ///< that past states hold
  std::int64_t in_vain_ = 0;  ///< times that they were forgotten since the last skip
};

}  // namespace stallcast::models
