#include "models/storage/drives.hpp"

#include "models/contract/chance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

/// Equations, sources and valid range: docs/models/local.md.
namespace stallcast::models {
namespace {

// A write of many requests looks so often whether others read.
constexpr double kLooks = 32.0;

// 1 + 1/2 + ... + 1/n; above a hundred terms the first of Euler and Maclaurin, exact to 1e-9.
double harmonic(double n) {
  constexpr double kEuler = 0.57721566490153286;
  if (n > 100.0) return std::log(n) + kEuler + 1.0 / (2.0 * n) - 1.0 / (12.0 * n * n);
  double sum = 0.0;
  for (double i = 1.0; i <= n; i += 1.0) sum += 1.0 / i;
  return sum;
}

}  // namespace

double DriveParams::written() const {
  if (raid == "10") return 2.0;
  const double width = raid_width > 0 ? static_cast<double>(raid_width) : drives();
  const double parity = raid == "5" ? 1.0 : raid == "6" ? 2.0 : 0.0;
  return width / std::max(1.0, width - parity);
}

double DriveParams::small_writes() const {
  return raid == "5" || raid == "10" ? 2.0 : raid == "6" ? 3.0 : 1.0;
}

double DriveParams::touched(Bytes bytes) const {
  return std::clamp(std::ceil(bytes / chunk - 1e-9), 1.0, drives());
}

// p99 = L + m ln 100    [local.md, eq. 7]
Seconds DriveParams::tail() const {
  return latency_p99 ? (*latency_p99 - latency) / std::log(100.0) : Seconds{};
}

// L + m H_n    [local.md, eq. 7]
Seconds DriveParams::slowest(double n) const {
  return latency_p99 ? latency + tail() * harmonic(n) : latency;
}

DriveBank::DriveBank(const DriveParams& params, double banks, std::string media, std::string group,
                     bool inside)
    : p_(params),
      banks_(banks),
      media_(std::move(media)),
      group_(std::move(group)),
      inside_(inside) {}

void DriveBank::attach(sim::Context& context, ResourceTable& resources, double streams) {
  context_ = &context;
  resources_ = &resources;
  interleaved_ = streams > p_.drives();
  resource_ = resources.index(media_);
  latency_ = resources.index(media_ + ".latency");
  // One drive is a link of capacity 1: a drive-second per second, held as 1 B/s.
  const std::string name = media_ + ".busy" + group_;
  busy_ = context.add_link(name, Rate::from(p_.drives() * banks_, unit::Bps));
  resources.of_link.resize(busy_.index + 1, kNoResource);
  resources.of_link[busy_.index] = resource_;
}

sim::Task<Served> DriveBank::read(const Client& client, const ReadRequest& request, Seconds turn,
                                  Rate cap, ResourceIndex stream) {
  const double files = std::max(request.files, 1e-9);
  const Bytes range = request.bytes / files;
  const bool asked = request.as_asked && !p_.memory;
  const Bytes piece = asked ? range : std::min(p_.request, range);
  const double touched = p_.touched(piece);
  const double requests = files * std::ceil(range / piece - 1e-9);
  const double depth = asked ? 1.0 : static_cast<double>(p_.depth);
  // t_1 = n (L + turn) + B / (k b); q of n requests are in flight.    [local.md, eq. 1]
  const double slowdown = writing_ > 0.0 ? p_.read_slowdown : 1.0;
  const Seconds latency = turn + p_.slowest(touched) * slowdown;
  // Those that wait for each other have what the drives give all of them.
  const double most_drives = asked ? std::min(touched, p_.drives() / request.together) : touched;
  const Seconds alone = latency * requests + request.bytes / (p_.read * most_drives);
  // Nothing comes before the first answer.
  const Seconds first = asked ? latency * std::min(1.0, requests) : Seconds{};
  const Rate drives = std::min(p_.read * p_.drives(), request.bytes * depth / (alone - first));
  // T = seeks x seek + max(n k / IOPS, B / b)    [local.md, eq. 2]
  const Seconds time =
      p_.seek * (interleaved_ ? requests : files) +
      std::max(Ops::from(requests * touched, unit::ops) / p_.read_iops, request.bytes / p_.read);
  const Rate most = std::min(cap, drives * p_.inflation);
  if (client.reads_at_most() <= most) stream = client.read_limit(stream);
  co_await context_->sleep(latency * (files * std::max(0.0, request.round_trips - 1.0)));
  const Seconds asked_at = context_->now();
  double at_once = std::min(p_.drives(), touched * depth);
  // Those that come evenly take their time of the drives as they come.    [tenants.md, eq. 3]
  if (client.spread > Seconds{}) at_once = std::min(at_once, time / client.spread);
  set_reading(reading_ + 1.0);
  Served served =
      co_await move(client, client.read_path, request.bytes * p_.inflation,
                    std::min(most, client.reads_at_most()), time, at_once, stream, first);
  set_reading(reading_ - 1.0);
  if (asked && latency * requests > alone * 0.5 && served.limited_by == stream)
    served.limited_by = latency_;
  if (client.chance != nullptr) {
    const Seconds least = std::max(first + request.bytes * p_.inflation / most, time / at_once);
    const double busy = client.chance->others.in(unit::per_s)*time.in(unit::s);
    client.chance->waits(shared_wait(context_->now() - asked_at,
                                     std::max(least, time * client.members / all_drives(client)),
                                     busy / (p_.drives() * banks_)));
  }
  // Of a range that takes several requests what differs averages out.
  if (range <= piece) served.tail = {p_.tail() * slowdown, touched};
  co_return served;
}

sim::Task<Served> DriveBank::write(const Client& client, const WriteRequest& request, Rate cap,
                                   ResourceIndex stream, double sent) {
  const Rate most = client.writes_at_most(sent);
  if (most <= cap * sent) stream = client.write_limit(stream, sent);
  // T = o B / b, at burst speed while there is room    [local.md, eq. 4 and 5]
  const Bytes bytes = request.bytes * p_.written();
  const Bytes fast = take_burst(bytes * client.members) / client.members;
  Seconds time = fast / p_.fastest_write() + (bytes - fast) / p_.write;
  double at_once = p_.drives();
  if (request.requests > 0.0) {  // [local.md, eq. 9]
    const double writes = request.requests * p_.small_writes();
    time = p_.seek * writes + std::max(time, Ops::from(writes, unit::ops) / p_.write_iops);
    // Requests that wait for each other are on one drive, and its copies, at a time.
    at_once = std::min(at_once, std::max(p_.touched(request.range()), p_.small_writes()));
  }
  const double pieces = p_.write_cost > 1.0 && request.requests == 0.0
                            ? std::clamp(std::floor(request.range() / p_.request), 1.0, kLooks)
                            : 1.0;
  writing_ += 1.0;
  left_ += pieces;
  Served served;
  double beside =
      reading_ > 0.0 ? 1.0 : 0.0;  // share of the piece before, during which others read
  for (double i = 0.0; i < pieces; i += 1.0) {
    const Seconds began = context_->now(), read = read_so_far();
    const double cost = 1.0 + (p_.write_cost - 1.0) * beside;  // [local.md, eq. 3]
    served = co_await move(client, client.write_path, request.bytes * (sent / pieces),
                           std::min(cap * sent, most), time * (cost / pieces), at_once, stream);
    left_ -= 1.0;
    if (const Seconds took = context_->now() - began; took > Seconds{})
      beside = (read_so_far() - read) / took;
  }
  writing_ -= 1.0;
  co_return served;
}

double DriveBank::all_drives(const Client& client) const {
  return p_.drives() * (inside_ ? std::min(client.hosts, banks_) : banks_);
}

void DriveBank::set_reading(double classes) {
  read_ = read_so_far();
  read_at_ = context_->now();
  reading_ = classes;
}

Seconds DriveBank::read_so_far() const {
  return reading_ > 0.0 ? read_ + (context_->now() - read_at_) : read_;
}

Bytes DriveBank::take_burst(Bytes bytes) {
  const Rate fast = p_.fastest_write();
  const double drives = p_.drives() * banks_;
  if (p_.burst <= Bytes{} || fast <= p_.write) return {};
  const Seconds now = context_->now();
  filled_ = std::max(Bytes{}, filled_ - p_.write * drives * (now - filled_at_));
  filled_at_ = now;
  // It fills at fast - write while it drains at write.
  const double fills = 1.0 - p_.write / fast;
  const Bytes room = std::max(Bytes{}, p_.burst * drives - filled_);
  filled_ += bytes;  // what comes beyond it takes up all that drains meanwhile
  return std::min(bytes, room / fills);
}

sim::Task<Served> DriveBank::move(const Client& client, std::span<const sim::LinkId> path,
                                  Bytes bytes, Rate cap, Seconds time, double drives,
                                  ResourceIndex stream, Seconds after) {
  // Those of other hosts work for others.    [docs/models/host.md, eq. 7]
  if (inside_ && client.hosts < banks_)
    drives = std::min(drives, p_.drives() * client.hosts / client.processes());
  const std::array<sim::Flow, 2> flows{
      sim::weighted({.path = path, .bytes = bytes, .members = client.members, .cap = cap},
                    client.share),
      sim::weighted({.path = {&busy_, 1},
                     .bytes = Bytes::from(time.in(unit::s), unit::B),
                     .members = client.members,
                     .cap = Rate::from(drives, unit::Bps)},
                    client.share)};
  std::array<sim::FlowOutcome, 2> outcomes;
  if (after > Seconds{} && time > Seconds{}) {
    sim::Beside working;
    working.start(*context_, flows[1]);
    outcomes[0] = co_await context_->transfer_after(after, flows[0]);
    outcomes[1] = co_await working.end();
  } else {
    if (after > Seconds{}) co_await context_->sleep(after);
    co_await context_->transfer_all(flows, outcomes);
  }
  const auto& [data, work] = outcomes;
  if (work.ended > data.ended) co_return Served{resource_};
  co_return Served{data.binding.valid() ? resources_->of_link[data.binding.index] : stream};
}

}  // namespace stallcast::models
