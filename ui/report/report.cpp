#include "ui/report/report.hpp"

#include "ui/report/html/chart.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {

Result<Format> parse_format(std::string_view name, bool pages) {
  if (name == "text") return Format::text;
  if (name == "json") return Format::json;
  if (name == "csv") return Format::csv;
  if (name == "markdown") return Format::markdown;
  if (name == "html" && pages) return Format::html;
  const std::string known =
      pages ? "use text, json, csv, markdown or html" : "use text, json, csv or markdown";
  if (name == "html")
    return Failure{ExitCode::bad_input,
                   "there are no pages of this: the format \"html\" is one of other verbs", known};
  return Failure{ExitCode::bad_input, "unknown format \"" + std::string(name) + "\"", known};
}

std::string calibration_picture(const Coverage& coverage) {
  return html::calibration_file(coverage);
}

std::string made_by(const ReportContext& context) {
  return "stallcast " + context.version + ", models " + context.model_version;
}

std::string render(const Prediction& prediction, const ReportContext& context, Format format,
                   const Style& style) {
  if (format == Format::json) return prediction_json(prediction, context, style);
  if (format == Format::csv) return prediction_csv(prediction);
  if (format == Format::markdown) return prediction_markdown(prediction, context);
  if (format == Format::html) return prediction_html(prediction, context, style);
  return prediction_text(prediction, context, style);
}

}  // namespace stallcast::report
