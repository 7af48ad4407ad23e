#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/sim/join.hpp"
#include "models/storage/fitted_station.hpp"
#include "models/storage/role.hpp"

/// Storage that is known by measurements made on its clients: a calibration profile fills it in.
/// Equations, sources and valid range: docs/models/measured.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kScopes[] = {"host", "shared"};

struct MeasuredParams {
  std::string scope;
  std::string read_law, write_law;
  Seconds read_latency, write_latency, read_per_op, write_per_op;
  Rate read, write;
  std::optional<Rate> read_stream, write_stream;
  Seconds open_latency, open_per_op, create_latency, create_per_op, sync;
  Bytes request;
  std::int64_t depth = 1;
  std::optional<Bytes> smallest, largest;
  std::optional<double> deepest;
};

using P = MeasuredParams;
constexpr std::array<Field<P>, 21> kFields{
    field("scope", &P::scope, "host",
          "what was measured: a device that every host has for itself, or one that all share",
          one_of(kScopes)),
    field("read.law", &P::read_law, "line", "how reads wait for each other", one_of(kResponseLaws)),
    field("read.latency", &P::read_latency, kRequired,
          "part of a read that does not grow with what is outstanding (alpha)", kNonNegative),
    field("read.per_op", &P::read_per_op, "0 s", "time of the device per read besides its bytes",
          kNonNegative),
    field("read.rate", &P::read, kRequired, "bytes the device reads per second", kPositive),
    field("read.stream", &P::read_stream, kOptional,
          "bytes per second of one read alone (laws roofline and throttle)", kPositive),
    field("write.law", &P::write_law, "line", "how writes wait for each other",
          one_of(kResponseLaws)),
    field("write.latency", &P::write_latency, kRequired,
          "part of a write that does not grow with what is outstanding", kNonNegative),
    field("write.per_op", &P::write_per_op, "0 s", "time of the device per write besides its bytes",
          kNonNegative),
    field("write.rate", &P::write, kRequired, "bytes the device writes per second", kPositive),
    field("write.stream", &P::write_stream, kOptional, "bytes per second of one write alone",
          kPositive),
    field("open.latency", &P::open_latency, "11 us",
          "time of an open that does not grow with the processes that open",
          cited(kNonNegative, "stas00/ml-engineering, storage chapter: 11 us on local NVMe")),
    field("open.per_op", &P::open_per_op, "0 s", "time the file system is busy with one open",
          kNonNegative),
    field("create.latency", &P::create_latency, "30 us",
          "time of a create that does not grow with the processes that create",
          assumed(kNonNegative)),
    field("create.per_op", &P::create_per_op, "0 s", "time the file system is busy with one create",
          kNonNegative),
    field("sync", &P::sync, "1 ms", "time of an fsync besides the bytes it waits for",
          assumed(kNonNegative, "one flush of the drive and a journal commit")),
    field("request", &P::request, "128 KiB",
          "most that is asked for at one time: read_ahead_kb, or the reader's own block",
          cited(kPositive, "Linux default read_ahead_kb")),
    field("depth", &P::depth, "1", "requests one process keeps in flight",
          assumed(up_to(1e6), "loader workers read one piece after the other")),
    field("fitted.smallest", &P::smallest, kOptional, "smallest request that was measured",
          kPositive),
    field("fitted.largest", &P::largest, kOptional, "largest request that was measured", kPositive),
    field("fitted.deepest", &P::deepest, kOptional, "most requests in flight that were measured",
          kAtLeastOne)};
constexpr auto kInfos = infos(kFields);

sim::Task<void> run_flow(sim::Context& context, sim::Flow flow, sim::FlowOutcome& out) {
  out = co_await context.transfer(flow);
}

class Measured final : public StorageModel {
 public:
  explicit Measured(const Component& component)
      : name_("storage." + component.id), p_(bind(kFields, component)) {
    const auto none = Rate::infinity();
    read_ = {response_law(p_.read_law), p_.read_latency, p_.read_per_op, p_.read,
             p_.read_stream.value_or(none)};
    write_ = {response_law(p_.write_law), p_.write_latency, p_.write_per_op, p_.write,
              p_.write_stream.value_or(none)};
    open_ = {ResponseLaw::line, p_.open_latency, p_.open_per_op};
    create_ = {ResponseLaw::line, p_.create_latency, p_.create_per_op};
  }

  bool local() const override { return true; }
  graph::NodeId read_source() const override { return source_; }
  graph::NodeId write_sink() const override { return sink_; }
  ClientLimits client_limits() const override { return {}; }

  void build(graph::Topology& topology, const StorageLoad&) override {
    source_ = topology.add_node(name_ + ".source", graph::NodeRole::target);
    sink_ = topology.add_node(name_ + ".sink", graph::NodeRole::target);
    if (shared()) add_device(topology, 1.0, "");
  }

  void build_on_host(graph::Topology& topology, const HostSite& site) override {
    const std::string group = "[" + std::to_string(site.group) + "]";
    if (!shared()) add_device(topology, site.hosts, group);
    const Device& device = devices_.back();
    topology.add_edge(device.out, site.in, name_ + ".read" + group, p_.read * device.count);
    topology.add_edge(site.out, device.in, name_ + ".write" + group, p_.write * device.count);
  }

  void attach(sim::Context& context, ResourceTable& resources, Seconds, std::uint64_t) override {
    context_ = &context;
    resources_ = &resources;
    data_resource_ = resources.index(name_ + ".device");
    open_resource_ = resources.index(name_ + ".open");
    for (Device& device : devices_) {
      const std::string link = name_ + ".device";
      device.data = {context, resources, link + ".busy" + device.group, data_resource_,
                     device.count};
      device.metadata = {context, resources, name_ + ".metadata.busy" + device.group,
                         open_resource_, device.count};
    }
  }

  sim::Task<Served> open(const Client& client, double files) override {
    co_await metadata_of(client, open_, files);
    co_return Served{open_resource_};
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    const double files = std::max(request.files, 1e-9);
    co_await context_->sleep(p_.read_latency * (files * std::max(0.0, request.round_trips - 1.0)));
    co_return co_await move(client, read_, client.read_path, request.bytes, files,
                            client.host_read);
  }

  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    co_await metadata_of(client, create_, request.files);
    const Served served = co_await move(client, write_, client.write_path, request.bytes,
                                        std::max(request.files, 1e-9), client.host_write);
    co_await context_->sleep(p_.sync * request.files);
    co_return served;
  }

  void report(Seconds, std::vector<ResourceUse>&) const override {}

  // What was measured is said to hold only there.                         [measured.md, Range]
  void remark(RunResult& out) const override {
    const auto size = [](Bytes b) { return print_quantity(b.in(unit::B), Dimension::bytes); };
    const auto warn = [&](const std::string& what) {
      out.warnings.push_back(name_ + ": " + what + ", outside what its profile was fitted to");
      out.extrapolated = true;
    };
    if (p_.smallest && least_ < *p_.smallest * 0.999)
      warn("requests of " + size(least_) + " are smaller than the " + size(*p_.smallest) +
           " measured");
    if (p_.largest && most_ > *p_.largest * 1.001)
      warn("requests of " + size(most_) + " are larger than the " + size(*p_.largest) +
           " measured");
    if (p_.deepest && deepest_ > *p_.deepest * 1.001)
      warn(print_quantity(deepest_, Dimension::number) + " requests in flight are more than the " +
           print_quantity(*p_.deepest, Dimension::number) + " measured");
  }

  Countable countable() const override {
    return {.noun = "devices", .unit_read = p_.read, .unit_write = p_.write};
  }

 private:
  /// The device of one host group, or of all.
  struct Device {
    double count = 1.0;
    std::string group;
    graph::NodeId in, out;
    FittedStation data, metadata;
    double outstanding = 0.0;
  };

  [[nodiscard]] bool shared() const { return p_.scope == "shared"; }
  Device& device_of(const Client& client) {
    return devices_[shared() ? 0 : std::min(client.host_group, devices_.size() - 1)];
  }

  void add_device(graph::Topology& topology, double count, const std::string& group) {
    Device device{.count = count, .group = group, .in = {}, .out = {}, .data = {}, .metadata = {}};
    device.in = topology.add_node(name_ + ".in" + group, graph::NodeRole::target);
    device.out = topology.add_node(name_ + ".out" + group, graph::NodeRole::target);
    topology.add_edge(source_, device.out, name_ + ".source" + group, Rate::infinity());
    topology.add_edge(device.in, sink_, name_ + ".sink" + group, Rate::infinity());
    devices_.push_back(std::move(device));
  }

  sim::Task<void> metadata_of(const Client& client, const ResponseParams& params, double files) {
    return device_of(client).metadata.serve(
        params,
        {.members = client.members, .share = client.share, .operations = files, .size = {}});
  }

  /// n = ceil(b / request) requests per file, `depth` of them in flight.   [measured.md, eq. 1]
  sim::Task<Served> move(const Client& client, const ResponseParams& params,
                         const std::vector<sim::LinkId>& path, Bytes bytes, double files,
                         Rate cap) {
    Device& device = device_of(client);
    const Bytes file = bytes / files;
    const double pieces = std::max(1.0, std::ceil(file / p_.request - 1e-9));
    const double depth = std::min(static_cast<double>(p_.depth), pieces);
    const Bytes piece = file / pieces;
    device.outstanding += client.members * depth;
    note(piece, device.outstanding / device.count);
    sim::FlowOutcome data;
    std::vector<sim::Task<void>> parts;
    parts.push_back(run_flow(
        *context_,
        sim::weighted({.path = path, .bytes = bytes, .members = client.members, .cap = cap},
                      client.share),
        data));
    parts.push_back(device.data.serve(params, {.members = client.members,
                                               .share = client.share,
                                               .operations = pieces * files,
                                               .in_flight = depth,
                                               .size = piece}));
    co_await sim::join(*context_, std::move(parts));
    device.outstanding -= client.members * depth;
    const bool device_limits = data.ended < context_->now() || !data.binding.valid();
    co_return Served{device_limits ? data_resource_ : resources_->of_link[data.binding.index]};
  }

  void note(Bytes piece, double outstanding) {
    least_ = std::min(least_, piece);
    most_ = std::max(most_, piece);
    deepest_ = std::max(deepest_, outstanding);
  }

  std::string name_;
  MeasuredParams p_;
  ResponseParams read_, write_, open_, create_;
  graph::NodeId source_, sink_;
  std::vector<Device> devices_;
  sim::Context* context_ = nullptr;
  ResourceTable* resources_ = nullptr;
  ResourceIndex data_resource_ = kNoResource, open_resource_ = kNoResource;
  Bytes least_ = Bytes::infinity(), most_;
  double deepest_ = 0.0;
};

}  // namespace

std::unique_ptr<StorageModel> make_measured(const Component& component) {
  return std::make_unique<Measured>(component);
}
std::span<const FieldInfo> measured_fields() { return kInfos; }

}  // namespace stallcast::models
