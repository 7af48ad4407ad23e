#include "calibration/validation/grid/store_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "calibration/fit/cells.hpp"

namespace stallcast::calibration::grid {
namespace {

using namespace literals;

/// An open of a local file takes tens of microseconds, a round trip a multiple of that.
constexpr Seconds kRoundTrip = 200_us;
/// Blocks whose requests come this near to the limit of requests say nothing of the one of bytes.
constexpr double kNearLimit = 0.9;
/// ext4: 256-byte inodes in 4-KiB blocks, read ahead of their use.
constexpr double kInodesInBlock = 16.0;
/// Lengths of a slice of Linux' limiter: of other devices and of non-rotating ones.
constexpr std::array<Seconds, 2> kSlices = {100_ms, 20_ms};
/// Longest waits below this are not a pause of a limiter.
constexpr Seconds kPause = 50_ms;
const char* const kReference = "raw128k";

const char* const kRead = "randread";
const char* const kWrite = "write-fsync";

Seconds positive(Seconds t) { return std::max(t, Seconds{}); }

/// Whether latencies spread as behind a limiter that stops everybody.
bool is_limited(const StoreProbe& probe, Diagnostics& faults) {
  const FioRun& run = probe.need_fio(kRead, "1M", 1, faults);
  return run.deviation > run.mean;
}

OpRate limit_of_operations(const StoreProbe& probe, Diagnostics& faults) {
  std::vector<double> found;
  for (const int jobs : {1, 2, 4, 8})
    found.push_back(probe.need_fio(kRead, "4k", jobs, faults).operations.in(unit::per_s));
  return OpRate::from(median(found), unit::per_s);
}

/// Blocks that reach the limit of requests first say nothing, unless all do.
Rate limit_of_bytes(const StoreProbe& probe, OpRate operations, Diagnostics& faults) {
  std::vector<double> bound, all;
  for (const char* const block : {"64k", "128k"})
    for (const int jobs : {4, 8}) {
      const FioRun& run = probe.need_fio(kRead, block, jobs, faults);
      all.push_back(run.rate.in(unit::Bps));
      if (run.operations < kNearLimit * operations) bound.push_back(all.back());
    }
  return Rate::from(median(bound.empty() ? all : bound), unit::Bps);
}

/// Depth of the limiter. A share f of requests waits for the next slice, which takes p_max:
///   mean = p50 + f (p_max - p50), slice = mean / f           [docs/calibration-grid.md, eq. 3]
/// and the slices of Linux have two lengths.
Seconds burst(const StoreProbe& probe, Diagnostics& faults) {
  std::vector<double> slices;
  for (const char* const block : {"64k", "128k", "256k"})
    for (const int jobs : {1, 2}) {
      const FioRun& run = probe.need_fio(kRead, block, jobs, faults);
      Seconds longest, typical = run.at(50.0);
      for (const auto& [p, t] : run.percentiles) longest = std::max(longest, t);
      if (longest > kPause && run.mean > typical)
        slices.push_back(run.mean.in(unit::s) * ((longest - typical) / (run.mean - typical)));
    }
  if (slices.empty()) return kSlices.front();
  const double slice = median(slices);
  const auto distance = [&](Seconds s) { return std::abs(std::log(s.in(unit::s) / slice)); };
  return distance(kSlices[0]) <= distance(kSlices[1]) ? kSlices[0] : kSlices[1];
}

/// Rate of a flush. write() of a block into the page cache took lat_mean, the rest was the device:
///   rate = 1 MiB / (1 MiB / MBps - lat_mean)                 [docs/calibration-grid.md, eq. 4]
Rate write_rate(const StoreProbe& probe, Diagnostics& faults) {
  const FioRun& run = probe.need_fio(kWrite, "1M", 1, faults);
  const Seconds both = 1_MiB / run.rate;
  return both > 1.05 * run.mean ? 1_MiB / (both - run.mean) : run.rate;
}

/// Requests a small file costs beyond its bytes and the tables of inodes, from all limited stores
/// that small files were read from:
///   (IOPS T + IOPS burst - files / 16) / files - 1           [docs/calibration-grid.md, eq. 5]
double open_operations(const ProbeFiles& probes) {
  std::vector<double> found;
  Diagnostics ignored;  // other stores may have been probed for less
  const auto small = probes.data.find("raw16k");
  if (small == probes.data.end()) return 0.0;
  for (const auto& [name, probe] : probes.stores) {
    if (!is_limited(probe, ignored)) continue;
    for (const int readers : {1, 2}) {
      const FileRun* run = probe.find("raw16k", readers);
      if (run == nullptr || run->files <= 0.0) continue;
      const double per_s = limit_of_operations(probe, ignored).in(unit::per_s);
      const double time = run->files / run->files_per_s.in(unit::per_s);
      const double blocks = std::ceil(small->second.files / kInodesInBlock);
      found.push_back((per_s * (time + burst(probe, ignored).in(unit::s)) - blocks) / run->files);
    }
  }
  return found.empty() ? 0.0 : std::max(0.0, median(found) - 1.0);
}

/// The format itself or the nearest that was probed; "" when none was.
std::string nearest_format(const StoreProbe& probe, const std::string& format) {
  for (const std::string& candidate :
       {format, std::string("jpeg"), std::string(kReference), std::string("raw16k")})
    if (probe.find(candidate, 1) != nullptr) return candidate;
  return "";
}

FileCost scaled(FileCost cost, Bytes size) {
  const double k = size / cost.size;
  return {size, k * cost.cpu, k * cost.queue, k * cost.delay};
}

/// From medians of reads, which no pause of the limiter touches:
///   queue = (p50 of 4 readers - p50 of 1) / 3, delay = p50 of 1 - cpu - queue
///                                                            [docs/calibration-grid.md, eq. 6]
/// Where medians lie in the pauses (files of many requests), reads of 128 KiB, scaled.
FileCost file_cost(const ProbeFiles& probes, const StoreProbe& probe, const std::string& format,
                   Diagnostics& faults) {
  const std::string read = nearest_format(probe, format);
  if (read.empty()) {
    (void)probe.need(kReference, 1, faults);
    return {1_B, {}, {}, {}};
  }
  const FileRun &one = probe.need(read, 1, faults), &four = probe.need(read, 4, faults);
  const Bytes size = probes.data.at(read).mean;
  const Seconds median_read = one.read_median;
  const Seconds queue = positive((four.read_median - median_read) / 3.0);
  const Bytes wanted = probes.data.at(format).mean;
  const bool long_file = wanted > 8.0 * kRequest;
  if (format != kReference && (long_file || median_read > kPause || queue > median_read)) {
    FileCost cost = file_cost(probes, probe, kReference, faults);
    const Seconds cpu = read == format ? one.cpu() : scaled(cost, wanted).cpu;
    cost = scaled(cost, wanted);
    cost.cpu = cpu;
    return cost;
  }
  const Seconds cpu = std::min(one.cpu(), median_read);
  const FileCost cost{size, cpu, std::min(queue, median_read), positive(median_read - cpu - queue)};
  return scaled(cost, wanted);
}

BlockStore fit_block(const ProbeFiles& probes, const StoreProbe& probe, Diagnostics& faults) {
  BlockStore out;
  out.limited = is_limited(probe, faults);
  out.limit_operations = limit_of_operations(probe, faults);
  out.limit = limit_of_bytes(probe, out.limit_operations, faults);
  out.burst = burst(probe, faults);
  out.write = write_rate(probe, faults);
  out.open_operations = open_operations(probes);
  for (const auto& [format, set] : probes.data)
    out.files[format] = file_cost(probes, probe, format, faults);
  return out;
}

/// Two sizes of one-request files give the line  read = latency + bytes / rate;
/// the most opens a second any number of readers reached give the serial part of an open.
///                                                            [docs/calibration-grid.md, eq. 7, 8]
RemoteStore fit_remote(const ProbeFiles& probes, const StoreProbe& probe, Diagnostics& faults) {
  RemoteStore out;
  const FileRun &small = probe.need("raw16k", 1, faults),
                &large = probe.need(kReference, 1, faults);
  const FileRun& shard = probe.need("tar", 1, faults);
  for (const char* const format : {"raw16k", kReference, "tar"})
    if (!probes.data.contains(format)) {
      faults.add({Severity::error, "missing", "", Position{probes.data_file, 0, 0},
                  "no data set \"" + std::string(format) + "\"", ""});
      return out;
    }
  const Bytes a = probes.data.at("raw16k").mean, b = probes.data.at(kReference).mean;
  out.rate = (b - a) / (large.read - small.read);
  out.latency = positive(small.read - a / out.rate);
  OpRate most;
  for (const FileRun& run : probe.runs)
    if (run.format == "raw16k") most = std::max(most, run.files_per_s);
  out.open_serial = 1_ops / most;
  out.open_private = positive(small.open - out.open_serial);
  out.stream = probes.data.at("tar").mean / shard.read;
  // The fastest percent of writes: one large write does not pay what each call of fio pays.
  out.write = probe.need_fio(kWrite, "1M", 1, faults).at(1.0);
  const FioRun& tiny = probe.need_fio(kRead, "4k", 1, faults);
  out.jitter = Fraction::from(std::min(1.0, tiny.deviation / tiny.mean), unit::ratio);
  for (const auto& [format, set] : probes.data) {
    const std::string read = nearest_format(probe, format);
    if (!read.empty())
      out.cpu[format] = probe.need(read, 1, faults).cpu() * (set.mean / probes.data.at(read).mean);
  }
  if (!faults.has_errors()) fit_servers(probes, probe, out);
  return out;
}

}  // namespace

StoreFit fit_store(const ProbeFiles& probes, const std::string& store, Diagnostics& faults) {
  const StoreProbe& probe = probes.stores.at(store);
  StoreFit out;
  Seconds shortest = Seconds::infinity();
  for (const FileRun& run : probe.runs) shortest = std::min(shortest, run.open);
  if (probe.runs.empty()) (void)probe.need(kReference, 1, faults);
  if (shortest > kRoundTrip)
    out.remote = fit_remote(probes, probe, faults);
  else
    out.block = fit_block(probes, probe, faults);
  return out;
}

}  // namespace stallcast::calibration::grid
