#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/report/sweep.hpp"

/// What the renderers of sweeps share.
namespace stallcast::report {

/// "meets", "misses", "unsure", "-" (no targets), "failed", "missing".
[[nodiscard]] std::string sweep_status(const SweepRow& row);
/// The figure of a column as people read it; "-" where there is none.
[[nodiscard]] std::string sweep_cell(const SweepReport& sweep, const SweepRow& row,
                                     const std::string& column);
/// The place of an axis; nullopt for a metric.
[[nodiscard]] std::optional<std::size_t> sweep_axis(const SweepReport& sweep,
                                                    const std::string& column);
/// What has a column in a table: what is varied, then the other columns.
[[nodiscard]] std::vector<std::string> sweep_names(const SweepReport& sweep);
/// The figure of a column, an axis or a metric; nullopt where there is none.
[[nodiscard]] std::optional<SweepFigure> sweep_figure(const SweepReport& sweep, const SweepRow& row,
                                                      const std::string& column);
/// A metric with what its outcomes are within; nullptr where no inputs were drawn.
[[nodiscard]] const Metric* sweep_outcomes(const SweepRow& row, const std::string& column);
/// What stands above a column: its name, without "params." and without the job that all are of.
[[nodiscard]] std::string sweep_title(const SweepReport& sweep, const std::string& column);

/// The same for people: a figure by its words.
[[nodiscard]] std::string sweep_words(const SweepReport& sweep, const std::string& column);
/// The same where there is room: what is varied in words, too, "OST write of scratch"; the title
/// where two columns would have the same words.
[[nodiscard]] std::string sweep_label(const SweepReport& sweep, const std::string& column);

/// What is said of points, and of which rows.
struct SweepRemark {
  std::string text;
  std::vector<std::size_t> points;
};
/// Which points a remark is of: "point 3 and 4 more".
[[nodiscard]] std::string sweep_points(const SweepRemark& remark);
/// Why points failed, or what there is to be warned of in those that did not; each text once, in
/// the order of points.
[[nodiscard]] std::vector<SweepRemark> sweep_remarks(const SweepReport& sweep, bool failed);

/// At most `most` rows: the front first, then from the top; in the order of points.
[[nodiscard]] std::vector<std::size_t> sweep_rows_shown(const SweepReport& sweep, std::size_t most);

[[nodiscard]] std::string sweep_text(const SweepReport& sweep, const Style& style);
[[nodiscard]] std::string sweep_headline(const SweepReport& sweep);
/// The same on one line.
[[nodiscard]] std::string sweep_phrase(const SweepReport& sweep);
[[nodiscard]] std::string sweep_json(const SweepReport& sweep, bool with_points);
[[nodiscard]] std::string sweep_html(const SweepReport& sweep);

}  // namespace stallcast::report
