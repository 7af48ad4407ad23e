#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Saving the state of a job. docs/models/checkpoint.md.
namespace stallcast::models {

/// Tiers that are not a storage system's id.
inline constexpr std::string_view kHostMemory = "host-memory";
inline constexpr std::string_view kPeerMemory = "peer-memory";
inline constexpr std::string_view kLocalNvme = "local-nvme";

/// Whether what lies in `tier` is no file but memory of hosts.
[[nodiscard]] inline bool in_memory(std::string_view tier) {
  return tier == kHostMemory || tier == kPeerMemory;
}

struct CheckpointParams {
  std::string to;
  std::optional<Seconds> every;
  std::optional<std::int64_t> every_steps;
  std::optional<Bytes> size;
  std::string layout;
  std::optional<std::int64_t> shard_group;
  std::int64_t files = 1;
  std::optional<Bytes> chunk;
  std::int64_t threads = 1;
  std::string serializer;
  Rate serialize;
  Seconds quiesce, coordinate;
  bool stream = false;
  bool direct = false;
  bool gds = false;
  std::string sharing, directories;
  Bytes piece;
  std::string snapshot, commit;
  std::optional<Rate> checksum, encrypt;
  Fraction corrupt;    ///< saves that cannot be loaded
  std::string verify;  ///< "none", "read-back"
  double compress_ratio = 1.0;
  Rate compress_rate;
  std::string compress_on;
  Fraction incremental;
  std::int64_t full_every = 1;
  std::optional<std::int64_t> keep_last, keep_every;
  std::string restore, broadcast;
  std::optional<std::string> restore_from;
  std::optional<std::int64_t> saved_by;
  Rate deserialize;

  std::vector<std::string> tiers;  ///< async: through these, one after the other
  std::int64_t buffers = 1;        ///< async: snapshots held in host memory at one time
  std::int64_t peers = 1;          ///< async: copies in other hosts' memory
  std::optional<std::string> durable;
  std::string flush = "process";
  Fraction slowdown;
  std::optional<Rate> flush_rate;
  bool lazy = false;
  bool snapshot_first = false;  ///< async: it is made before its buffer is free
  std::int64_t drain_every = 1;

  /// Whether saves end in memory: nothing is serialised, and no file is written.
  [[nodiscard]] bool ends_in_memory() const { return in_memory(to); }
  /// Whether other hosts keep copies in their memory.
  [[nodiscard]] bool copies_to_peers() const {
    return std::find(tiers.begin(), tiers.end(), kPeerMemory) != tiers.end();
  }
  /// Whether a save ends, for training, in the page cache of the hosts: nobody flushes it.
  [[nodiscard]] bool ends_in_cache() const { return commit == "cache"; }
  /// Whether a save is written over the one before, which is gone when it begins.
  [[nodiscard]] bool overwrites() const { return commit == "in-place"; }
  /// Whether a save may be written while the one before still is: from a buffer of its own, or on
  /// from a tier that is not memory.
  [[nodiscard]] bool may_overlap() const {
    return buffers > 1 || std::ranges::count_if(
                              tiers, [](const std::string& tier) { return !in_memory(tier); }) > 1;
  }
  /// Snapshots in host memory at one time.
  [[nodiscard]] double snapshots() const {
    return static_cast<double>(buffers) + (snapshot_first ? 1.0 : 0.0);
  }
  /// Phases overlap piece by piece, asked for or by the serializer's nature.
  [[nodiscard]] bool streams() const { return stream || serializer == "dcp"; }
  /// Whether a coordinator completes a save of `all_files` files with a file of its own.
  [[nodiscard]] bool coordinated(double all_files) const {
    return serializer == "dcp" || (commit == "rename" && all_files > 1.0);
  }
  /// Whether what one replica read goes from GPU to GPU inside hosts.
  [[nodiscard]] bool broadcasts_over_nvlink() const { return broadcast == "nvlink"; }
  /// Whether every rank saves all that it needs itself.
  [[nodiscard]] bool each_its_own() const {
    return layout == "sharded" || layout == "fsdp" || layout == "zero3";
  }
  /// Whether files are read again before a save counts.
  [[nodiscard]] bool reads_back() const { return verify == "read-back"; }
  [[nodiscard]] bool compresses_on_gpu() const {
    return compress_ratio > 1.0 && compress_on == "gpu";
  }
  [[nodiscard]] bool compresses_on_cpu() const {
    return compress_ratio > 1.0 && compress_on == "cpu";
  }
  /// Bytes of `state` as they are stored: compressed.
  [[nodiscard]] Bytes stored(Bytes state) const { return state / compress_ratio; }
  /// Bytes of `state` that leave the GPU: compressed when the GPU does it.
  [[nodiscard]] Bytes copied(Bytes state) const {
    return compresses_on_gpu() ? stored(state) : state;
  }
  /// Saves from one whole one to the next, of those that each `drains`-th save is one of.
  [[nodiscard]] std::int64_t chain(std::int64_t drains = 1) const;
  /// Mean part of the state in one of these.    [docs/models/checkpoint.md, eq. 9]
  [[nodiscard]] double mean_part(std::int64_t drains = 1) const;
  /// Mean part of the state that one of these leaves for ever.    [docs/models/capacity.md, eq. 4]
  [[nodiscard]] double left_part(std::int64_t drains = 1) const;
};

/// How the phases of a save relate to training: what differs between kinds.
struct CheckpointStyle {
  bool blocking = true;  ///< training waits for the write, not only for the snapshot
};

[[nodiscard]] CheckpointParams checkpoint_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> checkpoint_common_fields();
[[nodiscard]] std::span<const base::FieldInfo> checkpoint_async_fields();

/// CPU time of one writer or reader, its passes one after the other, and the longest of them.
struct CpuPasses {
  Seconds total, longest;
  std::string_view worst = "serialize";
  void add(std::string_view name, Seconds time);
};
/// Of saving `state` / of restoring it.    [docs/models/checkpoint.md, eq. 7]
[[nodiscard]] CpuPasses save_passes(const CheckpointParams& p, Bytes state);
[[nodiscard]] CpuPasses restore_passes(const CheckpointParams& p, Bytes state);
/// Of reading back what was written of `state`.    [docs/models/checkpoint.md, eq. 12]
[[nodiscard]] CpuPasses verify_passes(const CheckpointParams& p, Bytes state);

/// What a host holds for saves that have not left its memory: its own ranks save `part` of the
/// `size` of the whole job's state.    [docs/models/checkpoint.md, eq. 5]
[[nodiscard]] Bytes staged_per_host(const CheckpointParams& p, Bytes part, Bytes size);
/// Most of `memory` that snapshots may take before training would run out of it.
[[nodiscard]] Bytes staging_limit(Bytes memory);

}  // namespace stallcast::models
