#include "ui/report/report.hpp"

#include "ui/report/renderers.hpp"

namespace stallcast::report {

Result<Format> parse_format(std::string_view name) {
  if (name == "text") return Format::text;
  if (name == "json") return Format::json;
  if (name == "csv") return Format::csv;
  if (name == "markdown") return Format::markdown;
  if (name == "html")
    return Failure{ExitCode::bad_input, "the format \"html\" is not available in this version",
                   "use text, json, csv or markdown"};
  return Failure{ExitCode::bad_input, "unknown format \"" + std::string(name) + "\"",
                 "use text, json, csv or markdown"};
}

std::string render(const Prediction& prediction, const Context& context, Format format,
                   const Style& style) {
  switch (format) {
    case Format::json:
      return prediction_json(prediction, context, style);
    case Format::csv:
      return prediction_csv(prediction);
    case Format::markdown:
      return prediction_markdown(prediction, context);
    case Format::text:
      break;
  }
  return prediction_text(prediction, context, style);
}

std::string render(const PlanResult& plan, const Context& context, Format format,
                   const Style& style) {
  switch (format) {
    case Format::json:
      return plan_json(plan, context, style);
    case Format::csv:
      return plan_csv(plan);
    case Format::markdown:
      return plan_markdown(plan);
    case Format::text:
      break;
  }
  return plan_text(plan, context, style);
}

std::string render(const Explanation& explanation, const Context& context, Format format,
                   const Style& style) {
  switch (format) {
    case Format::json:
      return explanation_json(explanation, context, style);
    case Format::csv:
      return explanation_csv(explanation);
    case Format::markdown:
      return explanation_markdown(explanation, context);
    case Format::text:
      break;
  }
  return explanation_text(explanation, context, style);
}

}  // namespace stallcast::report
