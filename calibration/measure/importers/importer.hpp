#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stallcast/diagnostic.hpp"
#include "stallcast/measurement.hpp"

/// Other tools' result files as measurements. Each importer converts units where it reads them,
/// says which fields it did not read, and quarantines records that contradict themselves (bandwidth
/// = operations x size, and throughput x latency = depth, both within 5 %): the record keeps the
/// flag "inconsistent" and a warning says so.
namespace stallcast::calibration {

/// A file of another tool.
struct ToolFile {
  const std::string& text;
  const std::string& name;
  Diagnostics& diagnostics;
};

/// One row of the table: to add a tool, its .cpp and its row in importers.cpp.
struct ResultImporter {
  std::string_view id;       ///< FORMAT of `stallcast import FORMAT FILE`
  std::string_view summary;  ///< one line
  /// Does `text` look like this tool's output? Used where no format is given; must be cheap and
  /// must not take another tool's file.
  bool (*recognises)(std::string_view text);
  /// Malformed input is an error with file, line and column; nothing throws. `tool`, `sha256` and
  /// `file` are filled in by `import_results`.
  void (*read)(const ToolFile& file, MeasurementSet& set);
};

/// Sorted by id.
[[nodiscard]] std::span<const ResultImporter> result_importers();
/// nullptr when there is no such format.
[[nodiscard]] const ResultImporter* find_result_importer(std::string_view id);
/// Why `text` is none that any tool writes: empty, compressed, UTF-16.
[[nodiscard]] std::optional<Diagnostic> no_text(const std::string& text, const std::string& file);
/// The importer that recognises `text`, or nullptr.
[[nodiscard]] const ResultImporter* recognise_results(std::string_view text);

/// Reads `text` with `importer`, checks the records, fills in file and hash.
[[nodiscard]] MeasurementSet import_results(const ResultImporter& importer, const std::string& text,
                                            const std::string& file, Diagnostics& diagnostics);

/// Reads one measurement file: what probes wrote, or whatever importer recognises the text. Faults
/// go to `diagnostics`; a text that nobody reads is one.
[[nodiscard]] MeasurementSet read_any(const std::string& text, const std::string& file,
                                      Diagnostics& diagnostics);

}  // namespace stallcast::calibration
