#include "calibration/measure/csv.hpp"
#include "calibration/validation/claims.hpp"
#include "calibration/validation/sources/source.hpp"
#include "calibration/validation/validate.hpp"
#include "fuzz/target.hpp"

namespace stallcast::fuzz {

/// Case files and claims; the scenarios they name are not there.
void fuzz_cases(std::string_view input) {
  calibration::InputFiles files;
  files.documents.push_back(base::parse_jsonc(std::string(input), "input.json", files.diagnostics));
  check_faults(files.diagnostics, "input.json");
  if (files.diagnostics.has_errors()) return;
  (void)calibration::are_claims(files);
  const calibration::LoadedCases cases = calibration::load_cases(files);
  check_faults(cases.diagnostics, "input.json");
  const calibration::LoadedClaims claims = calibration::load_claims(files);
  check_faults(claims.diagnostics, "input.json");
}

/// Tables of measurements of others. Nothing is simulated: there is no such worker.
void fuzz_table(std::string_view input) {
  for (const calibration::RowLayout& layout : calibration::sources()) {
    Diagnostics faults;
    calibration::SourceOptions how;
    how.predict.run.worker = "/nonexistent";
    how.draws = 4;
    const auto rows = layout.predict(std::string(input), "input.csv", how, faults);
    check_faults(faults, "input.csv");
    require(rows.ok() || !rows.failure().message.empty(), "a failure says why");
  }
}

}  // namespace stallcast::fuzz
