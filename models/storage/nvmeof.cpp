#include <algorithm>

#include "models/storage/drive_fields.hpp"
#include "models/storage/drive_store.hpp"
#include "models/storage/kinds.hpp"

/// NVMe over Fabrics. Equations, sources and valid range: docs/models/nvmeof.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kNvmeTransports[] = {"rdma", "tcp"};

struct NvmeofParams : DriveParams {
  std::int64_t targets = 1;
  std::optional<Rate> nic;
  Seconds service;
  std::string transport;

  // A volume lies on all drives of all targets; what RAID protects is a target.  [nvmeof.md, eq. 3]
  [[nodiscard]] DriveParams drives() const {
    DriveParams out = *this;
    out.count = count * targets;
    out.raid_width = targets;
    return out;
  }
};

constexpr auto kNvmeofFields = with_drives(std::array{
    field("target.count", &NvmeofParams::targets, kRequired,
          "targets: boxes of drives; a volume is striped over all of them", up_to(1e6)),
    field("target.nic", &NvmeofParams::nic, kOptional,
          "network of one target, each direction; without it it does not limit", kPositive),
    field(
        "target.service", &NvmeofParams::service, "10 us",
        "time of one request in target and initiator, besides wire and drive",
        between("5 us", "30 us",
                assumed(kNonNegative, "NVMe-oF adds 10-30 us in all to a local drive, from memory"),
                "expert range: 10-30 us in all as cited; offloaded targets less")),
    field("transport", &NvmeofParams::transport, "rdma",
          "rdma: the NIC moves the data; tcp: cores of the host do", one_of(kNvmeTransports))});

class Nvmeof final : public DriveStore {
 public:
  explicit Nvmeof(const Component& component) : Nvmeof(component, bind<kNvmeofFields>(component)) {}

  void build(graph::Topology& topology, const StorageLoad& load) override {
    DriveStore::build(topology, load);
    const auto out = topology.add_node(name() + ".target.out", graph::NodeRole::server);
    const auto in = topology.add_node(name() + ".target.in", graph::NodeRole::server);
    egress_ = topology.add_node(name() + ".egress", graph::NodeRole::network);
    ingress_ = topology.add_node(name() + ".ingress", graph::NodeRole::network);
    add_drives(topology, 1.0, "", out, in);
    const Rate nic = p_.nic ? *p_.nic * static_cast<double>(p_.targets) : Rate::infinity();
    topology.add_edge(out, egress_, name() + ".target.nic.read", nic);
    topology.add_edge(ingress_, in, name() + ".target.nic.write", nic);
  }
  // Parity and copies are made by the host and cross the network as well.  [nvmeof.md, eq. 3]
  double sent() const override { return drives().written(); }
  graph::NodeId egress() const override { return egress_; }
  graph::NodeId ingress() const override { return ingress_; }

  ClientLimits client_limits() const override {
    ClientLimits out{.by_fabric = false, .stream = drives().stream};
    // The queue of a core is served on it.    [nvmeof.md, eq. 4]
    if (p_.transport == "tcp") out.steps.push_back({CoreStep::Work::tcp, true});
    return out;
  }

  double parts(StoragePart part) const override {
    return part == StoragePart::server ? static_cast<double>(p_.targets) : DriveStore::parts(part);
  }

  Countable countable() const override {
    const Rate nic = p_.nic.value_or(Rate::infinity());
    const double count = static_cast<double>(p_.count);
    return {.noun = "targets",
            .unit_read = std::min(p_.read * count, nic),
            .unit_write = std::min(p_.fastest_write() * count, nic) / drives().written()};
  }

 protected:
  std::size_t bank(const Client&) const override { return 0; }
  std::vector<std::string> server_edges() const override {
    return {name() + ".target.nic.read", name() + ".target.nic.write"};
  }
  // Every request crosses the fabric and the target's software.    [nvmeof.md, eq. 1]
  Seconds turn() const override { return round_trip() + p_.service; }

 private:
  Nvmeof(const Component& component, const NvmeofParams& params)
      : DriveStore(component, params.drives()), p_(params) {}

  NvmeofParams p_;
  graph::NodeId egress_, ingress_;
};

}  // namespace

StorageKind nvmeof_kind() { return {kInfos<kNvmeofFields>, make_storage<Nvmeof>}; }

}  // namespace stallcast::models
