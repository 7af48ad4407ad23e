#pragma once

#include <string>

#include "stallcast/timeline.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/report.hpp"

/// What pages of several kinds share.
namespace stallcast::report::html {

/// The name of a design, what became of its targets, and what limits it. `verdict` may be "", or
/// `doubtful`: passed, and most cases miss.
[[nodiscard]] std::string heading(const std::string& id, const std::string& verdict,
                                  const std::string& phrase, const std::string& limit,
                                  const std::string& system = {}, bool doubtful = false);

/// The system as a drawing, `<figure id="system">`; "" where only a result is known.
[[nodiscard]] std::string picture_figure(const Prediction& prediction,
                                         std::string_view id = "system");

/// Each target as a dot beside its limit; those of one figure on one scale. "" without targets.
[[nodiscard]] std::string target_gauges(const Prediction& prediction);

/// What a reader needs in thirty seconds: verdict, main figures, what would help, the system,
/// targets, time, options, and what could change the answer.
[[nodiscard]] std::string first_page(const Prediction& prediction, const ReportContext& context);
/// That alone, for a projector: one page of 16:9.
[[nodiscard]] std::string slide(const Prediction& prediction, const ReportContext& context,
                                const Style& style);

/// All that there is to say of a prediction, from its tiles to how it is made again. `first` is the
/// first page before it, whose headings it does not repeat.
[[nodiscard]] std::string prediction_sections(const Prediction& prediction,
                                              const ReportContext& context, const Style& style,
                                              const std::string& first = "");

/// What limits a design, with what less of it would gain where that was tried.
[[nodiscard]] std::string limits_table(const Prediction& prediction);

/// The command that makes the page again, and what it was made by. `prediction` may be null.
[[nodiscard]] std::string reproduce_section(const ReportContext& context,
                                            const Prediction* prediction, const Style& style);

/// The limits of targets on a metric, each as its assertion has it.
[[nodiscard]] std::vector<Mark> limits_on(const Prediction& prediction, const std::string& metric);

/// How the targets of a design stand, or would without draws (`nominal`): "meets all", "unsure",
/// "misses" and `missed`; "" without targets.
[[nodiscard]] std::string targets_mark(Verdict verdict, bool nominal,
                                       const std::string& missed = "");

/// What the asked figures may turn out to be, and what to measure first; "" without draws.
[[nodiscard]] std::string sureness_section(const Prediction& prediction);

/// Ranks and resources over the window of a timeline; "" when it has no rank.
[[nodiscard]] std::string timeline_section(const Timeline& timeline, const Prediction& prediction);

}  // namespace stallcast::report::html
