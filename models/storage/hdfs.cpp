#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/sim/join.hpp"
#include "models/storage/kinds.hpp"
#include "models/storage/pooled_fields.hpp"
#include "models/storage/striping.hpp"

/// HDFS. Equations, sources and valid range: docs/models/hdfs.md.
namespace stallcast::models {
namespace {

using namespace base;

struct HdfsParams : MetadataParams {
  std::int64_t datanodes = 1, disks = 12;
  Rate read, write;
  std::optional<Rate> nic;
  Seconds service;
  std::int64_t namenodes = 1;
  Bytes block;
  std::int64_t replicas = 3;
  Rate stream;
  std::int64_t parallel = 1;
  Seconds commit;
};

constexpr std::string_view kShvachko =
    "Shvachko, HDFS scalability (;login: 2010), one NameNode, from memory: 126 kops/s open, 5.6 "
    "kops/s create";

constexpr std::array<base::Field<HdfsParams>, 15> kHdfsFields{
    field("datanode.count", &HdfsParams::datanodes, kRequired, "DataNodes", up_to(1e6)),
    field("datanode.read", &HdfsParams::read, "2.4 GB/s",
          "what one DataNode reads from all its disks",
          between("1.2 GB/s", "4 GB/s", assumed(kPositive, "12 disks of 200 MB/s"),
                  "expert range: disks of 100-280 MB/s, 8 to 24 of them")),
    field("datanode.write", &HdfsParams::write, "2.4 GB/s",
          "what one DataNode writes to all its disks, copies counted",
          between("1 GB/s", "4 GB/s", assumed(kPositive, "12 disks of 200 MB/s"),
                  "expert range: disks of 100-280 MB/s, 8 to 24 of them")),
    field("datanode.disks", &HdfsParams::disks, "12",
          "disks of one DataNode: a block lies on one of them", assumed(kAtLeastOne)),
    field("datanode.nic", &HdfsParams::nic, kOptional,
          "network of one DataNode, each direction; without it it does not limit", kPositive),
    field("datanode.service", &HdfsParams::service, "10 ms",
          "time of one request on a DataNode besides its data",
          between("5 ms", "15 ms", assumed(kNonNegative, "a seek and rotation of 5-12 ms"),
                  "expert range: 5-12 ms as cited, and a line at the disk")),
    field("namenode.count", &HdfsParams::namenodes, "1",
          "active NameNodes, each with its part of the name space (federation)", up_to(1e4)),
    field("namenode.opens", &HdfsParams::opens, "126 kops/s",
          "requests for block locations one NameNode answers",
          between("30 kops/s", "200 kops/s", assumed(kPositive, kShvachko),
                  "expert range: figure of 2010 from memory; audit logs, newer cores")),
    field("namenode.creates", &HdfsParams::creates, "5.6 kops/s",
          "files or blocks one NameNode creates, each written to its journal",
          between("2 kops/s", "20 kops/s", assumed(kPositive, kShvachko),
                  "expert range: figure of 2010 from memory; journals on flash, batched")),
    field("namenode.service", &HdfsParams::open_service, "0.2 ms",
          "time one request takes on an idle NameNode",
          between("80 us", "1 ms", assumed(kNonNegative),
                  "expert range: memory look-up behind an RPC and one lock")),
    field("block", &HdfsParams::block, "128 MiB", "bytes of a file on one disk before the next",
          cited(kPositive, "HDFS default")),
    field("replicas", &HdfsParams::replicas, "3", "copies of a block, written in a pipeline",
          cited(kAtLeastOne, "HDFS default")),
    field("client.stream", &HdfsParams::stream, "400 MB/s",
          "most one stream of one block moves: checksums and copies in the client",
          between("150 MB/s", "800 MB/s", assumed(kPositive),
                  "expert range: one disk 150 MB/s, several and native checksums 800")),
    field("client.parallel", &HdfsParams::parallel, "1",
          "blocks of a file one reader or writer moves at one time (files written in parts)",
          assumed(kAtLeastOne, "the plain client has one")),
    field("commit", &HdfsParams::commit, "2 ms",
          "time to complete one written file: its last packets and the NameNode",
          between("0.5 ms", "15 ms", assumed(kNonNegative),
                  "expert range: NameNode journal, and a retry when copies are late"))};

class Hdfs final : public PooledStore {
 public:
  explicit Hdfs(const Component& component)
      : PooledStore(component), p_(base::bind<kHdfsFields>(component)) {}

  // Threads of the client check and copy every block alongside the process.    [hdfs.md, eq. 5]
  ClientLimits client_limits() const override {
    return {.steps = {{CoreStep::Work::tcp}, {CoreStep::Work::client, false, p_.stream}},
            .by_fabric = false,
            .page_cache = false};
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files, false);
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    return read_files(client, *file_reads(client, request));
  }
  std::optional<FileReads> file_reads(const Client&, const ReadRequest& request) override {
    const Bytes file = request.bytes / request.files;
    // [hdfs.md, eq. 1]
    const Bytes piece = std::min(file, p_.block);
    return FileReads{
        request,
        p_.service,
        block_rate(file, p_.read, round_trip() + p_.service),
        Rate::infinity(),
        {.amount = request.bytes / piece * of_a_disk(piece).in(unit::s), .at_once = true}};
  }

  // Blocks are asked for as the file grows: alongside the stream, not before it.    [hdfs.md, eq.
  // 2]
  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    const Bytes file = request.bytes / request.files;
    const double more = request.files == 0.0  // appended to open files
                            ? request.bytes / p_.block
                            : request.files * (std::ceil(file / p_.block - 1e-9) - 1.0);
    // Of each further block: the NameNode, then a connection through the whole pipeline.
    const Seconds between = p_.open_service + round_trip() * (1.0 + copies());
    Ended data, names;
    std::vector<sim::Task<void>> parts;
    parts.push_back(add_blocks(client, std::max(0.0, more), names));
    parts.push_back(stream(client, request, block_rate(file, p_.write, between), data));
    co_await sim::join(context(), std::move(parts));
    co_return data.at >= names.at ? data.served : names.served;
  }

  std::optional<std::string> single_copies() const override {
    if (p_.replicas > 1) return {};
    return "replicas";
  }

  Countable countable() const override {
    return {.noun = "DataNodes", .unit_read = p_.read, .unit_write = p_.write / copies()};
  }

  // Any copy is read.
  double reach(std::span<const StorageLoad::FileSet> files) const override {
    return Striping{disks(), 0.0, p_.block, false, copies()}.reached(files, "random");
  }

 protected:
  // A byte written crosses the network of as many DataNodes as it has copies.    [hdfs.md, eq. 3]
  PoolShape pool(const StorageLoad& load) const override {
    const Rate network = p_.nic ? *p_.nic * datanodes() : Rate::infinity();
    return {.media = "disk",
            .server = "datanode",
            .metadata = "namenode",
            .shared = datanodes() * std::max(p_.read, p_.write),
            .read = datanodes() * p_.read * blocks().evenness(load, reach_of(load)),
            .write = datanodes() * p_.write / copies(),
            .nic = {network, network / copies()},
            .targets = datanodes(),
            .servers = datanodes()};
  }

  // Time of all disks, of which reads keep Q / (Q + M - 1) busy. How many read with tenants,
  // stages and restores, nobody knows.    [hdfs.md, eq. 6]
  WorkShape work() const override {
    const double busy = load().others ? 1.0 : blocks().evenness(load(), reach_of(load()));
    return {"disk.busy", disks(), "disk", disks() * busy};
  }
  double written(Bytes) const override { return copies(); }
  MetadataShape metadata() const override { return p_.metadata(static_cast<double>(p_.namenodes)); }

 private:
  struct Ended {
    Seconds at;
    Served served;
  };

  double datanodes() const { return static_cast<double>(p_.datanodes); }
  double disks() const { return datanodes() * static_cast<double>(p_.disks); }
  Seconds of_a_disk(Bytes piece) const {
    return p_.service + piece / (p_.read / static_cast<double>(p_.disks));
  }
  /// Of a file, at one time: on disks that do not know of each other.
  Striping blocks() const { return {disks(), static_cast<double>(p_.parallel), p_.block, false}; }
  double copies() const { return static_cast<double>(p_.replicas); }
  // Blocks one after the other, each from one disk, `between` them; `parallel` such chains.
  //     parallel x f / (t (n - 1) + f / min(b, stream)) for f = s / parallel in n blocks
  //    [hdfs.md, eq. 4]
  Rate block_rate(Bytes file, Rate datanode, Seconds between) const {
    if (!file.finite()) file = p_.block * 1e6;  // appended to
    const double chains =
        std::clamp(std::ceil(file / p_.block - 1e-9), 1.0, static_cast<double>(p_.parallel));
    const Bytes part = file / chains;
    const double more = std::max(0.0, std::ceil(part / p_.block - 1e-9) - 1.0);
    const Rate one = std::min(datanode / static_cast<double>(p_.disks), p_.stream);
    return part / (between * more + part / one) * chains;
  }
  sim::Task<void> add_blocks(const Client& client, double blocks, Ended& out) {
    out.served = co_await metadata_ops(client, blocks, true);
    out.at = context().now();
  }
  // Copies find the disks unevenly loaded, as reads do.    [storage.md, eq. 5]
  sim::Task<void> stream(const Client& client, const WriteRequest& request, Rate cap, Ended& out) {
    const Bytes file = request.bytes / request.files;
    const auto placed = [&](double writers) {
      StorageLoad load;
      load.concurrent_reads = writers * copies();
      load.file = file;
      return datanodes() * p_.write * (blocks().evenness(load) / (copies() * writers));
    };
    // An answer comes back through the whole pipeline.    [hdfs.md, eq. 2]
    const Seconds written = request.bytes * copies() / (p_.write / static_cast<double>(p_.disks));
    out.served = co_await write_files(client, request, round_trip() * (copies() - 1.0), cap,
                                      p_.commit, PlacedRate(request, placed),
                                      {.amount = written.in(unit::s), .copies = copies()});
    out.at = context().now();
  }

  HdfsParams p_;
};

}  // namespace

StorageKind hdfs_kind() { return {kInfos<kHdfsFields>, make_storage<Hdfs>}; }

}  // namespace stallcast::models
