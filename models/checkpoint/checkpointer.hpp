#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "models/checkpoint/checkpoint.hpp"
#include "models/phase_clock.hpp"
#include "models/plant.hpp"
#include "models/statistics.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// Saves one job's state. A save runs through quiesce, snapshot, serialise, write, fsync and
/// commit; training waits for all of it (sync) or for the snapshot and a free staging buffer
/// (async). docs/models/checkpoint.md.
class Checkpointer {
 public:
  Checkpointer(const JobDesign& job, Plant& plant, sim::Context& context);

  /// Whether a save is due after `steps` steps in all, at the present date.
  [[nodiscard]] bool due(std::int64_t steps) const;
  /// A save: ends when training may go on.
  [[nodiscard]] sim::Task<void> save(std::int64_t steps);
  /// Ends when everything saved is durable.
  [[nodiscard]] sim::Task<void> drain();

  /// Time training waited so far, and by resource.
  [[nodiscard]] Seconds stalled() const { return stalled_; }
  [[nodiscard]] const WaitSplit& blamed() const { return blamed_; }
  void report(const std::string& job, Seconds wall, RunResult& out) const;

  /// How each save went, in their order. Saves that had not ended have a stall and no more.
  struct Saves {
    const Series& stalls;        ///< training waited, back-pressure included
    const Series& backpressure;  ///< part of it; empty when training waits for every save
    const Series& staged;        ///< from the start until the buffer was free; empty likewise
    const Series& durations;     ///< from the start until it was durable
  };
  [[nodiscard]] Saves saves() const { return {stalls_, backpressure_, staged_, durations_}; }
  [[nodiscard]] const CheckpointParams& params() const { return p_; }
  [[nodiscard]] Bytes size() const { return size_; }

 private:
  /// Ranks of one class that write.
  struct Writer {
    std::size_t group = 0;
    double members = 1.0;
    Bytes bytes;                                        ///< per member
    std::map<std::string, Client, std::less<>> mounts;  ///< by storage system among the tiers
  };
  void add_writer(std::size_t group, double members, Bytes bytes);
  sim::Task<void> snapshot(const Writer& writer);
  sim::Task<void> write(const Writer& writer, std::string tier, bool from_nvme,
                        ResourceIndex& limit);
  sim::Task<void> snapshot_all();
  sim::Task<void> serialise();
  /// A save on storage inside the host, read to be sent on.
  sim::Task<void> read_back(const Writer& writer, std::string tier);
  /// `from`: the tier that has it, empty: host memory.
  sim::Task<void> write_all(std::string tier, std::string from);
  /// One after the other, or all at the same time when the save streams.
  sim::Task<void> phases(std::vector<sim::Task<void>> parts);
  sim::Task<void> flush(Seconds began);

  sim::Context& context_;
  Plant& plant_;
  CheckpointParams p_;
  CheckpointStyle style_;
  std::string host_;
  HostParams host_params_;
  std::vector<Writer> writers_;
  std::vector<std::string> tiers_;
  Bytes size_;
  double writer_count_ = 1.0;
  Seconds gather_;
  sim::Slots buffers_;
  sim::Signal idle_;
  std::int64_t flushing_ = 0;
  Seconds last_start_;
  std::int64_t last_steps_ = 0;
  Seconds stalled_;
  ResourceIndex last_limit_ = kNoResource;
  WaitSplit took_;    ///< all phases of all saves
  WaitSplit blamed_;  ///< those that training waited for
  ResourceIndex copy_resource_, serialize_resource_;
  Series stalls_, durations_, backpressure_, staged_;
  std::vector<std::string> warnings_;
};

}  // namespace stallcast::models
