#include "ui/report/report.hpp"

#include <utility>

#include "engine/base/text.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {

std::vector<std::string> format_names(Pages pages) {
  std::vector<std::string> out = {"text", "json", "csv", "markdown"};
  if (pages != Pages::none) out.emplace_back("html");
  if (pages == Pages::slide) out.emplace_back("slide");
  return out;
}

std::string formats_of(Pages pages) {
  std::vector<std::string> names = format_names(pages);
  const std::string last = std::move(names.back());
  names.pop_back();
  return base::join(names, ", ") + " or " + last;
}

Result<Format> parse_format(std::string_view name, Pages pages) {
  if (name == "text") return Format::text;
  if (name == "json") return Format::json;
  if (name == "csv") return Format::csv;
  if (name == "markdown") return Format::markdown;
  if (name == "html" && pages != Pages::none) return Format::html;
  if (name == "slide" && pages == Pages::slide) return Format::slide;
  const std::string known = "use " + formats_of(pages);
  if (name == "html" || name == "slide")
    return Failure{ExitCode::bad_input,
                   "there are no pages of this: the format \"" + std::string(name) +
                       "\" is one of other verbs",
                   known};
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
  if (format == Format::slide) return prediction_slide(prediction, context, style);
  return prediction_text(prediction, context, style);
}

}  // namespace stallcast::report
