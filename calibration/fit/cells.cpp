#include "calibration/fit/cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "calibration/measure/flags.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::fit {
namespace {

constexpr std::array<std::string_view, 14> kUnfit{
    "aggregated",  // several operations at once: the time of one is not known
    "cached",      // the tool reads host memory on purpose
    "concurrent-jobs", "depth-unknown", "failed",       "few-completions",
    "inconsistent",    "mixed-path",    "no-storage",   "other-buffers",
    "path-unknown",    "merged-jobs",   "rate-limited", "workload"};
/// Collectives that no rank leaves before all have come.
constexpr std::array<std::string_view, 4> kMeetings{"allgather", "allreduce", "alltoall",
                                                    "reducescatter"};

/// A copy whose tool says a rate and no size (nvbandwidth): an operation is a byte.
Bytes size_of(const Measurement& m) {
  const bool bare = m.subject == Subject::memory && m.size <= Bytes{} && m.rate > Rate{};
  return bare ? Bytes::from(1.0, unit::B) : m.size;
}

/// Why `m` says nothing about the device; "" when it does.
std::string unfit(const Measurement& m) {
  if (std::string flag = unfit_flag(m); !flag.empty()) return flag;
  if (m.is_mix()) return "reads and writes mixed";
  if (m.ops <= OpRate{} && (m.rate <= Rate{} || size_of(m) <= Bytes{}))
    return "no rate of operations";
  return "";
}

OpRate ops_of(const Measurement& m) {
  if (m.ops > OpRate{}) return m.ops;
  return OpRate::from(m.rate.in(unit::Bps) / size_of(m).in(unit::B), unit::per_s);
}

double depth_of(const Measurement& m) {
  if (m.depth > 0.0) return m.depth;
  return m.processes > 0 ? static_cast<double>(m.processes) : 1.0;
}

/// What lies between the quartiles of a normal sample, in standard deviations.
constexpr double kQuarters = 1.349;

/// The quickest and the slowest of `runs` without a quarter of them at either end.
std::pair<double, double> quarters(const std::vector<Seconds>& runs) {
  std::vector<Seconds> sorted = runs;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t quarter = sorted.size() / 4;
  return {sorted[quarter].in(unit::s), sorted[sorted.size() - 1 - quarter].in(unit::s)};
}

/// The path that the tool of `m` was told; "" where its record does not say.
std::string_view path_of(const Measurement& m) {
  // fio; IOR; elbencho; mdtest
  for (const char* key : {"filename", "directory", "test filename", "paths", "-d"})
    if (const auto at = m.options.find(key); at != m.options.end()) return at->second;
  return "";
}

/// The folder that a volume is usually mounted at ("/lustre", "/mnt/a"), of the path of a file; ""
/// of a relative one.
std::string mount_of(std::string_view path) {
  if (!path.starts_with('/')) return "";
  std::size_t end = path.find('/', 1);
  for (const std::string_view above : {"/mnt", "/media", "/run", "/srv"})
    if (path.substr(0, end) == above && end != path.npos) end = path.find('/', end + 1);
  return std::string(path.substr(0, end));
}

/// The device or volume that `m` of `set` names where it measured storage; "" where it names none.
std::string device_of(const MeasurementSet& set, const Measurement& m) {
  if (!is_of_storage(m) && m.subject != Subject::gds) return "";
  constexpr std::string_view kDevices = "/dev/";
  const std::string_view path = path_of(m);
  if (path.starts_with(kDevices)) return std::string(path.substr(kDevices.size()));
  for (const char* key : {"disks", "device", "mount_source"})
    if (const auto at = set.environment.find(key); at != set.environment.end()) return at->second;
  return mount_of(path);
}

bool is_meeting(const std::string& operation) {
  return std::find(kMeetings.begin(), kMeetings.end(), operation) != kMeetings.end();
}

bool is_barrier(const Measurement& m) {
  return m.subject == Subject::training && m.operation == "barrier";
}

/// The series over ranks that `m` belongs to; "" for none.
std::string rank_series(const Measurement& m) {
  if (is_barrier(m)) return "sync.barrier";
  // nccl-tests prints size 0 where the ranks cannot share so little: nothing is sent.
  const bool message = m.size > Bytes{} && m.size <= kMeeting;
  if (m.subject != Subject::collective || !message || !is_meeting(m.operation)) return "";
  const auto hosts = m.options.find("hosts");
  const bool one_host = hosts != m.options.end() && hosts->second == "1";
  return "sync." + m.operation + (one_host ? ".one-host" : "");
}

/// Whether `set` holds a wrong result of the collective of `m` over as many ranks.
bool gave_wrong_results(const MeasurementSet& set, const Measurement& m) {
  return std::any_of(set.measurements.begin(), set.measurements.end(), [&](const Measurement& o) {
    return o.subject == Subject::collective && o.operation == m.operation &&
           o.processes == m.processes && has_flag(o, "failed");
  });
}

/// Why `m` does not tell what a meeting costs; "" when it does.
std::string unfit_over_ranks(const MeasurementSet& set, const Measurement& m) {
  if (std::string flag = unfit_flag(m); !flag.empty()) return flag;
  if (!m.latency || *m.latency <= Seconds{}) return "no time";
  if (m.processes <= 0) return "number of ranks unknown";
  if (m.subject != Subject::collective) return "";
  if (m.processes == 1) return "one rank has no other to wait for";
  return gave_wrong_results(set, m) ? "results of this collective were wrong" : "";
}

std::string series_id(const Measurement& m) {
  std::string id = std::string(name_of(m.subject)) + "." + m.operation;
  if (!m.pattern.empty()) id += "." + m.pattern;
  if (!m.path.empty()) id += "." + m.path;
  if (has_flag(m, "loopback")) id += ".loopback";
  // How a collective's time grows with its size is another question for each number of ranks.
  if (m.subject == Subject::collective) id += "." + std::to_string(m.processes);
  return id;
}

FitCell cell_of(const Measurement& m) {
  const double depth = depth_of(m);
  const double processes = m.processes > 0 ? static_cast<double>(m.processes) : depth;
  return {.size = size_of(m), .depth = depth, .processes = processes, .runs = {}, .core_runs = {}};
}

// R = n / X                                                        [docs/calibration.md, eq. 1]
Seconds response_of(const Measurement& m) { return Ops::from(depth_of(m), unit::ops) / ops_of(m); }

/// Of a record of several iterations each of these, where their mean and both ends tell it: of two
/// or three (mdtest -i). Of one run its own.
std::vector<Seconds> responses_of(const Measurement& m) {
  const auto iterations = m.options.find("iterations");
  const auto least = m.figures.find("min_per_s"), most = m.figures.find("max_per_s");
  const bool ends = least != m.figures.end() && most != m.figures.end() && least->second > 0.0;
  const double n =
      iterations == m.options.end() ? 0.0 : base::parse_number(iterations->second).value_or(0.0);
  std::vector<double> rates;
  if (ends && (n == 2.0 || n == 3.0)) rates = {most->second, least->second};
  if (ends && n == 3.0) {
    const double third = n * m.ops.in(unit::per_s)-most->second - least->second;
    rates.push_back(std::clamp(third, least->second, most->second));
  }
  if (rates.empty()) return {response_of(m)};
  std::vector<Seconds> out;
  for (const double rate : rates)
    out.push_back(Ops::from(depth_of(m), unit::ops) / OpRate::from(rate, unit::per_s));
  return out;
}

FitCell rank_cell(const Measurement& m) {
  const auto ranks = static_cast<double>(m.processes);
  return {.size = {}, .depth = 1.0, .processes = ranks, .runs = {}, .core_runs = {}};
}

/// By how much the median absolute deviation of n runs from their own median is too small, in the
/// median over normal samples: counted over 100,000 of each n; from 10 on within 1 %.
///                                                                     [docs/calibration.md, eq. 1]
double few_runs(std::size_t n) {
  constexpr std::array kOfRuns{1.0, 1.41, 1.87, 1.48, 1.34, 1.27, 1.21, 1.18, 1.15};
  return n <= kOfRuns.size() ? kOfRuns[n - 1] : 1.0 + 1.35 / static_cast<double>(n);
}

}  // namespace

bool is_of_storage(const Measurement& m) {
  return m.subject == Subject::io || m.subject == Subject::metadata;
}

std::string unfit_flag(const Measurement& m) {
  for (const std::string& flag : m.flags)
    if (std::find(kUnfit.begin(), kUnfit.end(), flag) != kUnfit.end()) return flag;
  return "";
}

Seconds FitCell::response() const {
  std::vector<double> values;
  for (const Seconds run : runs) values.push_back(run.in(unit::s));
  return Seconds::from(median(std::move(values)), unit::s);
}

double FitCell::apart() const {
  const auto [low, high] = quarters(runs);
  return high / low;
}

double FitCell::noise() const {
  const double middle = response().in(unit::s);
  // Of two groups of runs the deviation from the larger one's middle says nothing.
  if (const auto [low, high] = quarters(runs); high > kFallApart * low)
    return (high - low) / (kQuarters * middle);
  std::vector<double> off;
  for (const Seconds run : runs) off.push_back(std::abs(run.in(unit::s)-middle));
  // 1.4826 MAD is the standard deviation of a normal sample.
  return few_runs(runs.size()) * 1.4826 * median(std::move(off)) / middle;
}

double noise_of(std::span<const FitCell> cells) {
  std::vector<double> noises;
  for (const FitCell& cell : cells)
    if (cell.repeats()) noises.push_back(cell.noise());
  return noises.empty() ? 0.0 : median(std::move(noises));
}

std::size_t FitSeries::flagged(const std::string& flag) const {
  std::size_t runs = 0;
  for (const FitCell& cell : cells)
    if (const auto at = cell.flags.find(flag); at != cell.flags.end()) runs += at->second;
  return runs;
}

std::vector<FitSeries> group(std::span<const MeasurementSet> sets) {
  std::map<std::string, FitSeries> series;
  std::map<std::string, std::map<std::tuple<Bytes, double, double>, FitCell>> cells;
  /// A run of `m` into the cell of series `id`, unless there is a reason `why` not to.
  const auto put = [&](const MeasurementSet& set, const std::string& id, const Measurement& m,
                       const std::string& why, auto like_of, auto times_of) {
    FitSeries& into = series[id];
    into.id = id;
    into.subject = m.subject;
    into.operation = m.operation;
    into.over_cores = m.subject == Subject::loader && m.operation == "compute";
    if (!why.empty()) return into.left_out.push_back(m.origin + ": " + why);
    if (std::string device = device_of(set, m); !device.empty())
      into.devices.insert(std::move(device));
    const FitCell like = like_of(m);
    FitCell& cell =
        cells[id].try_emplace({like.size, like.depth, like.processes}, like).first->second;
    const std::vector<Seconds> runs = times_of(m);
    cell.runs.insert(cell.runs.end(), runs.begin(), runs.end());
    for (const std::string& flag : m.flags) cell.flags[flag] += runs.size();
    if (!into.over_ranks && m.cores && *m.cores > 0.0)
      cell.core_runs.push_back(Ops::from(*m.cores, unit::ops) / ops_of(m));
  };
  for (const MeasurementSet& set : sets) {
    for (const Measurement& m : set.measurements) {
      if (const std::string id = rank_series(m); !id.empty()) {
        series[id].over_ranks = true;
        put(set, id, m, unfit_over_ranks(set, m), rank_cell,
            [](auto& at) { return std::vector<Seconds>{*at.latency}; });
      }
      if (!is_barrier(m)) put(set, series_id(m), m, unfit(m), cell_of, responses_of);
    }
  }
  std::set<std::string> of_storage;
  const auto is_storage = [](const FitSeries& one) {
    return one.subject == Subject::io || one.subject == Subject::metadata;
  };
  for (const auto& [id, one] : series)
    if (is_storage(one)) of_storage.insert(one.devices.begin(), one.devices.end());
  std::vector<FitSeries> out;
  for (auto& [id, one] : series) {
    if (is_storage(one)) one.devices = of_storage;
    for (auto& [key, cell] : cells[id]) one.cells.push_back(std::move(cell));
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace stallcast::calibration::fit
