#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/scenario.hpp"

namespace stallcast::client {

/// One value of a JSON text with comments, and the bytes it is written in: an editor changes one
/// value and leaves the rest of the text, comments included, as it is.
struct TextNode {
  enum class Kind { object, array, text, other };
  Kind kind = Kind::other;
  std::size_t begin = 0, end = 0;  ///< of the value
  std::size_t key_begin = 0;       ///< of its key; `begin` without one
  std::string key;                 ///< "" for items of arrays
  std::string literal;             ///< a text, or the letters of a number, true, false, null
  std::vector<TextNode> children;
};

/// nullopt when `text` is not JSON with comments and trailing commas.
[[nodiscard]] std::optional<TextNode> text_tree(const std::string& text);
/// The same of the text of `scenario`, which is not parsed again.
[[nodiscard]] std::optional<TextNode> text_tree(const Scenario& scenario);

}  // namespace stallcast::client
