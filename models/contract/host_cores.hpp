#pragma once

#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/host.hpp"
#include "models/contract/resources.hpp"
#include "models/contract/storage.hpp"

namespace stallcast::models {

/// What the cores of a host move of one client's data: one after the other in the process that
/// asks, and on other threads. Infinite: without core time.
struct CoreRates {
  Rate process = Rate::infinity();
  Rate beside = Rate::infinity();
};

/// What passes both, one after the other.
[[nodiscard]] Rate in_series(Rate a, Rate b);

/// The steps of a storage client in series. `tcp`: the fabric is one of TCP.
///    [docs/models/host.md, eq. 3]
[[nodiscard]] CoreRates core_rates(const HostParams& host, const ClientLimits& client, bool tcp);

/// The cores of one host group, as one class of processes on it uses them.
struct HostCores {
  sim::Context* context = nullptr;
  sim::LinkId cpu;  ///< contended cores; invalid: nobody waits for one
  ResourceIndex resource = kNoResource;
  double members = 1.0;
  CoreRates rates{};
  Seconds uncontended{};  ///< core time without a simulated CPU, all members together

  /// Core time of one process per member.
  [[nodiscard]] sim::Task<void> compute(Seconds time);
  /// A storage operation of `bytes` per member, at most at `most`, and the core time it takes, with
  /// `more` of the process: over when both are.    [docs/models/host.md, eq. 3]
  [[nodiscard]] sim::Task<Served> beside(sim::Task<Served> operation, Bytes bytes, Rate most,
                                         Seconds more = {});

 private:
  /// `cap`: cores that one member keeps busy at most.
  [[nodiscard]] sim::Task<void> take(Seconds time, double cap);
};

}  // namespace stallcast::models
