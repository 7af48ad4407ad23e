#include "calibration/measure/record_json.hpp"

namespace stallcast::calibration {

void RecordReader::take(const Json& json, const std::string& at, std::string& value) {
  if (!json.is_string()) return error("type", at, "this takes a text", "");
  value = json.get<std::string>();
}

void RecordReader::take(const Json& json, const std::string& at, double& value) {
  if (!json.is_number()) return error("type", at, "this takes a number in SI base units", "");
  value = json.get<double>();
}

void RecordReader::take(const Json& json, const std::string& at, bool& value) {
  if (!json.is_boolean()) return error("type", at, "this takes true or false", "");
  value = json.get<bool>();
}

std::optional<base::JsonDocument> open_record_file(const std::string& text, const std::string& file,
                                                   std::string_view schema,
                                                   Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.items().size();
  base::JsonDocument document = base::parse_jsonc(text, file, diagnostics);
  for (std::size_t i = before; i < diagnostics.items().size(); ++i)
    if (diagnostics.items()[i].severity == Severity::error) return std::nullopt;
  const auto found = document.root.is_object() ? document.root.find("schema") : document.root.end();
  if (!document.root.is_object() || found == document.root.end() || *found != schema) {
    diagnostics.add(
        {Severity::error, "schema", "/schema", base::locate(document, "/schema"),
         "this is not a file of schema \"" + std::string(schema) + "\"",
         "profiles come from \"stallcast calibrate\", measurements from \"stallcast probe\", "
         "observations from \"stallcast import\""});
    return std::nullopt;
  }
  document.root.erase("schema");
  return document;
}

}  // namespace stallcast::calibration
