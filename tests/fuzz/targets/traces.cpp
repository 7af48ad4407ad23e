#include "calibration/fit/observed.hpp"
#include "calibration/observe/formats/formats.hpp"
#include "calibration/observe/formats/trace_format.hpp"
#include "calibration/observe/live/side_file.hpp"
#include "calibration/observe/observation_json.hpp"
#include "calibration/observe/replay/compile.hpp"
#include "calibration/observed_job/observed_job.hpp"
#include "fuzz/target.hpp"

/// What was seen of jobs.
namespace stallcast::fuzz {
namespace {

void check_observation(const Observation& observation) {
  Diagnostics faults;
  const std::string text = calibration::write_observation(observation);
  const Observation again = calibration::read_observation(text, "made.json", faults);
  for (const Diagnostic& d : faults.items())
    require(d.severity != Severity::error, "an observation reads back: " + line_of(d));
  require(calibration::write_observation(again) == text, "an observation reads back the same");
}

}  // namespace

namespace {

/// config.yaml, which lies beside traces of DLIO.
void read_config(const std::string& path) {
  Diagnostics faults;
  auto file = calibration::TraceFile::open(path, faults);
  if (!file.ok()) return require(!file.failure().message.empty(), "a failure says why");
  calibration::ObservationBuilder builder(false);
  calibration::dlio_output::read_config(*file, builder);
  (void)file->close();
  check_observation(builder.finish());
}

}  // namespace

void fuzz_import_trace(std::string_view input) {
  const InputFile file(input);
  read_config(file.path());
  (void)calibration::recognise_trace(file.path());
  (void)calibration::why_no_trace(file.path());
  for (const calibration::TraceFormat& format : calibration::trace_formats()) {
    Diagnostics faults;
    const Observation seen = calibration::import_observation(format, {file.path()}, false, faults);
    check_faults(faults, "");
    if (!faults.has_errors()) check_observation(seen);
    if (format.operations == nullptr || faults.has_errors()) continue;
    const InputFile program("");
    const auto compiled =
        calibration::compile_replay(format, {file.path()}, program.path(), {}, faults);
    require(compiled.ok() || !compiled.failure().message.empty(), "a failure says why");
  }
  (void)calibration::live::read_side_file(file.path());
}

void fuzz_observation(std::string_view input) {
  const std::string text(input);
  Diagnostics faults;
  const Observation read = calibration::read_observation(text, "input.json", faults);
  check_faults(faults, "input.json");
  if (!faults.has_errors()) check_observation(read);
  const auto job = calibration::read_job(text, "input.json", faults);
  check_faults(faults, "input.json");
  if (!job || faults.has_errors()) return;
  const auto made = calibration::import_job(calibration::merged({*job, *job}), {});
  if (!made.ok()) return require(!made.failure().message.empty(), "a failure says why");
  const Scenario scenario = Scenario::read({.file = "made.json", .text = made->scenario});
  for (const Diagnostic& d : scenario.diagnostics().items())
    require(d.code != "syntax" && d.code != "unknown-key" && d.code != "type",
            "an observed job is a scenario: " + line_of(d));
}

void fuzz_observed(std::string_view input) {
  Diagnostics faults;
  const auto figures =
      calibration::read_observed(std::string(input), "input", known_scenario().design(), faults);
  check_faults(faults, "input");
  require(faults.has_errors() || !figures.empty(), "figures or an error");
}

}  // namespace stallcast::fuzz
