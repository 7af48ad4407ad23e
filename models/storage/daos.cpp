#include <algorithm>
#include <cmath>
#include <optional>

#include "models/storage/kinds.hpp"
#include "models/storage/pooled_fields.hpp"
#include "models/storage/striping.hpp"

/// DAOS behind dfuse. Equations, sources and valid range: docs/models/daos.md.
namespace stallcast::models {
namespace {

using namespace base;

struct DaosParams : DeliveredParams, MetadataParams, SharedFileParams {
  std::int64_t servers = 1, targets = 1;
  Rate read, write, nic;
  Seconds service;
  std::int64_t data = 16, parity = 3;
  Bytes cell;
  Rate client_read, client_write, stream;
  double open_requests = 1.0;
  Seconds commit;
  std::string interface;
};

constexpr std::string_view kInterfaces[] = {"dfuse", "libdfs"};
constexpr std::string_view kAurora = "ALCF documents, Aurora: 30 TB/s over 1024 servers";
constexpr std::string_view kPresque =
    "IO500 ISC20, Presque (ALCF), 10 servers: 2.10 M/s small files opened and read, 4.39 M/s "
    "created";

constexpr std::array<base::Field<DaosParams>, 21> kDaosFields{
    field("server.count", &DaosParams::servers, kRequired, "servers (two engines each)",
          up_to(1e6)),
    field("server.read", &DaosParams::read, "29.3 GB/s", "what one server reads",
          between("16 GB/s", "50 GB/s", cited(kPositive, kAurora),
                  "as stated for Aurora: 17 GB/s of 600 servers to 50 of 20")),
    field("server.write", &DaosParams::write, "29.3 GB/s",
          "what one server writes, parity included",
          between("16 GB/s", "50 GB/s", cited(kPositive, kAurora),
                  "as stated for Aurora: 17 GB/s of 600 servers to 50 of 20")),
    field("server.nic", &DaosParams::nic, "45 GB/s",
          "network of one server, all its NICs, each direction",
          between("20 GB/s", "50 GB/s",
                  cited(kPositive, "ALCF documents, Aurora: two NICs of 20-25 GB/s per server"),
                  "expert range: two NICs of 100-200 Gb/s per server")),
    field("server.targets", &DaosParams::targets, "32", "targets of one server",
          assumed(kAtLeastOne, "16 for each of two engines, from memory")),
    field("server.service", &DaosParams::service, "0.1 ms",
          "time of one data request on the server besides its data",
          between("50 us", "0.3 ms", assumed(kNonNegative, "NVMe read 70-90 us in user space"),
                  "expert range: persistent memory 50 us, NVMe in a line 0.3 ms")),
    field("server.opens", &DaosParams::opens, "210 kops/s",
          "files opened a second for each server: keys lie on all of them",
          between("60 kops/s", "400 kops/s", cited(kPositive, kPresque),
                  "expert range: ten servers were measured; large systems have less each")),
    field("server.creates", &DaosParams::creates, "438 kops/s",
          "files created a second for each server",
          between("60 kops/s", "600 kops/s", cited(kPositive, kPresque),
                  "Aurora 60 kops/s (catalogue), Presque 438 as cited")),
    field("server.open_service", &DaosParams::open_service, "30 us",
          "time one key lookup takes on an idle server",
          between("10 us", "100 us", assumed(kNonNegative, "persistent memory or DRAM"),
                  "expert range: memory 10 us, NVMe behind it 100 us")),
    field("shared.write", &DaosParams::piece_write, "2 us", kSharedWrite,
          between("0.5 us", "6 us",
                  cited(kNonNegative,
                        "IO500 ISC20-SC20, ior-hard write: 50-105 % of ior-easy, nine "
                        "runs, pieces of 47,008 bytes"),
                  "as cited: versions of extents, no locks")),
    field("shared.read", &DaosParams::piece_read, "2 us", kSharedRead,
          between("0.5 us", "6 us",
                  cited(kNonNegative,
                        "IO500 ISC20-SC20, ior-hard read: 45-95 % of ior-easy, nine "
                        "runs, pieces of 47,008 bytes"),
                  "as cited")),
    field("object.data", &DaosParams::data, "16", "data cells of a stripe (k of EC k+p)",
          cited(kAtLeastOne, "ALCF documents: EC 16+3 for large files")),
    field("object.parity", &DaosParams::parity, "3", "parity cells of a stripe; 0 = no redundancy",
          cited(kNonNegative, "ALCF documents: EC 16+3 for large files")),
    field("object.cell", &DaosParams::cell, "128 KiB", "bytes on one target before the next",
          assumed(kPositive, "from memory; 64 KiB to 1 MiB in use")),
    field(
        "client.read", &DaosParams::client_read, "10 GB/s",
        "most one host reads through its dfuse daemon",
        between("4 GB/s", "20 GB/s",
                assumed(kPositive, "one user-space daemon and a copy for all processes of a host"),
                "expert range: threads of dfuse and cores differ twofold")),
    field("client.write", &DaosParams::client_write, "10 GB/s",
          "most one host writes through its dfuse daemon",
          between("4 GB/s", "20 GB/s", assumed(kPositive),
                  "expert range: threads of dfuse and cores differ twofold")),
    field(
        "client.stream", &DaosParams::stream, "1.5 GB/s",
        "most one reader or writer moves through dfuse",
        between("0.8 GB/s", "3 GB/s",
                assumed(kPositive, "a kernel crossing and a copy for each request of up to 1 MiB"),
                "expert range: FUSE 1-2 GB/s a stream; new kernels more")),
    field(
        "client.interface", &DaosParams::interface, "dfuse",
        "dfuse: files of a mounted file system, through its daemon; libdfs: the program calls the "
        "library, which has none of the client's limits here (IO500, MPI-IO)",
        one_of(kInterfaces)),
    field("client.open_requests", &DaosParams::open_requests, "2",
          "key lookups of one open, one after the other: the entry, then the object",
          between("1", "4",
                  assumed(kAtLeastOne, "one more for each directory not in the dfuse cache"),
                  "expert range: entry known to dfuse 1; deeper directories 3-4")),
    kDelivered,
    field("commit", &DaosParams::commit, "0.1 ms", "time to make one written file durable",
          between("20 us", "0.5 ms",
                  assumed(kNonNegative, "writes are durable when they are answered"),
                  "expert range: nothing left to do, up to one more turn on all servers"))};

class Daos final : public PooledStore {
 public:
  explicit Daos(const Component& component)
      : PooledStore(component),
        p_(as_delivered(base::bind<kDaosFields>(component), &DaosParams::read, &DaosParams::write,
                        &DaosParams::nic)) {}

  ClientLimits client_limits() const override {
    if (library()) return {.page_cache = false};
    return {.read = p_.client_read, .write = p_.client_write, .stream = stream()};
  }

  double sent() const override { return overhead(Bytes::infinity()); }
  double stored(Bytes file) const override { return overhead(file); }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files * p_.open_requests, false);
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved)
      return read_pieces(client, request, stream(), pieces(p_.read, p_.piece_read, 1.0));
    return read_files(client, *file_reads(client, request));
  }
  std::optional<FileReads> file_reads(const Client&, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved) return std::nullopt;
    // A file keeps the targets of its cells busy.    [daos.md, eq. 1]
    const Rate target = target_of(p_.read);
    return FileReads{request, p_.service,
                     StreamCap(target * cells().of(request.range()), true).within(stream()),
                     its_targets(request, request.file(), target)};
  }

  // The client makes the parity, so it crosses the host's network and the fabric.  [daos.md, eq. 2]
  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    const bool in_pieces = request.sharing == FileSharing::interleaved;
    const double carried = overhead(request.range());
    WriteRequest with_parity = request;
    with_parity.bytes = request.bytes * carried;
    with_parity.sent = carried;
    with_parity.piece = request.piece * carried;
    if (in_pieces)
      return write_pieces(client, with_parity, stream() * carried, p_.commit,
                          pieces(p_.write, p_.piece_write, carried));
    return write_files(client, with_parity, p_.service, stream() * carried, p_.commit,
                       its_targets(with_parity, request.lies_in() * carried, target_of(p_.write)));
  }

  std::optional<std::string> single_copies() const override {
    if (p_.parity > 0) return {};
    return "object.parity";
  }

  Countable countable() const override {
    return {.noun = "servers",
            .unit_read = std::min(p_.read, p_.nic),
            .unit_write = std::min(p_.write, p_.nic) / sent()};
  }

  double reach(std::span<const StorageLoad::FileSet> files) const override {
    return cells().reached(files, "random");
  }

 protected:
  PoolShape pool(const StorageLoad& load) const override {
    return {.media = "target",
            .server = "server",
            .metadata = "keys",
            .shared = servers() * std::max(p_.read, p_.write),
            .read = servers() * p_.read * cells().evenness(load, reach_of(load)),
            .write = servers() * p_.write,
            .nic = servers() * p_.nic,
            .targets = servers() * static_cast<double>(p_.targets),
            .servers = servers()};
  }

  double held_targets() const override { return servers(); }
  // The rates count whole opens, the line their lookups. Keys of one directory lie on all servers.
  double open_requests(double) const override { return p_.open_requests; }
  MetadataShape metadata() const override { return p_.metadata(servers(), p_.open_requests); }

 private:
  double servers() const { return static_cast<double>(p_.servers); }
  // Processes that call the library have no daemon and no kernel between them and the servers.
  bool library() const { return p_.interface == "libdfs"; }
  Rate stream() const { return library() ? Rate::infinity() : p_.stream; }
  // A piece is a request of its own, without locks.    [storage.md, eq. 10]
  SharedPieces pieces(Rate server, Seconds hold, double carried) const {
    return {servers(), server, hold, (round_trip() + p_.service) * carried};
  }
  Rate target_of(Rate server) const { return server / static_cast<double>(p_.targets); }
  template <class Request>
  PlacedRate its_targets(const Request& request, Bytes file, Rate target) const {
    return {request, [this, file, target](double files) {
              return cells().apart("random", files, file, target);
            }};
  }
  Striping cells() const { return {servers() * static_cast<double>(p_.targets), 0.0, p_.cell}; }
  // Bytes sent for a byte written: full stripes carry p parity cells for k data cells, what is left
  // over is kept 1 + p times.    [daos.md, eq. 3]
  double overhead(Bytes file) const {
    const double k = static_cast<double>(p_.data), p = static_cast<double>(p_.parity);
    if (!file.finite()) return (k + p) / k;
    const double stripes = file / (p_.cell * k), full = std::floor(stripes + 1e-9);
    const double rest = std::max(0.0, stripes - full);
    return (full * (k + p) / k + rest * (1.0 + p)) / stripes;
  }

  DaosParams p_;
};

}  // namespace

StorageKind daos_kind() { return {kInfos<kDaosFields>, make_storage<Daos>}; }

}  // namespace stallcast::models
