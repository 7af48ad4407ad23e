#include "engine/base/fields.hpp"
#include "models/storage/drive_store.hpp"
#include "models/storage/kinds.hpp"

/// A pool of CXL memory that hosts share. Equations, sources and valid range: docs/models/cxl.md.
namespace stallcast::models {
namespace {

using namespace base;

struct CxlParams {
  std::int64_t devices = 1;
  Rate device, port;
  Seconds latency, open;
  std::int64_t lines = 1;
};

constexpr std::array<Field<CxlParams>, 6> kCxlFields{
    field("device.count", &CxlParams::devices, kRequired, "memory devices of the pool", up_to(1e6)),
    field("device.rate", &CxlParams::device, "55 GB/s",
          "what one device moves, reads and writes together",
          between("25 GB/s", "63 GB/s",
                  assumed(kPositive, "CXL 2.0 x16 at Gen5 speed: 50-63 GB/s, from memory"),
                  "50-63 GB/s as cited; devices of 8 lanes half")),
    field("port.rate", &CxlParams::port, "55 GB/s", "port of one host to the pool, each direction",
          between("40 GB/s", "63 GB/s",
                  assumed(kPositive, "CXL 2.0 x16 at Gen5 speed: 50-63 GB/s, from memory"),
                  "50-63 GB/s as cited; mixed traffic less")),
    field("latency", &CxlParams::latency, "400 ns", "time to load one cache line",
          between("200 ns", "700 ns",
                  assumed(kPositive, "200-400 ns direct, 600 ns through a switch, from memory"),
                  "200-400 ns direct, 600 ns through a switch as cited; loaded more")),
    field("lines", &CxlParams::lines, "32", "cache lines one core has in flight",
          between("10", "64",
                  assumed(up_to(4096), "10-16 line fill buffers and the prefetchers of the L2"),
                  "expert range: 10-16 fill buffers as cited; prefetchers and newer cores 64")),
    field("open", &CxlParams::open, "5 us", "time to open or create one file",
          between("2 us", "30 us", assumed(kNonNegative, "a file system in memory"),
                  "expert range: look-up in memory to a call with locks between hosts"))};

constexpr Bytes kLine = Bytes::from(64.0, unit::B);
// Devices are interleaved finely, so that one reader uses all of them.
constexpr Bytes kInterleave = Bytes::from(256.0, unit::B);

// A device is a drive that serves cache lines: one core gets lines x 64 B a latency, the devices
// what they move.    [cxl.md, eq. 1]
DriveParams pool(const CxlParams& p) {
  DriveParams out;
  out.count = p.devices;
  out.read = out.write = p.device;
  out.read_iops = OpRate::from(p.device / (kLine / Seconds::from(1.0, unit::s)), unit::per_s);
  out.write_iops = out.read_iops;
  out.latency = out.write_latency = p.latency;
  out.raid = "0";
  out.chunk = kInterleave;
  out.request = kLine;
  out.depth = p.lines;
  out.memory = true;
  out.open = out.create = p.open;
  out.stream = Rate::infinity();
  return out;
}

class Cxl final : public DriveStore {
 public:
  explicit Cxl(const Component& component) : Cxl(component, bind<kCxlFields>(component)) {}

  bool local() const override { return true; }
  bool own_of_host() const override { return false; }
  std::optional<std::string> single_copies() const override { return ""; }

  void build(graph::Topology& topology, const StorageLoad& load) override {
    DriveStore::build(topology, load);
    out_ = topology.add_node(name() + ".switch.out", graph::NodeRole::network);
    in_ = topology.add_node(name() + ".switch.in", graph::NodeRole::network);
    add_drives(topology, 1.0, "", out_, in_);
  }

  // All hosts share the devices; each has a port of its own.
  void build_on_host(graph::Topology& topology, const HostSite& site) override {
    const std::string group = "[" + std::to_string(site.group) + "]";
    topology.add_edge(out_, site.in, name() + ".port.read" + group, port_ * site.hosts);
    topology.add_edge(site.out, in_, name() + ".port.write" + group, port_ * site.hosts);
  }

  ClientLimits client_limits() const override {
    return {.read = port_, .write = port_, .by_fabric = false};
  }

  Countable countable() const override {
    return {.noun = "devices", .unit_read = drives().read, .unit_write = drives().write};
  }

 protected:
  std::size_t bank(const Client&) const override { return 0; }

 private:
  Cxl(const Component& component, const CxlParams& params)
      : DriveStore(component, pool(params)), port_(params.port) {}

  Rate port_;
  graph::NodeId out_, in_;
};

}  // namespace

StorageKind cxl_kind() { return {kInfos<kCxlFields>, make_storage<Cxl>}; }

}  // namespace stallcast::models
