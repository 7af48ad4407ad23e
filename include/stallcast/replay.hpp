#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "stallcast/prediction.hpp"

/// A trace's operations issued again against another storage system: the compact program that says
/// what is issued when, and how that went beside the trace. docs/models/replay.md.
namespace stallcast {

/// What a record of a program does.
enum class ReplayAction : std::uint8_t {
  read,
  write,
  sync,      ///< waits until what was written to the file is durable
  metadata,  ///< open, stat, directory, unlink, truncate
  none,      ///< passes time only
  post,      ///< the event `file` has come
  await,     ///< goes on `gap` after the event `file` and the step before
  want,      ///< the training loop asks for a batch
  take,      ///< ... and has it: as `await`; without an event where `file` is 0
  pass,      ///< one time through the data begins, and its first step
  step       ///< a step of training has ended, and the next begins
};

inline constexpr std::array<std::string_view, 11> kReplayActions{
    "read", "write", "sync", "metadata", "none", "post", "await", "want", "take", "pass", "step"};
[[nodiscard]] constexpr std::string_view name_of(ReplayAction action) {
  return kReplayActions[static_cast<std::size_t>(action)];
}

/// Bytes of calls in sequence that are one request, at most.
inline constexpr std::uint64_t kMostReplayedTogether = std::uint64_t{8} << 20U;

/// One record of a program. Records of one thread lie in the order they are issued.
struct ReplayStep {
  /// Seconds from the end of the step before to the start of this one; of the first step from the
  /// start of the trace; with `from_start` from the start of the step before.
  double gap = 0.0;
  std::uint64_t file = 0;              ///< 0: not known; of `post`, `await` and `take`: the event
  std::uint64_t offset = kNoPosition;  ///< byte of the file
  std::uint64_t bytes = 0;             ///< of all calls
  std::uint32_t calls = 1;             ///< of the trace, one after the other
  ReplayAction action = ReplayAction::none;
  bool from_start = false;      ///< the trace does not say when the step before ended
  bool goes_on = false;         ///< begins where the thread's transfer of this file before ended
  std::uint8_t place : 7 = 0;   ///< where the file lies: 0 the storage, N the N-th further one
  std::uint8_t direct : 1 = 0;  ///< 1: the file was opened past memory (O_DIRECT)

  static constexpr std::uint64_t kNoPosition = ~std::uint64_t{0};

  /// Of a read: requests that it is, a part of one where it was asked for ahead.
  [[nodiscard]] constexpr double requests() const {
    const double part = static_cast<double>(bytes) / static_cast<double>(kMostReplayedTogether);
    return goes_on && part < 1.0 ? part : 1.0;
  }
  /// Does it need the event `file`?
  [[nodiscard]] constexpr bool waits() const {
    return file != 0 && (action == ReplayAction::await || action == ReplayAction::take);
  }
};
static_assert(sizeof(ReplayStep) == 40 && std::is_trivially_copyable_v<ReplayStep>);

/// A thread of a program: its records are `steps` from `first` on.
struct ReplayThread {
  std::uint64_t first = 0;
  std::uint64_t steps = 0;
  std::uint64_t process = 0;  ///< from 0, in the order of ranks
};

/// How a program file begins; records follow, then the threads. Numbers as this machine has them.
struct ReplayHeader {
  std::array<char, 8> magic = kMagic;
  std::uint64_t steps = 0;
  std::uint64_t threads = 0;
  std::uint64_t processes = 0;  ///< numbers of them: 0 to one less
  std::uint64_t files = 0;      ///< that are read
  std::uint64_t readers = 0;    ///< threads that read
  double file_bytes = 0.0;      ///< extents of these files together
  double read_bytes = 0.0;      ///< of all reads
  double reads = 0.0;           ///< requests that these are
  double largest_file = 0.0;    ///< that is read
  /// That it was traced on, each with a block of as many numbers of processes; 0: not told.
  std::uint64_t machines = 0;
  std::uint64_t events = 0;       ///< that threads wait for: numbers up to it
  std::uint64_t places = 1;       ///< storage systems that its files lie on
  std::uint64_t written = 0;      ///< of these, a bit for each that is written to
  std::array<char, 64> sha256{};  ///< chained over the records and threads

  static constexpr std::array<char, 8> kMagic{'S', 'C', 'R', 'P', 'L', 'A', 'Y', '2'};
};
static_assert(std::is_trivially_copyable_v<ReplayHeader>);

/// Operations of one kind, in the trace or replayed.
struct ReplayFigures {
  std::uint64_t operations = 0;
  double bytes = 0.0;
  std::optional<double> time_s;             ///< in them, sum over threads; none: not told
  std::map<std::string, double> latency_s;  ///< "mean", "p50", "p95", "p99", "max" of one
};

/// What a replay says.
struct Replay {
  std::string trace;   ///< its first file
  std::string format;  ///< "strace"
  std::string scenario;
  std::string storage;
  std::vector<std::pair<std::string, std::string>> maps;  ///< files under a path, on another one
  std::string hosts;
  std::string speed;  ///< "keep", "fast"
  std::uint64_t processes = 0, threads = 0, operations = 0;
  std::uint64_t requests = 0;    ///< that the operations are merged into
  std::uint64_t hosts_used = 0;  ///< of the class
  double trace_makespan_s = 0.0, makespan_s = 0.0;
  std::optional<double> trace_io_s;  ///< sum over threads
  double io_s = 0.0;
  double cached_share = 0.0;   ///< of the bytes read, from memory of the hosts
  double unwritten_bytes = 0;  ///< in memory of the hosts at the end, not yet on the storage
  /// "read", "write", "sync", "metadata".
  std::map<std::string, ReplayFigures> traced, replayed;
  /// "step" and "wait" (for a batch) of the training loops that the trace marks; empty without.
  std::map<std::string, ReplayFigures> traced_training, replayed_training;
  std::vector<std::string> notes;  ///< what was not replayed, what is assumed
  Prediction prediction;           ///< resources and what limits
};

}  // namespace stallcast
