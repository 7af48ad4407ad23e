#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "calibration/observe/replay/step_sorter.hpp"
#include "calibration/observe/tally.hpp"
#include "engine/base/whole_files.hpp"
#include "stallcast/replay.hpp"

namespace stallcast::calibration {

/// Steps of training and waits for batches by the marks of one thread after the other.
class TrainingFigures {
 public:
  void begin_thread() { step_ = wanted_ = std::nullopt; }
  /// Marks of a thread in the order of time, in seconds.
  void add(ReplayAction mark, double at);
  /// Into "step" and "wait" of `out`; nothing where there are none.
  void finish(std::map<std::string, ReplayFigures>& out) const;

 private:
  std::optional<double> step_, wanted_;
  SecondsTally steps_, waits_;
};

/// Makes the steps of a program of operations that come thread by thread, and writes them.
class StepWriter {
 public:
  /// `process` of each thread, by its number; both outlive this. `begin` and `resolution`: of the
  /// trace, in seconds.
  StepWriter(const std::string& path, const std::vector<std::uint64_t>& process, double begin,
             double resolution);
  [[nodiscard]] bool ok() const { return ok_; }

  /// Sorted by thread and start.
  [[nodiscard]] bool add(const KeptOperation& operation);
  /// Puts the file in its place. False when it could not be written.
  [[nodiscard]] bool finish(ReplayHeader header);
  /// What was written. REQUIRES: finished.
  [[nodiscard]] const ReplayHeader& header() const { return header_; }
  /// Steps that are read, written, made durable or looked up.
  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  /// By the marks of the trace.
  [[nodiscard]] const TrainingFigures& training() const { return training_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void begin_thread(std::uint32_t thread);
  void add_mark(const KeptOperation& mark);
  void end_thread();
  [[nodiscard]] ReplayStep step_of(const KeptOperation& operation);
  /// Whether `step` went into the one before.
  [[nodiscard]] bool merged(const ReplayStep& step);
  void put_pending();
  void put(const void* data, std::size_t size);
  void chain();

  const std::vector<std::uint64_t>& process_;
  double begin_, close_together_;
  std::unique_ptr<base::FileReplacement> whole_;  ///< what `file_` writes to
  std::unique_ptr<std::FILE, Close> file_;
  bool ok_ = false;
  ReplayHeader header_;
  std::uint64_t requests_ = 0;
  std::string digest_, block_;
  std::vector<ReplayThread> threads_;
  TrainingFigures training_;

  // Of the present thread.
  std::int64_t thread_ = -1;
  std::uint64_t thread_begin_ = 0;
  bool first_ = true;
  double last_start_ = 0.0, last_end_ = 0.0;  ///< of the step before; NaN: end not told
  double seen_until_ = 0.0;                   ///< end of all that is not issued, too
  bool pending_there_ = false, reads_ = false;
  ReplayStep pending_;
  std::unordered_map<std::uint64_t, std::uint64_t> ends_;  ///< of transfers, by file
};

}  // namespace stallcast::calibration
