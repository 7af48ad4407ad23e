#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stallcast/breakdown.hpp"
#include "stallcast/prediction.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/report.hpp"

/// What there is to say of a prediction, whatever the format: phrases and rows that text and pages
/// share.
namespace stallcast::report {

/// nullptr when there is no metric of that name.
[[nodiscard]] const Metric* find(const Prediction& prediction, const std::string& name);

/// What nine in ten outcomes of `value` are within if they are as far off as those of `drawn` are:
/// by odds for shares, by factors for all else that is positive. REQUIRES: `drawn` has them.
[[nodiscard]] std::pair<double, double> outcomes_like(const Metric& drawn, double value);

/// "2 targets", "1 target".
[[nodiscard]] std::string count_of(std::size_t n, std::string_view noun);

/// Whether it is made of bounds alone, without a simulation.
[[nodiscard]] bool is_estimate(const Prediction& prediction);

/// "all targets hold", "1 of 2 targets missed", "the scenario has no targets"; with draws also that
/// a target that holds is not likely to: "the target holds, but only in 9 of 100 cases".
[[nodiscard]] std::string verdict_phrase(const Prediction& prediction);

using stallcast::gain_of;

/// Of tenants alone, the first few: "kv: reads 1.2 GB/s, latency 4 ms"; and how many more there
/// are.
[[nodiscard]] std::vector<std::string> tenant_lines(const Prediction& prediction);

/// What a report says first: the verdict, the system, utilizations or what tenants do, the limit,
/// what would help.
struct SummaryLine {
  std::string text;
  std::size_t figure = std::string::npos;  ///< where the figure of a headline metric begins
  bool detail = false;                     ///< of the line above
};
[[nodiscard]] std::vector<SummaryLine> summary_lines(const Prediction& prediction);

struct FigureRow {
  std::string label;   ///< "stall per save"
  std::string metric;  ///< "job.train.checkpoint.stall"
  std::string text;    ///< "81.9 ms, p50 82.3 ms, p99 82.3 ms, max 82.3 ms"
};
/// Figures that belong together: "Checkpoints of train".
struct FigureBlock {
  std::string title;
  std::vector<FigureRow> rows;
};
inline constexpr std::string_view kCostTitle = "Costs";
[[nodiscard]] std::vector<FigureBlock> figure_blocks(const Prediction& prediction);

/// A resource that costs time, or is busy enough to be watched.
struct LimitRow {
  std::string resource;
  std::string gain;    ///< as tried_phrase has it; "" where it was not tried
  std::string by;      ///< the value that does most of that; may be ""
  std::string waited;  ///< "0.7 %": of the time; "" where a gain says more than none of it
  std::string busy;    ///< "86 %": of its capacity; "" of what has none
  std::string headroom;
  std::string text;  ///< "0.7 % of the time, 86 % busy, 1.2 GB/s left of 3 GB/s"
};
/// The first few, what would gain or costs most first.
[[nodiscard]] std::vector<LimitRow> limit_rows(const Prediction& prediction);
/// What stands in their place where there are none: what limits is no resource, or nothing.
[[nodiscard]] std::string no_limit_rows(const Prediction& prediction);

/// What has no row, and why: "left out: 2 parts after these, and 7 parts below 0.05 % of the time
/// and 30 % busy"; "" where all have one.
[[nodiscard]] std::string limits_left_out(const Prediction& prediction);

/// "  storage.s.ost    1.3 GB/s of 64 GB/s    2.0 %": names are shorter where figures are long.
[[nodiscard]] std::string use_line(const ResourceUse& use);
/// "0.5 % less time (+0.4 points)"; or more time, where one job takes what others then lack.
[[nodiscard]] std::string gain_phrase(const Gain& gain);
/// What twice of it is worth: its gain or loss, "nothing" where it is only noise, "" where not
/// tried.
[[nodiscard]] std::string worth_phrase(const Bottleneck& bottleneck, const Prediction& prediction);
/// That, and what was tried: "twice as fast: 0.5 % less time", "without them: nothing".
[[nodiscard]] std::string tried_phrase(const Bottleneck& bottleneck, const Prediction& prediction);
/// What is to be said of all gains together; "" where there is nothing.
[[nodiscard]] std::string gains_note(const Prediction& prediction);

/// Resources in use that have a capacity, storage first, in the order data comes.
[[nodiscard]] std::vector<const ResourceUse*> data_path(const Prediction& prediction);

/// What a target asks for, with the figure by its name: "longest stall per save <= 15 s"; with
/// several jobs, of which.
[[nodiscard]] std::string target_phrase(const AssertionOutcome& outcome, bool with_job = false);
/// The limit of it alone: "<= 15 s".
[[nodiscard]] std::string asked_phrase(const AssertionOutcome& outcome);
/// "Calibrated by profile disk: 4 values."; "" where no value is a profile's.
[[nodiscard]] std::string calibrated_phrase(const Prediction& prediction);
/// "5 min 13 s simulated, 1 replica from seed 1, 58585 events; stallcast 0.1.0, models 1, design
/// ...".
[[nodiscard]] std::string run_phrase(const Prediction& prediction, const ReportContext& context,
                                     const Style& style);

}  // namespace stallcast::report
