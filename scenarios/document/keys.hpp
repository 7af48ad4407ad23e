#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scenarios/document/document.hpp"

namespace stallcast::scenarios {

/// What names of the catalogue begin with where files could be meant, too.
inline constexpr std::string_view kCatalog = "catalog:";

/// The sections of a scenario.
inline constexpr std::string_view kScenarioKeys[] = {
    "$schema", "id",     "description", "extends", "params",    "cluster",
    "storage", "jobs",   "run",         "expect",  "scenarios", "sweep",
    "tenants", "stages", "failures",    "plan",    "growth"};

/// "did you mean "x"? allowed: a, b, c", with the key nearest to `word` if there is one.
[[nodiscard]] std::string allowed_hint(std::string_view word, std::span<const std::string> allowed);

/// An unknown key is an error at the key.
void unknown_key(const std::string& key, const std::string& object, const std::string& what,
                 std::span<const std::string> allowed, Reporter& report);

/// Reports every key of the object `node` that is neither in `allowed` nor begins with "x-".
void check_keys(const Json& node, const std::string& pointer,
                std::span<const std::string_view> allowed, const std::string& what,
                Reporter& report);

/// "a number", "an object", ...: what `node` is, for messages.
[[nodiscard]] std::string_view type_name(const Json& node);

}  // namespace stallcast::scenarios
