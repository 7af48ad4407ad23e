#include "engine/base/glob.hpp"

#include <cstddef>

namespace stallcast::base {

bool matches_glob(std::string_view pattern, std::string_view text) {
  // After a mismatch the last star takes one character more: no recursion, quadratic at worst.
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace stallcast::base
