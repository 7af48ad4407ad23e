#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/jsonc.hpp"

/// The scanner behind jsonc.hpp: one pass over JSON with comments that checks the syntax, blanks
/// out what strict JSON does not have, and remembers places. Private to engine/base.
namespace stallcast::base::detail {

/// Deepest nesting that is read; hostile input must not exhaust the stack.
inline constexpr int kMaxDepth = 200;

/// Places are kept of texts up to this size: beyond it they would take more memory than they save.
inline constexpr std::size_t kMostPlaced = std::size_t{1} << 20U;

/// One fault at a byte of the text.
struct ScanFault {
  std::size_t offset = 0;
  std::string code;  ///< of a key that is there twice: "repeated-key" where the values are alike
  std::string pointer;
  std::string message;
  std::string hint;
};

struct ScanResult {
  std::string clean;              ///< strict JSON of the same length; numbers out of range are 0
  std::vector<ScanFault> faults;  ///< in the order of the text
  bool readable = false;          ///< no syntax fault: `clean` can be parsed
  std::optional<Place> place;     ///< of the deepest existing part of the wanted path
  std::map<std::string, Place>
      places;  ///< of all values, by pointer, in a text of kMostPlaced bytes
};

/// Scans `text`, and looks for the value at `path` (unescaped reference tokens).
[[nodiscard]] ScanResult scan_jsonc(std::string_view text, const std::vector<std::string>& path);

}  // namespace stallcast::base::detail
