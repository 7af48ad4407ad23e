#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "calibration/observe/live/merged_tally.hpp"
#include "calibration/observe/live/side_file.hpp"
#include "stallcast/observation.hpp"

namespace stallcast::calibration::live {

/// What the hooks of all processes have noted, in bounded memory.
class HookTotals {
 public:
  void add(const SideFile& file);
  [[nodiscard]] bool any() const { return processes_ > 0; }
  /// Steps, loader, samples, saves and loads, ranks and figures.
  void tell(Observation& out) const;

  /// What is known of the process with this number.
  struct Process {
    std::optional<std::int64_t> rank;
    bool worker = false;
    std::uint64_t steps = 0;
  };
  [[nodiscard]] const Process* process(pid_t pid) const;

 private:
  /// Of the loader that trains; where no values name their loader, of all.
  [[nodiscard]] const MergedTally& of(SideKind kind, int loader) const;
  [[nodiscard]] int training_loader() const;
  void tell_steps(int loader, Observation& out) const;
  void tell_loader(int loader, Observation& out) const;
  void tell_samples(int loader, Observation& out) const;
  void tell_saves(Observation& out) const;
  void tell_figures(int loader, Observation& out) const;

  std::map<std::pair<SideKind, int>, MergedTally> tallies_;
  std::map<int, double> passes_;  ///< most of one process, by loader
  /// Of each loader, also of those that were not measured.
  std::array<double, 4> intervals_of_{}, steps_of_{}, samples_of_{};
  std::map<pid_t, Process> known_;
  std::uint64_t processes_ = 0, trainers_ = 0;
  std::optional<std::int64_t> world_;
  double samples_ = 0.0, measured_ = 0.0, errors_ = 0.0, syncs_ = 0.0, sync_time_ = 0.0,
         in_memory_ = 0.0;
  double trainer_hooks_ = 0.0;  ///< the most of one process that is no worker
  double worker_hooks_ = 0.0;   ///< of all workers
  double worker_starts_ = 0.0;  ///< and of these before their first samples
  bool asynchronous_ = false;
  std::string facts_;
};

}  // namespace stallcast::calibration::live
