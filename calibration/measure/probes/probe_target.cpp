#include "calibration/measure/probes/probe_target.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <tuple>

#include "calibration/measure/flags.hpp"
#include "engine/base/quantity_text.hpp"

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

Result<std::unique_ptr<Scratch>> scratch_of(const ProbeOptions& options, MeasurementSet& set) {
  auto scratch = Scratch::make(options.target);
  if (scratch.ok())
    for (const std::string& note : scratch.value()->notes()) add_note(set, note);
  return scratch;
}

Result<DataFile> data_file_of(const ProbeOptions& options, const Scratch& scratch,
                              std::uint64_t wanted, std::uint64_t smallest, Stretch progress) {
  const Space space = space_at(scratch.folder());
  double bytes = std::min(static_cast<double>(wanted), 0.25 * space.free.in(unit::B));
  if (options.space > Bytes{}) bytes = options.space.in(unit::B);
  const std::uint64_t whole = static_cast<std::uint64_t>(bytes) >> 24U << 24U;  // of 16 MiB
  const auto text = [](double b) { return base::print_quantity(b, Dimension::bytes); };
  if (whole < smallest)
    return Failure{ExitCode::bad_input,
                   "the probe needs a file of " + text(static_cast<double>(smallest)) +
                       " at least, and has " + text(bytes),
                   "make room: a quarter of what is free is used; or say --space " +
                       std::to_string(smallest >> 20U) + "MiB or more"};
  if (auto failure = check_space(space, Bytes::from(static_cast<double>(whole), unit::B)))
    return *failure;
  return write_data_file(scratch, whole, options.seed, watch_of(options), [&](double f) {
    tell(options, progress.at(f), "writing the file to measure, twice");
  });
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
