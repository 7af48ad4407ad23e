#include "ui/report/coverage.hpp"

#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMissed = 20;  ///< in text
constexpr const char* kMissedTitle = "Outside their 90 % interval";
constexpr const char* kNoneMissed = "No figure lies outside its 90 % interval.";

std::string measured_text(double value, const std::string& unit) {
  if (unit == "ratio") return base::percent(value, 2);
  if (unit == "count") return fixed(value, 0);
  std::string out = print_value(unit == "ms" ? value / 1e3 : value, unit == "ms" ? "s" : unit);
  if (const std::size_t at = out.find("ops/s"); at != std::string::npos) out.erase(at, 3);
  return out;
}

}  // namespace

std::string level_name(std::size_t level) { return base::percent(kLevels[level], 0); }

std::string half_width(const ClassCoverage& of) {
  return of.unit == "ratio" ? points(of.half_width, 2) : "x " + fixed(1.0 + of.half_width, 3);
}

std::string missed_phrase(const MissedFigure& missed) {
  const JudgedFigure& f = missed.figure;
  const Interval& of = f.intervals[kNineInTen];
  return "measured " + measured_text(f.measured, f.unit) + ", predicted " +
         measured_text(f.value, f.unit) + " (" + measured_text(of.low, f.unit) + " to " +
         measured_text(of.high, f.unit) + "), " +
         (std::isfinite(missed.widths) ? fixed(missed.widths, 1) + " half widths from its middle"
                                       : "an interval without width");
}

std::string coverage_text(const Coverage& coverage, const Ink& ink) {
  if (coverage.classes.empty()) return "";
  std::string out = "\n" +
                    ink.bold("How many measurements are inside intervals of so many outcomes") +
                    "\n  " + left("", 28) + right("figures", 8);
  for (const std::size_t level : kShownLevels) out += right(level_name(level), 7);
  out += right("half of 90 %", 14) + "\n";
  for (const ClassCoverage& c : coverage.classes) {
    out += "  " + left(shortened(c.metric, 28), 28) + right(std::to_string(c.figures), 8);
    for (const std::size_t level : kShownLevels) out += right(base::percent(c.actual(level), 0), 7);
    out += right(half_width(c), 14) + "\n";
  }
  if (coverage.missed.empty()) return out + "\n" + kNoneMissed + "\n";
  out += "\n" + ink.bold(kMissedTitle) + "\n";
  std::size_t shown = 0;
  for (const MissedFigure& missed : coverage.missed) {
    if (++shown > kMostMissed)
      return out + "  ... and " + std::to_string(coverage.missed.size() - kMostMissed) +
             " more: --format markdown\n";
    out += wrapped("  " + missed.figure.metric + ", " + missed.figure.case_id + ": ",
                   missed_phrase(missed), 4);
  }
  return out;
}

std::string coverage_markdown(const Coverage& coverage) {
  if (coverage.classes.empty()) return "";
  std::string out =
      "\n## How many measurements are inside intervals of so many outcomes\n\n"
      "| metric | figures |";
  std::string rule = "\n|---|---:|";
  for (const std::size_t level : kShownLevels) {
    out += " " + level_name(level) + " |";
    rule += "---:|";
  }
  out += " half width of 90 %, median |" + rule + "---:|\n";
  for (const ClassCoverage& c : coverage.classes) {
    out += "| `" + markdown_cell(c.metric) + "` | " + std::to_string(c.figures) + " |";
    for (const std::size_t level : kShownLevels)
      out += " " + base::percent(c.actual(level), 0) + " |";
    out += " " + half_width(c) + " |\n";
  }
  if (coverage.missed.empty()) return out + "\n" + kNoneMissed + "\n";
  out += "\n## " + std::string(kMissedTitle) + "\n\n";
  for (const MissedFigure& missed : coverage.missed)
    out += "- `" + missed.figure.metric + "` of " + markdown_cell(missed.figure.case_id) + ": " +
           missed_phrase(missed) + "\n";
  return out;
}

Json coverage_object(const Coverage& coverage) {
  if (coverage.classes.empty()) return nullptr;
  Json classes = Json::array(), missed = Json::array();
  for (const ClassCoverage& c : coverage.classes) {
    Json levels = Json::array();
    for (std::size_t i = 0; i < kLevels.size(); ++i)
      levels.push_back({{"nominal", kLevels[i]}, {"actual", c.actual(i)}, {"inside", c.inside[i]}});
    const bool finite = std::isfinite(c.half_width);
    classes.push_back({{"metric", c.metric},
                       {"figures", c.figures},
                       {"levels", std::move(levels)},
                       {"median_half_width_90",
                        {{"value", finite ? Json(c.half_width) : Json(nullptr)},
                         {"unit", c.unit == "ratio" ? "ratio" : "factor less 1"}}}});
  }
  for (const MissedFigure& one : coverage.missed) {
    const JudgedFigure& f = one.figure;
    const Interval& of = f.intervals[kNineInTen];
    missed.push_back(
        {{"metric", f.metric},
         {"case_id", f.case_id},
         {"unit", f.unit},
         {"measured", f.measured},
         {"predicted", f.value},
         {"ci90", Json::array({of.low, of.high})},
         {"half_widths_off", std::isfinite(one.widths) ? Json(one.widths) : Json(nullptr)}});
  }
  return {{"classes", std::move(classes)}, {"missed", std::move(missed)}};
}

std::string coverage_html(const Coverage& coverage) {
  if (coverage.classes.empty()) return "";
  std::vector<html::Column> columns = {{"metric"}, {"figures", "number"}};
  for (const std::size_t level : kShownLevels) columns.push_back({level_name(level), "number"});
  columns.push_back({"half width of 90 %, median", "number"});
  std::vector<std::vector<std::string>> rows, missed;
  for (const ClassCoverage& c : coverage.classes) {
    std::vector<std::string>& row =
        rows.emplace_back(std::vector{html::path(c.metric), std::to_string(c.figures)});
    for (const std::size_t level : kShownLevels) row.push_back(base::percent(c.actual(level), 0));
    row.push_back(half_width(c));
  }
  for (const MissedFigure& one : coverage.missed)
    missed.push_back(
        {html::path(one.figure.metric), markup(one.figure.case_id), markup(missed_phrase(one))});
  return html::section(
             "How many measurements are inside intervals of so many outcomes",
             html::calibration_plot(coverage) +
                 html::element(
                     "p",
                     "Numbers at the dots: how many measurements are inside the interval. "
                     "Grey: where nine in ten dots lie if intervals hold what they say. "
                     "Classes of fewer than five figures are in the table only.",
                     "soft") +
                 "<div class=\"wide\">" + html::table(columns, rows) + "</div>") +
         html::section(kMissedTitle,
                       missed.empty()
                           ? html::element("p", kNoneMissed)
                           : html::table({{"metric"}, {"case"}, {"by how much"}}, missed));
}

}  // namespace stallcast::report
