#include "ui/report/report.hpp"

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

std::string render(const Prediction& prediction, const ReportContext& context, Format format,
                   const Style& style) {
  switch (format) {
    case Format::json:
      return prediction_json(prediction, context, style);
    case Format::csv:
      return prediction_csv(prediction);
    case Format::markdown:
      return prediction_markdown(prediction, context);
    case Format::html:
      return prediction_html(prediction, context, style);
    case Format::text:
      break;
  }
  return prediction_text(prediction, context, style);
}

std::string render(const PlanResult& plan, const ReportContext& context, Format format,
                   const Style& style) {
  switch (format) {
    case Format::json:
      return plan_json(plan, context, style);
    case Format::csv:
      return plan_csv(plan);
    case Format::markdown:
      return plan_markdown(plan);
    case Format::html:
      return plan_html(plan, context, style);
    case Format::text:
      break;
  }
  return plan_text(plan, context, style);
}

std::string render(const Explanation& explanation, const ReportContext& context, Format format,
                   const Style& style) {
  switch (format) {
    case Format::json:
      return explanation_json(explanation, context, style);
    case Format::csv:
      return explanation_csv(explanation, style);
    case Format::markdown:
      return explanation_markdown(explanation, context, style);
    case Format::html:
      return explanation_html(explanation, context, style);
    case Format::text:
      break;
  }
  return explanation_text(explanation, context, style);
}

}  // namespace stallcast::report
