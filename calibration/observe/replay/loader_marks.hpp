#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "calibration/observe/replay/step_sorter.hpp"
#include "stallcast/operation_stream.hpp"

namespace stallcast::calibration {

/// Turns what a trace says of its loader into events that threads of a program wait for: a worker
/// begins with a batch when it was asked for it, a step takes its batch when that is ready.
///    [docs/models/replay.md, eq. 7]
class LoaderMarks {
 public:
  /// What a program gets: marks of threads, in no order. False when it could not be kept.
  using Emit = std::function<bool(const KeptOperation&)>;

  /// `op` is a mark of thread number `thread`, from `start` to `end` in seconds.
  [[nodiscard]] bool add(const Operation& op, std::uint32_t thread, double start, double end,
                         const Emit& emit);
  /// After the last of them.
  [[nodiscard]] bool finish(const Emit& emit);

  /// Events are numbered from 1 to this.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// The process of a training loop, by those of its workers where they are others.
  [[nodiscard]] const std::map<std::int64_t, std::int64_t>& owners() const { return owners_; }
  /// What was found, for people. `threads`: of the trace.
  void notes(std::uint64_t threads, std::vector<std::string>& out) const;

 private:
  /// A thread of the trace.
  struct Who {
    std::int64_t rank = 0;
    std::int64_t id = 0;       ///< as the trace numbers it
    std::uint32_t thread = 0;  ///< of the program
  };
  /// A batch that is under way.
  struct Open {
    Who worker;
    std::uint64_t asked = 0, ready = 0;  ///< events; 0: not seen
    double asked_at = 0.0, ready_at = 0.0;
  };
  /// A training loop of direct marks.
  struct Loop {
    double stepped = -1.0;  ///< below zero: since its last batch no step has ended
    bool took = false, steps = false;
  };
  struct Span {
    double start = 0.0, end = 0.0;
  };
  using Spans = std::map<std::uint32_t, std::vector<Span>>;  ///< by thread
  using Loads = std::map<std::uint64_t, Span>;               ///< of a worker, by batch
  struct Trainer;
  struct Block;

  [[nodiscard]] bool moment(const Operation& op, Who who, double at, const Emit& emit);
  [[nodiscard]] bool loop_mark(const Operation& op, Who who, double at, const Emit& emit);
  void span(const Operation& op, Who who, Span span);
  [[nodiscard]] static Block block_of(const Trainer& trainer, Span within);
  void deal(const Trainer& trainer, Block& block) const;
  [[nodiscard]] static bool in_turn(const std::vector<Block>& blocks);
  [[nodiscard]] bool emit_block(const Trainer& trainer, const Block& block, std::size_t queue,
                                const Emit& emit);

  std::uint64_t events_ = 0;
  std::unordered_map<std::uint64_t, Open> open_;
  std::unordered_map<std::uint32_t, Loop> loops_;
  std::map<std::int64_t, std::int64_t> owners_;
  Spans epochs_, evaluations_, computes_, blocks_, updates_, fetches_, saves_, inits_;
  std::map<std::uint32_t, Who> whose_;  ///< threads with spans
  std::map<std::uint32_t, Loads> loads_;
  std::size_t kept_ = 0;

  std::uint64_t taken_ = 0, known_ = 0, left_out_ = 0, out_of_turn_ = 0;
  std::size_t queue_ = 0;  ///< the most batches outstanding in a loader of spans
  bool dealt_ = false, homeless_ = false;
};

}  // namespace stallcast::calibration
