#include "ui/report/sureness.hpp"

#include <cmath>

#include "stallcast/metric.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report::html {
namespace {

std::string strip_of(const Prediction& p, const std::string& metric) {
  const auto found = p.uncertainty->metrics.find(metric);
  if (found == p.uncertainty->metrics.end()) return "";
  const std::string said = outcomes_phrase(p, metric);
  const Metric& m = p.metrics.at(metric);
  const std::string title =
      "<h3>" + path(metric) + "</h3>" +
      element("p",
              said.empty() ? "Every outcome prints alike: " +
                                 as_counted(metric, print_end(m.value, m.unit)) + "."
                           : said + "; " + parts_phrase(p, metric),
              "soft");
  if (said.empty()) return title;
  const Spread& spread = found->second;
  const auto end = [&](double value) {
    return Mark{value, as_counted(metric, print_end(value, m.unit))};
  };
  Mark median = end(spread.median), predicted = end(m.value);
  median.text = "middle " + median.text;
  predicted.text = "predicted " + predicted.text;
  return title + strip("outcomes of " + metric,
                       {.outcomes = {end(spread.all.low), median, end(spread.all.high)},
                        .half_low = spread.half.low,
                        .half_high = spread.half.high,
                        .predicted = predicted,
                        .limits = limits_on(p, metric)});
}

std::string key() {
  const auto entry = [](const char* css, const char* text) {
    return std::string("<li><i class=\"") + css + "\"></i>" + text + "</li>";
  };
  return "<ul class=\"legend\">" + entry("band", "nine of ten outcomes") +
         entry("band half", "the middle half of them") + "</ul>\n";
}

std::string to_measure(const Prediction& p) {
  const std::string settle = figure_to_settle(p);
  if (settle.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const MeasureRow& row : measure_first(p, settle))
    rows.push_back(
        {path(row.input), row.share, markup(row.range), markup(row.rest), markup(row.with)});
  return "<h3>What to measure first, for " + path(settle) + "</h3>\n" +
         table({{"input"},
                {"of the spread", "number"},
                {"value and range"},
                {"would remain, were it known"},
                {"measure with"}},
               rows);
}

}  // namespace

std::vector<Mark> limits_on(const Prediction& p, const std::string& metric) {
  std::vector<Mark> out;
  for (const AssertionOutcome& a : p.assertions) {
    if (a.metric != metric || !a.limit || !std::isfinite(*a.limit)) continue;
    const bool missed = a.status == "fail" && a.level != "warn";
    const std::string css = a.status == "pass" ? "good" : missed ? "bad" : "unsure";
    const std::size_t sign = a.that.find_first_of("<>=");
    const std::string before = a.upper || sign == std::string::npos
                                   ? ""
                                   : a.that.substr(sign, a.that[sign + 1] == '=' ? 2 : 1) + " ";
    out.push_back(
        {*a.limit, "target " + before + as_counted(metric, print_limit(*a.limit, a.unit)), css});
    if (a.upper)
      out.push_back({*a.upper, "target " + as_counted(metric, print_limit(*a.upper, a.unit)), css});
  }
  return out;
}

std::string sureness_section(const Prediction& p) {
  if (!p.uncertainty) return "";
  std::string strips;
  for (const std::string& metric : asked_figures(p)) strips += strip_of(p, metric);
  if (strips.find("<svg") != std::string::npos) strips += key();
  return folded("How sure this is", strips + to_measure(p) + element("p", draws_phrase(p), "soft"));
}

}  // namespace stallcast::report::html
