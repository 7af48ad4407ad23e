#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/measurement.hpp"

/// What the importers of text share: lines, words, numbers, and faults with their places.
namespace stallcast::calibration {

/// Faults listed for one file; what comes after is counted in the last of them.
inline constexpr int kMostFaults = 50;

/// A finite number in whatever locale it was printed: "0.52" or "0,52". No tool here groups
/// thousands, so a comma is a decimal comma, and a text with a comma and a point is not a number.
[[nodiscard]] std::optional<double> tool_number(std::string_view text);
/// tool_number without a fraction, of 0 to 2^53.
[[nodiscard]] std::optional<std::int64_t> tool_count(std::string_view text);

/// `value` as a whole number; 0 where it is none from 0 to 2^53.
[[nodiscard]] std::int64_t whole(std::optional<double> value);

/// "4k", "1 MiB", "262144 bytes", "128m": prefixes are powers of 1024, as benchmarks mean them.
[[nodiscard]] std::optional<Bytes> tool_size(std::string_view text);

/// The value of option `name` in a command line: "-b 1m", "-b=1m", "-b1m", "'-b' '1m'"; "" when it
/// is not there, or the last of its words.
[[nodiscard]] std::string option_of(std::string_view command, std::string_view name);
[[nodiscard]] bool has_option(std::string_view command, std::string_view name);

/// "2026-11-21T00:20:49" of "Sat Nov 21 00:20:49 2026"; "" when it is not such a date.
[[nodiscard]] std::string iso_date(std::string_view text);
/// "2026-11-21T00:20:49Z" of seconds since 1970; "" out of range.
[[nodiscard]] std::string iso_date(double seconds);

/// Words between white space. Views of `line`.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);
[[nodiscard]] bool contains(std::string_view text, std::string_view part);
/// `text` in lower case (ASCII).
[[nodiscard]] std::string lower_case(std::string_view text);

/// `value` as the mean of a tool that prints steps of `step`: nothing when rounding alone moves it
/// by more than one per cent (it would fail the consistency checks for no fault of the run).
[[nodiscard]] std::optional<double> precise(double value, double step);

/// Adds `flag` unless it is there.
void flag(Measurement& m, std::string_view name);

struct ToolFile;

struct Line {
  std::string_view text;  ///< without the line end
  int number = 0;
};

/// A text that is read line by line.
class TextReader {
 public:
  explicit TextReader(const ToolFile& file);

  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  [[nodiscard]] std::string_view text() const { return text_; }

  /// `word` must be a view of `line`: it gives the column.
  void error(const Line& line, std::string_view word, std::string_view code, std::string message,
             std::string hint = {});
  void warn(const Line& line, std::string_view word, std::string_view code, std::string message,
            std::string hint = {});
  /// The number in `word`; an error that says `what` stood there, else.
  std::optional<double> number(const Line& line, std::string_view word, std::string_view what);
  /// True when `cells`, those of `line`, fill all `columns`; an error that `who` was stopped, else.
  bool complete(const Line& line, std::span<const std::string_view> cells, std::size_t columns,
                const std::string& who);
  /// Remembers a line that says nothing that is read. The first few are quoted, all are counted.
  void unread(const Line& line);
  /// What `unread` has collected, for MeasurementSet::ignored.
  [[nodiscard]] std::vector<std::string> ignored() const;

 private:
  void add(Severity severity, const Line& line, std::string_view word, std::string_view code,
           std::string message, std::string hint);

  std::string_view text_;
  std::string file_;
  Diagnostics& diagnostics_;
  std::vector<Line> lines_;
  int faults_ = 0;
  std::vector<std::string> quoted_;
  int unread_ = 0;
};

}  // namespace stallcast::calibration
