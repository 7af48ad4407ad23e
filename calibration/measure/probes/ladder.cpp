#include "calibration/measure/probes/ladder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "calibration/measure/probes/buffers.hpp"
#include "calibration/measure/probes/bystanders.hpp"
#include "calibration/measure/probes/data_file.hpp"
#include "calibration/measure/probes/machine.hpp"
#include "calibration/measure/probes/probe_target.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::probing {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{16} << 20U;
constexpr std::size_t kRead = std::size_t{128} << 10U;
constexpr double kKnee = 1.5;
constexpr double kLongestFill = 300.0;  // s
constexpr double kHung = 120.0;         // s without core time

std::string bytes_text(double bytes) { return base::print_quantity(bytes, Dimension::bytes); }

/// Most that may be written, and what sets that bar.
struct Most {
  std::uint64_t bytes = 0;
  std::string why;
};

Most most_of(const ProbeOptions& options, const Scratch& scratch, double fill_rate) {
  const Space space = space_at(scratch.folder());
  // Others write there, too: some minutes long half of what is free is theirs.
  const Bytes half = space.free * 0.5, kept = space.free - reserve(space);
  double bytes = std::min(half, kept).in(unit::B);
  std::string why = half < kept ? "half of the free space" : "the free space less its reserve";
  if (const double filled = kLongestFill * fill_rate; filled < bytes) {
    bytes = filled;
    why = "what is written in five minutes";
  }
  if (const double said = options.space.in(unit::B); said > 0.0 && said < bytes) {
    bytes = said;
    why = "--space";
  }
  return {static_cast<std::uint64_t>(std::max(bytes, 0.0)), why};
}

class Ladder {
 public:
  Ladder(const ProbeOptions& options, const IoEffort& effort, int fd, MeasurementSet& set)
      : options_(options), effort_(effort), fd_(fd), set_(set) {}

  std::optional<Failure> climb(const std::vector<std::uint64_t>& sizes, Stretch progress) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      tell(options_, progress.at(static_cast<double>(i) / static_cast<double>(sizes.size())),
           "reading " + bytes_text(static_cast<double>(sizes[i])) + " through the page cache");
      if (auto failure = measure(sizes[i])) return failure;
    }
    return std::nullopt;
  }

  void report(const std::string& most) {
    const auto knee = knee_of(rungs_);
    Measurement m;
    m.operation = "cache";
    m.path = "ladder";
    m.direct = false;
    m.flags = {"cached"};
    m.origin = "ladder";
    m.figures["page_cache_bytes"] = held_;
    std::string text = "the page cache held up to " + bytes_text(held_) + " of what was read; ";
    if (knee) {
      m.figures["fits_bytes"] = knee->fits;
      m.figures["slow_bytes"] = knee->slow;
      m.figures["slower_ratio"] = knee->factor;
      text += "reads of " + bytes_text(knee->slow) + " are " +
              base::print_quantity(knee->factor, Dimension::number) + " times as slow as of " +
              bytes_text(knee->fits);
    } else {
      text += "no step in the rate up to " + bytes_text(rungs_.back().bytes);
    }
    add_note(set_, text + most);
    set_.measurements.push_back(std::move(m));
  }

 private:
  /// In a process of its own.
  std::optional<Failure> measure(std::uint64_t bytes) {
    IoCell cell{"read",
                "ladder",
                {.size = kRead,
                 .depth = effort_.depths[1],
                 .pages = options_.buffers,
                 .shortest_s = effort_.shortest_s,
                 .longest_s = effort_.longest_s,
                 .span = bytes,
                 .seed = options_.seed + rungs_.size()},
                true};
    const Shared<IoTally> tally;
    const Shared<std::uint64_t> held;
    Watch watch = watch_of(options_);
    watch.limit_s = kHung;
    const Bystanders others;
    const auto work = [&](std::size_t) -> std::optional<Failure> {
      if (auto failure = read_through(bytes)) return failure;
      *held = cached_bytes(fd_, bytes);
      posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
      return run_psync(fd_, cell.load, *tally);
    };
    if (auto failure = in_processes(1, work, watch)) return failure;
    Measurement m = io_measurement(cell, *tally);
    m.direct = false;
    m.flags.emplace_back("cached");
    m.options["buffers_asked"] = name_of(options_.buffers);
    m.figures["working_set_bytes"] = static_cast<double>(bytes);
    m.figures["page_cache_bytes"] = static_cast<double>(*held);
    m.origin = "ladder " + std::to_string(rungs_.size());
    others.note({&m, 1});
    held_ = std::max(held_, static_cast<double>(*held));
    rungs_.push_back({static_cast<double>(bytes), m.rate.in(unit::Bps)});
    set_.measurements.push_back(std::move(m));
    return std::nullopt;
  }

  /// Once from end to end: what a cache keeps of that is in it.
  [[nodiscard]] std::optional<Failure> read_through(std::uint64_t bytes) const {
    Buffers buffer(std::size_t{4} << 20U);
    posix_fadvise(fd_, 0, 0, POSIX_FADV_NORMAL);
    for (std::uint64_t at = 0; at < bytes; at += buffer.size())
      if (pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(at)) !=
          static_cast<ssize_t>(buffer.size()))
        return system_failure("read the probe's file", errno == 0 ? EIO : errno);
    return std::nullopt;
  }

  const ProbeOptions& options_;
  const IoEffort& effort_;
  int fd_;
  MeasurementSet& set_;
  std::vector<Rung> rungs_;
  double held_ = 0.0;  ///< by the page cache, in bytes
};

}  // namespace

std::vector<std::uint64_t> ladder_sizes(std::span<const double> shares, double memory,
                                        std::uint64_t most) {
  std::vector<std::uint64_t> out;
  for (const double share : shares) {
    const auto bytes = static_cast<std::uint64_t>(share * memory);
    const std::uint64_t whole = std::min(bytes, most) / kBlock * kBlock;
    if (whole > 0 && (out.empty() || whole > out.back())) out.push_back(whole);
  }
  return out;
}

std::optional<CacheKnee> knee_of(std::span<const Rung> rungs) {
  std::optional<CacheKnee> out;
  for (std::size_t i = 1; i < rungs.size(); ++i) {
    const double factor = rungs[i - 1].rate / std::max(rungs[i].rate, 1.0);
    if (factor > (out ? out->factor : kKnee)) out = {rungs[i - 1].bytes, rungs[i].bytes, factor};
  }
  return out;
}

std::optional<Failure> run_ladder(const ProbeOptions& options, const IoEffort& effort,
                                  const Scratch& scratch, double fill_rate, Stretch progress,
                                  MeasurementSet& set) {
  const double memory = memory_bytes();
  const Most most = most_of(options, scratch, fill_rate);
  const auto sizes = ladder_sizes(effort.ladder, memory, most.bytes);
  if (sizes.empty()) {
    add_note(set, "no working sets were read through the page cache: there is no room");
    return std::nullopt;
  }
  const double middle = progress.at(0.4);
  auto file = write_data_file(
      scratch, sizes.back(), options.seed, watch_of(options),
      [&](double f) {
        tell(options, Stretch{progress.from, middle}.at(f), "writing the largest working set");
      },
      1);
  if (!file.ok()) return file.failure();
  const Descriptor fd(file.value().fd);
  if (fcntl(fd.get(), F_SETFL, O_RDWR) != 0)
    return system_failure("read the probe's file through the page cache", errno);
  Ladder ladder(options, effort, fd.get(), set);
  if (auto failure = ladder.climb(sizes, {middle, progress.to})) return failure;
  const double wanted = *std::max_element(effort.ladder.begin(), effort.ladder.end()) * memory;
  ladder.report(wanted - static_cast<double>(sizes.back()) < static_cast<double>(kBlock)
                    ? ""
                    : " (larger ones, to " + bytes_text(wanted) + ", did not fit in " + most.why +
                          ")");
  return std::nullopt;
}

}  // namespace stallcast::calibration::probing
