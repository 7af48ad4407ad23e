#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>
#include <vector>

#include "calibration/measure/probes/buffers.hpp"
#include "calibration/measure/probes/io_engine.hpp"
#include "calibration/measure/probes/processes.hpp"

/// Requests by pread and pwrite: one thread per request in flight.
namespace stallcast::calibration::probing {

std::optional<Failure> run_psync(int fd, const IoLoad& load, IoTally& tally) {
  Buffers buffers(load.size * load.depth, load.pages);
  if (!load.zeros) fill_random({buffers.data(), buffers.size()}, load.seed);
  buffers.kind().copy(tally.buffers.data(), tally.buffers.size() - 1);
  Meter meter(load, tally);
  std::mutex mutex;  // of the meter and the failure
  std::optional<Failure> failure;
  std::atomic<bool> ending = false;
  const auto work = [&](unsigned i) {
    Walk walk(load, i);
    std::byte* buffer = buffers.data() + i * load.size;
    std::uint64_t serial = (load.seed << 32U) + (static_cast<std::uint64_t>(i) << 24U);
    while (!ending) {
      const std::uint64_t offset = walk.offset();
      const bool reading = walk.reading();
      if (!reading && !load.zeros) stamp({buffer, load.size}, ++serial);
      const double submitted = clock_s();
      const auto at = static_cast<off_t>(offset);
      ssize_t moved =
          reading ? pread(fd, buffer, load.size, at) : pwrite(fd, buffer, load.size, at);
      if (moved < 0) moved = -errno;
      const double now = clock_s();
      const std::lock_guard lock(mutex);
      if (ending) return;
      if (moved != static_cast<ssize_t>(load.size)) {
        failure = io_failure(reading, offset, moved);
        ending = true;
        return;
      }
      meter.completed(submitted, now);
      if (!meter.done(now)) continue;
      meter.finish();
      ending = true;
    }
  };
  meter.start();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < load.depth; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  return failure;
}

}  // namespace stallcast::calibration::probing
