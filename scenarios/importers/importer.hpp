#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diagnostic.hpp"

/// Other tools' files as scenarios. An importer says of every field what became of it; what the
/// file does not say comes from the options, or is a placeholder that is warned about.
namespace stallcast::scenarios {

/// What the imported file does not say.
struct ImportOptions {
  std::optional<std::int64_t> hosts;         ///< servers
  std::optional<std::int64_t> accelerators;  ///< GPUs of the job, on all hosts together
  /// Text and name of a scenario whose `storage` and `cluster` are taken over. Empty: a placeholder
  /// storage system is written.
  std::string storage_text;
  std::string storage_file;
  /// The tool's own overrides, in order; for DLIO "++workload.reader.read_threads=8".
  std::vector<std::string> overrides;
};

/// What became of one field.
enum class FieldFate { mapped, defaulted, ignored };

struct FieldNote {
  FieldFate fate = FieldFate::mapped;
  std::string source;  ///< key in the imported file; for `defaulted` the key that is absent, if any
  std::string value;   ///< as written there
  std::string target;  ///< dotted path in the scenario; "" for `ignored`
  std::string note;    ///< how it was converted, or why it was not
};

/// What came of an import. `scenario` is empty exactly when there is an error.
struct ImportResult {
  std::string scenario;     ///< strict JSON
  Diagnostics diagnostics;  ///< with file, line and column
  std::vector<FieldNote> fields;
};

/// One row of the table of importers: to add a format, its .cpp and its row in importers.cpp.
struct Importer {
  std::string_view id;       ///< FORMAT of `stallcast import FORMAT FILE`
  std::string_view summary;  ///< one line
  ImportResult (*import)(const std::string& text, const std::string& file,
                         const ImportOptions& options);
  /// Whether a text is such a file, by its content; nullptr where that does not tell.
  bool (*recognises)(std::string_view text);
};

/// Sorted by id.
[[nodiscard]] std::span<const Importer> importers();
/// nullptr when there is no such format.
[[nodiscard]] const Importer* find_importer(std::string_view id);
/// The importer that recognises `text`, or nullptr.
[[nodiscard]] const Importer* recognise_importer(std::string_view text);

/// The fields of a result as text, a line each, grouped by fate; ends with a count of each group.
[[nodiscard]] std::string print_fields(const ImportResult& result);

}  // namespace stallcast::scenarios
