#include <algorithm>
#include <vector>

#include "engine/base/fields.hpp"
#include "models/storage/drive_fields.hpp"

/// Drives inside each host. Equations, sources and valid range: docs/models/local.md.
namespace stallcast::models {
namespace {

using namespace base;

struct LocalParams : DriveParams {
  Seconds open, create;
  Rate stream;
  std::optional<Rate> decode;
  double decoded = 1.0;  ///< bytes that leave a decoding drive per stored byte
};

constexpr auto kFields = with_drives(std::array{
    field("open", &LocalParams::open, "11 us", "time to open one file",
          cited(kNonNegative, "stas00/ml-engineering, storage chapter: 11 us on local NVMe")),
    field("create", &LocalParams::create, "30 us", "time to create one file",
          assumed(kNonNegative)),
    field("client.stream", &LocalParams::stream, "2.5 GB/s",
          "most one process moves through the page cache; not with O_DIRECT",
          assumed(kPositive, "copy and page handling of one core, 2-3 GB/s")),
    field("device.decode", &LocalParams::decode, kOptional,
          "drives decode what they read (computational storage): stored bytes one drive decodes; "
          "then the host decodes nothing",
          kPositive),
    field("device.inflation", &LocalParams::decoded, "6",
          "bytes that leave a decoding drive per stored byte",
          cited(kPositive, "decoded images are 5-7 times as large, Mohan et al. VLDB'21"))});
constexpr auto kInfos = infos(kFields);

class Local final : public StorageModel {
 public:
  explicit Local(const Component& component)
      : name_("storage." + component.id), p_(bind(kFields, component)) {
    // A drive that decodes does so while it reads: the slower of both decides.  [eq. 6]
    if (!p_.decode) return;
    p_.read = std::min(p_.read, *p_.decode);
    p_.inflation = p_.decoded;
  }

  bool local() const override { return true; }
  bool decodes() const override { return p_.decode.has_value(); }

  void build(graph::Topology& topology, const StorageLoad& load) override {
    load_ = load;
    source_ = topology.add_node(name_ + ".source", graph::NodeRole::target);
    sink_ = topology.add_node(name_ + ".sink", graph::NodeRole::target);
  }

  // Every host has drives of its own: no group reaches those of another.
  void build_on_host(graph::Topology& topology, const HostSite& site) override {
    const std::string group = "[" + std::to_string(site.group) + "]";
    const std::string media = name_ + ".drives" + group;
    const auto in = topology.add_node(media + ".in", graph::NodeRole::target);
    const auto out = topology.add_node(media + ".out", graph::NodeRole::target);
    const auto edge = [&](graph::NodeId from, graph::NodeId to, const std::string& name,
                          Rate rate) {
      topology.add_edge(from, to, name_ + name + group, rate * site.hosts);
    };
    const Rate none = Rate::infinity();
    const Rate best = std::max(read(), write());
    edge(source_, in, ".source", none);
    edge(in, out, ".drives", best);
    edge(out, site.in, ".drives.read", read() < best ? read() : none);
    edge(site.out, in, ".drives.write", write() < best ? write() : none);
    edge(out, sink_, ".sink", none);
    banks_.emplace_back(p_, site.hosts, name_ + ".drives", group);
    hosts_ += site.hosts;
  }

  graph::NodeId read_source() const override { return source_; }
  graph::NodeId write_sink() const override { return sink_; }
  ClientLimits client_limits() const override { return {}; }

  void attach(sim::Context& context, ResourceTable& resources, Seconds, std::uint64_t) override {
    context_ = &context;
    for (DriveBank& bank : banks_)
      bank.attach(context, resources, load_.concurrent_reads / std::max(hosts_, 1.0));
    open_resource_ = resources.index(name_ + ".open");
    stream_resource_ = resources.index(name_ + ".client.stream");
  }

  sim::Task<Served> open(const Client&, double files) override {
    co_await context_->sleep(p_.open * files);
    co_return Served{open_resource_};
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    return banks_[client.host_group].read(client, request, {}, stream(request.direct),
                                          stream_resource_);
  }

  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    co_await context_->sleep(p_.create * request.files);
    DriveBank& bank = banks_[client.host_group];
    const Served served =
        co_await bank.write(client, request, stream(request.direct), stream_resource_);
    co_await context_->sleep(p_.write_latency * request.files);
    co_return served;
  }

  void report(Seconds, std::vector<ResourceUse>&) const override {}

  Countable countable() const override {
    return {.noun = "drives per host",
            .unit_read = p_.read * hosts_,
            .unit_write = p_.fastest_write() / p_.written() * hosts_};
  }

 private:
  Rate read() const { return p_.read * (p_.drives() * p_.inflation); }
  Rate write() const { return p_.fastest_write() * (p_.drives() / p_.written()); }
  Rate stream(bool direct) const { return direct ? Rate::infinity() : p_.stream; }

  std::string name_;
  LocalParams p_;
  StorageLoad load_;
  graph::NodeId source_, sink_;
  std::vector<DriveBank> banks_;  ///< one per host group
  double hosts_ = 0.0;
  sim::Context* context_ = nullptr;
  ResourceIndex open_resource_ = kNoResource;
  ResourceIndex stream_resource_ = kNoResource;
};

}  // namespace

std::unique_ptr<StorageModel> make_local(const Component& component) {
  return std::make_unique<Local>(component);
}
std::span<const FieldInfo> local_fields() { return kInfos; }

}  // namespace stallcast::models
