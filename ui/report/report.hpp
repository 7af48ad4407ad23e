#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/audit.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/explanation.hpp"
#include "stallcast/growth.hpp"
#include "stallcast/measurement.hpp"
#include "stallcast/observation.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"
#include "stallcast/row_validation.hpp"
#include "stallcast/side_by_side.hpp"
#include "stallcast/timeline.hpp"
#include "stallcast/validation.hpp"

/// What people and programs see: predictions, plans and explanations as text, JSON, CSV, Markdown,
/// and some of them as a page.
namespace stallcast::report {

enum class Format { text, json, csv, markdown, html, slide };
/// Whether there are pages of what a verb finds, and a page of 16:9.
enum class Pages { none, page, slide };

/// "text", "json", "csv", "markdown"; "html" and "slide" where there are such pages of it. Anything
/// else is a failure that lists them.
[[nodiscard]] Result<Format> parse_format(std::string_view name, Pages pages = Pages::none);
/// "text", "json", ...
[[nodiscard]] std::vector<std::string> format_names(Pages pages);
/// "text, json, csv, markdown or html".
[[nodiscard]] std::string formats_of(Pages pages);

/// Rows of cells below `heads`, as a table of `format`: CSV or Markdown.
[[nodiscard]] std::string table_of(const std::vector<std::string>& heads,
                                   const std::vector<std::vector<std::string>>& rows,
                                   Format format);

/// One input that was not looked up but assumed.
struct Assumption {
  std::string path;   ///< "storage.scratch.ost.service"
  std::string value;  ///< "0.25 ms"
  std::string why;    ///< citation, or ""
};

/// One input and who set it.
struct InputLine {
  std::string path;
  std::string value;
  std::string source;
};

/// What a report says beyond the prediction.
struct ReportContext {
  std::string version;        ///< of the tool
  std::string model_version;  ///< of the models: changes when predictions may
  std::vector<Assumption> assumptions;
  std::vector<InputLine> prices = {};               ///< that the scenario or a product gives
  std::vector<InputLine> inputs = {};               ///< all of them; pages show them
  std::string command = {};                         ///< what makes the report again; pages show it
  std::optional<Timeline> timeline = std::nullopt;  ///< pages show it
  std::string partial = {};  ///< why nothing was simulated to its end, although it was asked for
  bool grows = false;        ///< whether the scenario says what grows: text says who answers that
};

/// "stallcast 0.1.0, models 1".
[[nodiscard]] std::string made_by(const ReportContext& context);

struct Style {
  bool colour = false;  ///< ANSI colours in text
  bool timing = false;  ///< wall-clock time in the report, which is then not reproducible
  bool full = false;    ///< text says all; else the verdict, what would help, targets, and time
  int depth = -1;       ///< levels of a tree that are shown below each number; -1: all
};

[[nodiscard]] std::string render(const Prediction& prediction, const ReportContext& context,
                                 Format format, const Style& style);
[[nodiscard]] std::string render(const PlanResult& plan, const ReportContext& context,
                                 Format format, const Style& style);
[[nodiscard]] std::string render(const SideBySide& comparison, const ReportContext& context,
                                 Format format, const Style& style);
[[nodiscard]] std::string render(const GrowthResult& growth, const ReportContext& context,
                                 Format format, const Style& style);
[[nodiscard]] std::string render(const Validation& validation, const ReportContext& context,
                                 Format format, const Style& style);
/// As text, at most 80 columns.
[[nodiscard]] std::string profile_text(const CalibrationProfile& profile, const Style& style);
[[nodiscard]] std::string measurements_text(const MeasurementSet& set, const Style& style);
[[nodiscard]] std::string observation_text(const Observation& observation, const Style& style);
/// What one run showed, in a few lines.
[[nodiscard]] std::string observation_summary(const Observation& observation);
[[nodiscard]] std::string render(const RowValidation& validation, const ReportContext& context,
                                 Format format, const Style& style);

/// How often intervals hold what was measured, as an SVG file.
[[nodiscard]] std::string calibration_picture(const Coverage& coverage);

[[nodiscard]] std::string render(const Audit& audit, const ReportContext& context, Format format,
                                 const Style& style);

[[nodiscard]] std::string render(const Explanation& explanation, const ReportContext& context,
                                 Format format, const Style& style);

/// A figure for people: "95.1 %", "4.2 s", "3.1 USD/h", "512".
[[nodiscard]] std::string print_value(double value, std::string_view unit);

/// "pass", "fail", "inconclusive", "none".
[[nodiscard]] std::string_view verdict_name(Verdict verdict);

}  // namespace stallcast::report
