#include <algorithm>
#include <optional>

#include "models/storage/kinds.hpp"
#include "models/storage/pooled_fields.hpp"
#include "models/storage/striping.hpp"

/// GPFS (IBM Storage Scale). Equations, sources and valid range: docs/models/gpfs.md.
namespace stallcast::models {
namespace {

using namespace base;

struct GpfsParams : DeliveredParams, MetadataParams, ServerParams, SharedFileParams {
  std::int64_t servers = 1;
  Rate read, write;
  Seconds service;
  Bytes block, inode_data;
  Bytes pagepool;  ///< of one host
  Rate prefetch, stream;
  double open_requests = 1.0;
  Seconds commit;
};

constexpr std::string_view kSummit =
    "IO500 SC18, Summit, 154 NSD servers: 1788 and 2159 GiB/s, 15.35 M/s small files opened and "
    "read, 3.07 M/s created";

constexpr std::array<base::Field<GpfsParams>, 20> kGpfsFields{
    field("server.count", &GpfsParams::servers, kRequired,
          "NSD servers; every large file lies on all of them", up_to(1e6)),
    field("server.read", &GpfsParams::read, "12.5 GB/s", "what one NSD server reads",
          between("5 GB/s", "80 GB/s", cited(kPositive, kSummit),
                  "expert range: disk servers to flash; the catalogue has 12.5 to 113")),
    field("server.write", &GpfsParams::write, "15 GB/s", "what one NSD server writes",
          between("5 GB/s", "60 GB/s", cited(kPositive, kSummit),
                  "expert range: disk servers to flash; the catalogue has 15 to 64")),
    field("server.service", &GpfsParams::service, "0.25 ms",
          "time of one NSD request on the server besides its data",
          between("0.1 ms", "1 ms",
                  assumed(kNonNegative, "0.2-0.3 ms per request on flash; 5-8 ms on disks"),
                  "expert range: 0.2-0.3 ms on flash as cited; loaded servers more")),
    kServerNic,
    field("server.opens", &GpfsParams::opens, "100 kops/s",
          "files opened a second for each server: inodes lie on all of them",
          between("30 kops/s", "200 kops/s", cited(kPositive, kSummit),
                  "expert range: Summit alone was measured; factor of 2-3")),
    field("server.creates", &GpfsParams::creates, "20 kops/s",
          "files created a second for each server, in directories of their own",
          between("5 kops/s", "40 kops/s", cited(kPositive, kSummit),
                  "expert range: Summit alone was measured; factor of 2-4")),
    field("server.open_service", &GpfsParams::open_service, "0.1 ms",
          "time one request of an open takes on an idle server",
          between("40 us", "0.5 ms",
                  assumed(kNonNegative, "token or inode lookup in memory or on flash"),
                  "expert range: token in memory, inode on flash")),
    field(
        "directory.creates", &GpfsParams::directory_creates, "10 kops/s",
        "files created a second in one directory: its token goes from node to node",
        between("3 kops/s", "19 kops/s",
                cited(kPositive, "IO500 2018-2020, mdtest-hard create: 3-19 k/s over ten systems"),
                "as cited: 3-19 k/s over ten systems")),
    field("directory.opens", &GpfsParams::directory_opens, "50 kops/s",
          "files opened a second in one directory, whose token goes from node to node",
          between("6 kops/s", "900 kops/s",
                  cited(kPositive, "IO500 2018-2020, mdtest-hard stat: 23-50 kops/s on six of ten"),
                  "as cited: 6-9 k/s on a small system, 560-920 with tokens that stay")),
    field("shared.write", &GpfsParams::piece_write, "35 us",
          "time the file's token manager is held by a piece in a file that others write too and "
          "that does not end where blocks do",
          between("9 us", "0.28 ms",
                  cited(kNonNegative,
                        "IO500 2018-2020, ior-hard write: 0.17-5.1 GB/s in all, from 2 to "
                        "154 servers, pieces of 47,008 bytes"),
                  "as cited")),
    field("shared.read", &GpfsParams::piece_read, "45 us", kSharedRead,
          between("8 us", "3 ms",
                  cited(kNonNegative,
                        "IO500 2018-2020, ior-hard read: 0.9-1.3 GB/s a server on "
                        "four of ten, pieces of 47,008 bytes"),
                  "as cited: 5.5 GB/s a server of two; disks 0.3, Summit 0.01-0.2")),
    field("block", &GpfsParams::block, "4 MiB",
          "file system block: a file's next block lies on the next server",
          assumed(kPositive, "default since 5.0, from memory")),
    field("inode.data", &GpfsParams::inode_data, "3.5 KiB",
          "files up to this size lie in their inode: no data request",
          between("3 KiB", "3.9 KiB", assumed(kNonNegative, "4 KiB inodes, from memory"),
                  "expert range: 4 KiB inode less its header and attributes")),
    field("client.prefetch", &GpfsParams::prefetch, "2048 MB/s",
          "most one host prefetches or writes behind (maxMBpS): set it to twice its network",
          between(
              "1.5 GB/s", "25 GB/s",
              assumed(kPositive, "product default, from memory; tuned clients reach their network"),
              "expert range: a hint to the product, tuned clients reach their network")),
    field(
        "client.pagepool", &GpfsParams::pagepool, "1 GiB",
        "memory that the client of one host keeps blocks in, read and to be written, in place of "
        "the page cache (pagepool)",
        between("1 GiB", "64 GiB",
                assumed(kPositive, "product default for years, from memory; tuned hosts have more"),
                "expert range: the default to what large hosts are given")),
    field("client.stream", &GpfsParams::stream, "2.5 GB/s",
          "most one buffered reader or writer moves (copy out of the page pool)",
          between("1.5 GB/s", "5 GB/s", assumed(kPositive, "single buffered thread 2-3 GB/s"),
                  "expert range: 2-3 GB/s as cited; large blocks more")),
    field("client.open_requests", &GpfsParams::open_requests, "2",
          "requests of one open, one after the other: the token, then the inode",
          between("1", "4", assumed(kAtLeastOne),
                  "expert range: token held 1; with directories and access lists 4")),
    kDelivered,
    field("commit", &GpfsParams::commit, "1 ms",
          "time to make one written file durable: fsync on all its servers, then the log",
          between("0.3 ms", "5 ms", assumed(kNonNegative),
                  "expert range: cache with battery 0.3 ms, flash that is flushed 5 ms"))};

class Gpfs final : public PooledStore {
 public:
  explicit Gpfs(const Component& component)
      : PooledStore(component),
        p_(as_delivered(base::bind<kGpfsFields>(component), &GpfsParams::read, &GpfsParams::write,
                        &GpfsParams::nic)) {}

  ClientLimits client_limits() const override {
    return {
        .read = p_.prefetch, .write = p_.prefetch, .own_cache = p_.pagepool, .stream = p_.stream};
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files * p_.open_requests, false);
  }

  // A file in its inode came with the open.    [gpfs.md, eq. 2]
  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved)
      return read_pieces(client, request, p_.stream, pieces(p_.read, p_.piece_read));
    return read_files(client, *file_reads(client, request));
  }
  std::optional<FileReads> file_reads(const Client&, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved) return std::nullopt;
    const bool in_inode = request.whole() <= p_.inode_data;
    ReadRequest turns = request;
    if (in_inode) turns.round_trips = 0.0;
    return FileReads{
        turns, p_.service,
        stream_cap(request.range(), p_.read, request.direct, in_inode ? 1.0 : request.round_trips),
        its_servers(request, request.file(), p_.read)};
  }

  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    // The token of a block goes from node to node with every piece.    [storage.md, eq. 10]
    if (request.sharing == FileSharing::interleaved)
      return write_pieces(client, request, p_.stream, p_.commit, token(p_.piece_write));
    return write_files(client, request, p_.service,
                       stream_cap(request.range(), p_.write, request.direct, request.requests),
                       p_.commit, its_servers(request, request.lies_in(), p_.write));
  }

  Countable countable() const override {
    return {.noun = "servers", .unit_read = p_.read, .unit_write = p_.write};
  }

  double reach(std::span<const StorageLoad::FileSet> files) const override {
    return blocks().reached(files, "random");
  }

 protected:
  // Only files of fewer blocks than servers leave some servers idle.    [gpfs.md, eq. 1]
  PoolShape pool(const StorageLoad& load) const override {
    return {.media = "nsd",
            .server = "server",
            .metadata = "inodes",
            .shared = servers() * std::max(p_.read, p_.write),
            .read = servers() * p_.read * blocks().evenness(load, reach_of(load)),
            .write = servers() * p_.write,
            .nic = p_.network(servers()),
            .targets = servers(),
            .servers = servers()};
  }

  // The rates count whole opens, the line their requests.
  double open_requests(double) const override { return p_.open_requests; }
  MetadataShape metadata() const override { return p_.metadata(servers(), p_.open_requests); }

 private:
  double servers() const { return static_cast<double>(p_.servers); }
  Striping blocks() const { return {servers(), 0.0, p_.block}; }
  SharedPieces pieces(Rate server, Seconds hold) const { return {servers(), server, hold, turn()}; }
  // Tokens of a file's blocks come from one manager, one after the other.    [gpfs.md, eq. 5]
  SharedPieces token(Seconds hold) const { return {1.0, servers() * p_.write, hold, turn()}; }
  Seconds turn() const { return round_trip() + p_.service; }
  // Of a file of fewer blocks than servers those that have one.    [gpfs.md, eq. 1]
  template <class Request>
  PlacedRate its_servers(const Request& request, Bytes file, Rate server) const {
    return {request, [this, file, server](double files) {
              return blocks().apart("random", files, file, server);
            }};
  }
  // Buffered: prefetch keeps the servers of all blocks busy, or the copy limits. O_DIRECT: one
  // block at a time, each waits its turn unless that was `answered`.
  //     s / rate = turn x max(0, s / block - answered) + s / b    [gpfs.md, eq. 3]
  StreamCap stream_cap(Bytes file, Rate server, bool direct, double answered) const {
    return direct ? ahead_cap(file, std::min(file, p_.block), turn(), server, answered)
                  : StreamCap(server * blocks().of(file), true).within(p_.stream);
  }

  GpfsParams p_;
};

}  // namespace

StorageKind gpfs_kind() { return {kInfos<kGpfsFields>, make_storage<Gpfs>}; }

}  // namespace stallcast::models
