#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stallcast {

/// What kind of value a field takes, and hence how it is written and in which base unit it is held.
enum class Dimension {
  count,       ///< non-negative whole number
  number,      ///< plain number
  boolean,     ///< true or false
  text,        ///< free text, an identifier, or one of a list of choices
  text_list,   ///< list of texts
  bytes,       ///< "4 MiB", base B
  time,        ///< "200 ms", base s
  rate,        ///< "25 GB/s" or "400 Gb/s", base B/s
  op_rate,     ///< "80 kops/s", base 1/s
  ratio,       ///< "95 %", base 1
  flops,       ///< "4 TFLOP", base 1
  flop_rate,   ///< "989 TFLOP/s", base 1/s
  money,       ///< "120 USD", base USD
  money_rate,  ///< "3 USD/h", base USD/s
  power,       ///< "10.2 kW", base W
  energy       ///< "50 MWh", base J: of targets, no field has one
};

/// Where a value came from.
struct Source {
  enum class Kind { scenario, set_option, expression, catalogue, default_value, profile };
  Kind kind = Kind::default_value;
  std::string where;        ///< "file:line:column", "--set", "catalog:host/dgx-h100", "default"
  std::string citation;     ///< the published source behind a catalogue value or a default
  bool assumption = false;  ///< from memory or expert value: shown as an assumption in reports
};

/// What a value may be in truth: nine times in ten it is from `low` to `high`, in the base unit of
/// the value. One that is the upper end itself is a ceiling ("up to"): most are below.
struct Range {
  double low = 0.0;
  double high = 0.0;
  std::string why;  ///< how that is known
  bool operator==(const Range&) const = default;
};

/// One resolved value. `number` is in the base unit of `dimension`; a boolean is 0 or 1.
struct Value {
  Dimension dimension = Dimension::number;
  double number = 0.0;
  std::string text;               ///< for `text`
  std::vector<std::string> list;  ///< for `text_list`
  Source source;
  /// Absent where the value is exact. A simulation takes `number`: not part of a design's identity.
  std::optional<Range> range = std::nullopt;
};

/// Whether a scenario or `--set` says it, itself or by an expression.
[[nodiscard]] inline bool is_stated(const Value& value) {
  return value.source.kind == Source::Kind::scenario ||
         value.source.kind == Source::Kind::set_option ||
         value.source.kind == Source::Kind::expression;
}

}  // namespace stallcast
