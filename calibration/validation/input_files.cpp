#include "calibration/validation/input_files.hpp"

#include <algorithm>
#include <utility>

#include "calibration/validation/claims.hpp"
#include "engine/base/files.hpp"

namespace stallcast::calibration {
namespace {

bool holds_claims(const base::JsonDocument& document) {
  if (!document.root.is_object()) return false;
  const auto schema = document.root.find("schema");
  return schema != document.root.end() && schema->is_string() &&
         schema->get_ref<const std::string&>() == kClaimsSchema;
}

}  // namespace

InputFiles open_files(std::span<const std::string> paths) {
  InputFiles out;
  for (const std::string& path : paths) {
    Result<std::string> text = base::read_file(path);
    if (!text.ok()) {
      const std::string& why = text.failure().message;
      out.diagnostics.add({Severity::error, "file", "", Position{path, 0, 0},
                           "cannot read the file" + why.substr(why.rfind(": ")), ""});
      continue;
    }
    Diagnostics faults;
    base::JsonDocument document = base::parse_jsonc(std::move(text).value(), path, faults);
    // Null after a syntax error, or because the file says so: that is not a fault of its text.
    if (!document.root.is_null() || !faults.has_errors())
      out.documents.push_back(std::move(document));
    for (Diagnostic& d : faults.items()) out.diagnostics.add(std::move(d));
  }
  return out;
}

bool are_claims(const InputFiles& files) {
  return !files.documents.empty() &&
         std::all_of(files.documents.begin(), files.documents.end(), holds_claims);
}

}  // namespace stallcast::calibration
