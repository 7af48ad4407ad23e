#include "calibration/probes/probe_target.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <tuple>

#include "calibration/flags.hpp"

namespace stallcast::calibration::probing {
namespace {
constexpr double kBusy = 0.5;  // of the cores, with something else
}

Result<bool> is_allowed_device(const ProbeOptions& options) {
  std::error_code error;
  const auto status = std::filesystem::status(options.target, error);
  const bool device =
      std::filesystem::is_block_file(status) || std::filesystem::is_character_file(status);
  if (device && !options.allow_device)
    return Failure{ExitCode::bad_input, "\"" + options.target.string() + "\" is a device",
                   "name a folder, or read the device with --allow-device; it is never written"};
  return device;
}

MeasurementSet set_of(const ProbeOptions& options, const std::string& tool) {
  constexpr std::array depths{"quick", "usual", "thorough"};
  MeasurementSet set;
  set.tool = "stallcast probe " + tool;
  set.date = now_text();
  set.environment = machine_facts();
  set.environment.merge(storage_facts(options.target));
  set.environment["depth_of_probe"] = depths[static_cast<std::size_t>(options.depth)];
  set.environment["seed"] = std::to_string(options.seed);
  if (load_average() > kBusy * cores())
    add_note(set, "the machine was busy before the probe began (load average " +
                      set.environment["load_average"].substr(0, 4) + " on " +
                      std::to_string(cores()) + " cores): rates are lower bounds");
  return set;
}

Watch watch_of(const ProbeOptions& options) {
  return {.interrupted = options.interrupted, .tick = {}};
}

void finish(MeasurementSet& set) {
  const auto busy = std::count_if(set.measurements.begin(), set.measurements.end(),
                                  [](const Measurement& m) { return has_flag(m, "busy"); });
  if (busy > 0)
    add_note(set, std::to_string(busy) + " of " + std::to_string(set.measurements.size()) +
                      " records were taken on a busy machine (flag \"busy\"): their rates are "
                      "lower bounds");

  const auto key = [](const Measurement& m) {
    return std::tie(m.path, m.operation, m.pattern, m.read_share, m.size, m.depth);
  };
  std::stable_sort(set.measurements.begin(), set.measurements.end(),
                   [&](const Measurement& a, const Measurement& b) { return key(a) < key(b); });
}

void add_note(MeasurementSet& set, const std::string& note) {
  std::string& notes = set.environment["notes"];
  notes += (notes.empty() ? "" : "; ") + note;
}

}  // namespace stallcast::calibration::probing
