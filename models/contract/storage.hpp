#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/fields.hpp"
#include "engine/graph/topology.hpp"
#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/asker.hpp"
#include "models/contract/resources.hpp"
#include "models/contract/storage_requests.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

/// The contract of a storage kind. A storage system adds its servers to the topology, and serves
/// classes of clients in simulated time. Operations are chains: what is serial stays serial.
namespace stallcast::models {

/// How the storage system is used, known before the run.
struct StorageLoad {
  double concurrent_reads = 0.0;   ///< files being read at one time, all clients together
  Bytes file = Bytes::infinity();  ///< size of the smallest of those files, on average
  Bytes largest;                   ///< and of the largest; 0: nothing is read
  double files = 0.0;              ///< in all data sets on it
  Bytes stored;                    ///< bytes of these files
  bool whole = true;               ///< files are read whole, not in ranges
  bool direct = true;              ///< all of them are read with O_DIRECT
  Seconds round_trip;              ///< of the fabric between clients and servers
  Bytes data;                      ///< of all data sets that are read from it
  Bytes seen;                      ///< of that, what epochs come back to

  /// The files that somebody reads, or writes to as long as they are open.
  struct FileSet {
    std::string data;  ///< sets of one name are the same files
    double files = std::numeric_limits<double>::infinity();
    Bytes size = Bytes::infinity();  ///< of each
  };
  /// Who reads files of one size: a job, or a replay; who reads from few files: a stage, a tenant.
  struct Reader {
    std::string who;                ///< as jobs, stages and tenants are named; empty: a replay
    double concurrent_reads = 0.0;  ///< 0: nobody knows
    Bytes file = Bytes::infinity();
    FileSet of{};
  };
  std::vector<Reader> readers{};
  /// Stages and tenants that write to few files.
  struct Writer {
    std::string who;
    FileSet to{};
  };
  std::vector<Writer> writers{};
  bool others = false;            ///< tenants or stages use it, too
  bool anywhere = false;          ///< some of those, or restores, read files of any number
  bool written = true;            ///< somebody may write to it
  std::size_t savers = 0;         ///< saves it may hold that come at one time: of a job one or two
  std::size_t creators = 0;       ///< jobs that save to it, tenants and stages that use it
  std::vector<double> weights{};  ///< of all jobs and tenants, different ones from the least on
};

/// What a storage system gives the reads of one user, where that is less than it gives all.
struct OwnReads {
  std::string resource;  ///< to blame
  Rate rate = Rate::infinity();
  Rate together = Rate::infinity();  ///< all jobs, where tenants or stages get more
};
/// The same of what it writes.
struct OwnWrites {
  std::string resource;
  Rate rate;
};

/// Work that cores of the host do on every byte a client moves.    [docs/models/host.md, eq. 3]
struct CoreStep {
  enum class Work { tcp, tls, client };  ///< of the first two the host says how fast its cores are
  Work work = Work::client;
  bool process = false;          ///< by the process that reads or writes; false: by other threads
  Rate rate = Rate::infinity();  ///< client: what one core handles
};

/// What the storage client of one host may move, all its processes together, and on which cores.
struct ClientLimits {
  Rate read = Rate::infinity();
  Rate write = Rate::infinity();  ///< of what processes write, before the client adds parity
  double requests = 0.0;          ///< that servers have of them at one time; 0: of any number
  std::vector<CoreStep> steps{};
  bool by_fabric = true;  ///< moved as the fabric does: on a fabric of TCP its steps come on top
  /// Memory that its client keeps data in, in place of the page cache of the host.
  std::optional<Bytes> own_cache = std::nullopt;
  bool page_cache = true;  ///< the host copies data out of it, or takes them in with O_DIRECT
  /// What one process moves at most, as its field client.stream says; more with O_DIRECT.
  Rate stream = Rate::infinity();
};

/// Where the files lie that a class of clients opens and creates.
enum class Directories {
  usual,  ///< opened in many directories, created in one
  one,    ///< all of them in one directory
  own     ///< each process has a directory of its own
};

class OperationLine;  // models/contract/operations.hpp
class CoreMeter;      // models/contract/core_meter.hpp

/// Cores that may be waited for: a link that core time crosses, or what counts those that are busy.
/// Neither: there are enough of them.
struct HostCpu {
  sim::LinkId link{};
  CoreMeter* meter = nullptr;
};

/// Requests that servers have at one time of the hosts of a group: a link on which a second of each
/// of them is 1 B, so that those who ask share it.
struct RequestWindow {
  sim::LinkId link{};    ///< invalid: there are never too many
  double of_host = 0.0;  ///< requests
  double hosts = 0.0;    ///< of the group
};

/// A request that comes by chance, among others of its tenant that are simulated as coming evenly:
/// what it waits for those on average it waits.    [docs/models/tenants.md, eq. 3]
struct Chance {
  OpRate others;  ///< come evenly meanwhile
  Tail queued{};  ///< what it has waited for them, by the law of such waits

  void waits(Tail more) {
    const Seconds both = queued.mean + more.mean;
    if (both <= Seconds{}) return;
    queued.chance = (queued.mean * queued.chance + more.mean * more.chance) / both;
    queued.mean = both;
  }
};

/// A class of identical client processes on one host group, as the storage system sees it.
struct Client {
  std::uint64_t id = 0;               ///< of the class, in its run: what it draws is its own
  std::uint64_t process = 0;          ///< of each member: what it has open is its own
  std::size_t asker = Asker::others;  ///< whose requests are its
  std::size_t owner = 0;              ///< whose files it creates: of a job, a tenant or a stage
  std::size_t host_group = 0;         ///< where it runs: as HostSite.group
  double hosts = 1.0;                 ///< of that group
  double members = 1.0;               ///< processes acting together
  double unseen = 0.0;  ///< members that draw delays of their own, of which the longest is told
  double share = 1.0;   ///< weight of each of them on shared resources
  Rate host_read = Rate::infinity();    ///< what one process can read at most (its host)
  Rate host_write = Rate::infinity();   ///< what one process can write at most (its host)
  Rate port_write = Rate::infinity();   ///< what it can send at most, parity it makes included
  Rate core = Rate::infinity();         ///< what one process moves: its core, cuFile
  ResourceIndex held_to = kNoResource;  ///< to blame for host_write; none: its stream
  ResourceIndex reads_held_to = kNoResource, port_held_to = kNoResource;  ///< the same for those
  ResourceIndex reads_by = kNoResource, writes_by = kNoResource;          ///< the same for `core`
  Directories directories = Directories::usual;
  bool staggered = false;  ///< members do not begin at one moment: their requests come evenly
  Seconds spread{};        ///< requests of all begin evenly in so long; 0: together
  double beside = 0.0;     ///< members of other classes that ask for the same all the time
  double turns = 1.0;      ///< requests of a member that follow each other join a line so often
  double loose = 0.0;  ///< members that do not wait for each other, or groups of them; 0: all do
  Chance* chance = nullptr;             ///< it is one request that comes by chance; none: it is not
  OperationLine* operations = nullptr;  ///< that its job may begin; none: nothing limits them
  HostCpu cpu{};                        ///< of its host
  RequestWindow window{};               ///< of its host group
  sim::LinkId limit{};                  ///< of write_path: what the storage client writes at most
  std::vector<sim::LinkId> read_path;   ///< links from the media to the process's memory
  std::vector<sim::LinkId> write_path;  ///< links from the process's memory to the media
  std::vector<sim::LinkId> plain = {};  ///< of these: before the client that adds copies and parity

  [[nodiscard]] double processes() const { return members + beside; }
  /// Whether members that wait so long for answers and `move` their data go through links as a
  /// train: not where more of them would wait at a time than servers have requests of their hosts.
  [[nodiscard]] bool is_train(Seconds answers, Seconds move) const {
    const double waiting = processes() * (answers / (answers + move));
    return loose > 1.0 && !(window.link.valid() && waiting > window.of_host * hosts);
  }
  [[nodiscard]] Rate reads_at_most() const { return std::min(host_read, core); }
  /// Where so many bytes are sent for one that is written: of those that are sent.
  [[nodiscard]] Rate writes_at_most(double sent = 1.0) const {
    return std::min(std::min(host_write, core) * sent, port_write);
  }
  /// To blame where those hold it, of whose stream `stream` is.
  [[nodiscard]] ResourceIndex read_limit(ResourceIndex stream) const {
    if (reads_held_to != kNoResource && host_read <= core) return reads_held_to;
    return reads_by != kNoResource && core <= host_read * kAlike ? reads_by : stream;
  }
  [[nodiscard]] ResourceIndex write_limit(ResourceIndex stream, double sent = 1.0) const {
    const bool held = host_write <= core && host_write * sent <= port_write;
    if (held_to != kNoResource && held) return held_to;
    const bool by_port = port_write <= std::min(host_write, core) * sent;
    if (port_held_to != kNoResource && by_port) return port_held_to;
    const bool path = core <= host_write * kAlike && core * sent <= port_write * kAlike;
    return writes_by != kNoResource && path ? writes_by : stream;
  }
  static constexpr double kAlike = 1.0 + 1e-9;  ///< shares of a host are those of its GPUs
};

/// A group of identical hosts, for storage inside them.
struct HostSite {
  std::size_t group = 0;  ///< counts the groups of all host classes
  double hosts = 1.0;     ///< in the group
  graph::NodeId in, out;  ///< where data enters towards DRAM, and where it leaves
  bool used = true;       ///< somebody on hosts of this class uses it, or nobody anywhere
};

/// What a storage system stands in front of, when it holds copies only.
struct Backing {
  std::string storage;           ///< id of the storage system that holds the data
  double clients = 1.0;          ///< servers of the one in front, each a client host of it
  Rate link = Rate::infinity();  ///< of the line between both, each direction
};

/// Links between a storage system in front and its backing; their own networks included.
struct BackingPaths {
  std::vector<sim::LinkId> fill;   ///< from the media behind to the media in front
  std::vector<sim::LinkId> pass;   ///< from the media behind to the servers in front
  std::vector<sim::LinkId> drain;  ///< from the media in front to the media behind
  sim::LinkId limit{};             ///< of these: what the client of the one behind writes at most
};

/// Credits that a storage system has for its bytes, or for its requests.
struct CreditLevel {
  std::string counter;  ///< of what takes them, among what it counts
  double base = 0.0;    ///< that come back, a second
  double size = 0.0;    ///< at most
  double left = 0.0;    ///< now
};

/// Less of its rate than this serves nothing.
inline constexpr double kStopped = 1.001e-6;

/// Parts of a storage system that can fail; `service`: all of it.
enum class StoragePart { target, server, metadata, service };

class StorageModel {
 public:
  virtual ~StorageModel() = default;

  /// The storage system it stands in front of; none when it holds the data itself.
  [[nodiscard]] virtual std::optional<Backing> backing() const { return {}; }
  /// Called once after all storage systems are attached, when there is a backing.
  virtual void connect(StorageModel& backing, BackingPaths paths) {
    (void)backing;
    (void)paths;
  }

  /// Whether equal reads take different times: then readers are not folded into one class.
  [[nodiscard]] virtual bool varied() const { return false; }

  /// Adds nodes and edges named "storage.<id>. ...". Called once, before anything else.
  virtual void build(graph::Topology& topology, const StorageLoad& load) = 0;
  /// What it gives the reads of `who`, of StorageLoad::readers, where others get more. REQUIRES:
  /// built.
  [[nodiscard]] virtual std::optional<OwnReads> own_reads(const std::string& who) const {
    (void)who;
    return {};
  }
  /// The same of what one of StorageLoad::writers writes.
  [[nodiscard]] virtual std::optional<OwnWrites> own_writes(const std::string& who) const {
    (void)who;
    return {};
  }
  /// Whether it lies inside the hosts: then it has no place on the fabric, and `build_on_host` is
  /// called for every host group after `build`.
  [[nodiscard]] virtual bool local() const { return false; }
  /// Whether each host has its own: then no limit of a job holds it, and it is lost with the host.
  [[nodiscard]] virtual bool own_of_host() const { return local(); }
  virtual void build_on_host(graph::Topology& topology, const HostSite& site) {
    (void)topology, (void)site;
  }
  /// Where what lies on one of its targets or servers is nowhere else: the field that would give
  /// it a second copy or parity, "" where none would.
  [[nodiscard]] virtual std::optional<std::string> single_copies() const { return {}; }
  /// Whether what it delivers is decoded already (computational storage).
  [[nodiscard]] virtual bool decodes() const { return false; }
  /// Where reads begin and writes end.
  [[nodiscard]] virtual graph::NodeId read_source() const = 0;
  [[nodiscard]] virtual graph::NodeId write_sink() const = 0;
  /// Where the fabric is attached: data leaves for hosts at `egress`, arrives at `ingress`.
  /// REQUIRES: not local.
  [[nodiscard]] virtual graph::NodeId egress() const { return {}; }
  [[nodiscard]] virtual graph::NodeId ingress() const { return {}; }
  /// Limits of the client software on one host.
  [[nodiscard]] virtual ClientLimits client_limits() const = 0;
  /// Least bytes a client sends for a byte it writes: above 1 where it makes copies or parity. The
  /// link of its own limit carries as many, of files of any size.
  [[nodiscard]] virtual double sent() const { return 1.0; }

  /// Bytes on media for a byte of a file of this size, where small ones take more.
  ///    [docs/models/capacity.md, eq. 2]
  [[nodiscard]] virtual double stored(Bytes file) const {
    (void)file;
    return 1.0;
  }

  /// What its metadata servers do of all clients together.
  struct OpenLimit {
    OpRate files = OpRate::infinity();  ///< opened a second, at most
    std::string resource = {};          ///< to blame
  };
  /// `reads`: dependent requests that reading one of the files takes, where these join the same
  /// line. REQUIRES: built.
  [[nodiscard]] virtual OpenLimit open_limit(double reads) const {
    (void)reads;
    return {};
  }

  /// Prepares for simulated time. `round_trip` is that of the fabric; `seed` decides drawn
  /// placements.
  virtual void attach(sim::Context& context, ResourceTable& resources, Seconds round_trip,
                      std::uint64_t seed) = 0;
  /// So much of data sets will be written to it while it runs. REQUIRES: attached.
  virtual void expect(Bytes written) { (void)written; }
  /// Whether opening files takes any time.
  [[nodiscard]] virtual bool asks_to_open() const { return true; }
  /// Metadata part of opening `files` files per member, one after the other.
  virtual sim::Task<Served> open(const Client& client, double files) = 0;
  /// The same of files whose data a cache of the host holds: what is asked of the storage again.
  virtual sim::Task<Served> reopen(const Client& client, double files) {
    (void)client, (void)files;
    co_return Served{};
  }
  /// Gives `files` that a member wrote, of `each` bytes, their final names, one after the other: an
  /// operation of as long as an open, where a name is metadata.
  virtual sim::Task<Served> rename(const Client& client, double files, Bytes each) {
    (void)each;
    return open(client, files);
  }
  /// Data part of a read.
  virtual sim::Task<Served> read(const Client& client, const ReadRequest& request) = 0;
  /// Whether a read is ever one transfer.
  [[nodiscard]] virtual bool reads_once() const { return false; }
  /// The same where it is one transfer: who asks makes it at once, without a program in between,
  /// and calls `read_ended` when it has ended. Whether it is; if not, nothing was asked for.
  [[nodiscard]] virtual bool read_once(const Client& client, const ReadRequest& request,
                                       OneTransfer& told) {
    (void)client, (void)request, (void)told;
    return false;
  }
  [[nodiscard]] virtual Served read_ended(const Client& client, const OneTransfer& told,
                                          const sim::FlowOutcome& flow) {
    (void)client, (void)told, (void)flow;
    return {};
  }
  /// Creates, writes, flushes to stable media (fsync) and closes.
  virtual sim::Task<Served> write(const Client& client, const WriteRequest& request) = 0;
  /// Adds what only the model knows (queues) to the result; `wall` is the time to average over.
  virtual void report(Seconds wall, std::vector<ResourceUse>& out) const = 0;

  /// Adds what it served so far that has a price, or takes credits.
  virtual void count_requests(RequestCounts& out) const { (void)out; }
  /// What it lives on besides, if anything.
  [[nodiscard]] virtual std::vector<CreditLevel> credits() const { return {}; }
  /// The run is over, which took `wall`: a restore may follow.
  virtual void over(Seconds wall) { (void)wall; }
  /// Mean number of requests waiting (not in service) at each of its lines, by resource name.
  [[nodiscard]] virtual std::vector<std::pair<std::string, double>> queues(Seconds wall) const {
    (void)wall;
    return {};
  }

  /// What `plan` counts, and what one of it reads and writes: for bounds.
  struct Countable {
    std::string noun = "OSTs";
    Rate unit_read;
    Rate unit_write;
    bool separate = false;  ///< a unit reads and writes as much as it would of one alone
    bool per_host = false;  ///< a unit is one of each host, which has its own
  };
  [[nodiscard]] virtual Countable countable() const = 0;
  /// Share of its targets that these files lie on, as many as would be asked for as much as they
  /// are if all of those were asked for alike.    [docs/models/storage.md, eq. 5]
  [[nodiscard]] virtual double reach(std::span<const StorageLoad::FileSet> files) const {
    (void)files;
    return 1.0;
  }
  /// How many of `part` there are; 0 when the kind has none that fail one by one.
  [[nodiscard]] virtual double parts(StoragePart part) const {
    (void)part;
    return 0.0;
  }
  /// Why none of its parts can fail by itself, although it has some; "" where that is not so.
  [[nodiscard]] virtual std::string why_whole() const { return ""; }
  /// From now on `part` gives `factor` times its present rate: how faults begin and end. A factor
  /// of 1e-6 or less stops it. REQUIRES: attached, and parts(part) > 0.
  virtual void scale(StoragePart part, double factor) {
    (void)part;
    (void)factor;
  }
  /// Whether a cache of it starts empty, so that first epochs read slower than later ones.
  [[nodiscard]] virtual bool fills() const { return false; }
  /// What it remembers between operations. Only kinds that answer are ever skipped.
  virtual void describe(sim::Ledger& ledger) { ledger.never(); }
  /// What else there is to report of a run: metrics named "storage.<id>. ..." and warnings.
  virtual void remark(RunResult& out) const { (void)out; }
};

}  // namespace stallcast::models
