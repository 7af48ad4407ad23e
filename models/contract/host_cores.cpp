#include "models/contract/host_cores.hpp"

#include <utility>
#include <vector>

#include "engine/sim/join.hpp"

/// Equations and sources: docs/models/host.md.
namespace stallcast::models {
namespace {

sim::Task<void> arrive(sim::Task<Served> operation, sim::Context& context, Served& served,
                       Seconds& at) {
  sim::Task<Served> moving = std::move(operation);
  served = co_await moving;
  at = context.now();
}

}  // namespace

Rate in_series(Rate a, Rate b) {
  const Bytes one = Bytes::from(1.0, unit::B);
  const Seconds both = one / a + one / b;
  return both > Seconds{} ? one / both : Rate::infinity();
}

CoreRates core_rates(const HostParams& host, const ClientLimits& client, bool tcp) {
  CoreRates out;
  for (const CoreStep& step : client.steps) {
    const Rate rate = step.work == CoreStep::Work::tcp   ? host.cpu_tcp
                      : step.work == CoreStep::Work::tls ? host.cpu_tls
                                                         : step.rate;
    Rate& who = step.process ? out.process : out.beside;
    who = in_series(who, rate);
  }
  if (tcp && client.by_fabric) out.beside = in_series(out.beside, host.cpu_tcp);
  return out;
}

sim::Task<void> HostCores::take(Seconds time, double cap) {
  if (time <= Seconds{}) co_return;
  // A core is 1 B/s of the CPU link.
  co_await context->transfer({.path = {&cpu, 1},
                              .bytes = Bytes::from(time.in(unit::s), unit::B),
                              .members = members,
                              .cap = Rate::from(cap, unit::Bps)});
}

// No process uses more than one core.
sim::Task<void> HostCores::compute(Seconds time) {
  if (cpu.valid()) {
    co_await take(time, 1.0);
    co_return;
  }
  uncontended += time * members;
  co_await context->sleep(time);
}

sim::Task<Served> HostCores::beside(sim::Task<Served> operation, Bytes bytes, Rate most,
                                    Seconds more) {
  sim::Task<Served> moving = std::move(operation);
  const Seconds own = bytes / rates.process + more, others = bytes / rates.beside;
  const Seconds began = context->now();
  Served served;
  if (!cpu.valid() || own + others <= Seconds{}) {
    served = co_await moving;
    uncontended += (own + others) * members;
    const Seconds rest = own - (context->now() - began);
    if (rest > Seconds{}) {
      co_await context->sleep(rest);
      served.limited_by = resource;
    }
    co_return served;
  }
  Seconds arrived;
  std::vector<sim::Task<void>> parts;
  parts.push_back(arrive(std::move(moving), *context, served, arrived));
  parts.push_back(take(own, 1.0));
  // Threads alongside keep up with the data, on as many cores as that takes.
  parts.push_back(take(others, most / rates.beside));
  co_await sim::join(*context, std::move(parts));
  if (context->now() > arrived) served.limited_by = resource;
  co_return served;
}

}  // namespace stallcast::models
