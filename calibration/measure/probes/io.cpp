#include <unistd.h>

#include <algorithm>
#include <map>

#include "calibration/measure/probes/bystanders.hpp"
#include "calibration/measure/probes/data_file.hpp"
#include "calibration/measure/probes/io_cells.hpp"
#include "calibration/measure/probes/ladder.hpp"
#include "calibration/measure/probes/probe.hpp"
#include "calibration/measure/probes/probe_target.hpp"
#include "calibration/measure/probes/rested.hpp"
#include "calibration/measure/probes/rows.hpp"
#include "calibration/measure/probes/steady.hpp"
#include "calibration/measure/probes/turns.hpp"
#include "calibration/measure/statistics.hpp"
#include "engine/base/quantity_text.hpp"

/// Reads and writes past the page cache: docs/guide/probes.md.
namespace stallcast::calibration {
namespace {

using namespace probing;

constexpr std::uint64_t kSmallest = std::uint64_t{64} << 20U;  // a file that says something
constexpr double kCached = 1.5;  // a small working set that is so much faster has a cache
constexpr double kHung = 120.0;  // s without core time
constexpr double kBurst = 1.25;  // first 10 s over last 10 s

class IoProbe {
 public:
  IoProbe(const ProbeOptions& options, const IoEffort& effort)
      : options_(options), effort_(effort), set_(set_of(options, "io")) {}
  ~IoProbe() {
    if (file_.fd >= 0) close(file_.fd);
  }
  IoProbe(const IoProbe&) = delete;
  IoProbe& operator=(const IoProbe&) = delete;

  Result<MeasurementSet> run() {
    if (auto failure = open_target()) return *failure;
    choose_engine();
    if (effort_.watched_s > 0.0)
      if (auto failure = watch_long_runs()) return *failure;
    if (auto failure = run_cells()) return *failure;
    if (effort_.rested)
      if (auto failure = run_rested()) return *failure;
    if (auto failure = compare_zeros()) return *failure;
    if (auto failure = climb_ladder()) return *failure;
    judge_cache();
    flag_all();
    finish(set_);
    return std::move(set_);
  }

 private:
  std::optional<Failure> open_target() {
    const Result<bool> device = is_allowed_device(options_);
    if (!device.ok()) return device.failure();
    Result<DataFile> file = device.value() ? open_device(options_.target.string()) : make_file();
    if (!file.ok()) return file.failure();
    file_ = file.value();
    auto& facts = set_.environment;
    facts["direct_io"] = file_.dio;
    facts["extents"] = file_.extents;
    facts[file_.device ? "device_bytes" : "file_bytes"] = std::to_string(file_.bytes);
    if (!file_.device) {
      facts["fill_rate"] = base::print_quantity(file_.fill_rate, Dimension::rate);
      facts["write_state"] = "fresh: written twice, no steady state looked for";
    }
    return std::nullopt;
  }

  Result<DataFile> make_file() {
    auto scratch = scratch_of(options_, set_);
    if (!scratch.ok()) return scratch.failure();
    scratch_ = std::move(scratch).value();
    return data_file_of(options_, *scratch_, effort_.file, kSmallest, {0.0, kFillShare});
  }

  void choose_engine() {
    const std::string refusal = uring_refusal();
    psync_only_ = !refusal.empty();
    set_.environment["buffers"] = "asked for " + std::string(name_of(options_.buffers)) + " pages";
    set_.environment["engine"] = psync_only_ ? "psync, one thread per request" : "io_uring";
    if (psync_only_) add_note(set_, refusal + "; threads that pread and pwrite were used instead");
  }

  /// Runs `cell` once in a process of its own; nullptr when nothing was counted.
  Result<Measurement> measure(IoCell cell) {
    cell.psync = cell.psync || psync_only_;
    cell.load.seed = options_.seed + ++runs_;
    cell.load.pages = options_.buffers;
    const Shared<IoTally> tally;
    Watch watch = watch_of(options_);
    watch.limit_s = kHung;
    if (auto failure = in_processes(
            1,
            [&](std::size_t) {
              return cell.psync ? run_psync(file_.fd, cell.load, *tally)
                                : run_uring(file_.fd, cell.load, *tally);
            },
            watch))
      return *failure;
    Measurement m = cell.load.pause_s > 0.0
                        ? rested_measurement(cell, *tally, loaded(cell.operation, cell.load.size))
                        : io_measurement(cell, *tally);
    m.options["buffers_asked"] = name_of(options_.buffers);
    return m;
  }

  // Writes first, until they are steady: what follows then finds the drive in that state.
  std::optional<Failure> watch_long_runs() {
    constexpr int kMost = 3;
    for (const bool reading : {false, true}) {
      if (!reading && file_.device) continue;
      IoCell cell{reading ? "read" : "write",
                  "watched",
                  {.size = std::size_t{128} << 10U,
                   .depth = 32,
                   .read_share = reading ? 1.0 : 0.0,
                   .shortest_s = effort_.watched_s,
                   .longest_s = effort_.watched_s + 10.0,
                   .span = file_.bytes >> 17U << 17U}};
      std::vector<double> series;
      bool settled = false;
      for (int i = 0; i < (reading ? 1 : kMost) && !settled; ++i) {
        tell(options_, kFillShare + 0.05 * (reading ? 3 : i),
             "watching for steady state: " + label(cell));
        const Bystanders others;
        auto m = measure(cell);
        if (!m.ok()) return m.failure();
        m.value().origin = "watched " + std::to_string(i);
        others.note({&m.value(), 1});
        const auto& seconds = m.value().rate_series;
        series.insert(series.end(), seconds.begin(), seconds.end());
        settled = steady(rounds_of(series, 10));
        const double burst = first_over_last(series, 10);
        m.value().figures["first_over_last_10s"] = burst;
        if (burst > kBurst) m.value().flags.emplace_back("burst-credits-possible");
        if (!settled) m.value().flags.emplace_back("not-steady");
        set_.measurements.push_back(std::move(m).value());
      }
      const std::string after = std::to_string(series.size()) + " s of random 128 KiB";
      set_.environment[reading ? "read_state" : "write_state"] =
          settled ? "steady within " + after + " (20 % and 10 % over 5 rounds of 10 s)"
                  : "not steady after " + after;
      if (!settled && !reading) unsettled_ = true;
    }
    return std::nullopt;
  }

  std::optional<Failure> run_cells() {
    const double from = effort_.watched_s > 0.0 ? kFillShare + 0.2 : kFillShare;
    std::vector<IoCell> cells = io_cells(effort_, file_.bytes, file_.alignment, file_.device);
    if (options_.budget) by_importance(cells);
    return measure_all(cells, {from, cells_end() - kZerosShare});
  }

  std::optional<Failure> measure_all(const std::vector<IoCell>& cells, Stretch progress) {
    ProbeOptions options = options_;
    if (options.budget) options.budget->ends = options.budget->ends - rested_time();
    return take_turns(
        options, set_, cells.size(), effort_.repeats, progress,
        [&](std::size_t at) { return label(cells[at]); },
        [&](std::size_t at) -> std::optional<Failure> {
          auto m = measure(cells[at]);
          if (!m.ok()) return m.failure();
          set_.measurements.push_back(std::move(m).value());
          return std::nullopt;
        });
  }

  /// Of a budget, what runs after rests may take: 31 s where all are of interest.
  [[nodiscard]] Seconds rested_time() const {
    constexpr double kShare = 0.25;
    double most = 0.0;
    for (const double rest : rests_s()) most += rest + kRestedRun_s;
    most *= static_cast<double>(rested_cells(file_.bytes, file_.alignment, file_.device).size());
    return std::min(options_.budget->length * kShare, Seconds::from(most, unit::s));
  }

  /// Most requests of `size` a second that were seen of `operation` under load; 0 where none were.
  [[nodiscard]] OpRate loaded(std::string_view operation, std::size_t size) const {
    OpRate most;
    for (const Measurement& m : set_.measurements)
      if (m.operation == operation && m.path.empty() && m.pattern == "random" &&
          m.size == Bytes::from(static_cast<double>(size), unit::B))
        most = std::max(most, m.ops);
    return most;
  }

  // Where the first points of an operation are no faster than under load, the others are not run.
  std::optional<Failure> run_rested() {
    std::vector<IoCell> cells = rested_cells(file_.bytes, file_.alignment, file_.device);
    std::map<std::string, std::size_t> seen, tried;
    for (const double rest : rests_s())
      for (std::size_t at = 0; at < cells.size(); ++at) {
        IoCell cell = cells[at];
        cell.load.pause_s = rest;
        if (loaded(cell.operation, cell.load.size) <= OpRate{} || late(cell.load)) continue;
        if (tried[cell.operation] >= kDeciding && seen[cell.operation] == 0) continue;
        tell(options_, cells_end() - kZerosShare, label(cell));
        const Bystanders others;
        auto m = measure(cell);
        if (!m.ok()) return m.failure();
        if (m.value().count == 0) continue;  // the machine was away
        m.value().origin = "rested " + std::to_string(at) + " after " + base::shortest(rest) + " s";
        others.note({&m.value(), 1});
        ++tried[cell.operation];
        if (m.value().figures["burst_requests"] > 0.0) ++seen[cell.operation];
        set_.measurements.push_back(std::move(m).value());
      }
    return std::nullopt;
  }

  /// Whether a run after a rest would end after the budget does.
  [[nodiscard]] bool late(const IoLoad& load) const {
    if (!options_.budget) return false;
    const Seconds left = options_.budget->ends - budget_from_now(Seconds{}).ends;
    return left < Seconds::from(load.pause_s + load.longest_s, unit::s);
  }

  // Zeros come last: reading them back may be free.
  std::optional<Failure> compare_zeros() {
    if (file_.device || options_.budget) return std::nullopt;
    const IoCell cell{"write",
                      "zeros",
                      {.size = std::size_t{128} << 10U,
                       .depth = effort_.depths[1],
                       .read_share = 0.0,
                       .zeros = true,
                       .shortest_s = effort_.shortest_s,
                       .longest_s = effort_.longest_s,
                       .span = file_.bytes >> 17U << 17U}};
    if (auto failure = measure_all({cell}, {cells_end() - kZerosShare, cells_end()}))
      return failure;
    const double ratio = rate_of("write", "zeros") / std::max(rate_of("write", ""), 1.0);
    set_.environment["zeros_over_random"] = base::print_quantity(ratio, Dimension::number);
    return std::nullopt;
  }

  // Last, for it takes the place of the file.
  std::optional<Failure> climb_ladder() {
    if (file_.device || effort_.ladder.empty()) return std::nullopt;
    close(std::exchange(file_.fd, -1));
    auto failure =
        run_ladder(options_, effort_, *scratch_, file_.fill_rate, {cells_end(), 1.0}, set_);
    if (!failure || failure->exit == ExitCode::inconclusive) return failure;
    // All else is measured by now.
    add_note(set_, "no working sets were read through the page cache: " + failure->message);
    return std::nullopt;
  }

  [[nodiscard]] double cells_end() const { return effort_.ladder.empty() ? 1.0 : 0.85; }

  /// Median rate of random 128 KiB at the depth of the comparisons.
  [[nodiscard]] double rate_of(std::string_view operation, std::string_view path) const {
    std::vector<double> rates;
    for (const Measurement& m : set_.measurements)
      if (m.operation == operation && m.path == path && m.pattern == "random" &&
          m.size == Bytes::from(128.0, unit::KiB) && m.depth == effort_.depths[1])
        rates.push_back(m.rate.in(unit::Bps));
    return rates.empty() ? 0.0 : median(std::move(rates));
  }

  void judge_cache() {
    const double whole = rate_of("read", ""), small = rate_of("read", "working-set");
    if (whole <= 0.0 || small <= 0.0) return;
    cached_ = small > kCached * whole;
    set_.environment["working_set"] =
        "64 MiB are read at " + base::print_quantity(small / whole, Dimension::number) +
        " times the rate of the whole file" + (cached_ ? ": there is a cache below" : "");
  }

  void flag_all() {
    const bool host_cache = under_hypervisor();
    for (Measurement& m : set_.measurements) {
      if (host_cache) m.flags.emplace_back("host-cache-possible");
      if (cached_ && m.path == "working-set") m.flags.emplace_back("cached");
      if (unsettled_ && (m.operation == "write" || m.operation == "mixed"))
        m.flags.emplace_back("not-steady");
      if (file_.device) m.flags.emplace_back("device-contents-unknown");
      std::sort(m.flags.begin(), m.flags.end());
      m.flags.erase(std::unique(m.flags.begin(), m.flags.end()), m.flags.end());
    }
    if (host_cache)
      add_note(set_, "a virtual machine: what was measured may be a cache of its host");
  }

  static constexpr double kFillShare = 0.05, kZerosShare = 0.02;  // of the progress

  const ProbeOptions& options_;
  const IoEffort& effort_;
  MeasurementSet set_;
  std::unique_ptr<Scratch> scratch_;
  DataFile file_;
  bool psync_only_ = false, unsettled_ = false, cached_ = false;
  std::uint64_t runs_ = 0;
};

}  // namespace

Result<MeasurementSet> probing::run_io(const ProbeOptions& options, const IoEffort& effort) {
  return IoProbe(options, effort).run();
}

Result<MeasurementSet> run_io_probe(const ProbeOptions& options) {
  return run_io(options, options.budget ? io_effort_within(options.budget->length)
                                        : io_effort(options.depth));
}

}  // namespace stallcast::calibration
