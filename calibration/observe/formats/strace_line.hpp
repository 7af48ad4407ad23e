#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/units.hpp"

namespace stallcast::calibration::strace {

/// One line of strace, taken apart. Views of the line.
struct StraceLine {
  enum class Kind { call, unfinished, resumed, exited, other };
  Kind kind = Kind::other;
  std::optional<std::int64_t> pid;  ///< with -f
  Seconds time;                     ///< since 1970 (-ttt) or midnight (-tt)
  bool calendar = false;            ///< -ttt
  std::string_view name;            ///< of the call
  std::string_view arguments;       ///< between the parentheses, as far as they are there
  std::optional<std::int64_t> result;
  std::string_view result_text;     ///< "3</data/a>", "-1 ENOENT (...)", "?"
  std::optional<Seconds> duration;  ///< -T
};

/// Nothing when the line has no time in front: then it is no line of strace -ttt or -tt.
[[nodiscard]] std::optional<StraceLine> strace_line(std::string_view line);

/// Times of day (-tt) of the lines of a trace, in their order.
class DayClock {
 public:
  /// Since the midnight before the first: a clock that jumps back by more than half a day has
  /// passed midnight. A line of the day before may come up to an hour late.
  [[nodiscard]] Seconds since_first_midnight(Seconds clock);
  [[nodiscard]] bool passed_midnight() const { return midnights_ > 0.0; }

 private:
  Seconds last_;
  double midnights_ = 0.0;  ///< that have passed
};

/// The process, by the name of a file that -ff made of it: "job.strace.4711", packed or not.
[[nodiscard]] std::optional<std::int64_t> pid_in_name(std::string_view path);

/// Result, its text and duration out of "= 3 <0.000012>", which ends a call.
void strace_result(std::string_view text, StraceLine& line);

/// Arguments apart, at commas outside of quotes, brackets and angle brackets.
[[nodiscard]] std::vector<std::string_view> strace_arguments(std::string_view arguments);

/// The text of a quoted argument, escapes undone; nothing when it is not quoted.
[[nodiscard]] std::optional<std::string> strace_text(std::string_view argument);

/// A descriptor, also with its path (-y): "3</data/a>".
struct StraceDescriptor {
  std::int64_t number = -1;
  std::string_view path;  ///< "" without -y
};
[[nodiscard]] std::optional<StraceDescriptor> strace_descriptor(std::string_view argument);

}  // namespace stallcast::calibration::strace
