#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stallcast/operation_stream.hpp"
#include "stallcast/replay.hpp"

namespace stallcast::calibration {

/// An operation as it is kept until all of its thread are there.
struct KeptOperation {
  double start = 0.0;  ///< seconds since the trace began
  double end = 0.0;    ///< NaN: not told
  std::uint64_t number = 0;
  std::uint64_t file = 0;
  std::uint64_t offset = 0;  ///< ReplayStep::kNoPosition: not told
  std::uint64_t bytes = 0;
  std::uint32_t thread = 0;
  std::uint32_t calls = 1;
  OperationKind kind = OperationKind::other;
  /// Of kind `mark`: `post`, `await`, `want`, `take`, `pass` or `step`; `file` is then its event,
  /// and `end` when the event came.
  ReplayAction mark = ReplayAction::none;
  bool issued = false;  ///< of what a replay issues; else only its time counts
  /// Of the same moment in a thread: a batch is ready (0) before what ends and begins a wait (1),
  /// and that is before operations that begin then.
  std::uint8_t turn = 2;
  std::uint8_t place = 0;  ///< as ReplayStep::place
  bool direct = false;     ///< O_DIRECT
};

/// Sorts operations by thread and start, in memory as long as they are few, else in files that go
/// with this.
class StepSorter {
 public:
  /// `folder`: where files are made. `most`: operations in memory.
  explicit StepSorter(std::string folder, std::size_t most = std::size_t{1} << 19U)
      : folder_(std::move(folder)), most_(most) {}

  /// False when a file could not be written.
  [[nodiscard]] bool add(const KeptOperation& operation);
  /// All of them in order. Once only; false when a file could not be read, or `each` said so.
  [[nodiscard]] bool drain(const std::function<bool(const KeptOperation&)>& each);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[nodiscard]] bool spill();
  void sort();

  std::string folder_;
  std::size_t most_;
  std::uint64_t number_ = 0;
  std::vector<KeptOperation> kept_;
  std::vector<std::unique_ptr<std::FILE, Close>> runs_;
};

}  // namespace stallcast::calibration
