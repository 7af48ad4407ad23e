#pragma once

#include <string>

#include "stallcast/diagnostic.hpp"

namespace stallcast::base {

/// "seen.csv:3:1"; the file alone where no line is known.
[[nodiscard]] inline std::string place_text(const Position& at) {
  if (at.line == 0) return at.file;
  return at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace stallcast::base
