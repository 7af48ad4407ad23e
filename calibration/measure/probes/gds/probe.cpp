#include <unistd.h>

#include <set>

#include "calibration/measure/flags.hpp"
#include "calibration/measure/probes/data_file.hpp"
#include "calibration/measure/probes/gds/cells.hpp"
#include "calibration/measure/probes/probe_target.hpp"
#include "calibration/measure/probes/rows.hpp"
#include "calibration/measure/probes/turns.hpp"

/// Reads into accelerator memory and writes from it, by path: docs/guide/probes.md.
namespace stallcast::calibration {
namespace {

using namespace probing;
using namespace gds;

constexpr std::uint64_t kSmallest = std::uint64_t{16} << 20U;

class GdsProbe {
 public:
  GdsProbe(const ProbeOptions& options, const GdsEffort& effort)
      : options_(options), effort_(effort) {}
  ~GdsProbe() {
    if (file_.fd >= 0) close(file_.fd);
  }
  GdsProbe(const GdsProbe&) = delete;
  GdsProbe& operator=(const GdsProbe&) = delete;

  Result<MeasurementSet> run() {
    if (auto failure = find_machine()) return *failure;
    if (auto failure = make_file()) return *failure;
    if (auto failure = run_cells()) return *failure;
    if (set_.measurements.empty())
      return Failure{ExitCode::bad_input, "no run of the probe worked: " + first_trouble_,
                     kernel_text()};
    summarize();
    finish(set_);
    return std::move(set_);
  }

 private:
  // Before the first byte is written.
  std::optional<Failure> find_machine() {
    const Shared<GdsMachine> machine;
    const auto work = [&](std::size_t) -> std::optional<Failure> {
      look(*machine);
      return std::nullopt;
    };
    Watch watch = watch_of(options_);
    watch.limit_s = 120.0;
    if (auto failure = in_processes(1, work, watch)) {
      if (failure->exit != ExitCode::internal) return failure;
      return Failure{
          ExitCode::bad_input,
          "the accelerator's libraries crashed when they were loaded: " + failure->message,
          kernel_text()};
    }
    if (!machine->cuda)
      return Failure{ExitCode::bad_input,
                     std::string("there is no accelerator to measure with: CUDA driver, ") +
                         machine->cuda_trouble.data(),
                     kernel_text() + (machine->cufile ? "; libcufile is there"
                                                      : std::string("; libcufile, ") +
                                                            machine->cufile_trouble.data())};
    if (!machine->cufile)
      return Failure{
          ExitCode::bad_input,
          std::string("there is no libcufile: ") + machine->cufile_trouble.data(),
          "install it with CUDA, or name it with STALLCAST_LIBCUFILE=FILE; " + kernel_text()};
    set_ = set_of(options_, "gds");
    auto& facts = set_.environment;
    facts["accelerator"] = machine->device.data();
    facts["cuda_driver"] = std::to_string(machine->driver_version / 1000) + "." +
                           std::to_string(machine->driver_version % 1000 / 10);
    facts["libcuda"] = machine->cuda_library.data();
    facts["libcufile"] = machine->cufile_library.data();
    facts["gds_kernel"] = kernel_text();
    return std::nullopt;
  }

  std::optional<Failure> make_file() {
    auto scratch = scratch_of(options_, set_);
    if (!scratch.ok()) return scratch.failure();
    scratch_ = std::move(scratch).value();
    auto file = data_file_of(options_, *scratch_, effort_.file, kSmallest, {0.0, kFillShare});
    if (!file.ok()) return file.failure();
    file_ = file.value();
    auto& facts = set_.environment;
    facts["direct_io"] = file_.dio;
    facts["extents"] = file_.extents;
    facts["file_bytes"] = std::to_string(file_.bytes);
    return std::nullopt;
  }

  std::optional<Failure> run_cells() {
    const auto cells = gds_cells(effort_, file_.bytes, file_.alignment);
    return take_turns(
        options_, set_, cells.size(), effort_.repeats, {kFillShare, 1.0},
        [&](std::size_t at) { return label(cells[at]); },
        [&](std::size_t at) { return run_cell(cells[at]); });
  }

  /// Once, in a process of its own: neither library survives a fork, settings are read once, and a
  /// crash is a result. What does not work is left out from then on.
  std::optional<Failure> run_cell(GdsCell cell) {
    const std::string variant = cell.asked + ", " + cell.operation;
    if (troubles_.count(variant) > 0) return std::nullopt;
    cell.load.io.seed = options_.seed + ++runs_;
    const auto folder = scratch_->folder() / ("cufile-" + std::to_string(runs_));
    std::filesystem::create_directory(folder);
    const Shared<GdsTally> tally;
    const auto work = [&](std::size_t) -> std::optional<Failure> {
      run_gds(file_.fd, cell.load, folder, *tally);
      return std::nullopt;
    };
    Watch watch = watch_of(options_);
    watch.limit_s = cell.load.io.longest_s + 60.0;
    watch.longest_s = 2.0 * watch.limit_s;  // a library that waits may do so with a busy core
    bool interrupted = false;
    watch.interrupted = [&] {
      return interrupted = interrupted || (options_.interrupted && options_.interrupted());
    };
    const auto failure = in_processes(1, work, watch);
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    if (interrupted) return failure;
    std::string trouble = tally->trouble.data();
    if (failure) trouble = failure->message;
    if (trouble.empty() && tally->io.latencies.count() == 0)
      trouble = "nothing was completed in " + std::to_string(cell.load.io.longest_s) + " s";
    if (!trouble.empty()) {
      troubles_[variant] = trouble;
      if (first_trouble_.empty()) first_trouble_ = variant + ": " + trouble;
      return std::nullopt;
    }
    Measurement m = gds_measurement(cell, *tally);
    if (under_hypervisor() && m.subject == Subject::gds)
      m.flags.emplace_back("host-cache-possible");
    if (cell.load.way == Way::cufile) note_cufile(cell, m, *tally);
    set_.measurements.push_back(std::move(m));
    return std::nullopt;
  }

  void note_cufile(const GdsCell& cell, const Measurement& m, const GdsTally& tally) {
    auto& facts = set_.environment;
    const CuFileProperties& properties = tally.properties;
    facts["cufile_version"] = std::to_string(tally.cufile_version);
    facts["nvidia_fs_version"] =
        std::to_string(properties.nvfs_major) + "." + std::to_string(properties.nvfs_minor);
    facts["cufile_storage_flags"] = std::to_string(properties.storage_flags);
    facts["cufile_features"] = std::to_string(properties.feature_flags);
    taken_[cell.asked + ", " + cell.operation].insert(m.path);
    fell_back_ = fell_back_ || has_flag(m, "compat-fallback");
    mixed_ = mixed_ || has_flag(m, "mixed-path");
  }

  /// What each variant did, in `environment` under "gds <variant>".
  void summarize() {
    for (const auto& [variant, paths] : taken_) {
      std::string text;
      for (const std::string& path : paths) text += (text.empty() ? "" : ", ") + path;
      set_.environment["gds " + variant] = text;
    }
    for (const auto& [variant, trouble] : troubles_)
      set_.environment["gds " + variant] = "failed: " + trouble;
    if (fell_back_)
      add_note(set_,
               "cuFile went through host memory without a word (compat mode): these runs are no "
               "measurement of GPUDirect Storage");
    if (mixed_)
      add_note(set_, "some runs took several paths (mixed-path): they are left out of fits");
  }

  static constexpr double kFillShare = 0.05;  // of the progress

  const ProbeOptions& options_;
  const GdsEffort& effort_;
  MeasurementSet set_;
  std::unique_ptr<Scratch> scratch_;
  DataFile file_;
  std::map<std::string, std::string> troubles_;         ///< by variant and operation
  std::map<std::string, std::set<std::string>> taken_;  ///< paths, likewise
  std::string first_trouble_;
  bool fell_back_ = false, mixed_ = false;
  std::uint64_t runs_ = 0;
};

}  // namespace

Result<MeasurementSet> gds::run_gds_cells(const ProbeOptions& options, const GdsEffort& effort) {
  return GdsProbe(options, effort).run();
}

Result<MeasurementSet> run_gds_probe(const ProbeOptions& options) {
  return run_gds_cells(options, gds_effort(options.depth));
}

}  // namespace stallcast::calibration
