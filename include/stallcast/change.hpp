#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "stallcast/design.hpp"
#include "stallcast/result.hpp"

/// Changes of single values of a scenario: what a slider, a sweep or a plan varies.
namespace stallcast {

/// A number in a unit ("GB/s"; "" = a plain number). Its text is exact.
struct Amount {
  double number = 0.0;
  std::string unit = {};
  [[nodiscard]] bool operator==(const Amount&) const = default;
};

/// Any JSON as it was written: "[1, 2]", "true", "null", "96.0".
struct JsonLiteral {
  std::string json;
  [[nodiscard]] bool operator==(const JsonLiteral&) const = default;
};

/// A value that a scenario is given: a number, words ("direct", "2 GB/s"), or other JSON.
using Setting = std::variant<Amount, std::string, JsonLiteral>;

/// One value of a scenario changed.
struct Change {
  std::string path;  ///< "storage[scratch].ost.count", "params.n"
  Setting value;
  [[nodiscard]] bool operator==(const Change&) const = default;
};

/// `value` as `--set` takes it.
[[nodiscard]] std::string text_of(const Setting& value);
/// "storage[scratch].ost.count=48".
[[nodiscard]] std::string text_of(const Change& change);

/// What `words` behind the "=" of `--set` mean: JSON, or the words themselves.
[[nodiscard]] Setting parse_setting(std::string_view words);
/// "path=value". Anything else is a failure (bad_input).
[[nodiscard]] Result<Change> parse_change(std::string_view option);

/// A number in the base unit of its dimension, in a unit that people read.
[[nodiscard]] Setting setting_of(double base_value, Dimension dimension);

}  // namespace stallcast
