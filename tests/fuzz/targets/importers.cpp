#include <algorithm>

#include "calibration/fit/calibrate.hpp"
#include "calibration/measure/importers/importer.hpp"
#include "calibration/measure/measurement_json.hpp"
#include "calibration/profile/profile_json.hpp"
#include "fuzz/target.hpp"
#include "scenarios/importers/importer.hpp"

/// Files of other tools. An input goes to every importer of its sort, whether or not it is one of
/// its files.
namespace stallcast::fuzz {

/// Behind a line of two percent signs, a scenario whose storage is taken over.
void fuzz_import_workload(std::string_view input) {
  constexpr std::string_view kMark = "\n%%\n";
  const std::size_t mark = std::min(input.find(kMark), input.size());
  const std::string text(input.substr(0, mark));
  scenarios::ImportOptions how{
      .hosts = 4, .accelerators = 8, .storage_text = {}, .storage_file = {}, .overrides = {}};
  if (mark < input.size()) {
    how.storage_text = input.substr(mark + kMark.size());
    how.storage_file = "storage.json";
  }
  for (const scenarios::Importer& importer : scenarios::importers()) {
    const scenarios::ImportResult result = importer.import(text, "input.yaml", how);
    check_faults(result.diagnostics, "");  // what a workload does not say has no line
    require(result.scenario.empty() == result.diagnostics.has_errors(), "a scenario or an error");
    (void)scenarios::print_fields(result);
    if (result.scenario.empty() || !how.storage_text.empty()) continue;
    const Scenario read = Scenario::read({.file = "made.json", .text = result.scenario});
    for (const Diagnostic& d : read.diagnostics().items())
      require(d.code != "syntax" && d.code != "unknown-key" && d.code != "type",
              "an importer writes a scenario: " + line_of(d));
  }
}

namespace {

/// What a fit makes of measurements, and back.
void calibrate_from(MeasurementSet set) {
  calibration::fit::FitOptions how;
  how.draws = 2;
  const CalibrationProfile profile = calibration::calibrate({std::move(set)}, "input", how);
  Diagnostics faults;
  const std::string text = calibration::write_profile(profile);
  (void)calibration::read_profile(text, "made.json", faults);
  for (const Diagnostic& d : faults.items()) require(false, "a profile reads back: " + line_of(d));
}

}  // namespace

void fuzz_import_results(std::string_view input) {
  const std::string text(input);
  for (const calibration::ResultImporter& importer : calibration::result_importers()) {
    (void)importer.recognises(input);
    Diagnostics faults, none;
    const MeasurementSet set = calibration::import_results(importer, text, "input", faults);
    check_faults(faults, "input");
    if (faults.has_errors()) continue;
    (void)calibration::read_measurements(calibration::write_measurements(set), "made.json", none);
    for (const Diagnostic& d : none.items())
      require(d.severity != Severity::error, "measurements read back: " + line_of(d));
  }
  Diagnostics faults;
  MeasurementSet any = calibration::read_any(text, "input", faults);
  check_faults(faults, "input");
  if (!faults.has_errors()) calibrate_from(std::move(any));
}

}  // namespace stallcast::fuzz
