#pragma once

#include <coroutine>

#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/core_meter.hpp"
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
  HostCpu cpu;
  ResourceIndex resource = kNoResource;
  double members = 1.0;
  CoreRates rates{};
  double beside_most = 0.0;  ///< cores for all that ports bring to threads beside the processes
  Seconds uncontended{};     ///< core time that neither link nor meter tells, all members together

  /// Awaitable: core time of one process per member. Of nobody: time that passes without a core.
  enum class Who { process, nobody };
  [[nodiscard]] auto compute(Seconds time, Who who = Who::process);
  /// Whether nobody ever waits for a core, so that core time just passes.
  [[nodiscard]] bool free() const { return !cpu.link.valid() && cpu.meter == nullptr; }
  /// Counts core time of one process per member, which nobody waits for.
  void pass(Seconds time) {
    if (cpu.meter != nullptr)
      cpu.meter->take(time, members);
    else
      uncontended += time * members;
  }
  /// What moves through a storage client, and the core time that it takes.
  struct Operation {
    Moves way = Moves::read;
    Bytes bytes;     ///< per member
    Rate most;       ///< what a member moves at most
    Seconds more{};  ///< core time of the process beside that of `bytes`
    Seconds began{};
  };
  /// Whether cores are shared, so that others may keep the core time of an operation from passing
  /// beside it. If not, it has a `begin` and an `end`, which gives what is left of the process's.
  [[nodiscard]] bool contended(const Operation& o) const {
    return cpu.link.valid() && own(o) + o.bytes / rates.beside > Seconds{};
  }
  [[nodiscard]] Operation begin(Operation o) {
    o.began = context->now();
    if (cpu.meter != nullptr) {
      cpu.meter->take(own(o), members);
      cpu.meter->begin(o.way, members * cores_beside(o), beside_most);
    }
    return o;
  }
  [[nodiscard]] Seconds end(const Operation& o) {
    const Seconds beside = o.bytes / rates.beside * members;
    if (cpu.meter != nullptr)
      cpu.meter->end(o.way, members * cores_beside(o), beside);
    else
      uncontended += own(o) * members + beside;
    return own(o) - (context->now() - o.began);
  }
  /// A storage operation and its core time: over when both are.    [docs/models/host.md, eq. 3]
  [[nodiscard]] sim::Task<Served> beside(sim::Task<Served> moving, Operation operation);

 private:
  [[nodiscard]] Seconds own(const Operation& o) const { return o.bytes / rates.process + o.more; }
  /// Threads alongside keep up with the data of a member, on as many cores as that takes.
  [[nodiscard]] double cores_beside(const Operation& o) const {
    return rates.beside.finite() ? o.most / rates.beside : 0.0;
  }
  /// `cap`: cores that one member keeps busy at most. A core is 1 B/s of the CPU link.
  [[nodiscard]] sim::Flow taking(Seconds time, double cap) const {
    return {.path = {&cpu.link, 1},
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
      return takes_core && time <= Seconds{} && (cores.cpu.link.valid() || cores.cpu.meter);
    }
    void await_suspend(std::coroutine_handle<> waiter) {
      if (!takes_core || !cores.cpu.link.valid()) {
        if (takes_core) cores.pass(time);
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
