#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Files of /proc and /sys, read as they are: small, made when they are read, gone at any moment.
namespace stallcast::calibration::live {

/// The whole text; "" when it cannot be read.
[[nodiscard]] std::string proc_text(const std::string& path);
/// Without the line end.
[[nodiscard]] std::string proc_line(const std::string& path);
/// The value of "key: value" in `text`; "" when there is none.
[[nodiscard]] std::string_view proc_value(std::string_view text, std::string_view key);
/// The words of `text`.
[[nodiscard]] std::vector<std::string_view> proc_words(std::string_view text);
/// A number, 0 when it is none.
[[nodiscard]] double proc_number(std::string_view word);
/// Names in a folder that are numbers.
[[nodiscard]] std::vector<std::int64_t> proc_numbers(const std::string& folder);
/// What a symbolic link says; "" when it is none.
[[nodiscard]] std::string proc_link(const std::string& path);

}  // namespace stallcast::calibration::live
