#include "models/contract/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/contract/host.hpp"
#include "models/contract/registry.hpp"
#include "models/contract/training.hpp"

/// Equations and sources: docs/models/network.md.
namespace stallcast::models {
namespace {

using namespace base;

// Payload share of a link when the scenario says nothing; the same assumption as
// host.nic.efficiency.
constexpr double kLinkShare = 0.95;
// What a port reaches when several servers send to it and priority flow control pauses them.
constexpr double kPausedShare = 0.9;

// Rates of links between switches, of kinds that have some.
constexpr std::string_view kLink = "link.rate", kCompute = "compute_link.rate";
constexpr std::string_view kTechnologies[] = {"infiniband", "roce", "tcp", "slingshot", "efa"};
constexpr std::string_view kPlacements[] = {"auto", "hash", "spray"};
constexpr std::array<Field<FabricParams>, 10> kFabric{
    field("rtt", &FabricParams::round_trip, "10 us",
          "round trip of a small message between host and storage server",
          between("4 us", "40 us",
                  assumed(kNonNegative, "IB 2-5 us, RoCE 5-10 us, plus the software on both ends"),
                  "as cited; TCP, or more hops, 20-40 us")),
    field("bisection", &FabricParams::bisection, kOptional,
          "most that all hosts and all storage exchange, each direction; absent: non-blocking",
          kPositive),
    field(
        "port.rate", &FabricParams::port, kOptional,
        "one port of a switch that NICs (nic) are plugged into: faster ones run at it; absent: as "
        "fast as they are",
        kPositive),
    field("converged", &FabricParams::converged, "false",
          "communication between GPUs uses the same NICs as storage traffic, not compute_nic"),
    field("technology", &FabricParams::technology, "infiniband",
          "decides what happens when many send to one port, how connections are placed, and (tcp) "
          "whether cores of the hosts move what storage clients do not move by themselves",
          one_of(kTechnologies)),
    field(
        "placement", &FabricParams::placement, "auto",
        "of connections on equal links: hash (ECMP), spray (any link for every packet, or adaptive "
        "routing); auto: hash for roce and tcp",
        one_of(kPlacements)),
    field("connections", &FabricParams::connections, "16",
          "storage connections one host keeps busy, as the hash sees them",
          between("4", "64", assumed(up_to(1e6), "one to each of 16 servers"),
                  "expert range: few servers, or several connections to each")),
    field("efficiency", &FabricParams::efficiency, kOptional,
          "payload share of the line rate of links and of hosts' ports; absent: 95 % of links, "
          "and what hosts say of theirs",
          kPositiveShare),
    field("incast.senders", &FabricParams::incast_senders, "32",
          "tcp: servers that may send to one port before its buffer overflows",
          between("12", "64", assumed(up_to(1e6), "shallow buffers"),
                  "expert range: buffers of switches differ by five")),
    field(
        "incast.goodput", &FabricParams::incast_goodput, "90 %",
        "tcp: share of the port that is left when it does",
        between("60 %", "99 %",
                cited(kPositiveShare, "MLPerf Storage v1.0 and v3.0 over TCP: ports 63-99 % full"),
                "as cited; bursts that meet on shallow buffers without ECN: 30-70 %"))};

}  // namespace

FabricParams fabric_params(const Component& component) { return bind<kFabric>(component); }
std::span<const FieldInfo> fabric_fields() { return kInfos<kFabric>; }

HostParams plugged_in(HostParams host, const FabricParams& fabric) {
  host.nic_efficiency = fabric.efficiency.value_or(host.nic_efficiency);
  host.nic_rate = std::min(host.nic_rate, fabric.port.value_or(host.nic_rate));
  return host;
}

double port_over_nic(const Component& host, const Component& fabric) {
  const Value *port = fabric.find("port.rate"), *nic = host.find("nic.rate");
  return port == nullptr || nic == nullptr ? HUGE_VAL : port->number / nic->number;
}

Design with_ports_to_match(Design design) {
  if (std::none_of(design.hosts.begin(), design.hosts.end(),
                   [&](const Component& host) { return port_over_nic(host, design.fabric) < 1.0; }))
    design.fabric.values.erase("port.rate");
  return design;
}

// [docs/models/network.md, eq. 5]
bool links_follow(const Component& fabric, std::string_view field, Rate rate) {
  if (find_field(Role::fabric, fabric, kLink) == nullptr) return false;
  const Value* said = fabric.find(kLink);
  if (field == "nic.rate") return said == nullptr;
  return field == "compute_nic.rate" && fabric.find(kCompute) == nullptr &&
         (said == nullptr || said->number < rate.in(unit::Bps));
}

bool uses_compute_network(const JobDesign& job, const Component& fabric) {
  const bool computed = job.communication && job.communication->find("exposed") == nullptr;
  return computed && !fabric_params(fabric).converged;
}

Design with_link_rate(Design design) {
  if (find_field(Role::fabric, design.fabric, kLink) == nullptr) return design;
  const Value* said = design.fabric.find(kLink);
  std::set<double> storage, compute;
  for (const JobDesign& job : design.jobs)
    if (const Component* host = uses_compute_network(job, design.fabric)
                                    ? design.find_host(job_params(job.job).hosts)
                                    : nullptr)
      compute.insert(host_params(*host).compute_nic_rate.in(unit::Bps));
  if (said != nullptr && compute.size() == 1) compute = {std::max(*compute.begin(), said->number)};
  if (said == nullptr) {
    const FabricParams fabric = fabric_params(design.fabric);
    for (const Component& host : design.hosts)
      storage.insert(plugged_in(host_params(host), fabric).nic_rate.in(unit::Bps));
  }
  const auto write = [&](std::string_view key, const std::set<double>& rates) {
    if (rates.size() != 1 || design.fabric.find(key) != nullptr) return;
    Value& value = design.fabric.values[std::string(key)];
    value.dimension = Dimension::rate;
    value.number = *rates.begin();
  };
  write(kCompute, compute);
  // Links of ports that differ follow each of them, and none is slower than `link.rate`.
  const bool all_faster =
      !compute.empty() && !storage.empty() && *compute.begin() >= *storage.rbegin();
  if (compute.empty() || design.fabric.find(kCompute) != nullptr || all_faster)
    write(kLink, storage);
  return design;
}

bool FabricParams::sprayed() const {
  if (placement != "auto") return placement == "spray";
  return technology != "roce" && technology != "tcp";
}

double FabricParams::link_share() const {
  return efficiency ? efficiency->in(unit::ratio) : kLinkShare;
}

double FabricParams::incast_share(double senders) const {
  if (technology == "roce" && senders > 1.0) return kPausedShare;
  const bool overflows = senders > static_cast<double>(incast_senders);
  return technology == "tcp" && overflows ? incast_goodput.in(unit::ratio) : 1.0;
}

double CollectiveShares::ring_outside(double stride) const {
  return std::min(1.0, ring_load * std::min(1.0, stride / area_hosts));
}

double CollectiveShares::spread_outside(double hosts) const {
  return std::min(1.0, spread_load * std::max(0.0, 1.0 - area_hosts / hosts));
}

}  // namespace stallcast::models
