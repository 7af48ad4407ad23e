#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "calibration/measure/probes/bystanders.hpp"
#include "calibration/measure/probes/probe_target.hpp"
#include "calibration/measure/probes/program.hpp"
#include "calibration/measure/probes/rows.hpp"
#include "calibration/measure/probes/scratch.hpp"
#include "calibration/measure/probes/turns.hpp"

/// PyTorch's own costs per sample and batch, measured by a script: docs/guide/probes.md.
namespace stallcast::calibration {

namespace probing {
std::span<const std::pair<std::string_view, std::string_view>> embedded_scripts();
}

namespace {

using namespace probing;
using Json = nlohmann::json;

constexpr double kImportLimit = 120.0;  // s: torch from a cold network file system
constexpr double kProbeLimit = 3600.0;  // s

struct Effort {
  const char *run_s, *repeats, *kinds;
};
constexpr std::array<Effort, 3> kEfforts{
    {{"0.1", "5", "mixed"}, {"0.5", "5", "all"}, {"2", "7", "all"}}};

std::optional<Failure> missing_torch(const ProbeOptions& options) {
  Watch watch = watch_of(options);
  watch.limit_s = kImportLimit;
  const auto end = run_program({"python3", "-c", "import torch"}, {}, watch);
  if (!end.ok()) return end.failure();
  if (end.value().status == 0) return std::nullopt;
  if (end.value().status == 127)
    return Failure{ExitCode::bad_input, "the loader probe needs python3, which PATH does not hold",
                   "install Python 3 and PyTorch"};
  return Failure{
      ExitCode::bad_input, "the loader probe needs PyTorch, and python3 cannot import it",
      "activate the environment that the training uses; python3 said: " + end.value().last_said};
}

/// Empty when a field is missing or of another type.
std::optional<Measurement> measurement_of(const Json& line) {
  try {
    const double seconds = line.at("seconds"), size = line.at("size");
    const auto count = line.at("count").get<std::uint64_t>();
    if (seconds <= 0.0 || count == 0) return std::nullopt;
    Measurement m;
    m.subject = Subject::loader;
    m.operation = line.at("operation");
    m.path = line.at("path");
    m.size = Bytes::from(size, unit::B);
    m.processes = line.value("processes", 1);
    m.depth = line.value("depth", 1.0);
    m.count = count;
    m.duration = Seconds::from(seconds, unit::s);
    const double at_once = line.contains("depth") ? static_cast<double>(m.processes) : 1.0;
    m.latency = Seconds::from(at_once * seconds / static_cast<double>(count), unit::s);
    m.ops = OpRate::from(static_cast<double>(count) / seconds, unit::per_s);
    m.rate = m.ops * m.size;
    m.cores = line.at("cpu").get<double>() / seconds;
    m.figures["samples_per_operation"] = line.at("batch");
    return m;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

class LoaderProbe {
 public:
  explicit LoaderProbe(const ProbeOptions& options)
      : options_(options), set_(set_of(options, "loader")) {}

  Result<MeasurementSet> run() {
    if (auto failure = missing_torch(options_)) return *failure;
    std::string folder;
    if (!options_.target.empty()) {
      const Result<bool> device = is_allowed_device(options_);
      if (!device.ok()) return device.failure();
      auto scratch = scratch_of(options_, set_);
      if (!scratch.ok()) return scratch.failure();
      scratch_ = std::move(scratch).value();
      if (auto failure = check_space(space_at(scratch_->folder()), Bytes::from(2.0, unit::MiB)))
        return *failure;
      folder = scratch_->folder().string();
    }
    const ProbeDepth depth = options_.budget ? ProbeDepth::quick : options_.depth;
    const Effort& effort = kEfforts[static_cast<std::size_t>(depth)];
    Watch watch = watch_of(options_);
    watch.limit_s = kProbeLimit;
    const Bystanders others;
    const auto end = run_program(
        {"python3", "-c", std::string(embedded_scripts().front().second), folder, effort.run_s,
         effort.repeats, std::to_string(options_.seed % (std::uint64_t{1} << 32U)), effort.kinds,
         options_.budget ? std::to_string(options_.budget->ends.in(unit::s)) : "inf"},
        [this](std::string_view line) { read(line); }, watch);
    if (!end.ok()) return end.failure();
    if (end.value().status != 0)
      return Failure{
          ExitCode::bad_input, "the loader probe's script failed: " + end.value().last_said,
          "is /dev/shm too small for ten batches of 48 MiB, or PyTorch older than 1.13?"};
    others.note(set_.measurements);
    finish(set_);
    return std::move(set_);
  }

 private:
  /// Records, facts and progress are taken; what torch may print besides is not ours.
  void read(std::string_view text) {
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) return;
    if (line.contains("progress"))
      tell(options_, line.value("progress", 0.0), line.value("what", ""));
    if (line.contains("facts"))
      for (const auto& [key, value] : line["facts"].items())
        if (value.is_string()) set_.environment[key] = value.get<std::string>();
    auto m = measurement_of(line);
    if (!m) return;
    m->origin = "run " + std::to_string(set_.measurements.size() + 1);
    set_.measurements.push_back(std::move(*m));
  }

  const ProbeOptions& options_;
  MeasurementSet set_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace

Result<MeasurementSet> run_loader_probe(const ProbeOptions& options) {
  return LoaderProbe(options).run();
}

}  // namespace stallcast::calibration
