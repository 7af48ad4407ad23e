#pragma once

#include <string>

/// What a scenario file may say, from the tables its reader uses.
namespace stallcast::scenarios {

/// JSON Schema (draft-07) of a scenario file, generated from the field tables.
[[nodiscard]] std::string schema();

/// Every field of every kind as a Markdown page, from the same tables.
[[nodiscard]] std::string reference();

}  // namespace stallcast::scenarios
