#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/breakdown.hpp"
#include "stallcast/prediction.hpp"

/// Columns, colours and rounding of text reports.
namespace stallcast::report {

/// Columns of a text report where nothing else is known: a file, a pipe.
inline constexpr std::size_t kColumns = 80;

/// Each of so many jobs is shown by itself; more of them share one table or chart.
inline constexpr std::size_t kFewJobs = 3;

/// Columns that lines are broken at, kColumns unless the program said otherwise.
[[nodiscard]] std::size_t page_columns();
/// Of the terminal that reports go to, before the first of them is written; at most what reads
/// well.
void set_page_columns(std::size_t columns);

/// Adds ANSI escapes when colour is on, nothing otherwise.
class Ink {
 public:
  explicit Ink(bool colour) : colour_(colour) {}
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string good(std::string_view text) const { return wrap("32", text); }
  [[nodiscard]] std::string bad(std::string_view text) const { return wrap("31", text); }
  [[nodiscard]] std::string doubtful(std::string_view text) const { return wrap("33", text); }
  /// Green for "pass", red for "fail", yellow otherwise.
  [[nodiscard]] std::string by_status(std::string_view status, std::string_view text) const;

 private:
  [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const;
  bool colour_;
};

/// `text` padded with blanks to `width`; longer text is kept whole.
[[nodiscard]] std::string left(std::string_view text, std::size_t width);
[[nodiscard]] std::string right(std::string_view text, std::size_t width);

/// `text` broken at blanks into lines of at most page_columns(), each ended by a newline: the first
/// starts with `first`, the others with as many blanks as `indent`.
[[nodiscard]] std::string wrapped(std::string_view first, std::string_view text,
                                  std::size_t indent);

/// `text` in lines of at most `width` characters, broken at blanks and dots where it can be.
[[nodiscard]] std::vector<std::string> in_lines(std::string text, std::size_t width);

/// "  - one", each wrapped; behind `most` of them "  ... and 3 " and `more`.
[[nodiscard]] std::string bullets(const std::vector<std::string>& lines, std::size_t most,
                                  std::string_view more);

/// "now", "month 12".
[[nodiscard]] std::string in_month(int month);

/// "PASS" of "pass".
[[nodiscard]] std::string upper(std::string_view text);

/// A resource name of at most `width` characters: the middle is replaced by "..".
[[nodiscard]] std::string shortened(const std::string& name, std::size_t width);

/// Shares in tenths of a percent, in the order of kBreakdownCauses; causes that are absent are 0.
/// Each is rounded by itself, as wherever else it is said: their sum may be a tenth off.
[[nodiscard]] std::vector<int> tenths_of_percent(const std::map<std::string, double>& shares);

/// Between round figures: 1, 2 or 5 times a power of ten, at least `least`.
[[nodiscard]] double decimal_step(double least);

/// "93.1 %" from 931.
[[nodiscard]] std::string print_tenths(int tenths);

/// `value` with so many decimals.
[[nodiscard]] std::string fixed(double value, int decimals);

/// A difference of ratios: "1.20 points", "+1.20 points"; what is printed as 0 has no sign.
[[nodiscard]] std::string points(double difference, int decimals);
[[nodiscard]] std::string signed_points(double difference, int decimals);

/// A share with one decimal: "93.1 %", "0.0 %".
[[nodiscard]] std::string print_share(double share);

/// "1 OST", "2 OSTs".
[[nodiscard]] std::string counted(std::int64_t n, std::string_view plural);

/// "93.1 % (90 % of outcomes 84.0 % to 95.2 %)"; without draws the 95 % interval of the mean of
/// seeds by its name, and the figure as exact as its ends: "93.12 % (mean of seeds 92.93 % to
/// 93.31 %)".
[[nodiscard]] std::string print_metric(const Metric& metric);

/// The middle of outcomes, where the figure is outside of their interval; "" where it is not.
[[nodiscard]] std::string print_middle(const Metric& metric);

/// An end of an interval of outcomes: "84.0 %".
[[nodiscard]] std::string print_end(double value, const std::string& unit);

/// `value` of a metric as shown next to `limit`: with as many digits as it takes to differ.
[[nodiscard]] std::string print_beside(double value, double limit, const std::string& unit);

/// A limit as it was written: all its digits.
[[nodiscard]] std::string print_limit(double limit, std::string_view unit);

/// `text` of a value of `metric`, by whichever of the above, with what it counts: what a job reads
/// per second are samples, "70.7 ksamples/s" for "70.7 kops/s".
[[nodiscard]] std::string as_counted(std::string_view metric, std::string text);

/// The value an assertion saw.
[[nodiscard]] std::string print_predicted(const AssertionOutcome& outcome);
/// ", goodput 83.9 %" beside a GPU utilization that failures undid a part of, else "".
[[nodiscard]] std::string goodput_remark(const std::optional<double>& left);

/// Shares of GPU time that print as nothing.
inline constexpr double kNothing = 0.0005;

/// A relative margin with its sign and two significant digits: "+6.8 %", "-0.026 %".
[[nodiscard]] std::string print_margin(double margin);
/// A relative margin of a target of `limit` as figures in `unit` are told apart: of a share in
/// points, "-18.9 points", of others as above; of more than ten times its limit "far off" or
/// "ample".
[[nodiscard]] std::string print_target_margin(double margin, double limit, std::string_view unit);

}  // namespace stallcast::report
