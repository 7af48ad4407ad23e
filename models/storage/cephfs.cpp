#include <algorithm>
#include <cmath>
#include <optional>

#include "models/storage/kinds.hpp"
#include "models/storage/pooled_fields.hpp"
#include "models/storage/redundancy.hpp"
#include "models/storage/striping.hpp"

/// CephFS. Equations, sources and valid range: docs/models/cephfs.md.
namespace stallcast::models {
namespace {

using namespace base;

struct CephfsParams : DeliveredParams,
                      MetadataParams,
                      BufferedParams,
                      HostClientParams,
                      SharedFileParams {
  std::int64_t osds = 1;
  Rate read, write;
  OpRate ops;
  Seconds service;
  std::optional<std::int64_t> servers;
  Rate nic;
  std::optional<Rate> back_nic;
  std::int64_t replicas = 3, data = 0, parity = 2;
  Bytes unit, object;
  double per_osd = 100.0, deviation = 5.0;
  std::int64_t mds = 1;
  Bytes read_ahead;
  Seconds commit;
};

constexpr std::string_view kOfficinalis =
    "IO500 ISC20, Officinalis, 8 servers of 8 NVMe drives: read 70.8 and write 57.5 GiB/s, one "
    "copy (its network had no room for two)";
constexpr std::string_view kMetadata =
    "IO500 ISC20, Officinalis, over 8 MDS: 174.6 kops/s created in directories of their own, 132.6 "
    "kops/s opened and read, 10.4 kops/s created in one directory";

constexpr std::array<base::Field<CephfsParams>, 29> kCephfsFields{
    field("osd.count", &CephfsParams::osds, kRequired, "object storage daemons, one a drive",
          up_to(1e6)),
    field("osd.read", &CephfsParams::read, "1.19 GB/s", "what one OSD reads",
          between("0.5 GB/s", "3 GB/s", cited(kPositive, kOfficinalis),
                  "expert range: another cluster kept 65-90 % of it; newer cores and drives more")),
    field("osd.write", &CephfsParams::write, "0.96 GB/s", "what one OSD writes to its drive",
          between("0.3 GB/s", "2 GB/s", cited(kPositive, kOfficinalis),
                  "expert range: half on another cluster, copies unknown; newer cores more")),
    field("osd.ops", &CephfsParams::ops, "20 kops/s", "requests one OSD serves",
          between("10 kops/s", "30 kops/s",
                  assumed(kPositive, "10-30 kops/s per OSD on NVMe: its CPU"),
                  "as cited: 10-30 kops/s per OSD on NVMe")),
    field("osd.service", &CephfsParams::service, "1 ms",
          "time of one request on an OSD besides its data",
          between("0.4 ms", "3 ms", assumed(kNonNegative, "about 1 ms"),
                  "expert range: tuned OSDs 0.4 ms, loaded ones several")),
    field("server.count", &CephfsParams::servers, kOptional,
          "servers the OSDs are in; without it their networks do not limit", up_to(1e6)),
    field("server.nic", &CephfsParams::nic, "100 Gb/s",
          "network of one server, each direction: clients, and other OSDs unless back_nic is given",
          between("25 Gb/s", "400 Gb/s", assumed(kPositive, "4 x 25 GbE, as Officinalis"),
                  "expert range: one 25 GbE port to two of 200 GbE")),
    field("server.back_nic", &CephfsParams::back_nic, kOptional,
          "network of one server for traffic between OSDs alone, each direction", kPositive),
    field("replicas", &CephfsParams::replicas, "3", "copies, where no erasure code is given",
          cited(kAtLeastOne, "Ceph default")),
    field("code.data", &CephfsParams::data, "0", "k of an erasure code k+m; 0 = copies",
          up_to(256.0, kNonNegative)),
    field("code.parity", &CephfsParams::parity, "2", "m of an erasure code k+m",
          assumed(kNonNegative, "4+2 and 8+3 are usual")),
    field("code.unit", &CephfsParams::unit, "4 KiB", "bytes of a stripe on one OSD",
          assumed(kPositive, "Ceph default stripe unit, from memory")),
    field("object", &CephfsParams::object, "4 MiB", "bytes of a file in one object",
          assumed(kPositive, "CephFS default layout, from memory")),
    field("pg.per_osd", &CephfsParams::per_osd, "100",
          "placement groups on one OSD, copies or pieces counted",
          between("50", "200", assumed(kAtLeastOne, "target of the autoscaler, from memory"),
                  "expert range: counts are powers of two, so around the target by 2")),
    field("pg.deviation", &CephfsParams::deviation, "5",
          "placement groups the fullest OSD has above the mean; sqrt(2 x per_osd x ln(osd.count)) "
          "without the balancer",
          between("1", "30", assumed(up_to(1e4, kNonNegative), "upmap_max_deviation, from memory"),
                  "1 with a tight balancer, about 30 without one (formula in the meaning)")),
    field("mds.count", &CephfsParams::mds, "1",
          "active MDS; directories are spread over them by pinning", up_to(1e4)),
    field("mds.opens", &CephfsParams::opens, "16.6 kops/s", "opens one MDS serves",
          between("6 kops/s", "30 kops/s", cited(kPositive, kMetadata),
                  "expert range: one system; an MDS works mostly in one thread")),
    field("mds.creates", &CephfsParams::creates, "21.8 kops/s", "creates one MDS serves",
          between("5 kops/s", "30 kops/s", cited(kPositive, kMetadata),
                  "expert range: one system; an MDS works mostly in one thread")),
    field("mds.service", &CephfsParams::open_service, "0.2 ms",
          "time one open spends in an idle MDS: lookup and capabilities",
          between("80 us", "1 ms", assumed(kNonNegative),
                  "expert range: warm cache 0.1 ms, capabilities to recall 1 ms")),
    field("directory.creates", &CephfsParams::directory_creates, "10.4 kops/s",
          "files created a second in one directory",
          between("3 kops/s", "15 kops/s", cited(kPositive, kMetadata),
                  "expert range: one system; journals and CPUs differ threefold")),
    field("directory.opens", &CephfsParams::directory_opens, "78 kops/s",
          "files opened a second in one directory",
          between("14 kops/s", "400 kops/s",
                  cited(kPositive, "IO500 ISC20, mdtest-hard stat, Officinalis: 67-418 kops/s"),
                  "as cited; 14 kops/s on SATA drives")),
    field("shared.write", &CephfsParams::piece_write, "1 ms",
          "time a process waits for a piece, besides its data, in a file that others write too: "
          "nobody may buffer, each piece is written before the next",
          between("0.6 ms", "4 ms",
                  cited(kNonNegative,
                        "IO500 ISC20, ior-hard write, Officinalis: 45-53 MB/s a "
                        "process, pieces of 47,008 bytes"),
                  "as cited; EC2 31-40 MB/s, CERN 14 on SATA drives and 10 GbE")),
    field("shared.read", &CephfsParams::piece_read, "0.7 ms",
          "the same of a piece that is read from such a file",
          between("0.4 ms", "1.5 ms",
                  cited(kNonNegative,
                        "IO500 ISC20, ior-hard read, Officinalis: 57-68 MB/s a "
                        "process, pieces of 47,008 bytes"),
                  "as cited; EC2 64-72 MB/s, CERN 38")),
    field("client.read_ahead", &CephfsParams::read_ahead, "8 MiB",
          "bytes the client reads ahead in one buffered file (rasize)",
          cited(kPositive, "mount.ceph(8): 8388608 (read 2026-11)")),
    kBufferedStream,
    kHostRead,
    kHostWrite,
    kDelivered,
    field("commit", &CephfsParams::commit, "2 ms",
          "time to make one written file durable: the last objects on all their OSDs, then the "
          "journal of the MDS",
          between("0.5 ms", "10 ms", assumed(kNonNegative),
                  "expert range: a few OSD writes one after the other, 0.4-3 ms each"))};

class Cephfs final : public PooledStore {
 public:
  explicit Cephfs(const Component& component)
      : PooledStore(component),
        p_(as_delivered(base::bind<kCephfsFields>(component), &CephfsParams::read,
                        &CephfsParams::write, &CephfsParams::nic, &CephfsParams::back_nic)) {}

  double stored(Bytes file) const override { return redundancy().stored(file); }
  ClientLimits client_limits() const override {
    ClientLimits limits = p_.client_limits();
    limits.steps = {{CoreStep::Work::tcp}};
    limits.by_fabric = false;
    limits.stream = p_.stream;
    return limits;
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files, false);
  }

  // Of a coded object the primary asks the other OSDs first: twice the turn.    [cephfs.md, eq. 1]
  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved)
      return read_pieces(client, request, p_.stream, pieces(p_.read, p_.piece_read),
                         requests(request.bytes, request.piece));
    return read_files(client, *file_reads(client, request));
  }
  std::optional<FileReads> file_reads(const Client&, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved) return std::nullopt;
    ReadRequest turns = request;
    turns.round_trips *= redundancy().coded() ? 2.0 : 1.0;
    const Bytes file = request.bytes / request.files;
    const double at_once = request.direct ? 1.0 : read_ahead().of(file);
    const StreamCap ahead =
        ahead_cap(file, p_.object * at_once, turn(), p_.read * at_once, request.round_trips);
    return FileReads{turns, p_.service, request.direct ? ahead : ahead.within(p_.stream),
                     Rate::infinity(), requests(request.bytes, file)};
  }

  // O_DIRECT: one object at a time, answered when its primary has the answers of the others.
  //    [cephfs.md, eq. 2]
  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    const Redundancy kept = redundancy();
    const double each = kept.coded() ? kept.data + kept.parity : kept.copies;
    // Clients lose the right to buffer a file that others write.    [storage.md, eq. 10]
    if (request.sharing == FileSharing::interleaved)
      return write_pieces(client, request, p_.stream, p_.commit + turn(),
                          pieces(p_.write, p_.piece_write),
                          requests(request.bytes, request.piece, each));
    const StreamCap one = window_cap(p_.object, p_.object, turn() * 2.0, p_.write);
    const auto share = [this, lies = request.lies_in()](double files) {
      return its_osds(lies, files);
    };
    return write_files(client, request, p_.service + turn(),
                       request.direct ? one : StreamCap(p_.stream), p_.commit + turn(),
                       PlacedRate(request, share), requests(request.bytes, request.range(), each));
  }

  std::optional<std::string> single_copies() const override { return redundancy().single_copies(); }

  Countable countable() const override {
    return {.noun = "OSDs",
            .unit_read = p_.read,
            .unit_write = p_.write / redundancy().stored(Bytes::infinity())};
  }

  // Copies are read from their primary, pieces of a code from all that have data.
  double reach(std::span<const StorageLoad::FileSet> files) const override {
    const double each = redundancy().coded() ? redundancy().data : 1.0;
    return Striping{osds(), 0.0, p_.object, false, each}.reached(files, "random");
  }

 protected:
  PoolShape pool(const StorageLoad& load) const override {
    const Rate none = Rate::infinity();
    const Redundancy kept = redundancy();
    const Rate front = p_.servers ? p_.nic * static_cast<double>(*p_.servers) : none;
    // Traffic between OSDs shares the front network unless it has its own.    [cephfs.md, eq. 3]
    const double gathered = kept.gathered(), forwarded = kept.forwarded();
    BothWays nic{front / (1.0 + gathered), front / (1.0 + forwarded)}, back;
    if (p_.servers && p_.back_nic) {
      const Rate all = *p_.back_nic * static_cast<double>(*p_.servers);
      nic = front;
      back = {gathered > 0.0 ? all / gathered : none, forwarded > 0.0 ? all / forwarded : none};
    }
    return {.media = "osd",
            .server = "server",
            .metadata = "mds",
            .shared = osds() * std::max(p_.read, p_.write),
            .read = disks_read(load),
            .write = disks_write(Bytes::infinity()),
            .nic = nic,
            .back = back,
            .targets = osds(),
            .servers = static_cast<double>(p_.servers.value_or(0))};
  }

  // Requests of all who use it, reads and copies written.    [cephfs.md, eq. 5]
  WorkShape work() const override { return {"osd.ops", osds() * p_.ops.in(unit::per_s)}; }
  double written(Bytes file) const override { return redundancy().stored(file); }
  MetadataShape metadata() const override { return p_.metadata(static_cast<double>(p_.mds)); }

 private:
  double osds() const { return static_cast<double>(p_.osds); }
  Seconds turn() const { return round_trip() + p_.service; }
  Redundancy redundancy() const {
    return {static_cast<double>(p_.replicas), static_cast<double>(p_.data),
            static_cast<double>(p_.parity), p_.unit};
  }
  // An OSD serves as many pieces a second as other requests; a process waits for each.
  SharedPieces pieces(Rate osd, Seconds turn) const {
    return {osds(), osd, Ops::from(1.0, unit::ops) / p_.ops, round_trip() + turn, true};
  }
  // A reader has as many objects in flight as it reads ahead, each on an OSD of its own hash.
  Striping read_ahead() const {
    return {osds(), std::max(1.0, std::floor(p_.read_ahead / p_.object)), p_.object, false};
  }
  // The fullest OSD over the mean: of pieces, what the balancer leaves; of primaries, which nobody
  // balances, the expected maximum of M random numbers of mean P / r.    [cephfs.md, eq. 4]
  double fullest_of_pieces() const { return 1.0 + p_.deviation / p_.per_osd; }
  double fullest_of_primaries() const {
    const double primaries = p_.per_osd / static_cast<double>(p_.replicas);
    return 1.0 + std::sqrt(2.0 * std::log(osds()) / primaries);
  }
  // Of an OSD, in pieces of so many bytes; and those of so many bytes in all.    [cephfs.md, eq. 5]
  Rate operations(Bytes piece) const { return p_.ops * std::min(piece, p_.object); }
  Work requests(Bytes bytes, Bytes piece, double each = 1.0) const {
    return {.amount = bytes * each / std::min(piece, p_.object), .copies = each};
  }
  Rate disks_read(const StorageLoad& load) const {
    const bool primaries = !redundancy().coded() && p_.replicas > 1;
    const double fullest = primaries ? fullest_of_primaries() : fullest_of_pieces();
    const Rate one = std::min(p_.read, operations(load.file));
    return osds() * one * std::min(1.0 / fullest, read_ahead().evenness(load, reach_of(load)));
  }
  // What one of so many files moves at that are written at one time: each of its objects lies on
  // OSDs of a hash of its own, as many as it has copies or pieces. Small coded ones keep less than
  // the pool's ceiling says.    [cephfs.md, eq. 2]
  Rate its_osds(Bytes file, double files) const {
    const Redundancy kept = redundancy();
    const double each = kept.coded() ? kept.data + kept.parity : kept.copies;
    const double on = each * std::max(1.0, std::ceil(file / p_.object));
    const Rate all = disks_write(file);
    const Rate even = all < disks_write(Bytes::infinity()) ? all / files : Rate::infinity();
    const Striping objects{osds(), on, file / on, false};
    return std::min(even, objects.apart("random", files, file, p_.write / kept.stored(file)));
  }
  Rate disks_write(Bytes file) const {
    return osds() * p_.write / (redundancy().stored(file) * fullest_of_pieces());
  }

  CephfsParams p_;
};

}  // namespace

StorageKind cephfs_kind() { return {kInfos<kCephfsFields>, make_storage<Cephfs>}; }

}  // namespace stallcast::models
