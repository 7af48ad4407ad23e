#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/quantity_text.hpp"
#include "ui/report/coverage.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

/// A figure to compare: shares with two decimals, operations as plain rates.
std::string figure(double value, const std::string& unit) {
  if (unit == "ratio") return base::percent(value, 2);
  std::string out = print_value(value, unit);
  if (const std::size_t at = out.find("ops/s"); at != std::string::npos) out.erase(at, 3);
  return out;
}

/// The same where there is room for what is counted: "713.2 samples/s".
std::string counted_figure(const Comparison& m, double value) {
  std::string out = m.unit == "ratio" ? "" : as_counted(m.metric, print_value(value, m.unit));
  return out.empty() || out.find("ops/s") != std::string::npos ? figure(value, m.unit) : out;
}

std::string_view error_unit(const std::string& unit) { return unit == "ratio" ? "points" : "%"; }

std::string error_digits(double error, const std::string& unit) {
  return fixed(error, unit == "ratio" ? 2 : 1) + " " + std::string(error_unit(unit));
}

/// Whether intervals are those of outcomes, of draws; else of the mean of seeds.
bool drawn(const Validation& validation) { return !validation.coverage.classes.empty(); }

/// The interval that `interval_title` names: of outcomes from where to where, as it lies apart from
/// the prediction, its ends by `print`; else half of it, as an error is given, in points, or in
/// percent of the prediction. "" where the prediction has none.
template <typename Print>
std::string interval_text(const Validation& validation, const Metric& metric, Print print) {
  const auto& interval = drawn(validation) ? metric.ci90 : metric.ci95;
  if (!interval) return "";
  if (drawn(validation)) return print(interval->first) + " to " + print(interval->second);
  const double half = 0.5 * (interval->second - interval->first);
  const double scale = metric.unit == "ratio" ? 1.0 : metric.value;
  return error_digits(scale > 0.0 ? 100.0 * half / scale : 0.0, metric.unit);
}

/// With what is counted, where there is room.
std::string counted_interval(const Validation& validation, const Comparison& m) {
  return interval_text(validation, m.predicted, [&](double v) { return counted_figure(m, v); });
}

std::string_view interval_title(const Validation& validation) {
  return drawn(validation) ? "90 % interval" : "95 % +-";
}

/// A line of the table of cases, as wide as a report.
std::string case_line(const Validation& validation, const std::string& metric,
                      const std::string& measured, const std::string& predicted,
                      const std::string& interval, const std::string& error) {
  const bool wide = drawn(validation);
  const std::size_t name = wide ? 21 : 26, number = wide ? 10 : 12;
  // What is as long as its column is a blank away from the one before.
  const auto next = [](const std::string& text, std::size_t width) {
    return right(" " + text, width);
  };
  return "  " + left(shortened(metric, name), name) + next(measured, number) +
         next(predicted, number) + next(interval, wide ? 23 : 13) + next(error, 14) + "\n";
}

/// "+1.20 points", "-3.4 %".
std::string signed_error(double error, const std::string& unit) {
  const std::string digits = error_digits(std::abs(error), unit);
  const bool zero = digits.find_first_of("123456789") == std::string::npos;
  return (zero ? "" : error < 0.0 ? "-" : "+") + digits;
}

// Shares of time lie so close together that factors between them would flatter.
std::string median_factor(const ErrorSummary& s) {
  return s.unit == "ratio" ? "-" : fixed(s.median_factor, 3);
}
std::string within_factor(const ErrorSummary& s) {
  return s.unit == "ratio" ? "-" : base::percent(s.within_factor, 0);
}

/// The number of replicas all cases have in common, for the last line.
std::string made_by(const Validation& validation, const ReportContext& context) {
  std::size_t least = 0, most = 0;
  for (const ValidatedCase& c : validation.cases) {
    least = least == 0 ? c.replicas : std::min(least, c.replicas);
    most = std::max(most, c.replicas);
  }
  const std::string replicas =
      least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
  return (validation.profile_id.empty() ? ""
                                        : "Calibrated by profile " + validation.profile_id + ". ") +
         replicas + (most == 1 ? " replica" : " replicas") + " each; " + made_by(context);
}

std::string case_lines(const Validation& validation, const ValidatedCase& c, const Ink& ink) {
  std::string out = "\n" + ink.bold(c.id) + "\n";
  for (const Comparison& m : c.comparisons)
    out += case_line(
        validation, m.metric, figure(m.measured, m.unit), figure(m.predicted.value, m.unit),
        interval_text(validation, m.predicted, [&](double v) { return figure(v, m.unit); }),
        signed_error(m.error, m.unit));
  for (const std::string& w : c.warnings) out += wrapped("  warning: ", w, 4);
  return out;
}

std::string validation_text(const Validation& validation, const ReportContext& context,
                            const Style& style) {
  const Ink ink(style.colour);
  std::string out;
  for (const CaseFile& file : validation.files) {
    out += ink.bold(file.title) + "\n";
    if (!file.source.empty()) out += wrapped("  ", file.source, 2);
    if (!file.note.empty()) out += wrapped("  ", file.note, 2);
  }
  out += "\n" + case_line(validation, "", "measured", "predicted",
                          std::string(interval_title(validation)), "error");
  for (const ValidatedCase& c : validation.cases) out += case_lines(validation, c, ink);
  out += "\n" + ink.bold("Errors") + "\n";
  out += "  " + left("", 28) + right("figures", 12) + right("mean error", 14) +
         right("median x", 10) + right("within x 1.2", 14) + "\n";
  for (const ErrorSummary& s : validation.summary)
    out += "  " + left(shortened(s.metric, 28), 28) + right(std::to_string(s.cases), 12) +
           right(error_digits(s.mean_absolute_error, s.unit), 14) + right(median_factor(s), 10) +
           right(within_factor(s), 14) + "\n";
  out += coverage_text(validation.coverage, ink);
  out += "\n" + wrapped("", made_by(validation, context), 0);
  if (style.timing) out += "wall clock " + fixed(validation.wall_s, 1) + " s\n";
  return out;
}

std::string validation_json(const Validation& validation, const ReportContext& context,
                            const Style& style) {
  Json out;
  out["schema"] = "stallcast.validation/1";
  out["tool"] = tool_object(context, validation.profile_sha256);
  out["files"] = Json::array();
  for (const CaseFile& f : validation.files)
    out["files"].push_back({{"file", f.file},
                            {"id", f.id},
                            {"title", f.title},
                            {"source", f.source},
                            {"note", f.note}});
  out["cases"] = Json::array();
  for (const ValidatedCase& c : validation.cases) {
    Json measured = Json::object(), predicted = Json::object(), error = Json::object();
    for (const Comparison& m : c.comparisons) {
      measured[m.metric] = {{"value", m.measured}, {"unit", m.unit}};
      predicted[m.metric] = metric_object(m.predicted);
      error[m.metric] = {{"value", m.error}, {"unit", error_unit(m.unit)}};
    }
    out["cases"].push_back({{"case_id", c.id},
                            {"scenario", c.scenario},
                            {"source", c.source},
                            {"note", c.note},
                            {"replicas", c.replicas},
                            {"measured", std::move(measured)},
                            {"predicted", std::move(predicted)},
                            {"error", std::move(error)},
                            {"warnings", c.warnings}});
  }
  out["summary"] = Json::object();
  for (const ErrorSummary& s : validation.summary) {
    const bool is_ratio = s.unit == "ratio";
    out["summary"][s.metric] = {
        {"figures", s.cases},
        {"mean_absolute_error", {{"value", s.mean_absolute_error}, {"unit", error_unit(s.unit)}}},
        {"median_factor", is_ratio ? Json(nullptr) : Json(s.median_factor)},
        {"within_factor_1_2", is_ratio ? Json(nullptr) : Json(s.within_factor)}};
  }
  if (!validation.coverage.classes.empty()) out["coverage"] = coverage_object(validation.coverage);
  if (style.timing) out["elapsed"] = {{"wall_s", validation.wall_s}};
  return dump(out);
}

std::string validation_csv(const Validation& validation) {
  const bool draws = drawn(validation);
  std::vector<std::string> head = {"case",     "metric",    "unit",  "measured",   "predicted",
                                   "ci95_low", "ci95_high", "error", "error_unit", "source"};
  if (draws) head.insert(head.end(), {"ci90_low", "ci90_high"});
  std::string out = csv_row(head);
  for (const ValidatedCase& c : validation.cases)
    for (const Comparison& m : c.comparisons) {
      const auto& ci = m.predicted.ci95;
      std::vector<std::string> row = {c.id,
                                      m.metric,
                                      m.unit,
                                      base::shortest(m.measured),
                                      base::shortest(m.predicted.value),
                                      ci ? base::shortest(ci->first) : "",
                                      ci ? base::shortest(ci->second) : "",
                                      base::shortest(m.error),
                                      std::string(error_unit(m.unit)),
                                      c.source};
      const auto& of = m.predicted.ci90;
      if (draws)
        row.insert(row.end(),
                   {of ? base::shortest(of->first) : "", of ? base::shortest(of->second) : ""});
      out += csv_row(row);
    }
  return out;
}

std::string validation_markdown(const Validation& validation, const ReportContext& context) {
  std::string out;
  for (const CaseFile& file : validation.files) {
    out += (out.empty() ? "# " : "\n# ") + file.title + "\n";
    if (!file.source.empty()) out += "\nSource: " + file.source + ".\n";
    if (!file.note.empty()) out += "\n" + file.note + "\n";
  }
  out += "\n| case | metric | measured | predicted | " + std::string(interval_title(validation)) +
         " | error |\n";
  out += "|---|---|---:|---:|---:|---:|\n";
  for (const ValidatedCase& c : validation.cases)
    for (const Comparison& m : c.comparisons)
      out += "| " + markdown_cell(c.id) + " | `" + markdown_cell(m.metric) + "` | " +
             counted_figure(m, m.measured) + " | " + counted_figure(m, m.predicted.value) + " | " +
             counted_interval(validation, m) + " | " + signed_error(m.error, m.unit) + " |\n";
  out += "\n| metric | figures | mean absolute error | median factor | within x 1.2 |\n";
  out += "|---|---:|---:|---:|---:|\n";
  for (const ErrorSummary& s : validation.summary)
    out += "| `" + markdown_cell(s.metric) + "` | " + std::to_string(s.cases) + " | " +
           error_digits(s.mean_absolute_error, s.unit) + " | " + median_factor(s) + " | " +
           within_factor(s) + " |\n";
  out += coverage_markdown(validation.coverage);
  out += "\nWhere each case was published, and its scenario:\n\n";
  for (const ValidatedCase& c : validation.cases) {
    out += "- " + c.id + ": " + c.source + "; `" + c.scenario + "`";
    out += c.note.empty() ? "\n" : ". " + c.note + "\n";
    for (const std::string& w : c.warnings) out += "  - warning: " + w + "\n";
  }
  return out + "\n" + made_by(validation, context) + "\n";
}

std::string validation_html(const Validation& validation, const ReportContext& context,
                            const Style& style) {
  std::string title, out;
  for (const CaseFile& file : validation.files) {
    title += (title.empty() ? "" : ", ") + file.title;
    out += html::element("h1", file.title) + "\n";
    for (const std::string& text : {file.source, file.note})
      if (!text.empty()) out += html::element("p", text) + "\n";
  }
  const auto wide = [](const std::string& table) {
    return table.empty() ? "" : "<div class=\"wide\">" + table + "</div>\n";
  };
  std::vector<std::vector<std::string>> figures, errors, sources;
  for (const ValidatedCase& c : validation.cases) {
    for (const Comparison& m : c.comparisons)
      figures.push_back({markup(c.id), html::path(m.metric), counted_figure(m, m.measured),
                         counted_figure(m, m.predicted.value), counted_interval(validation, m),
                         signed_error(m.error, m.unit)});
    sources.push_back({markup(c.id), markup(c.source), markup(c.note), html::path(c.scenario)});
    for (const std::string& w : c.warnings)
      sources.push_back({"", markup("warning: " + w), "", ""});
  }
  for (const ErrorSummary& s : validation.summary)
    errors.push_back({html::path(s.metric), std::to_string(s.cases),
                      error_digits(s.mean_absolute_error, s.unit), median_factor(s),
                      within_factor(s)});
  out += coverage_html(validation.coverage);
  out += html::section("Errors", wide(html::table({{"metric"},
                                                   {"figures", "number"},
                                                   {"mean error", "number"},
                                                   {"median factor", "number"},
                                                   {"within x 1.2", "number"}},
                                                  errors)));
  out +=
      html::section("Cases", wide(html::table({{"case"},
                                               {"metric"},
                                               {"measured", "number"},
                                               {"predicted", "number"},
                                               {std::string(interval_title(validation)), "number"},
                                               {"error", "number"}},
                                              figures)));
  out += html::section("Sources",
                       html::table({{"case"}, {"published"}, {"note"}, {"scenario"}}, sources));
  return html::page(title, out + html::element("p", made_by(validation, context), "soft") +
                               html::data("result", validation_json(validation, context, style)));
}

}  // namespace

std::string render(const Validation& validation, const ReportContext& context, Format format,
                   const Style& style) {
  if (format == Format::json) return validation_json(validation, context, style);
  if (format == Format::csv) return validation_csv(validation);
  if (format == Format::markdown) return validation_markdown(validation, context);
  if (format == Format::html) return validation_html(validation, context, style);
  return validation_text(validation, context, style);
}

}  // namespace stallcast::report
