#pragma once

#include <set>
#include <string>
#include <vector>

#include "stallcast/metric.hpp"
#include "stallcast/side_by_side.hpp"

/// What a report of a comparison says, whatever it looks like.
namespace stallcast::report {

/// What one row says of one design.
struct ComparedCell {
  std::string text;      ///< "93.1 %"; "-" where the design has no such figure
  std::string interval;  ///< "84.0 % to 95.2 %", of nine in ten outcomes; may be ""
  std::string status;    ///< "pass", "fail", "inconclusive" of targets; "best" of figures; or ""
};
struct CompareRow {
  std::string group;                ///< heading; "" where it is that of the row before
  std::string label;                ///< "GPU utilization"
  std::string metric;               ///< for programs: "gpu.utilization"; "" of what is no metric
  std::vector<ComparedCell> cells;  ///< one of each design
  bool target = false;
  std::string limit = {};  ///< of a target, where all designs have one: " <= 8 s"
  [[nodiscard]] std::string title() const { return label + limit; }
};
/// The best of a row are those that cannot be told apart from the best value: their interval holds
/// it. None where all are alike, or where a figure has no better way.
[[nodiscard]] std::vector<CompareRow> compare_rows(const SideBySide& comparison);

/// What is said of the intervals below figures, after `begin`; "" where there are none.
[[nodiscard]] std::string interval_legend(const std::vector<CompareRow>& rows,
                                          const std::string& begin);

/// Ids of a domain in one design.
[[nodiscard]] std::set<std::string> ids_of(const Prediction& prediction, metric::Domain domain);

/// Whether the 90 % interval of `metric` holds `value`, where it is or moved from its middle to the
/// figure: what is unsure may all lie on one side of that.
[[nodiscard]] bool reaches(const Metric& metric, double value);

/// "2 of 3 meet their targets; of these, flash keeps GPUs busiest (94.1 %); disks costs least (1.2
/// MUSD)": the best of those that meet them; of all where none does, or none is asked to.
[[nodiscard]] std::string compare_headline(const SideBySide& comparison);

/// The ids of the designs, as `diff` has them; where two are equal their files, as short as they
/// differ: "weka" of "designs/weka.json".
[[nodiscard]] std::vector<std::string> compare_names(const SideBySide& comparison);

}  // namespace stallcast::report
