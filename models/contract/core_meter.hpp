#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <queue>
#include <vector>

#include "engine/sim/context.hpp"

namespace stallcast::models {

/// How it is found out whether somebody waits for a core.
enum class CoreUse {
  shared,  ///< cores are a resource that all core time crosses
  counted  ///< nobody waits, and CoresWanted ends the simulation as soon as somebody would
};

/// More cores would be busy than a host has.
struct CoresWanted final : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "cores are waited for"; }
};

enum class Moves { read, write };

/// Busy cores of one host group in a simulation that counts them. Up to the first date at which
/// more would be busy than there are, nobody has waited for one.    [docs/models/host.md, eq. 2]
class CoreMeter {
 public:
  CoreMeter(sim::Context& context, double cores) : context_(&context), most_(cores) {}

  /// Processes keep `cores` busy for `time` from now on.
  void take(Seconds time, double cores);
  /// Operations are under way, or no longer, whose data other threads could move on `cores`; all of
  /// their way together on `most`, since ports bring no more.
  void begin(Moves way, double cores, double most);
  void end(Moves way, double cores) { moving_[static_cast<std::size_t>(way)].cores -= cores; }

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
  /// CoresWanted fails the context where more are busy than there are.
  void check();

  sim::Context* context_;
  double most_;
  double busy_ = 0.0;
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> ends_;
  std::array<Moving, 2> moving_{};
};

}  // namespace stallcast::models
