#include <algorithm>
#include <optional>

#include "models/storage/kinds.hpp"
#include "models/storage/pooled_fields.hpp"
#include "models/storage/striping.hpp"

/// BeeGFS. Equations, sources and valid range: docs/models/beegfs.md.
namespace stallcast::models {
namespace {

using namespace base;

struct BeegfsParams : DeliveredParams,
                      MetadataParams,
                      ServerParams,
                      BufferedParams,
                      SharedFileParams {
  std::int64_t targets = 1;
  Rate read, write;
  Seconds service;
  std::optional<std::int64_t> servers;
  std::int64_t mds = 1;
  std::int64_t stripe_count = 4;
  Bytes stripe_size;
  std::string placement;
  std::int64_t connections = 1;
  Seconds commit;
};

constexpr std::string_view kOracle =
    "IO500 ISC20, BeeGFS on Oracle Cloud, 270 servers of one NVMe drive each: read 746.7 and write "
    "483.7 GiB/s, 14.3 M/s stat, 2.91 M/s create";

constexpr std::array<base::Field<BeegfsParams>, 21> kBeegfsFields{
    field("target.count", &BeegfsParams::targets, kRequired, "storage targets", up_to(1e6)),
    field("target.read", &BeegfsParams::read, "2.97 GB/s", "what one target reads",
          between("1 GB/s", "12 GB/s", cited(kPositive, kOracle),
                  "expert range: a disk set to an array of NVMe drives; this is one drive")),
    field("target.write", &BeegfsParams::write, "1.92 GB/s", "what one target writes",
          between("0.8 GB/s", "8 GB/s", cited(kPositive, kOracle),
                  "expert range: a disk set to an array of NVMe drives; this is one drive")),
    field("target.service", &BeegfsParams::service, "0.25 ms",
          "time of one request on the server besides its data",
          between("0.1 ms", "0.8 ms", assumed(kNonNegative, "0.2-0.3 ms per request on flash"),
                  "expert range: 0.2-0.3 ms as cited; fast targets 0.1, loaded ones 0.8")),
    field("server.count", &BeegfsParams::servers, kOptional,
          "storage servers; without it one for each target", up_to(1e6)),
    kServerNic,
    field("mds.count", &BeegfsParams::mds, "1", "metadata servers", up_to(1e5)),
    field("mds.opens", &BeegfsParams::opens, "53 kops/s",
          "opens one metadata server serves, directories spread over all",
          between("20 kops/s", "120 kops/s",
                  assumed(kPositive, "its stat rate: IO500 ISC20, Oracle Cloud, 14.3 M/s over 270"),
                  "expert range: stat rate of one system; cores and flash differ")),
    field("mds.creates", &BeegfsParams::creates, "10.8 kops/s",
          "creates one metadata server serves, in directories of their own",
          between("4 kops/s", "30 kops/s", cited(kPositive, kOracle),
                  "expert range: one system; cores and flash differ threefold")),
    field("mds.service", &BeegfsParams::open_service, "0.1 ms",
          "time one open spends in an idle metadata server",
          between("50 us", "0.4 ms", assumed(kNonNegative),
                  "expert range: a few local file operations on flash")),
    field(
        "directory.creates", &BeegfsParams::directory_creates, "5 kops/s",
        "files created a second in one directory: it belongs to one metadata server",
        between(
            "1.8 kops/s", "11 kops/s",
            cited(kPositive,
                  "IO500 2018-2020, mdtest-hard create: 2-11 k/s, whatever the number of servers"),
            "as cited 2-11 k/s; Oracle Cloud 1.8 (IO500)")),
    field("directory.opens", &BeegfsParams::directory_opens, "50 kops/s",
          "files opened a second in one directory: it belongs to one metadata server",
          between("17 kops/s", "100 kops/s",
                  cited(kPositive, "IO500 2018-2020, mdtest-hard stat: 50 kops/s in the median"),
                  "as cited: 20-107 k/s over 27 runs")),
    field("shared.write", &BeegfsParams::piece_write, "0.2 ms", kSharedWrite,
          between("80 us", "6 ms",
                  cited(kNonNegative,
                        "IO500 2018-2020, ior-hard write: 0.22-0.32 GB/s a server of "
                        "flash, pieces of 47,008 bytes"),
                  "as cited: 0.05-0.9 GB/s a server, disks with many writers 0.005")),
    field("shared.read", &BeegfsParams::piece_read, "25 us", kSharedRead,
          between("8 us", "0.5 ms",
                  cited(kNonNegative,
                        "IO500 2018-2020, ior-hard read: 1.1-4.2 GB/s a server of "
                        "flash, pieces of 47,008 bytes"),
                  "as cited; disks 0.03-0.6 GB/s a server")),
    field("stripe.count", &BeegfsParams::stripe_count, "4",
          "targets a file lies on; 0 = all of them", cited(kNonNegative, "BeeGFS default")),
    field("stripe.size", &BeegfsParams::stripe_size, "512 KiB",
          "chunk: bytes on one target before the next",
          assumed(kPositive, "BeeGFS 7 default, from memory; examples of 8 show 1 MiB")),
    field("placement", &BeegfsParams::placement, "random", "how new files are spread over targets",
          base::one_of(kPlacements)),
    field("client.connections", &BeegfsParams::connections, "12",
          "connections of one host to one server (connMaxInternodeNum), one request on each",
          assumed(kAtLeastOne, "BeeGFS default, from memory")),
    kBufferedStream,
    kDelivered,
    field("commit", &BeegfsParams::commit, "1 ms",
          "time to make one written file durable on its targets",
          between("0.3 ms", "5 ms", assumed(kNonNegative),
                  "expert range: cache with battery 0.3 ms, flash that is flushed 5 ms"))};

class Beegfs final : public PooledStore {
 public:
  explicit Beegfs(const Component& component)
      : PooledStore(component),
        p_(as_delivered(base::bind<kBeegfsFields>(component), &BeegfsParams::read,
                        &BeegfsParams::write, &BeegfsParams::nic)) {}

  // One chunk, or a smaller request, on each connection to each server.    [beegfs.md, eq. 2]
  ClientLimits client_limits() const override {
    const double connections = static_cast<double>(p_.connections) * servers();
    return {.read = connections * chunk_cap(p_.read).rate,
            .write = connections * chunk_cap(p_.write).rate,
            .requests = connections,
            .stream = p_.stream};
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files, false);
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved)
      return read_pieces(client, request, Rate::infinity(), pieces(p_.read, p_.piece_read));
    return read_files(client, *file_reads(client, request));
  }
  std::optional<FileReads> file_reads(const Client&, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved) return std::nullopt;
    const auto placed = [this, file = request.file()](double files) {
      return striping().placed(placement_, files, file, p_.read, seed(), name());
    };
    // [beegfs.md, eq. 1]
    return FileReads{request,
                     p_.service,
                     stream_cap(request.bytes / request.files, p_.read, request.direct),
                     {request, placed}};
  }

  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    if (request.sharing == FileSharing::interleaved)
      return write_pieces(client, request, Rate::infinity(), p_.commit,
                          pieces(p_.write, p_.piece_write));
    const auto placed = [this, apart = request.apart, range = request.range(),
                         file = request.file()](double files) {
      return apart ? striping().apart(p_.placement, files, range, p_.write)
                   : striping().placed(placement_, files, file, p_.write, seed(), name());
    };
    return write_files(client, request, p_.service,
                       stream_cap(request.range(), p_.write, request.direct), p_.commit,
                       {request, placed});
  }

  Countable countable() const override {
    return {.noun = "targets", .unit_read = p_.read, .unit_write = p_.write};
  }

  double reach(std::span<const StorageLoad::FileSet> files) const override {
    return striping().reached(files, p_.placement);
  }

 protected:
  PoolShape pool(const StorageLoad& load) const override {
    return {.media = "target",
            .server = "server",
            .metadata = "mds",
            .shared = targets() * std::max(p_.read, p_.write),
            .read = targets() * p_.read * striping().evenness(load, reach_of(load)),
            .write = targets() * p_.write,
            .nic = p_.network(servers()),
            .targets = targets(),
            .servers = servers()};
  }

  double held_targets() const override { return targets(); }
  BothWays one_request() const override { return {p_.read, p_.write}; }
  MetadataShape metadata() const override { return p_.metadata(static_cast<double>(p_.mds)); }

 private:
  double targets() const { return static_cast<double>(p_.targets); }
  double servers() const { return static_cast<double>(p_.servers.value_or(p_.targets)); }
  Striping striping() const {
    return {targets(), static_cast<double>(p_.stripe_count), p_.stripe_size};
  }
  // One file over its stripes, whose servers take one piece at a time.    [storage.md, eq. 10]
  SharedPieces pieces(Rate target, Seconds hold) const {
    return {striping().width(), target, hold, round_trip() + p_.service};
  }
  // One chunk in flight: chunk / (rtt + service + chunk / b)    [storage.md, eq. 4]
  StreamCap chunk_cap(Rate target) const {
    return window_cap(p_.stripe_size, p_.stripe_size, round_trip() + p_.service, target);
  }
  // One chunk in flight to each of the file's targets.    [beegfs.md, eq. 3]
  StreamCap stream_cap(Bytes file, Rate target, bool direct) const {
    const StreamCap all = chunk_cap(target).times(striping().of(file));
    return direct ? all : all.within(p_.stream);
  }

  BeegfsParams p_;
  Placement placement_{p_.placement};
};

}  // namespace

StorageKind beegfs_kind() { return {kInfos<kBeegfsFields>, make_storage<Beegfs>}; }

}  // namespace stallcast::models
