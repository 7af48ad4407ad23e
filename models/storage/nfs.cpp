#include <algorithm>
#include <cmath>

#include "models/storage/kinds.hpp"
#include "models/storage/pooled_fields.hpp"
#include "models/storage/striping.hpp"

/// NFS: a NAS of one or more controllers, or a managed service. Equations, sources and valid range:
/// docs/models/nfs.md.
namespace stallcast::models {
namespace {

using namespace base;

struct NfsParams : DeliveredParams, BufferedParams, SharedFileParams {
  std::int64_t heads = 1;
  Rate head_read, head_write;
  OpRate head_ops, head_creates, directory_creates;
  Seconds head_service;
  std::optional<Rate> head_nic;
  std::optional<std::int64_t> shelves;
  Rate shelf_read, shelf_write;
  std::string transport;
  bool tls = false;
  std::int64_t nconnect = 1;
  Rate connection;
  std::int64_t slots = 1;
  Bytes request, read_ahead;
  double open_requests = 1.0;
  Seconds commit;
};

constexpr std::string_view kFlash =
    "IO500 2019, four flash NFS servers (qflash, Janelia): 17.3 and 9.7 GiB/s, 105 kops/s stat, "
    "8.6 kops/s create, over 4";
constexpr std::string_view kLinux = "Linux NFS client default, from memory";

constexpr std::string_view kNfsTransports[] = {"rdma", "tcp"};

constexpr std::array<base::Field<NfsParams>, 24> kNfsFields{
    field("head.count", &NfsParams::heads, kRequired,
          "controllers or server nodes that serve clients at the same time", up_to(1e6)),
    field("head.read", &NfsParams::head_read, "4.6 GB/s", "most one controller reads, any shelves",
          between("2 GB/s", "20 GB/s", cited(kPositive, kFlash),
                  "catalogue: VAST 2.6 GB/s per node to EFS 21 in all")),
    field("head.write", &NfsParams::head_write, "2.6 GB/s", "most one controller writes",
          between("0.8 GB/s", "8 GB/s", cited(kPositive, kFlash),
                  "expert range: VAST 0.8 GB/s per node; large controllers 8")),
    field("head.ops", &NfsParams::head_ops, "26 kops/s",
          "requests one controller answers: LOOKUP, GETATTR, OPEN, the READ of a small file",
          between("10 kops/s", "200 kops/s", cited(kPositive, kFlash),
                  "expert range: small appliances to many-core flash controllers")),
    field("head.creates", &NfsParams::head_creates, "2.2 kops/s",
          "files one controller creates, each in stable storage before the answer",
          between("1 kops/s", "20 kops/s", cited(kPositive, kFlash),
                  "expert range: logs on flash or in battery-backed memory")),
    field("directory.creates", &NfsParams::directory_creates, "0.9 kops/s",
          "files created a second in one directory, which one controller locks",
          between("0.2 kops/s", "2.2 kops/s",
                  cited(kPositive, "IO500 2019-2020, mdtest-hard create: 0.2-2.3 kops/s, 18 runs"),
                  "as cited: Isilon 0.2-0.3, VAST 0.6-2.3")),
    field("shared.write", &NfsParams::piece_write, "60 us",
          "time a piece holds a file that others write too and does not end where blocks do, "
          "besides its data: one controller orders the writes of a file",
          between("15 us", "0.6 ms",
                  cited(kNonNegative,
                        "IO500 2019-2020, ior-hard write: 0.04-2.8 GB/s in all, 18 "
                        "runs, pieces of 47,008 bytes"),
                  "as cited: Isilon 0.04-0.18, VAST 1.2-2.8 GB/s")),
    field("shared.read", &NfsParams::piece_read, "8 us",
          "the same of a piece that is read from such a file",
          between("4 us", "22 us",
                  cited(kNonNegative,
                        "IO500 2019-2020, ior-hard read: 1.7-6.4 GB/s in all, 18 "
                        "runs, pieces of 47,008 bytes"),
                  "as cited")),
    field("head.service", &NfsParams::head_service, "0.25 ms",
          "time an idle controller takes for one request, besides its data",
          between("0.15 ms", "1 ms",
                  assumed(kNonNegative, "0.2-0.3 ms on flash; AWS gives 0.25-1 ms for EFS"),
                  "expert range: 0.2-1 ms as cited; RDMA and memory less")),
    field("head.nic", &NfsParams::head_nic, kOptional,
          "network rate of one controller, each direction; without it it does not limit",
          kPositive),
    field("shelf.count", &NfsParams::shelves, kOptional,
          "drive shelves behind the controllers; without it they do not limit", up_to(1e6)),
    field("shelf.read", &NfsParams::shelf_read, "8 GB/s", "what one shelf reads",
          between("4 GB/s", "24 GB/s",
                  assumed(kPositive, "24 SAS or NVMe drives behind two 4-lane ports"),
                  "expert range: SAS shelves 4-10 GB/s, NVMe shelves 24")),
    field("shelf.write", &NfsParams::shelf_write, "4 GB/s",
          "what one shelf writes, parity included",
          between("1.5 GB/s", "12 GB/s", assumed(kPositive),
                  "expert range: SAS shelves with parity 2 GB/s, NVMe shelves 12")),
    field("client.transport", &NfsParams::transport, "tcp",
          "tcp: cores of the host move the data; rdma: its network port does",
          one_of(kNfsTransports)),
    field("client.tls", &NfsParams::tls, "false",
          "data are encrypted on the way (RPC with TLS), on cores of the host"),
    field("client.nconnect", &NfsParams::nconnect, "1",
          "connections of one host to the store (mount option nconnect)",
          cited({.minimum = 1.0, .maximum = 16.0}, kLinux)),
    field("client.connection", &NfsParams::connection, "1.5 GB/s",
          "what one connection carries; NFS over RDMA: the port's rate",
          between("1 GB/s", "2.5 GB/s",
                  assumed(kPositive, "one TCP flow 1-2.5 GB/s: one core does its receive work"),
                  "expert range: 1-2.5 GB/s as cited")),
    field("client.slots", &NfsParams::slots, "64",
          "requests in flight on one host's session, whoever asks", cited(kAtLeastOne, kLinux)),
    field("client.request", &NfsParams::request, "1 MiB", "largest READ or WRITE (rsize, wsize)",
          cited(kPositive, kLinux)),
    field("client.read_ahead", &NfsParams::read_ahead, "128 KiB",
          "bytes the kernel reads ahead in one buffered file (read_ahead_kb); 15 MiB when tuned",
          cited(kPositive,
                "Azure NetApp Files guide: 128 KiB on RHEL 8.3 and Ubuntu 18.04 or "
                "later, before 15 x rsize (read 2026-11)")),
    kBufferedStream,
    field("client.open_requests", &NfsParams::open_requests, "3",
          "requests of one open, one after the other: LOOKUP, ACCESS, and the GETATTR of close-to-"
          "open consistency; 1 with warm name caches, OPEN and GETATTR in one compound",
          between("1", "4", assumed(kAtLeastOne),
                  "expert range: warm name caches 1; deeper directories 4")),
    kDelivered,
    field("commit", &NfsParams::commit, "1 ms",
          "time to make one written file durable (COMMIT to battery-backed memory or flash)",
          between("0.2 ms", "5 ms", assumed(kNonNegative),
                  "expert range: battery-backed memory 0.2 ms; EFS writes 2.7"))};

class Nfs final : public PooledStore {
 public:
  explicit Nfs(const Component& component)
      : PooledStore(component),
        p_(as_delivered(base::bind<kNfsFields>(component), &NfsParams::head_read,
                        &NfsParams::head_write, &NfsParams::head_nic, &NfsParams::shelf_read,
                        &NfsParams::shelf_write)) {}

  // What all processes of one host get together: n connections, the slots of a session.
  //    [nfs.md, eq. 2]
  ClientLimits client_limits() const override {
    const Rate all = session_cap();
    ClientLimits out{
        .read = all, .write = all, .requests = static_cast<double>(p_.slots), .by_fabric = false};
    // In kernel threads alongside the process.    [nfs.md, eq. 5]
    if (p_.transport == "tcp") out.steps.push_back({CoreStep::Work::tcp});
    if (p_.tls) out.steps.push_back({CoreStep::Work::tls});
    out.stream = p_.stream;
    return out;
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files * p_.open_requests, false);
  }

  // Every READ that cannot be pipelined joins the same line as opens do.    [nfs.md, eq. 1]
  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    if (request.sharing == FileSharing::interleaved)
      co_return co_await read_pieces(client, request, session_cap(),
                                     pieces(heads() * p_.head_read, p_.piece_read));
    const Rate cap =
        request.direct ? direct_cap(request.bytes / request.files) : buffered_cap(request);
    const Seconds asked = context().now();
    const Seconds moves = request.bytes / std::min(cap, client.reads_at_most());
    const double requests = request.files * request.round_trips;
    Working asking;
    ask_for(asking, client, requests, request.bytes, moves);
    const Served waited = co_await data_line(client, requests);
    const Seconds began = context().now();
    Served streamed = co_await stream_in(client, request.bytes, cap);
    const Seconds took = context().now() - began;
    co_await goes_on(client, streamed, began, moves, Seconds{});
    if (began - asked > took) streamed.limited_by = waited.limited_by;
    if (asking.on) streamed = co_await end_requests(asking, client, streamed);
    co_return streamed;
  }

  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    if (request.sharing == FileSharing::interleaved)
      co_return co_await write_pieces(client, request, session_cap(), p_.commit,
                                      pieces(heads() * p_.head_write, p_.piece_write));
    const Seconds asked = context().now();
    const Created created = co_await create_files(client, request, p_.open_requests - 1.0);
    const Rate cap =
        request.direct ? direct_cap(request.range()) : std::min(p_.stream, session_cap());
    const Rate own = std::min(cap, client.writes_at_most());
    // WRITEs that wait for the one before join the line as READs do.    [nfs.md, eq. 1]
    Working asking;
    ask_for(asking, client, request.requests, request.bytes, request.bytes / own);
    co_await metadata_ops(client, request.requests, false);
    const Seconds began = context().now() + created.evenly;
    Served served = co_await stream_out(client, request.bytes, cap, Rate::infinity(),
                                        {.evenly = created.evenly});
    const Seconds made = co_await all_created(created, began, request.bytes / own);
    const bool by_line = made - asked > context().now() - made;
    // COMMIT, then the GETATTR of the close.
    co_await goes_on(client, served, began, request.bytes / own,
                     commits_of(request.files, p_.commit, created.queued));
    if (by_line) served.limited_by = created.served.limited_by;
    if (asking.on) served = co_await end_requests(asking, client, served);
    co_return served;
  }

  Countable countable() const override {
    return {.noun = "controllers", .unit_read = p_.head_read, .unit_write = p_.head_write};
  }

 protected:
  // The lower of what the controllers and the shelves behind them give.    [nfs.md, eq. 3]
  PoolShape pool(const StorageLoad&) const override {
    const Rate none = Rate::infinity();
    const double shelves = static_cast<double>(p_.shelves.value_or(0));
    const Rate drives_read = p_.shelves ? p_.shelf_read * shelves : none;
    const Rate drives_write = p_.shelves ? p_.shelf_write * shelves : none;
    return {
        .media = "head",
        .server = "network",
        .metadata = "head.ops",
        .shared = heads() * std::max(p_.head_read, p_.head_write),
        .read = std::min(PartCeiling(heads() * p_.head_read), PartCeiling("shelf", drives_read)),
        .write = std::min(PartCeiling(heads() * p_.head_write), PartCeiling("shelf", drives_write)),
        .of_media = {drives_read, drives_write},
        .behind = p_.shelves ? "shelf" : "",
        .nic = p_.head_nic ? *p_.head_nic * heads() : none,
        .targets = heads(),
        .servers = heads()};
  }

  double open_requests(double reads) const override { return p_.open_requests + reads; }
  MetadataShape metadata() const override {
    return {.servers = heads(),
            .opens = p_.head_ops,
            .creates = p_.head_creates,
            .service = p_.head_service,
            .directory_creates = p_.directory_creates};
  }

 private:
  // The file is the one target: more controllers do not serve it faster.    [storage.md, eq. 10]
  SharedPieces pieces(Rate all, Seconds hold) const { return {1.0, all, hold, turn()}; }
  double heads() const { return static_cast<double>(p_.heads); }
  Seconds turn() const { return round_trip() + p_.head_service; }
  // One buffered file moves a read-ahead window a turn; the first turn is the READ already waited
  // for, so a file within the window streams.    [nfs.md, eq. 4]
  Rate buffered_cap(const ReadRequest& request) const {
    const Bytes file = request.bytes / request.files;
    return ahead_rate(file, p_.read_ahead, turn(), std::min(p_.stream, p_.connection),
                      request.round_trips);
  }
  // An RPC goes over one connection, and a call is as many as it takes.    [nfs.md, eq. 4]
  Rate direct_cap(Bytes call) const {
    const double calls = std::max(1.0, std::ceil(call / p_.request - 1e-9));
    return std::min(session_cap(),
                    p_.connection * std::min(calls, static_cast<double>(p_.nconnect)));
  }
  // RPCs go over the connections in turn, so one file can use all of them.
  Rate session_cap() const {
    return window_rate(p_.request * static_cast<double>(p_.slots), p_.request, turn(),
                       p_.connection * static_cast<double>(p_.nconnect));
  }
  // So many requests, one after the other, in slots of the host's session.    [nfs.md, eq. 6]
  void ask_for(Working& asking, const Client& client, double requests, Bytes bytes, Seconds moves) {
    const Seconds answers = turn() * requests;
    begin_requests(asking, client, answers, bytes / p_.connection, answers + moves);
  }

  NfsParams p_;
};

}  // namespace

StorageKind nfs_kind() { return {kInfos<kNfsFields>, make_storage<Nfs>}; }

}  // namespace stallcast::models
