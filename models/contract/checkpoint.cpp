#include "models/contract/checkpoint.hpp"

#include <algorithm>
#include <numeric>

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kLayouts[] = {"sharded", "rank0", "zero0", "zero1",
                                         "zero2",   "zero3", "fsdp",  "fsdp-hybrid"};
constexpr std::string_view kSharings[] = {"no", "aligned", "interleaved"};
constexpr std::string_view kDirectories[] = {"one", "own"};
constexpr std::string_view kSerializers[] = {"none", "torch", "dcp", "tensorstore"};
constexpr std::string_view kSnapshots[] = {"pinned", "pageable", "none"};
constexpr std::string_view kCommits[] = {"fsync", "rename", "in-place", "cache"};
constexpr std::string_view kVerifications[] = {"none", "read-back"};
constexpr std::string_view kCompressors[] = {"cpu", "gpu"};
constexpr std::string_view kBroadcasts[] = {"nvlink", "nics"};
constexpr std::string_view kRestores[] = {"none", "own", "all", "once"};
constexpr std::string_view kFlushes[] = {"process", "thread"};

// Share of host memory that snapshots may take: the rest is page cache, loaders and the model.
constexpr double kStagingShare = 0.5;

constexpr std::array<Field<CheckpointParams>, 37> kCommon{
    field("to", &CheckpointParams::to, kRequired,
          "id of the storage system it is written to; host-memory or peer-memory: it ends there"),
    field("every", &CheckpointParams::every, kOptional, "time between the starts of two saves",
          kPositive),
    field("every_steps", &CheckpointParams::every_steps, kOptional, "steps between two saves",
          kAtLeastOne),
    field("size", &CheckpointParams::size, kOptional,
          "size of one checkpoint; absent: parameters x bytes per parameter, or what the layout "
          "makes of the model's shape",
          kPositive),
    field(
        "layout", &CheckpointParams::layout, "sharded",
        "who writes what: sharded (DCP) and fsdp: all ranks an equal part; fsdp-hybrid: the ranks "
        "of one shard group; rank0: one rank after a gather; zero0 (also DDP): one replica; "
        "zero1, zero2: one replica the weights, all ranks the optimizer; zero3: all ranks both",
        one_of(kLayouts)),
    field("shard_group", &CheckpointParams::shard_group, kOptional,
          "fsdp-hybrid: ranks that hold one copy between them; absent: those of one host",
          kAtLeastOne),
    field("files", &CheckpointParams::files, "1", "files per writer (zero layouts: DLIO's)",
          up_to(1e6)),
    field("chunk", &CheckpointParams::chunk, kOptional,
          "size of the objects a writer cuts its part into, in place of `files` (tensorstore, "
          "Orbax)",
          kPositive),
    field("threads", &CheckpointParams::threads, "1",
          "threads of one writer, each with files of its own (DCP thread_count, tensorstore "
          "concurrency)",
          up_to(4096)),
    field("serializer", &CheckpointParams::serializer, "torch",
          "torch: one CPU pass per writer before the write; dcp: the same piece by piece with the "
          "write, and a file of the coordinator; tensorstore, none: tensors are written as they "
          "lie in memory",
          one_of(kSerializers)),
    field("serialize", &CheckpointParams::serialize, "1.5 GB/s",
          "what one writer serialises (torch.save with CRC)",
          between("0.8 GB/s", "2.2 GB/s", assumed(kPositive, "1-2 GB/s per core"),
                  "as cited; MLPerf Storage v3.0 clients save 1.78 GB/s a process")),
    field("quiesce", &CheckpointParams::quiesce, "0 ms",
          "time to bring all ranks to rest before the snapshot",
          between("0 ms", "300 ms", kNonNegative,
                  "expert range: a device synchronise and a barrier, up to a step under way")),
    field("coordinate", &CheckpointParams::coordinate, "0 s",
          "time a coordinator plans the save and gathers what was written: 0.1-10 s at 1e3 to 1e4 "
          "ranks (expert value)",
          between("0 s", "2 s", kNonNegative,
                  "expert range: as described, below 1 s up to hundreds of ranks")),
    field("stream", &CheckpointParams::stream, "false",
          "phases overlap piece by piece (as distributed checkpoint writers do); false: one after "
          "the other"),
    field("direct", &CheckpointParams::direct, "false", "write with O_DIRECT"),
    field("gds", &CheckpointParams::gds, "false",
          "sync: GPUs write to storage, and read from it, past host memory (GPUDirect Storage); "
          "bytes "
          "that a CPU pass needs (serializer torch and dcp, checksum, encrypt, compress.on cpu) "
          "bounce as without it, with a warning"),
    field("shared", &CheckpointParams::sharing, "no",
          "no: writers have files of their own; aligned: one file for all, a part each that ends "
          "where stripes end; interleaved: one file for all, in pieces of the writers in turn",
          one_of(kSharings)),
    field("piece", &CheckpointParams::piece, "1 MiB",
          "interleaved: bytes a writer writes at a time", kPositive),
    field("directories", &CheckpointParams::directories, "one",
          "one: all files of a save lie in one directory; own: each writer has its own",
          one_of(kDirectories)),
    field("snapshot", &CheckpointParams::snapshot, "pinned",
          "copy from the GPU into pinned or pageable memory; none: the state lies in host memory",
          one_of(kSnapshots)),
    field("commit", &CheckpointParams::commit, "fsync",
          "fsync: files under their final names; rename: under temporary names, then renamed, and "
          "a marker of rank 0 when there are several; in-place: under the name of the save before, "
          "which is "
          "gone when it begins; cache: sync: nobody flushes, training goes "
          "on when the page cache has the files, and a host that fails takes them along",
          one_of(kCommits)),
    field("checksum", &CheckpointParams::checksum, kOptional,
          "checksum pass of one core: CRC32C 10 GB/s, SHA-256 1.5 GB/s; absent: none", kPositive),
    field("corrupt", &CheckpointParams::corrupt, "0 %",
          "saves that cannot be loaded, which nobody notices before (silent corruption, sparse "
          "files); failures then go back further",
          between("0 %", "0.5 %", up_to(0.99, kNonNegative),
                  "expert range: rare, but no store and no serialiser is free of it")),
    field("verify", &CheckpointParams::verify, "none",
          "read-back: each writer reads its files again before the save counts, so that a bad one "
          "never does; none: a restart finds out",
          one_of(kVerifications)),
    field("encrypt", &CheckpointParams::encrypt, kOptional,
          "encryption pass of one core: AES-256-GCM 3-6 GB/s; absent: none", kPositive),
    field("compress.ratio", &CheckpointParams::compress_ratio, "1",
          "bytes before over bytes after; 1.27 for dense bf16 and fp32 state", kAtLeastOne),
    field("compress.rate", &CheckpointParams::compress_rate, "0.5 GB/s",
          "state that one core, or one GPU, compresses in a second, and decompresses",
          between("0.3 GB/s", "0.8 GB/s", assumed(kPositive, "zstd -1 on one core"),
                  "expert range: 0.3-0.5 GB/s zstd -1, 0.7 GB/s lz4")),
    field("compress.on", &CheckpointParams::compress_on, "cpu",
          "cpu: after the snapshot; gpu: before it, so that less is copied", one_of(kCompressors)),
    field("incremental.fraction", &CheckpointParams::incremental, "100 %",
          "part of the state in a save that holds only what changed: 100 % for dense Adam",
          kPositiveShare),
    field("incremental.full_every", &CheckpointParams::full_every, "10",
          "saves from one whole one to the next, when the fraction is below 100 %", up_to(1e6)),
    field("keep.last", &CheckpointParams::keep_last, kOptional,
          "checkpoints kept; older ones are deleted; absent: all", kAtLeastOne),
    field("keep.every", &CheckpointParams::keep_every, kOptional,
          "of the older ones every n-th is kept permanently", kAtLeastOne),
    field(
        "restore.read", &CheckpointParams::restore, "none",
        "a restore after the run: own: every writer reads its own files (MLPerf load); all: every "
        "replica reads what it needs; once: one replica reads and broadcasts; none",
        one_of(kRestores)),
    field("restore.broadcast", &CheckpointParams::broadcast, "nvlink",
          "where one replica reads: nvlink: a host takes each part in once and passes it on "
          "between its "
          "GPUs (NCCL); nics: each rank of a host takes in its own",
          one_of(kBroadcasts)),
    field("restore.from", &CheckpointParams::restore_from, kOptional,
          "tier it is read from; absent: the nearest, the first of `tiers`, or `to`"),
    field("restore.saved_by", &CheckpointParams::saved_by, kOptional,
          "ranks that wrote it, when not as many as read it: reads cross file borders",
          kAtLeastOne),
    field("restore.deserialize", &CheckpointParams::deserialize, "1.95 GB/s",
          "what one reader takes in (torch.load: one buffered copy, no checksum)",
          between(
              "1 GB/s", "3.5 GB/s",
              assumed(kPositive,
                      "one buffered copy of a 2-core EPYC server: write() to tmpfs, measured once"),
              "expert range: MLPerf Storage v3.0 loads 1.97 GB/s a process; cores differ by two"))};

constexpr std::array<Field<CheckpointParams>, 10> kAsync{
    field("tiers", &CheckpointParams::tiers, kOptional,
          "where a save goes in turn: host-memory, peer-memory, local-nvme, then the storage of "
          "`to`"),
    field("buffers", &CheckpointParams::buffers, "1",
          "snapshots that fit in the host memory set aside", up_to(1e6)),
    field("peers", &CheckpointParams::peers, "1",
          "copies in the memory of other hosts, when peer-memory is a tier", up_to(64)),
    field("durable", &CheckpointParams::durable, kOptional,
          "tier in which a save counts as safe; absent: the last"),
    field("flush", &CheckpointParams::flush, "process",
          "process: alongside training; thread: of the training process, which it slows down",
          one_of(kFlushes)),
    field("slowdown", &CheckpointParams::slowdown, "10 %",
          "GPU time added to each step while a thread flushes",
          between("2 %", "30 %", assumed(kNonNegative, "serialising holds Python's lock in places"),
                  "expert range: native writers 2 %, Python threads up to a third")),
    field("flush_rate", &CheckpointParams::flush_rate, kOptional,
          "most that a flush writes to storage, all writers together, to spare reads; absent: what "
          "there is",
          kPositive),
    field(
        "lazy", &CheckpointParams::lazy, "false",
        "the snapshot runs alongside the next step, whose update waits for it (DataStates); false: "
        "training waits"),
    field(
        "snapshot_first", &CheckpointParams::snapshot_first, "false",
        "the snapshot is made before the save waits for a free buffer, as a loop does that copies "
        "and then joins its writer: room for one more; false: after it"),
    field("drain_every", &CheckpointParams::drain_every, "1",
          "every n-th save goes on to the last tier; the others stay in the one before",
          up_to(1e6))};
constexpr auto kAll = joined<CheckpointParams>(kCommon, kAsync);

}  // namespace

CheckpointParams checkpoint_params(const Component& component) {
  const bool async = component.find("buffers") != nullptr;
  CheckpointParams p = async ? bind<kAll>(component) : bind<kCommon>(component);
  if (async) p.snapshot_first = p.snapshot_first && !p.lazy;
  // What ends in the memory of others lies in that of its own host, too.
  if (p.tiers.empty() && p.to == kHostMemory) p.tiers = {p.to};
  if (p.tiers.empty() && p.to == kPeerMemory) p.tiers = {std::string(kHostMemory), p.to};
  return p;
}
std::span<const FieldInfo> checkpoint_common_fields() { return kInfos<kCommon>; }
std::span<const FieldInfo> checkpoint_async_fields() { return kInfos<kAsync>; }

std::int64_t CheckpointParams::chain(std::int64_t drains) const {
  if (incremental >= Fraction::from(1.0, unit::ratio)) return 1;
  return full_every / std::gcd(full_every, drains);
}

double CheckpointParams::mean_part(std::int64_t drains) const {
  const double increments = static_cast<double>(chain(drains)) - 1.0;
  return (1.0 + increments * incremental.in(unit::ratio)) / (1.0 + increments);
}

// Number i of each `keep_every` builds on all back to its whole save, (i - 1) mod F others: of
// those that are kept of one chain the last needs what the others do.
double CheckpointParams::left_part(std::int64_t drains) const {
  if (overwrites()) return 0.0;
  if (!keep_last) return mean_part(drains);
  if (!keep_every) return 0.0;
  const std::int64_t all = chain(drains), turns = all / std::gcd(all, *keep_every);
  double left = 0.0;
  std::int64_t others = (*keep_every - 1) % all;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    if (others + *keep_every >= all)
      left += 1.0 + static_cast<double>(others) * incremental.in(unit::ratio);
    others = (others + *keep_every) % all;
  }
  return left / static_cast<double>(turns) / static_cast<double>(*keep_every);
}

void CpuPasses::add(std::string_view name, Seconds time) {
  total += time;
  if (time > longest) longest = time, worst = name;
}

// t = (S / serialize + S / compress + S' / checksum + S' / encrypt) / threads, S' = S / ratio
CpuPasses save_passes(const CheckpointParams& p, Bytes state) {
  CpuPasses out;
  const double threads = static_cast<double>(p.threads);
  const Bytes stored = p.stored(state) / threads;
  if (p.serializer == "torch" || p.serializer == "dcp")
    out.add("serialize", p.copied(state) / threads / p.serialize);
  if (p.compresses_on_cpu()) out.add("compress", state / threads / p.compress_rate);
  if (p.checksum) out.add("checksum", stored / *p.checksum);
  if (p.encrypt) out.add("encrypt", stored / *p.encrypt);
  return out;
}

CpuPasses restore_passes(const CheckpointParams& p, Bytes state) {
  CpuPasses out;
  const double threads = static_cast<double>(p.threads);
  const Bytes stored = p.stored(state) / threads;
  if (p.encrypt) out.add("encrypt", stored / *p.encrypt);
  if (p.checksum) out.add("checksum", stored / *p.checksum);
  if (p.compresses_on_cpu()) out.add("compress", state / threads / p.compress_rate);
  if (p.serializer == "torch" || p.serializer == "dcp")
    out.add("serialize", p.copied(state) / threads / p.deserialize);
  return out;
}

CpuPasses verify_passes(const CheckpointParams& p, Bytes state) {
  CpuPasses out;
  if (p.checksum)
    out.add("checksum", p.stored(state) / static_cast<double>(p.threads) / *p.checksum);
  return out;
}

Bytes staged_per_host(const CheckpointParams& p, Bytes part, Bytes size) {
  const double copies = 1.0 + (p.copies_to_peers() ? static_cast<double>(p.peers) : 0.0);
  return p.copied(std::min(part * copies, size)) * p.snapshots();  // no part of it twice
}

Bytes staging_limit(Bytes memory) { return memory * kStagingShare; }

}  // namespace stallcast::models
