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
  if (time > Seconds{}) co_await context->transfer(taking(time, cap));
}

sim::Task<Served> HostCores::beside(sim::Task<Served> operation, Operation o) {
  sim::Task<Served> moving = std::move(operation);
  Served served;
  if (!contended(o)) {
    o = begin(o);
    served = co_await moving;
    if (const Seconds left = end(o); left > Seconds{}) {
      co_await context->sleep(left);
      served.limited_by = resource;
    }
    co_return served;
  }
  Seconds arrived;
  std::vector<sim::Task<void>> parts;
  parts.push_back(arrive(std::move(moving), *context, served, arrived));
  parts.push_back(take(own(o), 1.0));
  parts.push_back(take(o.bytes / rates.beside, cores_beside(o)));
  co_await sim::join(*context, std::move(parts));
  if (context->now() > arrived) served.limited_by = resource;
  co_return served;
}

}  // namespace stallcast::models
