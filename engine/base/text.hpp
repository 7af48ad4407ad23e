#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Small text helpers used by messages and reports.
namespace stallcast::base {

/// The candidate nearest to `word`: same letters apart from case, or Damerau-Levenshtein distance
/// at most 2 (1 for words under 4 letters). "" when none is near.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// Whether two texts differ in upper and lower case at most.
[[nodiscard]] bool same_letters(std::string_view a, std::string_view b);

/// "a, b, c".
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string_view trim(std::string_view text);

/// `text`, trimmed, as a number; nullopt when it is not wholly one. Locale does not matter.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// An ASCII digit; the locale does not matter.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A word for sh, quoted where it must be.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace stallcast::base
