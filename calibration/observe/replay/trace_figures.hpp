#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "calibration/observe/tally.hpp"
#include "stallcast/operation_stream.hpp"
#include "stallcast/replay.hpp"

namespace stallcast::calibration {

/// Mean and quantiles of `tally`, whose distribution is `spread`, of `out.operations` calls.
void add_latency(const SecondsTally& tally, const Distribution<Seconds>& spread,
                 ReplayFigures& out);

/// What an operation is to a replay; `none`: it only takes its time.
[[nodiscard]] ReplayAction replayed_as(OperationKind kind);

/// Counts the operations of a trace that are replayed, and those that are not.
class TraceFigures {
 public:
  /// `issued`: in the program.
  void add(const Operation& op, bool issued, bool elsewhere, double start, double end);

  [[nodiscard]] double begin() const { return begin_; }
  /// Of the trace; false without an operation.
  [[nodiscard]] bool any() const { return seen_ > 0; }
  /// What a file of the trace has beside its operations.
  void left_out(const OperationStream::LeftOut& some) {
    left_out_.transfers += some.transfers;
    left_out_.bytes += some.bytes;
  }
  [[nodiscard]] std::uint64_t transfers_left_out() const { return left_out_.transfers; }
  /// Figures and notes into `out`. `beside`: as Lanes::beside.
  void finish(Replay& out, const ReplayHeader& header, double resolution,
              std::uint64_t beside) const;
  /// Extents of files that are read, into `header`.
  void files(ReplayHeader& header) const;

 private:
  struct Kind {
    std::uint64_t operations = 0, timed = 0;
    double bytes = 0.0;
    SecondsTally latency;
  };
  void notes(Replay& out, std::uint64_t machines, double resolution, std::uint64_t beside) const;

  std::map<ReplayAction, Kind> kinds_;
  std::unordered_map<std::uint64_t, std::uint64_t> extents_;
  double begin_ = 0.0, end_ = 0.0;
  std::uint64_t seen_ = 0, issued_ = 0, untimed_ = 0, instant_ = 0;
  std::uint64_t failed_ = 0, mapped_ = 0, elsewhere_ = 0, nameless_ = 0, unplaced_ = 0;
  std::uint64_t beyond_ = 0, copied_ = 0, ringed_ = 0;
  Bytes copied_bytes_;
  OperationStream::LeftOut left_out_;
};

}  // namespace stallcast::calibration
