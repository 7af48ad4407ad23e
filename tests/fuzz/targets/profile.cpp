#include "calibration/profile/apply.hpp"
#include "calibration/profile/profile_json.hpp"
#include "engine/decide/predict/estimate.hpp"
#include "fuzz/target.hpp"
#include "ui/report/report.hpp"

namespace stallcast::fuzz {

void fuzz_profile(std::string_view input) {
  Diagnostics faults;
  const CalibrationProfile profile =
      calibration::read_profile(std::string(input), "input.json", faults);
  check_faults(faults, "input.json");
  if (faults.has_errors()) return;
  const std::string text = calibration::write_profile(profile);
  const CalibrationProfile again = calibration::read_profile(text, "made.json", faults);
  for (const Diagnostic& d : faults.items())
    require(d.severity != Severity::error, "a profile reads back: " + line_of(d));
  require(calibration::write_profile(again) == text, "a profile reads back the same");
  (void)report::profile_text(profile, {});
  const Scenario scenario =
      Scenario::read({.file = "known.json", .text = known_scenario().text()}, &profile);
  check_faults(scenario.diagnostics(), "known.json");
  if (!scenario.ok()) return;
  Design design = scenario.design();
  (void)calibration::other_machines(profile, design);
  calibration::apply_draw(profile, 1, design);
  check_figures(predict::estimate(scenario.design()).metrics);
}

}  // namespace stallcast::fuzz
