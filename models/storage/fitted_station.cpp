#include "models/storage/fitted_station.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/contract/own_links.hpp"

/// Equations, sources and valid range: docs/models/measured.md.
namespace stallcast::models {
namespace {

constexpr Seconds kWeight = Seconds::from(1e-6, unit::s);  // one unit of weight on the link
constexpr double kNone = 1e-9;                             // operations: rounding
constexpr double kIdle = 1e-9;                             // of a device that nothing waits for
constexpr double kLoose = 2.0;                             // of a server's speed: limits nobody

/// Share of its time that the device of a closed network of `n` customers is busy: delay `alpha`,
/// demand `demand` of its `lanes` together.                                 [measured.md, eq. 3]
double busy_by_mva(double n, double alpha, double demand, double lanes) {
  constexpr double kMany = 512.0;  // beyond, the server of any device is busy all the time
  if (n > kMany && n * demand > 4.0 * (alpha + (lanes - 1.0) * demand)) return 1.0;
  double queue = 0.0, busy = 0.0, before = 0.0;
  const double most = std::max(1.0, std::ceil(n - kNone));
  for (double k = 1.0; k <= most; k += 1.0) {
    const double at_server = demand * (lanes + queue);
    queue = k / (alpha + at_server) * at_server;
    before = busy;
    busy = k / (alpha + at_server) * demand;
  }
  // Between whole numbers of customers, as far as n is from the one below.
  return std::min(1.0, busy - (busy - before) * std::max(0.0, most - std::max(1.0, n)));
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
                             std::span<const double> weights, double coupling)
    : context_(&context), servers_(servers), mix_(coupling) {
  // A second of the device is a second, held as 1 B/s.
  const auto add = [&](const std::string& name) {
    const sim::LinkId out = context.add_link(name, Rate::from(servers, unit::Bps));
    resources.of_link.resize(out.index + 1, kNoResource);
    resources.of_link[out.index] = resource;
    return out;
  };
  link_ = add(link);
  if (weights.size() < 2) return;
  std::vector<sim::LinkId> path{link_};
  for (const double weight : weights) {
    if (!classes_.empty()) path.push_back(add(own_link(link, "class")));
    classes_.push_back({weight, path, {}});
  }
}

void FittedStation::Outstanding::add(const ResponseParams& params, const StationOps& ops,
                                     double sign) {
  const Seconds demand = params.demand(ops.size);
  const double more = sign * ops.members * ops.in_flight;
  const bool waits = params.law == ResponseLaw::line || params.law == ResponseLaw::mva;
  operations += more;
  work += demand * more;
  if (waits) lined += more;
  if (waits) delayed += params.by_itself(ops.size) * more;
  laned += demand * (more * (waits ? params.lanes : 1.0));
  if (params.law == ResponseLaw::mva) random += demand * more;
  if (operations < kNone) *this = {};  // rounding, once nothing is left
}

void FittedStation::Outstanding::add(const Outstanding& other) {
  operations += other.operations;
  lined += other.lined;
  work += other.work;
  delayed += other.delayed;
  laned += other.laned;
  random += other.random;
}

// The device's speed with all that is outstanding: C = D / (alpha + D max(1, K / n)), D the sum of
// demands on one of its servers, of which a request uses one, and alpha the mean of those that are
// outstanding: all that began end after the mean of what each would take. Of a `part` of its time:
// as with so many more in flight, of which these are that part.  [measured.md, eq. 2, eq. 8, eq.
// 12]
double FittedStation::speed(const Outstanding& of, double part) const {
  const double servers = std::min(servers_, std::max(1.0, of.operations / part));
  const double all = of.work.in(unit::s) / part / servers;
  const double alpha = of.delayed.in(unit::s) / of.operations;
  const double n = of.operations / part / servers, lanes = of.laned / of.work;
  const double line = all / (alpha + all * std::max(1.0, lanes / n));
  const double random = of.random / of.work;
  const double busy =
      random > 0.0 ? (1.0 - random) * line + random * busy_by_mva(n, alpha, all / n, lanes) : line;
  return std::max(busy * part, kIdle) * servers / mix_.factor();
}

void FittedStation::change(const ResponseParams& params, const StationOps& ops, double sign) {
  mix_.add(ops.writes, sign * ops.members * ops.in_flight);
  all_.add(params, ops, sign);
  if (!classes_.empty()) classes_[class_of(ops.share)].own.add(params, ops, sign);
  if (all_.operations <= 0.0 || all_.work <= Seconds{}) return;
  context_->set_capacity(link_, Rate::from(speed(all_, 1.0), unit::Bps));
  hold_classes();
}

// Max-min shares alone would let those of the greatest weight have all that the device does with
// everybody's requests outstanding, more than they have without the others.  [measured.md, eq. 11]
void FittedStation::hold_classes() {
  double weighed = 0.0;
  for (const Class& each : classes_) weighed += each.own.work.in(unit::s)*each.weight;
  Outstanding group;
  double of_group = 0.0;
  for (std::size_t c = classes_.size(); c-- > 1;) {
    group.add(classes_[c].own);
    of_group += classes_[c].own.work.in(unit::s)*classes_[c].weight;
    // Of laws that are no line each flow has a limit of its own.
    const bool held = group.lined > 0.0 && of_group < weighed;
    context_->set_capacity(
        classes_[c].path.back(),
        Rate::from(held ? speed(group, of_group / weighed) : kLoose * servers_, unit::Bps));
  }
}

std::size_t FittedStation::class_of(double share) const {
  const auto above =
      std::upper_bound(classes_.begin(), classes_.end(), share,
                       [](double weight, const Class& each) { return weight < each.weight; });
  return above == classes_.begin() ? 0 : static_cast<std::size_t>(above - classes_.begin()) - 1;
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
  const std::span<const sim::LinkId> path =
      classes_.empty() ? std::span(&link_, 1) : std::span(classes_[class_of(ops.share)].path);
  co_await context_->transfer(
      sim::weighted({.path = path,
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
