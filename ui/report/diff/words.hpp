#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diff.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"

/// What all formats of a diff say about one thing, in the same words.
namespace stallcast::report {

/// Sentences of a summary, and rows of a table, that are shown.
inline constexpr std::size_t kMostSentences = 3;
inline constexpr std::size_t kMostRows = 15;

/// "  ... and 3 more (--format json)", or "" when all are shown.
[[nodiscard]] std::string more_line(std::size_t shown, std::size_t all);

/// A heading and the first `most` of `all` below it; "" without any.
[[nodiscard]] std::string titled_list(const Ink& ink, const char* title,
                                      const std::vector<std::string>& all, std::size_t most);

/// "worse", "better", "changed", "same".
[[nodiscard]] std::string_view effect_name(Effect effect);
/// "oat", "shapley", "none".
[[nodiscard]] std::string_view attribution_name(Attribution method);

/// Metrics that moved, what matters most first: those of targets, then GPU utilization, then those
/// of jobs, then the rest; in each worse before better, and what moved most before the rest.
[[nodiscard]] std::vector<const MetricChange*> moved_metrics(const Diff& diff);
[[nodiscard]] std::vector<const SweepMetricChange*> moved_metrics(const SweepDiff& diff);
/// The first of them, those people ask for: at least one where any moved, at most `most`.
[[nodiscard]] std::vector<const MetricChange*> headline_metrics(const Diff& diff, std::size_t most);

/// "GPU utilization of train" where it has a name for people, else the metric.
[[nodiscard]] std::string metric_label(const std::string& metric);
/// Before and after with as many digits as it takes to differ.
[[nodiscard]] std::string before_text(const MetricChange& change);
[[nodiscard]] std::string after_text(const MetricChange& change);
/// "-5.7 points" of a share, "+15 %" or "x 12" of anything else; "new" when there was nothing.
[[nodiscard]] std::string delta_text(const MetricChange& change);
/// A part of that difference: "-5.5 points", "+0.55 s".
[[nodiscard]] std::string part_text(double part, const MetricChange& of);

/// "storage[scratch].oss.count 10 -> 8", "storage[burst] added (weka)"; in words "OSS count of
/// scratch 10 -> 8".
[[nodiscard]] std::string change_text(const InputChange& change, bool in_words = false);
/// "designs/common.json:12", or where both were when the files differ.
[[nodiscard]] std::string place_text(const InputChange& change);

/// What there is to say of inputs when one side is a result.
[[nodiscard]] std::string unknown_inputs_text(const Diff& diff);

/// One change and what it did to one metric.
struct Blame {
  const InputChange* change = nullptr;
  std::size_t number = 0;  ///< place in Diff::inputs
  double share = 0.0;      ///< in the unit of the metric
  double alone = 0.0;
  double fraction = 0.0;  ///< of the whole difference
};
/// The greatest first, those that did nothing left out; empty when the metric is not shared.
[[nodiscard]] std::vector<Blame> blames(const Diff& diff, const MetricChange& metric);

/// What limits, as `run` says it: "OSTs of scratch, target busy (twice as fast saves 3 % of the
/// time)", "GPU compute".
[[nodiscard]] std::string limit_text(const Prediction& prediction);
/// "bottleneck: A (...) -> B (...)", "bottleneck stays A (...)": the same part for the same target.
[[nodiscard]] std::string bottleneck_text(const Diff& diff);
/// "all 3 targets hold -> 2 of 3 missed"; "" without targets.
[[nodiscard]] std::string targets_text(const Diff& diff);

/// "WORSE", "BETTER", "MIXED", "CHANGED", "SAME"; "UNKNOWN" of results that have nothing to
/// compare.
[[nodiscard]] std::string_view diff_word(const Diff& diff);
/// "llm: 11 metrics worse, 1 better; ...", without the word.
[[nodiscard]] std::string diff_headline(const Diff& diff);
/// "GPU utilization of train 93.1 % -> 87.4 %  (-5.7 points, worse)  because ...".
[[nodiscard]] std::string sentence(const Diff& diff, const MetricChange& metric);
/// How shares were found: "Shapley values over 8 simulated designs"; "" when there are none.
[[nodiscard]] std::string method_text(const Diff& diff);

}  // namespace stallcast::report
