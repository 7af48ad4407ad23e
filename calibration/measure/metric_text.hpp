#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Figures of metrics, as people write them. docs/validation-cases.md, "Units".
namespace stallcast::calibration {

/// A text with a unit ("93.5 %", "850 ms") as a figure in `unit`, which is that of its metric;
/// nothing for a quantity of another dimension.
[[nodiscard]] std::optional<double> figure_in(std::string_view text, std::string_view unit);
/// "does not fit "job.train.step.time", which is in s".
[[nodiscard]] std::string does_not_fit(std::string_view metric, std::string_view unit);
/// What to write for a figure in `unit`: "write a duration, for example "5.6 s"".
[[nodiscard]] std::string what_fits(std::string_view unit);
/// `number` as a figure in `unit`: "write "37.5 %", in the unit of the metric".
[[nodiscard]] std::string written_in(double number, std::string_view unit);

}  // namespace stallcast::calibration
