#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/contract/statistics.hpp"
#include "models/saving/state_mover.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// Reading a checkpoint back on all ranks of the job. docs/models/checkpoint.md, "Restore".
class Restore {
 public:
  explicit Restore(StateMover& mover) : mover_(mover) {}

  /// Whether the checkpoint asks for one.
  [[nodiscard]] bool wanted() const { return mover_.params().restore != "none"; }
  /// Where it reads from: names of tiers.
  struct Source {
    std::string tier;
    std::string replaced{};     ///< on hosts that took the place of lost ones,
    double replaced_hosts = 0;  ///< the last ones of their class
    std::string mode{};         ///< who reads; empty: as the scenario asks
    bool may_stop = false;      ///< read in pieces, so that little is under way when it stops
  };
  /// All ranks have their state again: read, CPU passes, broadcast, copy to the GPU. `state` is
  /// what one whole save and the increments on it hold, over the size of the state; `saves` their
  /// number.
  [[nodiscard]] sim::Task<void> run(double state, double saves, Source source);

  /// Its processes are gone: what they read now is the last of it, and brings nothing.
  void stop() { stopped_ = true; }

  /// The tier that the scenario asks for.
  [[nodiscard]] std::string tier() const;
  [[nodiscard]] Seconds took() const { return took_; }
  /// How the last one spent its time, along the class that ended last.
  [[nodiscard]] const WaitSplit& split() const { return split_; }
  /// Of the last one, as metrics `name`*.
  void report(const std::string& name, ResourceTable& resources, RunResult& out) const;

 private:
  [[nodiscard]] const std::string& from(const Mover& mover) const;
  sim::Task<void> load(const Mover& mover, double state, double saves);
  sim::Task<void> read(const Mover& mover, double state, double saves, WaitSplit& took);
  /// What one rank reads of the files of so many writers.
  struct Files {
    Bytes bytes;
    double count, writers;
    double company;  ///< of these bytes, what each other rank reads meanwhile
  };
  sim::Task<void> read_files(const Mover& mover, Files files, double state, double trips,
                             WaitSplit& took);
  /// What the other ranks lack, to them, at one time: from host to host, and inside hosts.
  /// Of its size in memory, `part` is moved: less where GPUs decompress.
  sim::Task<void> broadcast(const Mover& mover, double part, WaitSplit& took);
  sim::Task<void> timed(sim::Task<Served> part, WaitSplit& took);
  sim::Task<void> passes(const Mover& mover, double state, WaitSplit& took);

  StateMover& mover_;
  Source source_;
  std::string mode_;  ///< who reads
  /// Ranks that read, by tier.
  std::map<std::string, std::vector<RankShare>> readers_;
  bool stopped_ = false;
  Seconds began_, took_, rank0_, last_;
  Bytes read_;
  WaitSplit split_;  ///< along the class that ended last
};

}  // namespace stallcast::models
