#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "calibration/measure/buffer_pages.hpp"
#include "calibration/measure/probes/latency.hpp"
#include "stallcast/result.hpp"
#include "stallcast/units.hpp"

/// One run of one cell of the io probe, in the process that calls it.
namespace stallcast::calibration::probing {

/// What is run.
struct IoLoad {
  std::size_t size = 4096;  ///< bytes of one request
  unsigned depth = 1;       ///< requests in flight
  double read_share = 1.0;  ///< of the requests
  bool random = true;       ///< or one after the other
  bool zeros = false;       ///< writes zeros, not random bytes
  BufferPages pages = BufferPages::huge;
  double shortest_s = 1.0;  ///< after the ramp
  double longest_s = 10.0;  ///< ends then, however few completed
  std::uint64_t span = 0;   ///< of the file, from its start, in bytes
  std::uint64_t seed = 1;
  double pause_s = 0.0;  ///< before the first request; then all counts, from the first on
};

/// What came out. Lives in shared memory: zeroed memory is an empty one.
struct IoTally {
  static constexpr std::size_t kSeconds = 1024;
  Latencies latencies;
  std::uint64_t bytes;
  double began_s, ended_s;              ///< of what was counted: after the ramp
  double cpu_s;                         ///< user and system, of what was counted
  std::array<double, kSeconds> second;  ///< bytes of each second
  static constexpr std::size_t kMarks = 512;
  /// After a pause: so many requests were complete so long after the first was sent.
  struct Mark {
    std::uint64_t requests;
    double after_s;
  };
  std::array<Mark, kMarks> mark;
  std::size_t marks;
  bool registered_buffers, registered_files;
  std::array<char, 12> buffers;  ///< "hugetlb", "thp" or "pages"
};

/// Counts from the end of the ramp to the end of the run. For one thread at a time.
class Meter {
 public:
  Meter(const IoLoad& load, IoTally& tally);
  /// The first request is sent now: rests before, where the load asks for it.
  void start();
  /// One completion; `now` may be the same for several.
  void completed(double submitted_s, double now_s);
  /// Enough was counted, or the time is over.
  [[nodiscard]] bool done(double now_s) const;
  /// Once, when nothing more is submitted.
  void finish();

 private:
  void mark(double after_s);
  const IoLoad& load_;
  IoTally& tally_;
  double start_s_, cpu_s_ = 0.0;
  std::uint64_t warm_ = 0;
  bool counting_ = false;
};

/// Completions that a rate needs: 200, or ten times what is in flight.
[[nodiscard]] std::uint64_t wanted_completions(unsigned depth);

/// Where the next request goes.
class Walk {
 public:
  explicit Walk(const IoLoad& load, std::uint64_t stream = 0);
  [[nodiscard]] std::uint64_t offset();
  [[nodiscard]] bool reading();

 private:
  std::uint64_t next();
  std::uint64_t state_, blocks_, at_ = 0;
  std::size_t size_;
  double read_share_;
  bool random_;
};

/// Runs `load` on `fd`, which is open with O_DIRECT. REQUIRES: size divides span, both multiples of
/// the alignment of the device.
[[nodiscard]] std::optional<Failure> run_uring(int fd, const IoLoad& load, IoTally& tally);
/// The same by `depth` threads that pread and pwrite.
[[nodiscard]] std::optional<Failure> run_psync(int fd, const IoLoad& load, IoTally& tally);

/// What a request that failed or moved less than all says.
[[nodiscard]] Failure io_failure(bool reading, std::uint64_t offset, std::int64_t result);

/// "" when io_uring works here, else why not. `STALLCAST_PROBE_IO_URING=off` says that it does not.
[[nodiscard]] std::string uring_refusal();

}  // namespace stallcast::calibration::probing
