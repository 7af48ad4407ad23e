#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stallcast/design.hpp"
#include "stallcast/result.hpp"

/// The small language of `expect`: "METRIC OPERATOR LIMIT".
namespace stallcast::base {

/// A parsed `that`: "job.train.gpu.utilization >= 95 %", "max(resource.*.utilization) < 85 %",
/// "job.train.step.time in [1 s, 2 s]", "cost.capex <= base * 1.05", "... in [base * 0.9, 2 s]".
struct Assertion {
  std::string metric;  ///< may contain "*", which stands for any text, dots too
  std::string op;      ///< < <= > >= == in
  double limit = 0.0;  ///< base unit of `dimension`; of "in", the lower end
  Dimension dimension = Dimension::number;
  std::optional<double> upper = std::nullopt;  ///< of "in": the upper end, which is allowed too
  /// mean, min, max or total of all metrics that match; "": each of them is compared
  std::string statistic = {};
  /// The limit as an expression of `base`, the value in the baseline; "" when it is a quantity.
  std::string relative = {};
  std::string relative_upper = {};  ///< the same of the upper end
};
/// Faults are failures with bad_input, to be reported at the expectation's pointer.
[[nodiscard]] Result<Assertion> parse_assertion(const std::string& that);

/// The limit of `assertion` in the unit metrics are given in ("USD/h" is not a base unit), or why
/// it does not fit. A number without a unit fits only a count.
/// REQUIRES: not relative.
[[nodiscard]] Result<double> limit_in(const Assertion& assertion, std::string_view metric_unit);

/// A limit, and of "in" where its range ends.
struct AskedLimits {
  double limit = 0.0;
  std::optional<double> upper = std::nullopt;
};
/// The same for a relative assertion, where the baseline holds `base` in that unit.
[[nodiscard]] Result<AskedLimits> relative_limits(const Assertion& assertion,
                                                  std::string_view metric_unit, double base);

/// The end of the range of "in" that `value` is nearer to, or beyond, where the range goes from
/// `limit` to `upper` in the unit of the metric; of other operators `limit`.
[[nodiscard]] double nearest_end(const Assertion& assertion, double value, double limit,
                                 std::optional<double> upper);

/// How far `value` is on the good side of the limit, for "in" of the nearest end, relative to it;
/// as a difference where it is 0. Negative when it fails.
[[nodiscard]] double margin(const Assertion& assertion, double value, double limit,
                            std::optional<double> upper = std::nullopt);

}  // namespace stallcast::base
