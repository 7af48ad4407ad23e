#include <array>
#include <span>

#include "calibration/importers/importer.hpp"
#include "engine/base/files.hpp"

namespace stallcast::calibration {
namespace {

/// Sorted by id; one row per tool.
constexpr std::array<ResultImporter, 0> kImporters{};

}  // namespace

std::span<const ResultImporter> result_importers() { return kImporters; }

const ResultImporter* find_result_importer(std::string_view id) {
  for (const ResultImporter& importer : result_importers())
    if (importer.id == id) return &importer;
  return nullptr;
}

const ResultImporter* recognise_results(std::string_view text) {
  for (const ResultImporter& importer : result_importers())
    if (importer.recognises(text)) return &importer;
  return nullptr;
}

MeasurementSet import_results(const ResultImporter& importer, const std::string& text,
                              const std::string& file, Diagnostics& diagnostics) {
  MeasurementSet set = importer.read(text, file, diagnostics);
  set.file = file;
  set.sha256 = base::sha256(text);
  return set;
}

}  // namespace stallcast::calibration
