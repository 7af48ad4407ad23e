#include "models/storage/fitted_station.hpp"

#include <algorithm>
#include <array>
#include <cmath>

/// Equations, sources and valid range: docs/models/measured.md.
namespace stallcast::models {
namespace {

constexpr Seconds kWeight = Seconds::from(1e-6, unit::s);  // one unit of weight on the link
constexpr double kNone = 1e-9;                             // operations: rounding
constexpr double kIdle = 1e-9;                             // of a device that nothing waits for

/// Share of its time that the device of a closed network of `n` customers is busy: delay `alpha`,
/// demand `demand` of its `lanes` together.                                 [measured.md, eq. 3]
double busy_by_mva(double n, double alpha, double demand, double lanes) {
  constexpr double kMany = 512.0;  // beyond, the server of any device is busy all the time
  if (n > kMany && n * demand > 4.0 * (alpha + (lanes - 1.0) * demand)) return 1.0;
  double queue = 0.0, busy = 0.0;
  for (double k = 1.0; k <= std::max(1.0, std::round(n)); k += 1.0) {
    const double at_server = demand * (lanes + queue);
    queue = k / (alpha + at_server) * at_server;
    busy = k / (alpha + at_server) * demand;
  }
  return std::min(1.0, busy);
}

}  // namespace

ResponseLaw response_law(std::string_view id) {
  constexpr std::array laws{ResponseLaw::fifo, ResponseLaw::line, ResponseLaw::mva,
                            ResponseLaw::roofline, ResponseLaw::throttle};
  const auto at = std::find(std::begin(kResponseLaws), std::end(kResponseLaws), id);
  return laws[static_cast<std::size_t>(at - std::begin(kResponseLaws))];
}

Seconds ResponseParams::demand(Bytes bytes) const {
  return law == ResponseLaw::throttle ? std::max(per_op, bytes / rate) : per_op + bytes / rate;
}

Seconds ResponseParams::alone(Bytes bytes) const { return latency + bytes / stream; }

void Mix::add(bool writes, double operations) {
  double& of = writes ? writes_ : reads_;
  of += operations;
  if (of < kNone) of = 0.0;
}

// c where reads wait alongside writes, else 1.                                 [measured.md, eq. 8]
double Mix::factor() const { return reads_ > 0.0 && writes_ > 0.0 ? coupling_ : 1.0; }

FittedStation::FittedStation(sim::Context& context, ResourceTable& resources,
                             const std::string& link, ResourceIndex resource, double servers,
                             double coupling)
    : context_(&context),
      servers_(servers),
      link_(context.add_link(link, Rate::from(servers, unit::Bps))),
      mix_(coupling) {
  // A second of the device is a second, held as 1 B/s.
  resources.of_link.resize(link_.index + 1, kNoResource);
  resources.of_link[link_.index] = resource;
}

void FittedStation::change(const ResponseParams& params, const StationOps& ops, double sign) {
  const Seconds demand = params.demand(ops.size);
  const double operations = sign * ops.members * ops.in_flight;
  outstanding_ += operations;
  mix_.add(ops.writes, operations);
  work_ += demand * operations;
  const bool shared = params.law == ResponseLaw::line || params.law == ResponseLaw::mva;
  if (shared) delayed_ += params.by_itself(ops.size) * operations;
  laned_ += demand * (operations * (shared ? params.lanes : 1.0));
  if (params.law == ResponseLaw::mva) served_ += demand * operations;
  if (outstanding_ < kNone) {  // rounding, once nothing is left
    outstanding_ = 0.0;
    delayed_ = work_ = served_ = laned_ = Seconds{};
    return;
  }
  // The device's speed with all that is outstanding: C = D / (alpha + D max(1, K / n)), D the sum
  // of demands on one of its servers, of which a request uses one, and alpha the mean of those
  // that are outstanding: all that began end after the mean of what each would take.
  //                                                                 [measured.md, eq. 2 and eq. 8]
  const double servers = std::min(servers_, std::max(1.0, outstanding_));
  const double all = work_.in(unit::s) / servers, alpha = delayed_.in(unit::s) / outstanding_;
  if (all <= 0.0) return;
  const double n = outstanding_ / servers, lanes = laned_ / work_;
  const double line = all / (alpha + all * std::max(1.0, lanes / n));
  const double random = served_ / work_;
  const double busy =
      random > 0.0 ? (1.0 - random) * line + random * busy_by_mva(n, alpha, all / n, lanes) : line;
  context_->set_capacity(link_,
                         Rate::from(std::max(busy, kIdle) * servers / mix_.factor(), unit::Bps));
}

sim::Task<void> FittedStation::serve(const ResponseParams& params, StationOps ops) {
  const Seconds demand = params.demand(ops.size);
  if (ops.operations <= 0.0) co_return;
  const double operations = ops.operations * ops.members;
  served_bytes_.begin(ops.writes, ops.size * operations, demand * operations);
  if (demand <= Seconds{}) {
    co_await context_->sleep(params.alone(ops.size) * (ops.operations / ops.in_flight));
    served_bytes_.end(ops.writes, ops.size * operations, {});
    co_return;
  }
  change(params, ops, 1.0);
  // n operations of demand D in rounds of q: every round takes T = alpha + all demands, so that
  // each member works off q D of its n D in that time.                       [measured.md, eq. 2]
  const double rounds = ops.operations / ops.in_flight;
  const bool capped = params.law == ResponseLaw::roofline || params.law == ResponseLaw::throttle;
  const Seconds alone = params.alone(ops.size);
  const Rate cap = capped && alone > Seconds{}
                       ? Rate::from(demand * ops.in_flight / (alone * mix_.factor()), unit::Bps)
                       : Rate::infinity();
  const double weight = demand * ops.in_flight / kWeight * ops.share;
  co_await context_->transfer(
      sim::weighted({.path = {&link_, 1},
                     .bytes = Bytes::from((demand * (rounds * ops.in_flight)).in(unit::s), unit::B),
                     .members = ops.members,
                     .cap = cap},
                    weight));
  change(params, ops, -1.0);
  served_bytes_.end(ops.writes, ops.size * operations, demand * operations);
}

Bytes FittedStation::moved(bool writes, std::span<const Bytes> running) const {
  if (context_ == nullptr) return {};
  const Seconds done = Seconds::from(running[link_.index].in(unit::B), unit::s);
  return served_bytes_.by_now(writes, served_bytes_.open_work() - done);
}

}  // namespace stallcast::models
