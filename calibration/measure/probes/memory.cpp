#include "calibration/measure/probes/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include "calibration/measure/probes/buffers.hpp"
#include "calibration/measure/probes/probe_target.hpp"
#include "calibration/measure/probes/processes.hpp"
#include "calibration/measure/probes/rows.hpp"
#include "calibration/measure/probes/scratch.hpp"
#include "calibration/measure/probes/turns.hpp"
#include "engine/base/files.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/sha256.hpp"

/// Copies, reads of cached files and checksums, by threads: docs/guide/probes.md.
namespace stallcast::calibration {
namespace {

using namespace probing;

constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;
constexpr double kFarAbove = 4.0;          // times the last-level caches: little of it stays
constexpr double kUnknownCache = 64.0;     // MiB, where the kernel does not report it
constexpr std::uint64_t kUnit = 4 * kMiB;  // whole blocks of every size
constexpr double kLargest = 0.25;          // of the memory that is free

/// What one run does, block by block, in every thread.
struct MemoryCell {
  std::string_view operation;
  std::size_t block;
  int threads;
};

std::string label(const MemoryCell& cell) {
  return std::string(cell.operation) + ", " + std::to_string(cell.threads) +
         (cell.threads == 1 ? " thread" : " threads");
}

/// What one thread did. Lives in shared memory.
struct Tally {
  double began_s, ended_s, cpu_s;
  std::uint64_t blocks;
  std::uint32_t sum;  ///< of what was computed: nothing may be optimised away
};

/// What the process of a run says besides. Lives in shared memory.
struct Whole {
  std::array<char, 16> buffers;
  long storage_reads;  ///< blocks that the storage was asked for
};

std::uint64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  std::string key;
  std::uint64_t kib = 0;
  while (in >> key >> kib) {
    if (key == "MemAvailable:") return kib * kKiB;
    in.ignore(64, '\n');
  }
  return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// One thread's share of a run.
class Worker {
 public:
  /// Touches its memory first in the thread that uses it: it lies on that thread's NUMA node.
  Worker(const MemoryCell& cell, std::size_t bytes, int fd, std::size_t id)
      : cell_(cell),
        fd_(fd),
        share_(bytes),
        first_(id * bytes),
        from_(cell.operation == "page-cache-read" ? cell.block : bytes),
        to_(cell.operation == "memcpy" ? bytes : 1) {
    fill_random({from_.data(), from_.size()}, id + 1);
    std::memset(to_.data(), 1, to_.size());
  }

  /// Empty when a read failed; errno says why.
  [[nodiscard]] std::optional<std::uint32_t> block(std::uint64_t i) {
    const std::size_t at = i % (share_ / cell_.block) * cell_.block;
    if (cell_.operation == "memcpy") {
      std::memcpy(to_.data() + at, from_.data() + at, cell_.block);
      return std::to_integer<std::uint32_t>(to_.data()[at]);
    }
    if (cell_.operation == "page-cache-read") {
      const ssize_t n = pread(fd_, from_.data(), cell_.block, static_cast<off_t>(first_ + at));
      if (n != static_cast<ssize_t>(cell_.block)) return std::nullopt;
      return std::to_integer<std::uint32_t>(from_.data()[0]);
    }
    if (cell_.operation == "crc32c") return crc32c({from_.data() + at, cell_.block});
    const std::string digest =
        base::sha256({reinterpret_cast<const char*>(from_.data() + at), cell_.block});
    return static_cast<std::uint32_t>(digest.front());
  }

  [[nodiscard]] std::string_view kind() const { return from_.kind(); }

 private:
  MemoryCell cell_;
  int fd_;
  std::size_t share_, first_;
  Buffers from_, to_;
};

/// All threads begin together and end when `run_s` is over.
std::optional<Failure> run_cell(const MemoryCell& cell, std::size_t share, int fd, double run_s,
                                const Shared<Tally>& tallies, Whole& whole) {
  constexpr std::uint64_t kAtLeast = 8;  // blocks
  std::barrier together(cell.threads);
  std::atomic<int> error = 0;
  rusage before{};
  const auto work = [&](std::size_t id) {
    std::optional<Worker> made;
    try {
      made.emplace(cell, share, fd, id);
    } catch (const std::bad_alloc&) {
      error = ENOMEM;
      together.arrive_and_drop();
      return;
    }
    Worker& worker = *made;
    if (id == 0) {
      worker.kind().copy(whole.buffers.data(), whole.buffers.size() - 1);
      getrusage(RUSAGE_SELF, &before);
    }
    Tally& tally = tallies[id];
    together.arrive_and_wait();
    const double cpu = thread_cpu_s();
    tally.began_s = clock_s();
    for (tally.ended_s = tally.began_s;
         tally.ended_s - tally.began_s < run_s || tally.blocks < kAtLeast;
         tally.ended_s = clock_s()) {
      const auto sum = worker.block(tally.blocks);
      if (!sum) {
        error = errno == 0 ? EIO : errno;
        return;
      }
      tally.sum += *sum;
      ++tally.blocks;
    }
    tally.cpu_s = thread_cpu_s() - cpu;
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < static_cast<std::size_t>(cell.threads); ++i)
      threads.emplace_back(work, i);
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  whole.storage_reads = after.ru_inblock - before.ru_inblock;
  if (error == ENOMEM) throw std::bad_alloc();
  if (error != 0) return system_failure("read the probe's file", error);
  return std::nullopt;
}

class MemoryProbe {
 public:
  MemoryProbe(const ProbeOptions& options, const MemoryEffort& effort)
      : options_(options), effort_(effort), set_(set_of(options, "memory")) {}
  ~MemoryProbe() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryProbe(const MemoryProbe&) = delete;
  MemoryProbe& operator=(const MemoryProbe&) = delete;

  Result<MeasurementSet> run() {
    choose_working_set();
    if (auto failure = make_file()) return *failure;
    const std::vector<MemoryCell> cells = all_cells();
    if (auto failure = take_turns(
            options_, set_, cells.size(), effort_.repeats, {},
            [&](std::size_t at) { return label(cells[at]); },
            [&](std::size_t at) { return measure(cells[at]); }))
      return *failure;
    finish(set_);
    return std::move(set_);
  }

 private:
  /// Source and destination together are far above all last-level caches, for one thread and for
  /// many, if there is memory for it.
  void choose_working_set() {
    const std::uint64_t cache = last_level_cache();
    const double known =
        cache > 0 ? static_cast<double>(cache) : kUnknownCache * static_cast<double>(kMiB);
    cache_ = known;
    const double wanted = std::max(256.0 * static_cast<double>(kMiB), 2.0 * kFarAbove * known);
    double bytes = std::min(wanted, kLargest * static_cast<double>(available_memory()));
    if (effort_.working > 0) bytes = static_cast<double>(effort_.working);
    working_ = static_cast<std::uint64_t>(bytes);
    cached_ = bytes < kFarAbove * known;
    set_.environment["last_level_cache"] =
        cache > 0 ? base::print_quantity(static_cast<double>(cache), Dimension::bytes) : "unknown";
    set_.environment["working_set"] = base::print_quantity(bytes, Dimension::bytes);
  }

  /// Bytes that each of `threads` walks through: whole blocks of every size.
  [[nodiscard]] std::size_t share(int threads) const {
    return std::max(kUnit, working_ / 2 / static_cast<std::uint64_t>(threads) / kUnit * kUnit);
  }
  /// The same of the file, of which no more may be written; 0 where that is too little.
  [[nodiscard]] std::size_t file_share(int threads) const {
    if (options_.target.empty() || options_.space <= Bytes{}) return share(threads);
    const auto most = static_cast<std::uint64_t>(options_.space.in(unit::B));
    return std::min(share(threads), most / static_cast<std::uint64_t>(threads) / kUnit * kUnit);
  }
  [[nodiscard]] std::size_t share_of(const MemoryCell& cell) const {
    return cell.operation == "page-cache-read" ? file_share(cell.threads) : share(cell.threads);
  }

  /// The file of the page-cache reads: in a folder of ours in the target, else in memory.
  std::optional<Failure> make_file() {
    std::uint64_t bytes = 0;
    for (const int n : effort_.threads) {
      if (file_share(n) == 0)
        return Failure{ExitCode::bad_input, "the probe needs more space than --space gives it",
                       "4 MiB of every thread are the least: say --space " +
                           std::to_string(4 * *std::ranges::max_element(effort_.threads)) + "MiB"};
      bytes = std::max(bytes, static_cast<std::uint64_t>(n) * file_share(n));
    }
    if (options_.target.empty()) {
      fd_ = memfd_create("stallcast-probe", MFD_CLOEXEC);
      if (fd_ < 0) return system_failure("make a file in memory", errno);
    } else {
      const Result<bool> device = is_allowed_device(options_);
      if (!device.ok()) return device.failure();
      auto scratch = scratch_of(options_, set_);
      if (!scratch.ok()) return scratch.failure();
      scratch_ = std::move(scratch).value();
      if (auto failure =
              check_space(space_at(scratch_->folder()), Bytes::from(double(bytes), unit::B)))
        return failure;
      const Result<int> file = scratch_->open_nameless(0);
      if (!file.ok()) return file.failure();
      fd_ = file.value();
    }
    return in_processes(
        1, [&](std::size_t) { return fill(bytes); }, watch_of(options_));
  }

  /// Written, then read once: what can stay in the page cache is there.
  [[nodiscard]] std::optional<Failure> fill(std::uint64_t bytes) const {
    Buffers buffer(4 * kMiB);
    fill_random({buffer.data(), buffer.size()}, options_.seed);
    for (std::uint64_t at = 0; at < bytes; at += buffer.size())
      if (pwrite(fd_, buffer.data(), buffer.size(), static_cast<off_t>(at)) !=
          static_cast<ssize_t>(buffer.size()))
        return system_failure("write the probe's file", errno == 0 ? ENOSPC : errno);
    for (std::uint64_t at = 0; at < bytes; at += buffer.size())
      if (pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(at)) !=
          static_cast<ssize_t>(buffer.size()))
        return system_failure("read the probe's file", errno == 0 ? EIO : errno);
    return std::nullopt;
  }

  [[nodiscard]] std::vector<MemoryCell> all_cells() const {
    std::vector<MemoryCell> cells;
    for (const int threads : effort_.threads) {
      for (const std::size_t block : {64 * kKiB, kMiB, 4 * kMiB})
        cells.push_back({"memcpy", block, threads});
      for (const std::size_t block : {4 * kKiB, 128 * kKiB, kMiB})
        cells.push_back({"page-cache-read", block, threads});
      for (const std::size_t block : {4 * kKiB, 128 * kKiB, kMiB}) {
        cells.push_back({"crc32c", block, threads});
        cells.push_back({"sha256", block, threads});
      }
    }
    return cells;
  }

  std::optional<Failure> measure(const MemoryCell& cell) {
    const auto n = static_cast<std::size_t>(cell.threads);
    const Shared<Tally> tallies(n);
    const Shared<Whole> whole;
    if (auto failure = in_processes(
            1,
            [&](std::size_t) {
              return run_cell(cell, share_of(cell), fd_, effort_.run_s, tallies, *whole);
            },
            watch_of(options_)))
      return failure;
    // X = blocks / (last end - first start), over all threads.
    double began = tallies[0].began_s, ended = 0.0, cpu = 0.0, blocks = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      began = std::min(began, tallies[i].began_s);
      ended = std::max(ended, tallies[i].ended_s);
      cpu += tallies[i].cpu_s;
      blocks += static_cast<double>(tallies[i].blocks);
    }
    Measurement m;
    m.subject = Subject::memory;
    m.operation = cell.operation;
    if (cell.operation == "page-cache-read" && options_.target.empty()) m.path = "memfd";
    if (cell.operation == "crc32c") m.path = crc32c_way();
    m.size = Bytes::from(static_cast<double>(cell.block), unit::B);
    m.processes = cell.threads;
    m.depth = cell.threads;
    m.duration = Seconds::from(ended - began, unit::s);
    m.ops = OpRate::from(blocks / (ended - began), unit::per_s);
    m.rate = m.ops * m.size;
    m.count = static_cast<std::uint64_t>(blocks);
    m.latency = Seconds::from(static_cast<double>(n) * (ended - began) / blocks, unit::s);
    m.cores = cpu / (ended - began);
    const auto walked = static_cast<double>(n * share_of(cell));
    const bool reads_file = cell.operation == "page-cache-read";
    const bool small_file = share_of(cell) < share(cell.threads) && walked < kFarAbove / 2 * cache_;
    if (reads_file ? small_file : cached_) m.flags.emplace_back("cpu-cache-possible");
    if (whole->storage_reads > 0) m.flags.emplace_back("not-all-cached");
    if (cell.threads > cores()) m.flags.emplace_back("more-threads-than-cores");
    m.options["buffers"] = whole->buffers.data();
    m.options["walks_through"] = base::print_quantity(walked, Dimension::bytes);
    set_.measurements.push_back(std::move(m));
    return std::nullopt;
  }

  const ProbeOptions& options_;
  const MemoryEffort& effort_;
  MeasurementSet set_;
  std::unique_ptr<Scratch> scratch_;
  int fd_ = -1;
  std::uint64_t working_ = 0;
  double cache_ = 0.0;  ///< bytes, of all last-level caches
  bool cached_ = false;
};

}  // namespace

std::uint64_t probing::last_level_cache() {
  std::set<std::string> seen;  // a cache is listed under each CPU that shares it
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& cpu : std::filesystem::directory_iterator("/sys/devices/system/cpu", error)) {
    const auto cache = cpu.path() / "cache" / "index3";
    std::string shared;
    std::uint64_t kib = 0;
    std::ifstream(cache / "shared_cpu_list") >> shared;
    std::ifstream(cache / "size") >> kib;  // "32768K"
    if (!shared.empty() && seen.insert(shared).second) bytes += kib * kKiB;
  }
  return bytes;
}

MemoryEffort probing::memory_effort(ProbeDepth depth) {
  MemoryEffort effort;
  for (int n = 1; n < cores(); n *= 2) effort.threads.push_back(n);
  effort.threads.push_back(cores());
  if (depth == ProbeDepth::quick) effort.run_s = 0.1;
  if (depth == ProbeDepth::thorough) effort.repeats = 5, effort.run_s = 2.0;
  return effort;
}

Result<MeasurementSet> probing::run_memory(const ProbeOptions& options,
                                           const MemoryEffort& effort) {
  return MemoryProbe(options, effort).run();
}

Result<MeasurementSet> run_memory_probe(const ProbeOptions& options) {
  return run_memory(options, memory_effort(options.budget ? ProbeDepth::quick : options.depth));
}

}  // namespace stallcast::calibration
