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
                             const std::string& link, ResourceIndex resource, const Shape& shape)
    : context_(&context), servers_(shape.servers), mix_(shape.coupling) {
  // A second of the device is a second, held as 1 B/s.
  const auto add = [&](const std::string& name) {
    const sim::LinkId out = context.add_link(name, Rate::from(servers_, unit::Bps));
    resources.of_link.resize(out.index + 1, kNoResource);
    resources.of_link[out.index] = resource;
    return out;
  };
  link_ = add(link);
  classes_.resize(std::max<std::size_t>(1, shape.weights.size()));
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (!shape.weights.empty()) classes_[c].weight = shape.weights[c];
    classes_[c].kinds.resize(shape.kinds);
    for (Kind& kind : classes_[c].kinds) {
      kind.path = {link_};
      if (classes_.size() * shape.kinds > 1) kind.path.push_back(add(own_link(link, "kind")));
    }
  }
}

void FittedStation::Outstanding::add(const ResponseParams& params, const StationOps& ops,
                                     double sign) {
  const Seconds demand = params.demand(ops.size);
  const double more = sign * ops.members * ops.in_flight;
  const bool waits = params.law == ResponseLaw::line || params.law == ResponseLaw::mva;
  operations += more;
  work += demand * more;
  if (waits) delayed += params.by_itself(ops.size) * more;
  laned += demand * (more * (waits ? params.lanes : 1.0));
  if (operations < kNone) *this = {};  // rounding, once nothing is left
}

void FittedStation::Outstanding::add(const Outstanding& other, double times) {
  operations += other.operations * times;
  work += other.work * times;
  delayed += other.delayed * times;
  laned += other.laned * times;
}

// Of all servers together, if each of these had the law and the latency of `kind`: C = D / R with D
// the sum of demands, of which a request uses one server.  [measured.md, eq. 2 and 3]
double FittedStation::speed(const Outstanding& of, const Kind& kind) const {
  const double servers = std::min(servers_, std::max(1.0, of.operations));
  const double all = of.work.in(unit::s) / servers;
  const double alpha = kind.own.delayed.in(unit::s) / kind.own.operations;
  const double n = of.operations / servers, lanes = of.laned / of.work;
  double response = alpha + all * std::max(1.0, lanes / n);
  if (kind.random) {
    // A request waits for those that it meets, and then takes its own time.
    const double mean = all / n, own = kind.own.work.in(unit::s) / kind.own.operations;
    response = all / busy_by_mva(n, alpha, mean, lanes) + (own - mean) * lanes;
  }
  return std::max(all / response, kIdle) * servers;
}

FittedStation::Kind& FittedStation::kind_of(const StationOps& ops) {
  const auto above =
      std::upper_bound(classes_.begin() + 1, classes_.end(), ops.share,
                       [](double weight, const Class& each) { return weight < each.weight; });
  std::vector<Kind>& kinds = (above - 1)->kinds;
  return kinds[std::min(ops.kind, kinds.size() - 1)];
}

void FittedStation::change(const ResponseParams& params, const StationOps& ops, double sign) {
  mix_.add(ops.writes, sign * ops.members * ops.in_flight);
  Kind& kind = kind_of(ops);
  kind.own.add(params, ops, sign);
  kind.random = params.law == ResponseLaw::mva;
  kind.limited = kind.random || params.law == ResponseLaw::line;
  if (kind.path.size() > 1) return share_out();
  if (kind.own.work > Seconds{})
    context_->set_capacity(link_, Rate::from(speed(kind.own, kind) / mix_.factor(), unit::Bps));
}

// Each takes its own alpha and the demands of all that is outstanding, of clients of less weight as
// much less; what is left of what the device does with all of it is for these.
//                                                             [measured.md, eq. 2, 8 and 11]
void FittedStation::share_out() {
  Outstanding all;
  std::vector<Outstanding> of(classes_.size());  // of each class, what its requests wait for
  for (const Class& each : classes_)
    for (const Kind& kind : each.kinds) all.add(kind.own, 1.0);
  if (all.work <= Seconds{}) return;
  const double servers = std::min(servers_, std::max(1.0, all.operations));
  const double factor = mix_.factor();
  context_->set_capacity(
      link_, Rate::from(servers * std::min(1.0, all.operations / servers) / factor, unit::Bps));
  std::vector<double> own(classes_.size()), below(classes_.size());  // demands, in s
  for (std::size_t c = 0; c < classes_.size(); ++c)
    for (std::size_t other = 0; other < classes_.size(); ++other) {
      const double times = std::min(1.0, classes_[other].weight / classes_[c].weight);
      for (const Kind& kind : classes_[other].kinds) {
        of[c].add(kind.own, times);
        if (other <= c) (other == c ? own : below)[c] += kind.own.work.in(unit::s)*times;
      }
    }
  const auto class_speed = [&](std::size_t wanted, const Kind& kind) {
    double taken = 0.0;
    for (std::size_t c = classes_.size();; --c) {
      if (own[c - 1] <= 0.0) continue;
      const double part =
          (speed(of[c - 1], kind) - taken) * own[c - 1] / (own[c - 1] + below[c - 1]);
      if (c - 1 == wanted) return part;
      taken += part;
    }
  };
  for (std::size_t c = 0; c < classes_.size(); ++c)
    for (const Kind& kind : classes_[c].kinds) {
      if (kind.own.work <= Seconds{}) continue;
      const double rate = kind.limited ? class_speed(c, kind) * kind.own.work.in(unit::s) / own[c]
                                       : servers_;  // each flow has a limit of its own
      context_->set_capacity(kind.path.back(),
                             Rate::from(std::max(rate, kIdle) / factor, unit::Bps));
    }
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
      sim::weighted({.path = kind_of(ops).path,
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
