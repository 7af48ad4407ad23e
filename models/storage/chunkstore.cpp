#include <algorithm>
#include <optional>

#include "models/storage/kinds.hpp"
#include "models/storage/pooled_fields.hpp"
#include "models/storage/redundancy.hpp"
#include "models/storage/striping.hpp"

/// Chunk stores: 3FS (chains of replicas), Tectonic (erasure coding by the client). Equations,
/// sources and valid range: docs/models/chunkstore.md.
namespace stallcast::models {
namespace {

using namespace base;

struct ChunkstoreParams : MetadataParams, HostClientParams {
  std::int64_t nodes = 1, targets = 1;
  Rate read, write, nic;
  Seconds service;
  std::int64_t replicas = 3, data = 0, parity = 0;
  Bytes chunk, piece;
  std::int64_t stripe_count = 0, in_flight = 1;
  std::int64_t meta = 1;
  Rate stream;
  Seconds commit;
};

constexpr std::string_view k3fs =
    "3FS README: 6.6 TiB/s read by 500 clients from 180 nodes of 16 NVMe drives and 2 x 200 Gb/s";

constexpr std::array<base::Field<ChunkstoreParams>, 21> kChunkstoreFields{
    field("node.count", &ChunkstoreParams::nodes, kRequired, "storage nodes", up_to(1e6)),
    field("node.read", &ChunkstoreParams::read, "40.3 GB/s", "what one node reads from its drives",
          between("10 GB/s", "80 GB/s", cited(kPositive, k3fs),
                  "expert range: flash nodes of 4 to 24 NVMe drives")),
    field("node.write", &ChunkstoreParams::write, "20 GB/s",
          "what one node writes to its drives, copies and parity counted",
          between("4 GB/s", "40 GB/s", assumed(kPositive, "half of what it reads"),
                  "expert range: flash nodes of 4 to 24 NVMe drives")),
    field("node.nic", &ChunkstoreParams::nic, "400 Gb/s",
          "network of one node, all its ports, each direction",
          between("100 Gb/s", "800 Gb/s", cited(kPositive, k3fs),
                  "expert range: one 100 Gb/s port to two of 400 Gb/s")),
    field("node.targets", &ChunkstoreParams::targets, "16", "drives of one node, a target each",
          cited(kAtLeastOne, k3fs)),
    field("node.service", &ChunkstoreParams::service, "0.2 ms",
          "time of one request on a node besides its data",
          between("0.1 ms", "0.8 ms", assumed(kNonNegative, "NVMe read 70-90 us, and the service"),
                  "expert range: NVMe 70-90 us as cited and the queues of a busy service")),
    field("replicas", &ChunkstoreParams::replicas, "3",
          "copies in a chain, where no code is given: all are written, any is read",
          assumed(kAtLeastOne, "usual; 2 in some installations")),
    field("code.data", &ChunkstoreParams::data, "0",
          "k of an erasure code k+p that the client computes; 0 = chains",
          up_to(256.0, kNonNegative)),
    field("code.parity", &ChunkstoreParams::parity, "6", "p of an erasure code k+p",
          assumed(kNonNegative, "Reed-Solomon 9+6")),
    field("code.piece", &ChunkstoreParams::piece, "1 MiB", "bytes of a stripe on one node",
          assumed(kPositive)),
    field("chunk", &ChunkstoreParams::chunk, "1 MiB", "bytes of a file on one target",
          assumed(kPositive, "chosen for each directory")),
    field("stripe.count", &ChunkstoreParams::stripe_count, "0",
          "targets or chains a file lies on; 0 = all of them", kNonNegative),
    field("meta.count", &ChunkstoreParams::meta, "3",
          "metadata servers, without state of their own, before one transactional store",
          assumed(up_to(1e5))),
    field("meta.opens", &ChunkstoreParams::opens, "50 kops/s", "opens one metadata server serves",
          between("15 kops/s", "150 kops/s",
                  assumed(kPositive, "key-value reads of a transactional store"),
                  "expert range: cores and the store behind differ threefold")),
    field("meta.creates", &ChunkstoreParams::creates, "10 kops/s",
          "creates one metadata server serves",
          between("3 kops/s", "30 kops/s", assumed(kPositive, "one transaction each"),
                  "expert range: conflicts and the store behind differ threefold")),
    field("meta.service", &ChunkstoreParams::open_service, "0.3 ms",
          "time one open spends in an idle metadata server",
          between("0.1 ms", "1 ms", assumed(kNonNegative, "two lookups in the store behind it"),
                  "expert range: two lookups of 0.05-0.5 ms")),
    field("client.in_flight", &ChunkstoreParams::in_flight, "8",
          "chunks one reader or writer has in flight",
          between("2", "32", assumed(kAtLeastOne),
                  "expert range: FUSE reads ahead a few chunks, native clients 32")),
    field("client.stream", &ChunkstoreParams::stream, "1.5 GB/s",
          "most one reader or writer moves: a kernel crossing and a copy (FUSE); more with the "
          "native interface (USRBIO)",
          between("0.8 GB/s", "3 GB/s", assumed(kPositive, "as other file systems in user space"),
                  "expert range: FUSE 1-2 GB/s a stream; new kernels more")),
    kHostRead,
    kHostWrite,
    field("commit", &ChunkstoreParams::commit, "1 ms",
          "time to record the length of one written file",
          between("0.3 ms", "5 ms", assumed(kNonNegative),
                  "expert range: one or two transactions of the metadata store"))};

class Chunkstore final : public PooledStore {
 public:
  explicit Chunkstore(const Component& component)
      : PooledStore(component), p_(base::bind<kChunkstoreFields>(component)) {}

  ClientLimits client_limits() const override {
    ClientLimits limits = p_.client_limits();
    limits.stream = p_.stream;
    return limits;
  }

  double sent() const override { return sent(none_ending()); }
  double stored(Bytes file) const override { return kept().stored(file); }

  sim::Task<Served> open(const Client& client, double files) override {
    return metadata_ops(client, files, false);
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    return read_files(client, *file_reads(client, request));
  }
  std::optional<FileReads> file_reads(const Client&, const ReadRequest& request) override {
    // [chunkstore.md, eq. 1]
    const Bytes file = request.bytes / request.files;
    const double at_once = ahead().of(file);
    const StreamCap window =
        ahead_cap(file, p_.chunk * at_once, turn(), target(p_.read) * at_once, request.round_trips);
    // One file of all readers lies on its chains, each copy of which answers.
    const auto its_chains = [this, file = request.file()](double) {
      return target(p_.read) * (striping().of(file) * (kept().coded() ? 1.0 : kept().copies));
    };
    return FileReads{
        request, p_.service, window.within(p_.stream),
        request.sharing == FileSharing::own ? PlacedRate() : PlacedRate(request, its_chains)};
  }

  // A chain answers when its tail has the chunk: a turn for every copy.    [chunkstore.md, eq. 2]
  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    const Bytes file = request.bytes / request.files;
    const double hops = kept().coded() ? 1.0 : kept().copies;
    const StreamCap window =
        window_cap(p_.chunk, p_.chunk, turn(), target(p_.write)).times(ahead().of(file) / hops);
    WriteRequest with_parity = request;
    with_parity.bytes = request.bytes * sent(file);
    with_parity.sent = sent(file);
    const StreamCap cap = window.within(p_.stream).times(sent(file));
    const Striping lies = on_targets();
    const Rate one = target(p_.write);
    const Bytes on_them = request.file() * sent(file);
    const auto placed = [this, lies, one, on_them, apart = request.apart](double files) {
      return apart ? lies.apart("round-robin", files, on_them, one)
                   : lies.placed("round-robin", files, on_them, one, seed(), name());
    };
    return write_files(client, with_parity, turn() * hops - round_trip(), cap, p_.commit,
                       {request, placed});
  }

  std::optional<std::string> single_copies() const override { return kept().single_copies(); }

  Countable countable() const override {
    const double o = stored(none_ending()), s = sent();
    return {.noun = "nodes",
            .unit_read = std::min(p_.read, p_.nic),
            .unit_write = std::min(p_.write / o, p_.nic / std::max(o, s))};
  }

  double reach(std::span<const StorageLoad::FileSet> files) const override {
    return on_targets().reached(files, "round-robin");
  }

 protected:
  // Chains: a written byte crosses the network of as many nodes as it has copies. Coded: the client
  // has sent all of it.    [chunkstore.md, eq. 3]
  PoolShape pool(const StorageLoad& load) const override {
    const double carried = sent(), o = stored(none_ending());
    return {.media = "target",
            .server = "node",
            .metadata = "meta",
            .shared = nodes() * std::max(p_.read, p_.write),
            .read = nodes() * p_.read * ahead().evenness(load, reach_of(load)),
            .write = nodes() * p_.write * (carried / o),
            .nic = {nodes() * p_.nic, nodes() * p_.nic * (carried / o)},
            .targets = nodes(),
            .servers = nodes()};
  }

  // Of a code, the client has sent all of it.
  double written(Bytes) const override { return kept().coded() ? 1.0 : kept().copies; }
  MetadataShape metadata() const override { return p_.metadata(static_cast<double>(p_.meta)); }

 private:
  static Bytes none_ending() { return Bytes::infinity(); }  // a file without a rest
  double nodes() const { return static_cast<double>(p_.nodes); }
  Seconds turn() const { return round_trip() + p_.service; }
  Rate target(Rate node) const { return node / static_cast<double>(p_.targets); }
  Striping striping() const {
    return {nodes() * static_cast<double>(p_.targets), static_cast<double>(p_.stripe_count),
            p_.chunk};
  }
  // Each target of a chain gets all that the chain gets, those of a code their pieces.
  Striping on_targets() const {
    Striping out = striping();
    if (kept().coded())
      out.size = p_.piece;
    else
      out.copies = kept().copies;
    return out;
  }
  // Chunks that a reader or writer has in flight lie on different targets.
  Striping ahead() const {
    const double most = static_cast<double>(p_.in_flight), count = striping().count;
    return {striping().targets, count == 0.0 ? most : std::min(count, most), p_.chunk};
  }
  Redundancy kept() const {
    return {static_cast<double>(p_.replicas), static_cast<double>(p_.data),
            static_cast<double>(p_.parity), p_.piece};
  }
  /// Bytes the client sends for a byte written.
  double sent(Bytes file) const { return kept().coded() ? kept().stored(file) : 1.0; }

  ChunkstoreParams p_;
};

}  // namespace

StorageKind chunkstore_kind() { return {kInfos<kChunkstoreFields>, make_storage<Chunkstore>}; }

}  // namespace stallcast::models
