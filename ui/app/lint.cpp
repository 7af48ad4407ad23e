#include "ui/app/lint.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

namespace stallcast::client {
namespace {

/// More of them nobody wrote by hand, and a server has others to answer.
constexpr std::size_t kMostVariants = 200;

bool same(const Diagnostic& a, const Diagnostic& b) {
  return a.message == b.message && a.position.file == b.position.file &&
         a.position.line == b.position.line && a.position.column == b.position.column;
}

}  // namespace

Diagnostics lint(const Session& session, const ScenarioFile& source) {
  const Reading reading = session.read(source);
  Diagnostics out = reading.diagnostics;
  const bool again = source.text || std::filesystem::is_regular_file(source.file);
  if (!reading.scenario || !source.variant.empty() || !again) return out;
  const auto names = reading.scenario->variants();
  for (const std::string& name : names.first(std::min(names.size(), kMostVariants))) {
    ScenarioFile variant = source;
    variant.variant = name;
    const Reading its = session.read(variant);
    for (Diagnostic d : its.diagnostics.items()) {
      const auto& known = reading.diagnostics.items();
      if (std::any_of(known.begin(), known.end(), [&](const auto& k) { return same(k, d); }))
        continue;
      d.message = "variant \"" + name + "\": " + d.message;
      out.add(std::move(d));
    }
  }
  if (names.size() > kMostVariants)
    out.add({.severity = Severity::warning,
             .code = "variants",
             .pointer = "/scenarios",
             .position = {},
             .message = "of " + std::to_string(names.size()) + " variants the first " +
                        std::to_string(kMostVariants) + " were looked at",
             .hint = "name one: --variant"});
  return out;
}

}  // namespace stallcast::client
