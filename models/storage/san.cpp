#include <algorithm>
#include <optional>

#include "models/storage/kinds.hpp"
#include "models/storage/pooled_fields.hpp"
#include "models/storage/striping.hpp"

/// A block array behind target ports, under a file system that several hosts share. Equations,
/// sources and valid range: docs/models/san.md.
namespace stallcast::models {
namespace {

using namespace base;

struct SanParams : MetadataParams, BufferedParams {
  std::int64_t ports = 1;
  Rate port;
  std::optional<Rate> array_read, array_write, array_rate;
  OpRate ops;
  Seconds service;
  std::int64_t paths = 1, depth = 1;
  Rate path;
  Bytes request;
  Seconds cpu;
  double open_requests = 1.0;
  Seconds commit;
};

constexpr std::array<base::Field<SanParams>, 18> kSanFields{
    field("port.count", &SanParams::ports, kRequired, "target ports of the array that are in use",
          up_to(1e5)),
    field(
        "port.rate", &SanParams::port, "3.2 GB/s",
        "what one port carries, each direction: FC 32G 3.2 GB/s, FC 64G 6.4, iSCSI on 25 GbE 2.8",
        between("1.6 GB/s", "6.4 GB/s", assumed(kPositive, "FC 32G after line coding, from memory"),
                "FC 16G to FC 64G; iSCSI on 25 GbE 2.8 as stated")),
    field("array.read", &SanParams::array_read, kOptional,
          "most the controllers read, whatever the ports", kPositive),
    field("array.write", &SanParams::array_write, kOptional,
          "most the controllers write, cache mirroring and parity included", kPositive),
    field("array.rate", &SanParams::array_rate, kOptional,
          "most the controllers move, reads and writes together", kPositive),
    field("array.ops", &SanParams::ops, "500 kops/s", "requests a second of all controllers",
          between("150 kops/s", "1500 kops/s", assumed(kPositive, "mid-range flash array"),
                  "expert range: entry to high-end flash arrays; catalogue 300-800")),
    field("array.service", &SanParams::service, "0.3 ms",
          "time of one request in the array besides its data",
          between("0.1 ms", "1 ms", assumed(kNonNegative, "flash array behind two controllers"),
                  "expert range: NVMe arrays 0.1 ms; cloud volumes 0.8")),
    field("client.paths", &SanParams::paths, "2",
          "paths of one host to the array that carry data at one time (multipath, SMB "
          "multichannel)",
          assumed(kAtLeastOne, "two host ports")),
    field("client.path", &SanParams::path, "3.2 GB/s",
          "what one path carries: the host's FC port, or one TCP connection (1-2.5 GB/s)",
          between("1 GB/s", "6.4 GB/s", assumed(kPositive, "FC 32G after line coding, from memory"),
                  "one TCP connection 1-2.5 GB/s as stated; FC 64G 6.4")),
    field("client.request", &SanParams::request, "512 KiB", "largest request",
          between("256 KiB", "1 MiB", assumed(kPositive, "block layer limit of common adapters"),
                  "expert range: limits of adapters differ twofold")),
    field(
        "client.depth", &SanParams::depth, "4",
        "requests one reader or writer has in flight: read-ahead over the request, or SMB credits",
        between("1", "16", assumed(kAtLeastOne, "2 MiB of read-ahead"),
                "expert range: Linux default read-ahead 1, SMB credits 16")),
    field("client.cpu_per_op", &SanParams::cpu, "10 us",
          "CPU time of one request in the process that asks: FC 5 us, iSCSI and SMB over TCP 20-50",
          between("5 us", "50 us", assumed(kNonNegative),
                  "as stated: FC 5 us, iSCSI and SMB over TCP 20-50")),
    kBufferedStream,
    field("client.open_requests", &SanParams::open_requests, "2",
          "requests of one open to whoever holds the locks: look-up, then lock or oplock; 0 where "
          "each host has a volume of its own",
          between("1", "4", assumed(kNonNegative),
                  "expert range: lock held 1; deeper directories 4")),
    field("lock.opens", &SanParams::opens, "20 kops/s",
          "opens a second of the lock or metadata server",
          between("5 kops/s", "80 kops/s", assumed(kPositive),
                  "expert range: cluster file systems and filers differ fourfold")),
    field("lock.creates", &SanParams::creates, "3 kops/s",
          "creates a second of the lock or metadata server",
          between("1 kops/s", "10 kops/s", assumed(kPositive),
                  "expert range: cluster file systems and filers differ threefold")),
    field("lock.service", &SanParams::open_service, "0.5 ms",
          "time one of its requests takes when idle",
          between("0.15 ms", "2 ms", assumed(kNonNegative),
                  "expert range: memory look-up 0.15 ms; lock to recall 2 ms")),
    field("commit", &SanParams::commit, "1 ms",
          "time to make one written file durable: the array's mirrored cache, then the file "
          "system's journal",
          between("0.3 ms", "5 ms", assumed(kNonNegative),
                  "expert range: cache with battery 0.3 ms, flash that is flushed 5 ms"))};

class San final : public PooledStore {
 public:
  explicit San(const Component& component)
      : PooledStore(component), p_(base::bind<kSanFields>(component)) {}

  ClientLimits client_limits() const override {
    const Rate all = p_.path * static_cast<double>(p_.paths);
    return {.read = all,
            .write = all,
            .steps = {{CoreStep::Work::client, true, p_.request / p_.cpu}},
            .by_fabric = false};
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files * p_.open_requests, false);
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    return read_files(client, *file_reads(client, request));
  }
  std::optional<FileReads> file_reads(const Client&, const ReadRequest& request) override {
    // [san.md, eq. 1]
    const Bytes file = request.bytes / request.files;
    return FileReads{request, p_.service + p_.cpu,
                     stream_cap(file, request.direct, request.as_asked, request.round_trips),
                     Rate::infinity(), requests(request.bytes, file)};
  }

  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    return write_files(
        client, request, p_.service + p_.cpu,
        stream_cap(request.range(), request.direct, false, request.requests > 0.0 ? 1.0 : 0.0),
        p_.commit, Rate::infinity(), requests(request.bytes, request.range()));
  }

  Countable countable() const override {
    return {.noun = "ports", .unit_read = p_.port, .unit_write = p_.port, .separate = true};
  }

 protected:
  // Ports carry reads and writes at the same time; the controllers are a ceiling of each, and one
  // of both.
  //    [san.md, eq. 2]
  PoolShape pool(const StorageLoad& load) const override {
    const Rate ports = p_.port * static_cast<double>(p_.ports), none = Rate::infinity();
    return {.media = "media",
            .server = "port",
            .metadata = "lock",
            .shared = std::min(ports * 2.0, p_.array_rate.value_or(none)),
            .read = std::min(PartCeiling("array", p_.array_read.value_or(none)),
                             PartCeiling("array.ops", operations(load.file))),
            .write = std::min(PartCeiling("array", p_.array_write.value_or(none)),
                              PartCeiling("array.ops", operations(Bytes::infinity()))),
            .nic = ports,
            .servers = static_cast<double>(p_.ports),
            .attached = false};
  }

  double open_requests(double) const override { return p_.open_requests; }
  // Requests of all who use it, reads and writes.    [san.md, eq. 2]
  WorkShape work() const override { return {"array.ops", p_.ops.in(unit::per_s)}; }
  // The rates count whole opens, the line their requests.    [san.md, eq. 1]
  MetadataShape metadata() const override {
    return p_.metadata(1.0, p_.open_requests > 0.0 ? p_.open_requests : 1.0);
  }

 private:
  // Of the array, in pieces of so many bytes; and those of so many bytes in all.    [san.md, eq. 2]
  Rate operations(Bytes piece) const { return p_.ops * std::min(piece, p_.request); }
  Work requests(Bytes bytes, Bytes piece) const {
    return {.amount = bytes / std::min(piece, p_.request)};
  }
  // `depth` requests in flight, those of one call all; each costs its process CPU time in addition
  // to the copy; one process may use all paths. Of the first ones the `answered` turns, and the
  // first request, are waited for already.    [san.md, eq. 3]
  Rate stream_cap(Bytes file, bool direct, bool asked, double answered) const {
    if (!file.finite()) return stream_cap(p_.request, direct, false, 0.0);  // without an end
    const Bytes request = std::min(file, p_.request);
    const Rate paths = client_limits().read;
    const Bytes window = asked ? file : request * static_cast<double>(p_.depth);
    const Bytes first = std::min(file, window) * std::min(1.0, answered);
    const Seconds moving =
        first / paths +
        (file - first) / window_rate(window, request, round_trip() + p_.service, paths);
    const double calls = std::max(0.0, file / request - std::min(1.0, answered));
    const Seconds working = p_.cpu * calls + (direct ? Seconds{} : file / p_.stream);
    return file / std::max(moving, working);
  }

  SanParams p_;
};

}  // namespace

StorageKind san_kind() { return {kInfos<kSanFields>, make_storage<San>}; }

}  // namespace stallcast::models
