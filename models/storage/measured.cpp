#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/sim/join.hpp"
#include "models/contract/host_cores.hpp"
#include "models/contract/storage.hpp"
#include "models/storage/file_queue.hpp"
#include "models/storage/fitted_station.hpp"
#include "models/storage/kinds.hpp"
#include "models/storage/measured_params.hpp"
#include "models/storage/measured_range.hpp"
#include "models/storage/throttle.hpp"

/// Storage that is known by measurements made on its clients: a calibration profile fills it in.
/// Equations, sources and valid range: docs/models/measured.md.
namespace stallcast::models {
namespace {

using namespace base;

class Measured final : public StorageModel {
 public:
  explicit Measured(const Component& component)
      : name_("storage." + component.id), p_(measured_params(component)) {
    reads_ = {.law = p_.reads(),
              .latency_per_file = p_.read_latency_of == "file",
              .request = p_.request,
              .copy = p_.read_copy};
    writes_ = {.law = p_.writes(), .request = p_.write_request};
  }

  // Queues of requests order processes one by one.
  bool varied() const override { return in_queues(reads_) || p_.jitter > Fraction{}; }
  bool local() const override { return true; }
  bool own_of_host() const override { return !p_.shared(); }
  graph::NodeId read_source() const override { return source_; }
  graph::NodeId write_sink() const override { return sink_; }
  ClientLimits client_limits() const override {
    return {.by_fabric = false, .page_cache = !p_.read_copy};
  }

  void build(graph::Topology& topology, const StorageLoad& load) override {
    files_ = load.files;
    weights_ = load.weights;
    kinds_ = load.written ? 2 : 1;
    source_ = topology.add_node(name_ + ".source", graph::NodeRole::target);
    sink_ = topology.add_node(name_ + ".sink", graph::NodeRole::target);
    if (p_.shared()) add_device(topology, 1.0, "");
  }

  void build_on_host(graph::Topology& topology, const HostSite& site) override {
    const std::string group = "[" + std::to_string(site.group) + "]";
    if (!p_.shared()) {
      add_device(topology, site.hosts, group);
      devices_.back()->used = site.used;
    }
    const Device& device = *devices_.back();
    topology.add_edge(device.out, site.in, name_ + ".out" + group, Rate::infinity());
    topology.add_edge(site.out, device.in, name_ + ".in" + group, Rate::infinity());
  }

  void attach(sim::Context& context, ResourceTable& resources, Seconds,
              std::uint64_t seed) override {
    context_ = &context;
    resources_ = &resources;
    data_resource_ = resources.index(name_ + ".device");
    open_resource_ = resources.index(name_ + ".open");
    limit_resource_ = resources.index(name_ + ".limit");
    media_ = {resources.index(name_ + ".read"), resources.index(name_ + ".write")};
    constexpr double kMostGroups = 1e6;  // of more, each open meets a new one
    const FileLayout layout{
        .servers = p_.servers,
        .stripe = std::min(p_.stripe, p_.servers),
        .stripe_size = p_.stripe_size,
        .random_placement = p_.placement == "random",
        .jitter = p_.jitter.in(unit::ratio),
        .depth = static_cast<double>(p_.depth),
        .groups = p_.cold_ops > 0.0 ? std::min(kMostGroups, files_ / p_.cold_files) : 0.0};
    for (const auto& device : devices_) device->attach(context, resources, *this, layout, seed);
  }

  sim::Task<Served> open(const Client& client, double files) override {
    Device& device = device_of(client);
    // What is read ahead is asked for first, so its reader waits for all of it.
    //    [measured.md, eq. 7]
    const double each = p_.cold_ops * std::min(1.0, files_ / p_.cold_files);
    const double requests = p_.open_ops * files * client.members / device.count +
                            each * device.files->first_seen_groups(client, files);
    if (requests > 0.0) co_await device.read_limit.take({}, requests);
    co_await metadata_of(client, Lookup::open, p_.opens(), files);
    co_return Served{open_resource_};
  }

  // Its private part: the data are known to be there.    [measured.md, eq. 7]
  sim::Task<Served> reopen(const Client& client, double files) override {
    co_await metadata_of(client, Lookup::cached, {p_.opens().law, p_.open_cached, {}}, files);
    co_return Served{open_resource_};
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    const double files = std::max(request.files, 1e-9);
    const double turns = files * std::max(0.0, request.round_trips - 1.0);
    if (turns > 0.0) co_await context_->sleep(p_.read_latency * turns);
    RequestPath way = reads_;
    if (request.as_asked) way.request = request.bytes / files;
    way.goes_on = request.goes_on;
    co_return co_await move(client, way, client.read_path, request.bytes, files,
                            client.reads_at_most());
  }

  // Created, copied into the page cache, flushed to the device.    [measured.md, eq. 7]
  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    const double files = std::max(request.ranges(), 1e-9);
    co_await metadata_of(client, Lookup::create, p_.creates(), request.files);
    if (p_.write_copy) {
      HostCores cores{.context = context_, .cpu = client.cpu, .members = client.members};
      co_await cores.compute(request.bytes / *p_.write_copy);
    }
    RequestPath way = writes_;
    if (request.direct && request.requests > 0.0) way.request = request.bytes / files;
    const Served served = co_await move(client, way, client.write_path, request.bytes, files,
                                        client.writes_at_most());
    co_await context_->sleep(p_.sync * request.files);
    co_return served;
  }

  // Bytes wait in the device's line, not on the links that stand for it in the topology.
  void report(Seconds wall, std::vector<ResourceUse>& out) const override {
    std::vector<Bytes> running(context_->link_count());
    context_->add_running(running);
    for (const bool writes : {false, true}) {
      Bytes bytes;
      for (const auto& device : devices_) bytes += device->moved(writes, running);
      for (ResourceUse& use : out)
        if (use.name == name_ + (writes ? ".write" : ".read")) {
          use.throughput = (bytes / wall).in(unit::Bps);
          use.capacity = std::max(use.capacity, use.throughput);  // a burst is on top of a limit
        }
    }
    // Links of stations have the speed of what is outstanding at the end, not that of the servers.
    double devices = 0.0;
    for (const auto& device : devices_)
      if (device->used) devices += device->count;
    const double servers = devices * static_cast<double>(p_.servers);
    for (ResourceUse& use : out)
      for (const auto& [station, count] :
           {std::pair{".device.busy", servers}, std::pair{".device.writes.busy", servers},
            std::pair{".metadata.busy", devices}})
        if (use.name == name_ + station) use.capacity = count;
    ResourceUse use;
    use.name = name_ + ".device.busy";
    use.unit = "drives";
    for (const auto& device : devices_) {
      if (!device->used) continue;
      use.capacity += device->count * static_cast<double>(p_.servers);
      use.throughput += device->queues.worked() / wall * device->count;
    }
    if (in_queues(reads_)) out.push_back(use);
  }

  std::vector<std::pair<std::string, double>> queues(Seconds wall) const override {
    double waiting = 0.0, opening = 0.0;
    for (const auto& device : devices_) {
      waiting += (device->queues.waited() + device->own_queues.waited()) / wall * device->count;
      if (device->files) opening += device->files->opens().waited() / wall * device->count;
    }
    return {{name_ + ".device", waiting}, {name_ + ".open", opening}};
  }

  // What was measured is said to hold only there.                         [measured.md, Range]
  void remark(RunResult& out) const override {
    for (const bool writes : {false, true})
      for (const std::string& what : asked_[writes ? 1 : 0].outside(
               p_.range(writes), writes ? "writes" : "reads", mean_in_flight(writes))) {
        out.warnings.push_back(name_ + ": " + what + ", outside what its profile was fitted to");
        out.extrapolated = true;
      }
  }

  Countable countable() const override {
    return {.noun = "devices",
            .unit_read = p_.most_read(),
            .unit_write = p_.most_write(),
            .separate = !p_.one_line(),
            .per_host = !p_.shared()};
  }

 private:
  /// Metadata operations, each with a latency of its own.
  enum class Lookup { open, create, cached };
  static constexpr std::size_t kMetadataKinds = 3;

  /// The device of one host group, or of all.
  struct Device {
    double count = 1.0;
    bool used = true;
    std::string group;
    graph::NodeId in, out;
    FittedStation data, own_data, metadata;  ///< laws; writes may have a line of their own
    RequestQueues queues, own_queues;        ///< the same of law fifo
    Mix mix, own_mix;                        ///< of these queues
    Throttle read_limit, write_limit;
    std::optional<FileQueue> files;
    InFlight in_flight;

    explicit Device(bool one_line) : in_flight(one_line) {}
    void attach(sim::Context& context, ResourceTable& resources, const Measured& of,
                const FileLayout& layout, std::uint64_t seed) {
      const std::string name = of.name_ + ".device";
      const double servers = count * static_cast<double>(of.p_.servers);
      const FittedStation::Shape shape{.servers = servers, .weights = of.weights_};
      if (!in_queues(of.reads_) || !in_queues(of.writes_)) {
        FittedStation::Shape both = shape;
        both.coupling = of.p_.coupling;
        both.kinds = of.p_.one_line() ? of.kinds_ : 1;
        data = {context, resources, name + ".busy" + group, of.data_resource_, both};
      }
      if (!in_queues(of.writes_) && !of.p_.one_line())
        own_data = {context, resources, name + ".writes.busy" + group, of.data_resource_, shape};
      if (!in_queues(of.reads_)) {
        FittedStation::Shape lookups = shape;
        lookups.servers = count;
        lookups.kinds = kMetadataKinds;
        metadata = {context, resources, of.name_ + ".metadata.busy" + group, of.open_resource_,
                    lookups};
      }
      queues = {context, of.p_.servers};
      own_queues = {context, of.p_.servers};
      mix = Mix(of.p_.coupling);
      const MeasuredParams& p = of.p_;
      const auto refill =
          p.limit_refill == "slices" ? Throttle::Refill::slices : Throttle::Refill::steady;
      read_limit = {context, p.limit_read, p.limit_read_ops, p.limit_burst, refill};
      write_limit = {context, p.limit_write, p.limit_write_ops, p.limit_burst, refill};
      files.emplace(context, layout, name + group, seed, count);
    }
    // What it served, and its limiter let pass.                           [measured.md, eq. 9]
    Bytes moved(bool writes, std::span<const Bytes> running) const {
      const Bytes each = queues.moved(writes) + own_queues.moved(writes);
      const Throttle& limit = writes ? write_limit : read_limit;
      const Bytes served =
          data.moved(writes, running) + own_data.moved(writes, running) + each * count;
      return limit.limits() ? std::min(served, limit.passed() * count) : served;
    }
  };

  static bool in_queues(const RequestPath& way) { return way.law.law == ResponseLaw::fifo; }
  Device& device_of(const Client& client) {
    return *devices_[p_.shared() ? 0 : std::min(client.host_group, devices_.size() - 1)];
  }

  void add_device(graph::Topology& topology, double count, const std::string& group) {
    auto device = std::make_unique<Device>(p_.one_line());
    device->count = count;
    device->group = group;
    device->in = topology.add_node(name_ + ".in" + group, graph::NodeRole::target);
    device->out = topology.add_node(name_ + ".out" + group, graph::NodeRole::target);
    topology.add_edge(source_, device->out, name_ + ".read" + group, p_.most_read() * count);
    topology.add_edge(device->in, sink_, name_ + ".write" + group, p_.most_write() * count);
    devices_.push_back(std::move(device));
  }

  sim::Task<void> metadata_of(const Client& client, Lookup kind, const ResponseParams& law,
                              double files) {
    Device& device = device_of(client);
    if (law.law == ResponseLaw::fifo) return device.files->metadata(client, law, files);
    return device.metadata.serve(law, {.members = client.members,
                                       .share = client.share,
                                       .operations = files,
                                       .size = {},
                                       .kind = static_cast<std::size_t>(kind)});
  }

  // The part of a path outside the device.
  std::vector<sim::LinkId> outside(const std::vector<sim::LinkId>& path) const {
    std::vector<sim::LinkId> out;
    for (const sim::LinkId link : path) {
      const ResourceIndex resource = resources_->of_link[link.index];
      if (resource != media_.first && resource != media_.second) out.push_back(link);
    }
    return out;
  }

  sim::Task<void> in_files(const Client& client, RequestPath way, bool writes, Bytes bytes,
                           double files, Seconds& limited) {
    Device& device = device_of(client);
    Mix& mix = way.queues == &device.queues ? device.mix : device.own_mix;
    way.mix = &mix;
    mix.add(writes, client.members);
    limited = co_await device.files->transfer_files(client, way, writes, bytes, files);
    mix.add(writes, -client.members);
  }

  // The limiter lets the requests of a file through, round after round, while others are served.
  sim::Task<void> pass(Throttle& limit, Bytes bytes, double requests, double rounds,
                       Seconds& limited) {
    const Seconds asked = context_->now();
    co_await limit.take(bytes / rounds, requests / rounds, rounds);
    limited = context_->now() - asked;
  }

  /// n = ceil(b / request) requests per file, `depth` of them in flight.   [measured.md, eq. 1]
  sim::Task<Served> move(const Client& client, RequestPath way,
                         const std::vector<sim::LinkId>& path, Bytes bytes, double files,
                         Rate cap) {
    const bool writes = &path == &client.write_path;
    Device& device = device_of(client);
    way.queues = writes && !p_.one_line() ? &device.own_queues : &device.queues;
    way.limiter = writes ? &device.write_limit : &device.read_limit;
    const Bytes file = bytes / files;
    const double pieces = std::max(1.0, std::ceil(file / way.request - 1e-9));
    const double depth = std::min(static_cast<double>(p_.depth), pieces);
    const Bytes piece = file / pieces;
    device.in_flight.note(writes, client.members * depth, context_->now());
    asked_[writes ? 1 : 0].note(piece, device.in_flight.outstanding(writes) / device.count);
    const std::vector<sim::LinkId> links = outside(path);
    const Seconds began = context_->now();
    sim::FlowOutcome data;
    Seconds limited;
    std::vector<sim::Task<void>> parts;
    parts.push_back(sim::transfer_into(
        *context_,
        sim::weighted({.path = links, .bytes = bytes, .members = client.members, .cap = cap},
                      client.share),
        data));
    if (in_queues(way)) {
      parts.push_back(in_files(client, way, writes, bytes, files, limited));
    } else {
      const double requests = pieces * files;
      FittedStation& station = writes && !p_.one_line() ? device.own_data : device.data;
      parts.push_back(station.serve(way.law, {.members = client.members,
                                              .share = client.share,
                                              .operations = requests,
                                              .in_flight = depth,
                                              .size = piece,
                                              .writes = writes,
                                              .kind = writes ? 1U : 0U}));
      const double members = client.members / device.count;
      parts.push_back(
          pass(*way.limiter, bytes * members, requests * members, requests / depth, limited));
    }
    co_await sim::join(*context_, std::move(parts));
    device.in_flight.note(writes, -client.members * depth, context_->now());
    const Seconds took = context_->now() - began;
    if (limited > took * 0.5) co_return Served{limit_resource_};
    const bool device_limits = data.ended < context_->now() || !data.binding.valid();
    co_return Served{device_limits ? data_resource_ : resources_->of_link[data.binding.index]};
  }

  // Requests of one way in flight at a device, while there are any.
  double mean_in_flight(bool writes) const {
    double waited = 0.0, busy = 0.0;
    for (const auto& device : devices_) {
      device->in_flight.note(writes, 0.0, context_->now());
      waited += device->in_flight.waited(writes);
      busy += device->count * device->in_flight.busy(writes).in(unit::s);
    }
    return busy > 0.0 ? waited / busy : 0.0;
  }

  std::string name_;
  MeasuredParams p_;
  double files_ = 0.0;           ///< in all data sets on it
  std::vector<double> weights_;  ///< of those who use it
  std::size_t kinds_ = 1;        ///< reads, and writes where there may be any
  RequestPath reads_, writes_;
  graph::NodeId source_, sink_;
  std::vector<std::unique_ptr<Device>> devices_;
  sim::Context* context_ = nullptr;
  ResourceTable* resources_ = nullptr;
  ResourceIndex data_resource_ = kNoResource, open_resource_ = kNoResource,
                limit_resource_ = kNoResource;
  std::pair<ResourceIndex, ResourceIndex> media_{kNoResource, kNoResource};
  std::array<AskedRange, 2> asked_;  ///< reads, writes
};

}  // namespace

StorageKind measured_kind() { return {measured_fields(), make_storage<Measured>}; }

}  // namespace stallcast::models
