#include "calibration/measure/importers/importer.hpp"
#include "calibration/measure/measurement_json.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration {

MeasurementSet read_any(const std::string& text, const std::string& file,
                        Diagnostics& diagnostics) {
  if (is_measurements(text)) return read_measurements(text, file, diagnostics);
  if (const ResultImporter* importer = recognise_results(text))
    return import_results(*importer, text, file, diagnostics);
  if (const auto fault = no_text(text, file)) {
    diagnostics.add(*fault);
    return {};
  }
  std::vector<std::string> known;
  for (const ResultImporter& importer : result_importers()) known.emplace_back(importer.id);
  diagnostics.add({Severity::error, "format", "", Position{file, 1, 1},
                   "this is not a measurement file that Stallcast knows",
                   "a file of \"stallcast probe\", or of " + base::join(known, ", ")});
  return {};
}

}  // namespace stallcast::calibration
