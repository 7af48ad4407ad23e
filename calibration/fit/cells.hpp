#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibration/measure/statistics.hpp"
#include "stallcast/measurement.hpp"

/// Measurements grouped for fitting: runs of the same thing form a cell, cells of one operation a
/// series.
namespace stallcast::calibration::fit {

/// All runs of one point: an operation at one size and depth.
struct FitCell {
  Bytes size;
  double depth = 1.0;      ///< operations outstanding
  double processes = 1.0;  ///< who issues them; of a series over ranks: those that meet
  /// Mean response time of each run: depth / operations per second (Little's law; a tool's own
  /// latency leaves out what lies between two operations). Never empty.
  std::vector<Seconds> runs;
  /// Core time of an operation on the measuring host, of each run that recorded it.
  std::vector<Seconds> core_runs;
  std::map<std::string, std::size_t> flags = {};  ///< of the runs, how many have each

  [[nodiscard]] Seconds response() const;  ///< median of the runs
  /// How many times as long as a quick run a slow one takes: of the runs without the quickest and
  /// the slowest quarter, the last over the first.
  [[nodiscard]] double apart() const;
  /// Spread of the runs: 1.4826 MAD over the median, corrected for few runs; where they fall apart,
  /// what their quarters tell instead. 0 for a single run, which does not tell it.
  [[nodiscard]] double noise() const;
  [[nodiscard]] bool repeats() const { return runs.size() > 1; }
};

/// From this on the runs of a cell are not of one thing: two devices, or one that changed.
inline constexpr double kFallApart = 1.5;

/// Middle of the spreads of those `cells` that ran more than once; 0 where none did.
[[nodiscard]] double noise_of(std::span<const FitCell> cells);

/// What one law is fitted to.
struct FitSeries {
  std::string id;  ///< "io.read.random", "metadata.create", "gds.read.compat"
  Subject subject = Subject::io;
  std::string operation;
  std::vector<FitCell> cells;         ///< by size, then depth; or by number of ranks
  std::vector<std::string> left_out;  ///< "line 12: few-completions"
  /// True for what it costs that all ranks meet ("sync.barrier", "sync.allreduce"): cells differ in
  /// the number of ranks and in nothing else.
  bool over_ranks = false;
  /// True for processes that compute at once ("loader.compute.*"): a depth is as many for each
  /// core.
  bool over_cores = false;
  /// What files and commands name that the runs come from; of data and names of storage together,
  /// as a profile makes one storage system of them.
  std::set<std::string> devices = {};

  [[nodiscard]] std::size_t flagged(const std::string& flag) const;  ///< runs with it
};

/// Messages of collectives up to this move next to nothing: what they take is latency.
inline constexpr Bytes kMeeting = Bytes::from(1, unit::KiB);

/// Whether `m` asked a storage system for data or names.
[[nodiscard]] bool is_of_storage(const Measurement& m);

/// A flag of `m` that makes it no measurement of the device; "" when there is none.
[[nodiscard]] std::string unfit_flag(const Measurement& m);

/// Groups `measurements`. Records with a flag that makes them no measurement of the device
/// ("aggregated", "few-completions", "inconsistent", "failed", "merged-jobs", "concurrent-jobs",
/// "workload", "cached", "no-storage", "rate-limited", "depth-unknown", "other-buffers"; of
/// GPUDirect "mixed-path", "path-unknown"), with mixed reads and writes, or without a rate of
/// operations are left out, and said so. What went over loopback is a series of its own
/// ("network.stream.tcp.loopback"): it crossed no network. Of copies whose tool says a rate and no
/// size, an operation is a byte.
///
/// FitSeries over ranks are made next to them: "sync.barrier" of records of training whose
/// operation is "barrier", by their latency; "sync.C" of a collective C that nobody leaves before
/// all have come, of messages up to `kMeeting`, and "sync.C.one-host" where it crossed no network.
/// A file's collective with one wrong result counts for nothing.
[[nodiscard]] std::vector<FitSeries> group(std::span<const MeasurementSet> sets);

}  // namespace stallcast::calibration::fit
