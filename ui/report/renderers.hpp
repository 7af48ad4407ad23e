#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "ui/report/report.hpp"

/// One function per kind of report and format; `render` chooses.
namespace stallcast::report {

[[nodiscard]] std::string prediction_text(const Prediction& prediction,
                                          const ReportContext& context, const Style& style);
[[nodiscard]] std::string prediction_json(const Prediction& prediction,
                                          const ReportContext& context, const Style& style);
[[nodiscard]] std::string prediction_csv(const Prediction& prediction);
[[nodiscard]] std::string prediction_markdown(const Prediction& prediction,
                                              const ReportContext& context);

/// What a comment begins with: the system, what limits it ("": that is not known), what would help,
/// and five figures, those of missed targets first.
[[nodiscard]] std::string markdown_lead(const Prediction& prediction, const std::string& limit);
/// ":x: ", ":white_check_mark: ", ...; "" without a verdict.
[[nodiscard]] std::string_view markdown_sign(Verdict verdict);

[[nodiscard]] std::string prediction_html(const Prediction& prediction,
                                          const ReportContext& context, const Style& style);

/// What a reader needs in thirty seconds, on one page of 16:9.
[[nodiscard]] std::string prediction_slide(const Prediction& prediction,
                                           const ReportContext& context, const Style& style);

[[nodiscard]] std::string plan_json(const PlanResult& plan, const ReportContext& context,
                                    const Style& style);
[[nodiscard]] std::string plan_html(const PlanResult& plan, const ReportContext& context,
                                    const Style& style);

[[nodiscard]] std::string compare_json(const SideBySide& comparison, const ReportContext& context,
                                       const Style& style);
[[nodiscard]] std::string compare_html(const SideBySide& comparison, const ReportContext& context,
                                       const Style& style);

[[nodiscard]] std::string growth_json(const GrowthResult& growth, const ReportContext& context,
                                      const Style& style);
[[nodiscard]] std::string growth_html(const GrowthResult& growth, const ReportContext& context,
                                      const Style& style);

[[nodiscard]] std::string explanation_json(const Explanation& explanation,
                                           const ReportContext& context, const Style& style);

[[nodiscard]] std::string explanation_html(const Explanation& explanation,
                                           const ReportContext& context, const Style& style);

/// The object of "stallcast.result/1"; other reports contain it.
[[nodiscard]] nlohmann::ordered_json result_object(const Prediction& prediction,
                                                   const ReportContext& context,
                                                   const Style& style);
[[nodiscard]] nlohmann::ordered_json tool_object(const ReportContext& context,
                                                 const std::string& profile_sha256);
/// What a change makes of the goodput, added to its object where jobs tell it.
void add_goodput(double goodput, double gain, nlohmann::ordered_json& change);
/// And by how much whom it slows down.
void add_slows(const Alternative& tried, nlohmann::ordered_json& change);
/// Value, unit, and the interval where there is one.
[[nodiscard]] nlohmann::ordered_json metric_object(const Metric& metric);
/// Indented by two, with a newline at the end.
[[nodiscard]] std::string dump(const nlohmann::ordered_json& json);

/// All digits of a number; "" for what is not finite.
[[nodiscard]] std::string csv_number(double value);
/// One row, quoted as in RFC 4180, joined and ended by a newline.
[[nodiscard]] std::string csv_row(const std::vector<std::string>& fields);
/// "job.train.step.time.p99" -> ("job.train.step.time", "p99"); the mean has no suffix.
[[nodiscard]] std::pair<std::string, std::string> name_and_stat(const std::string& metric);
/// "|" escaped for a Markdown table.
[[nodiscard]] std::string markdown_cell(std::string_view text);

}  // namespace stallcast::report
