#pragma once

#include <coroutine>

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

  /// Awaitable: core time of one process per member. Of nobody: time that passes without a core.
  enum class Who { process, nobody };
  [[nodiscard]] auto compute(Seconds time, Who who = Who::process);
  /// Whether others may keep the core time of an operation from passing beside it. If not, what is
  /// left of the process's when the operation, which began at `began`, is over: `rest`. As beside.
  [[nodiscard]] bool contended(Bytes bytes, Seconds more) const {
    return cpu.valid() && own(bytes, more) + bytes / rates.beside > Seconds{};
  }
  [[nodiscard]] Seconds rest(Bytes bytes, Seconds more, Seconds began) {
    uncontended += (own(bytes, more) + bytes / rates.beside) * members;
    return own(bytes, more) - (context->now() - began);
  }
  /// A storage operation of `bytes` per member, at most at `most`, and the core time it takes, with
  /// `more` of the process: over when both are.    [docs/models/host.md, eq. 3]
  [[nodiscard]] sim::Task<Served> beside(sim::Task<Served> operation, Bytes bytes, Rate most,
                                         Seconds more = {});

 private:
  [[nodiscard]] Seconds own(Bytes bytes, Seconds more) const {
    return bytes / rates.process + more;
  }
  /// `cap`: cores that one member keeps busy at most. A core is 1 B/s of the CPU link.
  [[nodiscard]] sim::Flow taking(Seconds time, double cap) const {
    return {.path = {&cpu, 1},
            .bytes = Bytes::from(time.in(unit::s), unit::B),
            .members = members,
            .cap = Rate::from(cap, unit::Bps)};
  }
  [[nodiscard]] sim::Task<void> take(Seconds time, double cap);
};

// No process uses more than one core.
inline auto HostCores::compute(Seconds time, Who who) {
  struct Awaiter {
    HostCores& cores;
    Seconds time;
    bool takes_core;
    sim::FlowOutcome outcome{};
    sim::Arrivals arrivals{};
    bool await_ready() const noexcept {
      return takes_core && cores.cpu.valid() && time <= Seconds{};
    }
    void await_suspend(std::coroutine_handle<> waiter) {
      if (!takes_core || !cores.cpu.valid()) {
        if (takes_core) cores.uncontended += time * cores.members;
        cores.context->schedule(time, waiter);
        return;
      }
      arrivals = {.missing = 1, .waiter = waiter};
      cores.context->start(cores.taking(time, 1.0), outcome, arrivals);
    }
    void await_resume() const noexcept {}
  };
  return Awaiter{*this, time, who == Who::process};
}

}  // namespace stallcast::models
