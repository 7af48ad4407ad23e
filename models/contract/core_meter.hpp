#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/ledger.hpp"

namespace stallcast::models {

enum class Moves { read, write };

/// Busy cores of one host group in a simulation that counts them. Up to the first date at which
/// more would be busy than there are, nobody has waited for one.    [docs/models/host.md, eq. 2]
class CoreMeter {
 public:
  CoreMeter(sim::Context& context, double cores) : context_(&context), most_(cores) {}

  /// Processes keep `cores` busy for `time` from now on.
  void take(Seconds time, double cores);
  /// Operations are under way whose data other threads could move on `cores`; all of their way
  /// together on `most`, since ports bring no more.
  void begin(Moves way, double cores, double most);
  /// They are no longer, and took `time` on those threads.
  void end(Moves way, double cores, Seconds time);

  [[nodiscard]] double cores() const { return most_; }
  /// Core time so far, and for how long any core was busy with processes.
  [[nodiscard]] Seconds carried() const;
  [[nodiscard]] Seconds active() const;
  void describe(sim::Ledger& ledger);

 private:
  struct Busy {
    double until;  ///< s
    double cores;
    bool operator>(const Busy& other) const { return until > other.until; }
  };
  struct Moving {
    double cores = 0.0;
    double most = 0.0;
  };
  [[nodiscard]] double now() const { return context_->now().in(unit::s); }
  /// Counts up to the present date.
  void advance();
  /// Fails the context where more are busy than there are: Presumption::cores_suffice.
  void check();

  sim::Context* context_;
  double most_;
  double busy_ = 0.0;
  std::vector<Busy> ends_;  ///< a heap, the next one first
  std::array<Moving, 2> moving_{};
  double counted_ = 0.0;  ///< date up to which it is counted, s
  double carried_ = 0.0;  ///< core seconds
  double active_ = 0.0;   ///< s
};

}  // namespace stallcast::models
