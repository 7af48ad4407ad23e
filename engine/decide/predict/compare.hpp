#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diff.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// What moved between two predictions, by how much, and whether that is for the worse.
namespace stallcast::predict {

/// For metrics that no tolerance names: one seed gives the same bytes, so this only forgives what
/// nobody would act on.
inline constexpr double kDefaultTolerance = 0.005;

/// Reads "cost.capex=0.5%", "job.*.step.time = 1 %", or "2%" for every metric.
[[nodiscard]] Result<Tolerance> parse_tolerance(const std::string& text);

/// That of the last pattern in `tolerances` which matches, else kDefaultTolerance.
[[nodiscard]] double tolerance_of(std::string_view metric, std::span<const Tolerance> tolerances);

/// `way` for metrics whose way is known otherwise, as by the operator of an assertion.
[[nodiscard]] MetricChange compare(std::string metric, const Metric& before, const Metric& after,
                                   double tolerance,
                                   std::optional<metric::Better> way = std::nullopt);

/// Every metric that both have in one unit, in the order of their names.
[[nodiscard]] std::vector<MetricChange> compare_all(const std::map<std::string, Metric>& before,
                                                    const std::map<std::string, Metric>& after,
                                                    std::span<const Tolerance> tolerances);

}  // namespace stallcast::predict
