#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/metric.hpp"
#include "stallcast/sweep.hpp"

/// Which points nobody can improve on in every goal.
namespace stallcast::sweep {

/// For each row whether it is on the Pareto front: no other row is at least as good in every goal
/// and better in one. All figures are to be made small; a row that lacks one is never on it. Rows
/// that are equal in all goals are on it together.
[[nodiscard]] std::vector<bool> pareto_front(
    const std::vector<std::vector<std::optional<double>>>& rows);

/// A value as `--set` takes it, as a number in base units and their name: "5 min" is {300, "s"},
/// "48" is {48, ""}. nullopt for what is not a number ("async").
[[nodiscard]] std::optional<SweepFigure> number_of(std::string_view value);

/// The figure of `column` in one row, and its unit: a metric, or the value of an axis.
[[nodiscard]] std::optional<SweepFigure> figure_of(const SweepReport& report, const SweepRow& row,
                                                   const std::string& column);

/// Marks the rows on the front of all columns with a goal, among those whose targets hold (or that
/// have none). No goal: none.
void mark_front(SweepReport& report);

/// Columns from "NAME", "NAME:min" and "NAME:max", where NAME is an axis or a metric and may have
/// "*" for any text: then several columns come from one. A name that nothing has, and a goal for
/// values that are not numbers, are said in `fault`.
[[nodiscard]] std::vector<SweepColumn> columns_of(const SweepReport& report,
                                                  std::span<const std::string> wanted,
                                                  std::optional<std::string>& fault);

/// What is shown when no metric was asked for, after what a prediction says first (utilization of
/// jobs, the time of stages, that of tenants alone), goodput where failures undo work, and what
/// targets are on: stall where there are saves, and costs where
/// there are prices.
inline constexpr std::string_view kUsualColumns[] = {"job.*.checkpoint.stall", metric::kCapex,
                                                     metric::kUsefulGpuHour};

/// What is wrong with names that no point can have, known before any has a result; nullopt where
/// each may be that of a metric, or is of something varied.
[[nodiscard]] std::optional<std::string> unknown_column(const SweepReport& report,
                                                        std::span<const std::string> wanted);

}  // namespace stallcast::sweep
