#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diagnostic.hpp"

/// JSON with comments and trailing commas, read strictly otherwise. nlohmann/json does the reading;
/// comments and trailing commas are blanked out first so that every byte keeps its place.
namespace stallcast::base {

/// Keys keep the order of the file.
using Json = nlohmann::ordered_json;

/// Bytes of a text at which a value stands.
struct Place {
  std::size_t key = 0;    ///< equal to `value` for array elements and the root
  std::size_t value = 0;  ///< first byte of the value
  std::size_t end = 0;    ///< behind its last byte
};

/// A parsed text that can say where each of its values stands.
struct JsonDocument {
  Json root;
  std::string file;
  std::string text;
  std::map<std::string, Place> places = {};  ///< by pointer; empty for large texts
  std::vector<std::size_t> lines = {0};      ///< first byte of each line
};

/// Parses `text`. Syntax errors, duplicate keys, and numbers outside the range of a double are
/// diagnostics with line and column ("syntax", "duplicate-key", "number"); all duplicates are
/// reported. On a syntax error `root` is null.
[[nodiscard]] JsonDocument parse_jsonc(std::string text, std::string file, Diagnostics& diags);

/// How many texts this program has parsed: tests hold it to once a file.
[[nodiscard]] std::uint64_t parsed_texts();

/// Which part of a member to point at.
enum class PointAt { value, key };

/// Line and column (1-based, column in bytes) of what `pointer` names in `document`, found by
/// scanning the text again where it is large. The place of the nearest existing parent when the
/// pointer does not exist.
[[nodiscard]] Position locate(const JsonDocument& document, std::string_view pointer,
                              PointAt at = PointAt::value);

/// Line number `line`, from 1 on, without its end; "" when there is none, or it is longer than
/// `most` bytes.
[[nodiscard]] std::string line_of(const JsonDocument& document, int line, std::size_t most);

/// Line and column of byte `offset` of `text`.
[[nodiscard]] Position position_at(std::string_view text, std::size_t offset,
                                   std::string_view file);

/// RFC 6901 escaping of one reference token, with the leading slash: "/a~1b".
[[nodiscard]] std::string pointer_token(std::string_view key);
[[nodiscard]] std::string pointer_token(std::size_t index);
/// Undoes it: "a/b" of "a~1b", a token without its slash.
[[nodiscard]] std::string pointer_key(std::string_view token);

/// A tree of nlohmann/json on one line; bytes that are not UTF-8 are replaced.
template <class Tree>
[[nodiscard]] std::string one_line(const Tree& json) {
  return json.dump(-1, ' ', false, Tree::error_handler_t::replace);
}
/// A text as JSON has it: in quotes, with what must be escaped.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace stallcast::base
