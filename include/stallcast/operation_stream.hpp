#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stallcast/units.hpp"

/// The operations of a trace, one after the other: what observations are counted from, and what a
/// replay issues again. A stream holds no more than one operation and what it needs to read the
/// next, so that traces larger than memory pass through.
namespace stallcast {

/// More than a kernel numbers processes: ranks of machine m, where each has the numbers of its
/// kernel, lie from m times this on.
inline constexpr std::int64_t kMostPids = std::int64_t{1} << 22U;

/// What an operation did to its file. Kinds from `open` to `other` carry no bytes, but for `copy`.
enum class OperationKind {
  read,
  write,
  open,
  close,
  seek,
  stat,       ///< of a path or an open file; access, too
  sync,       ///< fsync, sync
  data_sync,  ///< fdatasync, sync_file_range
  directory,  ///< opendir, readdir, mkdir, rmdir
  unlink,     ///< unlink, rename, link
  truncate,   ///< truncate, fallocate, trim of a block device
  map,        ///< mmap of a file: its bytes are read past any trace of calls
  copy,       ///< sendfile, copy_file_range: bytes from one file to another within the kernel
  ring,       ///< io_uring_enter, io_submit: calls handed over whose ends the trace does not show
  other,      ///< all that concerns a file and is none of these
  mark        ///< no operation: where a loader or a training loop is (LoaderMark)
};

inline constexpr std::array<std::string_view, 16> kOperationNames{
    "read",      "write",  "open",     "close", "seek", "stat", "sync",  "data_sync",
    "directory", "unlink", "truncate", "map",   "copy", "ring", "other", "mark"};

/// What a mark tells of a thread. Those from `pass` to `ready` are moments, at `start`; those from
/// `epoch` on last from `start` to `end`.
enum class LoaderMark {
  none,
  pass,        ///< one time through the data begins
  want,        ///< the training loop asks for its next batch
  take,        ///< ... and has it; `batch`: which one, 0 where the thread made it itself
  step,        ///< a step of training has ended
  ask,         ///< a worker is asked for `batch`
  start,       ///< the worker begins with it
  ready,       ///< the worker has made it
  epoch,       ///< one time through the data
  train,       ///< training, of one or more epochs
  evaluation,  ///< steps in it are none of the training
  compute,     ///< what a step does with its batch
  block,       ///< the body of a loop over batches: a step where no `compute` is marked
  update,      ///< an update of the model: a step where neither is
  fetch,       ///< the training loop waits for a batch
  save,        ///< the training loop saves
  load,        ///< ... or loads
  sample,      ///< a worker reads a sample; `batch`: the same for all of one batch of this worker,
               ///< and one more for the next
  worker       ///< a worker gets ready
};

/// "read", "data_sync", ...
[[nodiscard]] inline std::string_view name_of(OperationKind kind) {
  return kOperationNames[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr bool moves_bytes(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::write;
}

/// One call. Times count from OperationStream::began, which is the first record of the trace or the
/// start of the job; where a trace is not in the order of time they may be below zero.
struct Operation {
  OperationKind kind = OperationKind::other;
  std::int64_t rank = 0;    ///< process of the job: MPI rank, or the trace's number for a process
  std::int64_t thread = 0;  ///< within the rank, as the trace numbers it
  Seconds start;
  /// Nothing where the format does not say how long a call took (fio's iolog, strace without -T).
  std::optional<Seconds> end;
  std::uint64_t file = 0;  ///< of OperationStream::file; 0: not known
  /// Byte of the file where reading or writing began; nothing where neither the call nor what came
  /// before it tells.
  std::optional<std::uint64_t> offset;
  Bytes bytes;          ///< moved, not asked for; of `truncate`: the length
  bool failed = false;  ///< the call returned an error and moved nothing
  bool direct = false;  ///< its file is open past the page cache (O_DIRECT)
  /// Calls that this stands for: aggregated records of a tracer; `bytes` is then their sum.
  std::uint64_t count = 1;
  LoaderMark mark = LoaderMark::none;  ///< of kind `mark`
  std::uint64_t batch = 0;             ///< of the mark; 0: none
};

/// A file of a trace.
struct TracedFile {
  std::string name;     ///< as the trace has it; "" when it gives only a number
  std::string mount;    ///< where its file system is mounted; "" when not said
  std::string fs_type;  ///< "lustre", "ext4", ...; "" when not said
};

/// Operations in the order of the trace. Within one thread that is the order of their ends, unless
/// `in_order` is false: then a replay has to sort each thread's operations by their start.
class OperationStream {
 public:
  OperationStream() = default;
  OperationStream(const OperationStream&) = delete;
  OperationStream& operator=(const OperationStream&) = delete;
  virtual ~OperationStream() = default;

  /// The next operation into `out`; false at the end, or where the trace breaks off. Faults go to
  /// the diagnostics that the stream was opened with.
  virtual bool next(Operation& out) = 0;
  /// The file of an operation that `next` gave last; nullptr for 0. Valid until the next call.
  [[nodiscard]] virtual const TracedFile* file(std::uint64_t id) const = 0;
  /// Seconds since 1970 of time 0; nothing where the trace has no calendar.
  [[nodiscard]] virtual std::optional<Seconds> began() const = 0;
  /// False where the format lists operations out of time order (Darshan DXT: writes, then reads).
  [[nodiscard]] virtual bool in_order() const { return true; }
  /// Whether all of it is of one machine, whose number is rank / kMostPids.
  [[nodiscard]] virtual bool of_one_machine() const { return false; }
  /// Reads and writes that `next` did not give, as the trace does not tell of which file they are.
  struct LeftOut {
    std::uint64_t transfers = 0;
    Bytes bytes;
  };
  [[nodiscard]] virtual LeftOut left_out() const { return {}; }
  /// Smallest time that the format can tell apart; calls that are shorter seem to take none.
  [[nodiscard]] virtual Seconds resolution() const = 0;
};

}  // namespace stallcast
