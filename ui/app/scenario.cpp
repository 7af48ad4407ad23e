#include "ui/app/scenario.hpp"

#include <set>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/base/files.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/decide/predict/predict.hpp"

namespace stallcast::client {
namespace {

/// The text as JSON; null when it cannot be read.
base::JsonDocument document(const Source& source) {
  std::string text;
  if (source.text.has_value()) {
    text = *source.text;
  } else if (auto read = base::read_file(source.file); read.ok()) {
    text = std::move(read).value();
  }
  Diagnostics ignored;
  return base::parse_jsonc(std::move(text), source.file, ignored);
}

/// Assertions that cannot be read are faults of the scenario, found before anything is simulated.
void check_expectations(const Design& design, Diagnostics& diagnostics) {
  for (const Expectation& e : design.expect)
    if (const auto parsed = predict::parse_assertion(e.that); !parsed.ok())
      diagnostics.error("expect", e.pointer + "/that", parsed.failure().message,
                        parsed.failure().hint);
}

/// The same for a scenario that gave no design, so that all its faults are said at once.
void check_expectations(const base::JsonDocument& document, Diagnostics& diagnostics) {
  if (!document.root.is_object() || !document.root.contains("expect")) return;
  const base::Json& expect = document.root["expect"];
  for (std::size_t i = 0; expect.is_array() && i < expect.size(); ++i) {
    if (!expect[i].is_object() || !expect[i].contains("that")) continue;
    if (!expect[i]["that"].is_string()) continue;
    const auto parsed = predict::parse_assertion(expect[i]["that"].get<std::string>());
    if (!parsed.ok())
      diagnostics.error("expect", "/expect" + base::pointer_token(i) + "/that",
                        parsed.failure().message, parsed.failure().hint);
  }
}

/// Takes what `root` is, the business of who keeps the files, off all that is told of a scenario.
void tell_within(const std::string& root, scenarios::Loaded& loaded) {
  const std::string prefix = root + "/";
  const auto cut = [&](std::string& place) {
    if (place.starts_with(prefix)) place.erase(0, prefix.size());
  };
  for (scenarios::Parameter& p : loaded.params) cut(p.where);
  for (auto& [pointer, where] : loaded.written.where) cut(where);
  if (!loaded.design) return;
  cut(loaded.design->file);
  for (Expectation& e : loaded.design->expect) cut(e.where);
  base::for_each_component(*loaded.design, [&](const auto&, const auto&, Component& component) {
    for (auto& [key, value] : component.values) cut(value.source.where);
  });
}

}  // namespace

scenarios::Loaded load(const Source& source, const CalibrationProfile* profile) {
  if (source.text.has_value() && source.text->size() > base::kLargestFile) {
    scenarios::Loaded too_large;
    too_large.diagnostics.add(
        {Severity::error, "file", "", {source.file, 0, 0}, "File too large", ""});
    return too_large;
  }
  scenarios::LoadOptions options;
  options.sets = source.sets;
  options.variant = source.variant;
  options.profile = profile;
  options.extend_files = source.extend_files;
  options.extend_root = source.extend_root;
  scenarios::Loaded loaded = source.text.has_value()
                                 ? scenarios::load_text(*source.text, source.file, options)
                                 : scenarios::load_file(source.file, options);
  Diagnostics faults;
  if (loaded.design.has_value())
    check_expectations(*loaded.design, faults);
  else
    check_expectations(document(source), faults);
  locate(source, faults);
  if (faults.has_errors()) loaded.design.reset();
  std::set<std::string> said;
  for (const Diagnostic& d : loaded.diagnostics.items()) said.insert(d.pointer);
  for (Diagnostic& d : faults.items())
    if (!said.contains(d.pointer)) loaded.diagnostics.add(std::move(d));
  if (!source.extend_root.empty()) tell_within(source.extend_root, loaded);
  return loaded;
}

void locate(const Source& source, Diagnostics& diagnostics) {
  if (diagnostics.items().empty()) return;
  const base::JsonDocument json = document(source);
  for (Diagnostic& d : diagnostics.items())
    if (d.position.line == 0) d.position = base::locate(json, d.pointer);
}

std::string diagnostic_line(const Diagnostic& d) {
  std::string out = d.position.file;
  if (d.position.line > 0)
    out += ":" + std::to_string(d.position.line) + ":" + std::to_string(d.position.column);
  if (!out.empty()) out += ": ";
  if (!d.pointer.empty() || d.position.line > 0)
    out += (d.pointer.empty() ? "/" : d.pointer) + ": ";
  if (d.severity == Severity::warning) out += "warning: ";
  return out + d.message;
}

}  // namespace stallcast::client
