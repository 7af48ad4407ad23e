#include <algorithm>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "ui/report/coverage.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

/// Tables of measurements predicted row by row.
namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPrediction = "stallcast";

std::string figure(double value, const RowMetric& metric) {
  if (metric.unit == "ratio") return base::percent(value, 2);
  if (metric.unit == "count") return fixed(value, 0);
  return print_value(metric.unit == "ms" ? value / 1e3 : value,
                     metric.unit == "ms" ? "s" : metric.unit);
}

std::string interval(const PredictedFigure& f, const RowMetric& metric) {
  if (metric.unit == "ratio")
    return fixed(100.0 * f.low, 1) + " to " + fixed(100.0 * f.high, 1) + " %";
  return figure(f.low, metric) + " to " + figure(f.high, metric);
}

/// "+1.20 points", "x 1.08".
std::string error(double predicted, double measured, const RowMetric& metric) {
  if (metric.error == ErrorKind::factor) return "x " + fixed(predicted / measured, 3);
  return signed_points(predicted - measured, 2);
}

/// The size of an error: "1.20 points", "3.4 %".
std::string error_size(double error, const RowMetric& metric) {
  return metric.error == ErrorKind::points ? fixed(error, 2) + " points" : base::percent(error, 1);
}

const RowMetric& metric_of(const RowValidation& v, const std::string& id) {
  return *std::find_if(v.metrics.begin(), v.metrics.end(),
                       [&](const RowMetric& m) { return m.id == id; });
}

/// What a row says of one metric: predicted, interval, measured, error; "" where it says nothing.
struct Cells {
  std::string predicted, interval, measured, error;
};
Cells cells(const PredictedRow& row, const RowMetric& metric) {
  Cells out;
  const auto predicted = row.predicted.find(metric.id);
  const auto measured = row.measured.find(metric.id);
  if (predicted != row.predicted.end()) {
    out.predicted = figure(predicted->second.value, metric);
    out.interval = interval(predicted->second, metric);
  }
  if (measured != row.measured.end()) out.measured = figure(measured->second, metric);
  if (predicted != row.predicted.end() && measured != row.measured.end())
    out.error = row.calibrates ? "(calibrates)"
                : std::count(row.unscored.begin(), row.unscored.end(), metric.id) > 0
                    ? "(not scored)"
                    : error(predicted->second.value, measured->second, metric);
  return out;
}

/// Metrics that any row is predicted of.
std::vector<RowMetric> shown_metrics(const RowValidation& v) {
  std::vector<RowMetric> out;
  for (const RowMetric& metric : v.metrics)
    if (std::any_of(v.rows.begin(), v.rows.end(),
                    [&](const PredictedRow& row) { return !cells(row, metric).predicted.empty(); }))
      out.push_back(metric);
  return out;
}

/// Notes, each once: of one row with its name, else of how many.
std::string notes_text(const RowValidation& v, const Ink& ink) {
  std::vector<std::pair<std::string, std::vector<std::string>>> notes;
  for (const PredictedRow& row : v.rows)
    for (const std::string& note : row.notes) {
      auto at = std::find_if(notes.begin(), notes.end(),
                             [&](const auto& known) { return known.first == note; });
      if (at == notes.end()) at = notes.insert(at, {note, {}});
      at->second.push_back(row.case_id);
    }
  std::string out;
  for (const auto& [note, rows] : notes)
    out += wrapped(
        "  ", (rows.size() == 1 ? rows[0] : std::to_string(rows.size()) + " rows") + ": " + note,
        4);
  return out.empty() ? out : "\n" + ink.bold("Notes") + "\n" + out;
}

std::string rows_text(const RowValidation& v, const ReportContext& context, const Style& style) {
  const Ink ink(style.colour);
  std::string out = ink.bold(v.title) + "\n";
  for (const std::string& paragraph : v.protocol) out += wrapped("  ", paragraph, 2);
  for (const RowMetric& metric : shown_metrics(v)) {
    out += "\n" + ink.bold(metric.id) + "\n  " + left("", 24) + right("measured", 9) +
           right("predicted", 10) + right("90 % interval", 21) + right("error", 14) + "\n";
    for (const PredictedRow& row : v.rows) {
      const Cells c = cells(row, metric);
      if (c.predicted.empty()) continue;
      out += "  " + left(shortened(row.case_id, 24), 24) + right(c.measured, 9) +
             right(c.predicted, 10) + right(c.interval, 21) + right(" " + c.error, 14) + "\n";
    }
  }
  if (!v.errors.empty())
    out += "\n" + ink.bold("Errors") + "\n  " + left("", 27) + right("rows", 4) +
           right("mean", 13) + right("median", 13) + right("x", 7) + right("x<1.2", 6) +
           right("in 90 %", 8) + "\n";
  std::string last;
  for (const RowErrors& e : v.errors) {
    const RowMetric& metric = metric_of(v, e.metric);
    if (e.metric != last) out += "  " + e.metric + "\n";
    last = e.metric;
    const std::string name =
        " " + (e.group.empty() ? "all" : e.group) + (e.method.empty() ? "" : ", " + e.method);
    out += "  " + left(shortened(name, 27), 27) + right(std::to_string(e.rows), 4) +
           right(error_size(e.mean_absolute, metric), 13) +
           right(error_size(e.median, metric), 13) + right(fixed(e.median_factor, 3), 7) +
           right(base::percent(e.within_factor, 0), 6) +
           right(e.coverage ? base::percent(*e.coverage, 0) : "", 8) + "\n";
  }
  return out + coverage_text(v.coverage, ink) + notes_text(v, ink) + "\n" + made_by(context) + "\n";
}

std::string rows_json(const RowValidation& v, const ReportContext& context) {
  Json out;
  out["schema"] = "stallcast.rows/1";
  out["tool"] = tool_object(context, "");
  out["title"] = v.title;
  out["cases"] = Json::array();
  for (const PredictedRow& row : v.rows) {
    Json one = {{"case_id", row.case_id},
                {"group", row.group},
                {"method", row.method},
                {"calibrates", row.calibrates}};
    one["predicted"] = Json::object();
    for (const auto& [metric, f] : row.predicted) {
      Json& figure = one["predicted"][metric];
      figure = {{"value", f.value}, {"ci90", Json::array({f.low, f.high})}};
      if (!f.draws.empty()) figure["draws"] = f.draws;
    }
    one["measured"] = row.measured;
    one["baselines"] = row.baselines;
    one["unscored"] = row.unscored;
    one["notes"] = row.notes;
    out["cases"].push_back(std::move(one));
  }
  out["metrics"] = Json::array();
  for (const RowMetric& m : v.metrics)
    out["metrics"].push_back({{"id", m.id},
                              {"unit", m.unit},
                              {"error", m.error == ErrorKind::points ? "points" : "factor"}});
  out["errors"] = Json::array();
  for (const RowErrors& e : v.errors)
    out["errors"].push_back({{"metric", e.metric},
                             {"group", e.group.empty() ? "all" : e.group},
                             {"method", e.method.empty() ? kPrediction : e.method},
                             {"rows", e.rows},
                             {"mean_absolute_error", e.mean_absolute},
                             {"median_error", e.median},
                             {"p95_error", e.p95},
                             {"median_factor", e.median_factor},
                             {"within_factor_1_2", e.within_factor},
                             {"coverage_90", e.coverage ? Json(*e.coverage) : Json(nullptr)}});
  out["coverage"] = coverage_object(v.coverage);
  return dump(out);
}

/// What was not measured, or not predicted, is empty there; a row without either has a line.
std::string rows_csv(const RowValidation& v) {
  std::string out = csv_row({"case", "group", "calibrates", "metric", "unit", "measured",
                             "predicted", "ci90_low", "ci90_high", "notes", "scored"});
  for (const PredictedRow& row : v.rows) {
    const auto line = [&](const std::string& metric, const std::string& unit) {
      const auto measured = row.measured.find(metric);
      const auto predicted = row.predicted.find(metric);
      std::vector<std::string> cells = {row.case_id, row.group, row.calibrates ? "yes" : "no",
                                        metric, unit};
      cells.push_back(measured == row.measured.end() ? "" : base::shortest(measured->second));
      const bool known = predicted != row.predicted.end();
      for (const double PredictedFigure::*of :
           {&PredictedFigure::value, &PredictedFigure::low, &PredictedFigure::high})
        cells.push_back(known ? base::shortest(predicted->second.*of) : "");
      cells.push_back(base::join(row.notes, "; "));
      const bool scored = !row.calibrates && known && measured != row.measured.end() &&
                          std::count(row.unscored.begin(), row.unscored.end(), metric) == 0;
      cells.emplace_back(scored ? "yes" : "no");
      out += csv_row(cells);
    };
    if (row.measured.empty() && row.predicted.empty()) line("", "");
    for (const RowMetric& m : v.metrics)
      if (row.measured.contains(m.id) || row.predicted.contains(m.id)) line(m.id, m.unit);
  }
  return out;
}

std::string rows_markdown(const RowValidation& v, const ReportContext& context) {
  std::string out = "# " + v.title + "\n";
  for (const std::string& paragraph : v.protocol) out += "\n" + paragraph + "\n";
  out +=
      "\n## Errors\n\n| metric | rows of | method | rows | mean error | median | 95th percentile "
      "| median factor | within x 1.2 | inside the 90 % interval |\n"
      "|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const RowErrors& e : v.errors) {
    const RowMetric& metric = metric_of(v, e.metric);
    out += "| `" + e.metric + "` | " + (e.group.empty() ? "all" : e.group) + " | " +
           (e.method.empty() ? "**stallcast**" : e.method) + " | " + std::to_string(e.rows) +
           " | " + error_size(e.mean_absolute, metric) + " | " + error_size(e.median, metric) +
           " | " + error_size(e.p95, metric) + " | " + fixed(e.median_factor, 3) + " | " +
           base::percent(e.within_factor, 0) + " | " +
           (e.coverage ? base::percent(*e.coverage, 0) : "") + " |\n";
  }
  out += coverage_markdown(v.coverage);
  for (const RowMetric& metric : shown_metrics(v)) {
    out +=
        "\n## " + metric.id +
        "\n\n| case | measured | predicted | 90 % interval | error |\n|---|---:|---:|---:|---:|\n";
    for (const PredictedRow& row : v.rows) {
      const Cells c = cells(row, metric);
      if (c.predicted.empty()) continue;
      out += "| " + markdown_cell(row.case_id) + " | " + c.measured + " | " + c.predicted + " | " +
             c.interval + " | " + c.error + " |\n";
    }
  }
  bool heading = false;
  for (const PredictedRow& row : v.rows)
    for (const std::string& note : row.notes) {
      if (!heading) out += "\n## Notes\n\n";
      heading = true;
      out += "- " + markdown_cell(row.case_id) + ": " + note + "\n";
    }
  return out + "\n" + made_by(context) + "\n";
}

std::string rows_html(const RowValidation& v, const ReportContext& context) {
  std::string out = html::element("h1", v.title) + "\n";
  for (const std::string& paragraph : v.protocol) out += html::element("p", paragraph) + "\n";
  out += coverage_html(v.coverage);
  std::vector<std::vector<std::string>> errors;
  for (const RowErrors& e : v.errors) {
    const RowMetric& metric = metric_of(v, e.metric);
    errors.push_back({html::path(e.metric), markup(e.group.empty() ? "all" : e.group),
                      e.method.empty() ? "<b>stallcast</b>" : markup(e.method),
                      std::to_string(e.rows), error_size(e.mean_absolute, metric),
                      error_size(e.median, metric), error_size(e.p95, metric),
                      fixed(e.median_factor, 3), base::percent(e.within_factor, 0),
                      e.coverage ? base::percent(*e.coverage, 0) : ""});
  }
  const auto wide = [](const std::string& table) {
    return table.empty() ? "" : "<div class=\"wide\">" + table + "</div>\n";
  };
  out += html::section("Errors", wide(html::table({{"metric"},
                                                   {"rows of"},
                                                   {"method"},
                                                   {"rows", "number"},
                                                   {"mean error", "number"},
                                                   {"median", "number"},
                                                   {"95th percentile", "number"},
                                                   {"median factor", "number"},
                                                   {"within x 1.2", "number"},
                                                   {"inside the 90 % interval", "number"}},
                                                  errors)));
  std::vector<std::vector<std::string>> notes;
  for (const RowMetric& metric : shown_metrics(v)) {
    std::vector<std::vector<std::string>> figures;
    for (const PredictedRow& row : v.rows)
      if (const Cells c = cells(row, metric); !c.predicted.empty())
        figures.push_back({markup(row.case_id), c.measured, c.predicted, c.interval, c.error});
    out += html::section(metric.id, wide(html::table({{"case"},
                                                      {"measured", "number"},
                                                      {"predicted", "number"},
                                                      {"90 % interval", "number"},
                                                      {"error", "number"}},
                                                     figures)));
  }
  for (const PredictedRow& row : v.rows)
    for (const std::string& note : row.notes) notes.push_back({markup(row.case_id), markup(note)});
  out += html::section("Notes", html::table({{"case"}, {"note"}}, notes));
  return html::page(v.title,
                    out + html::foot(context) + html::data("result", rows_json(v, context)));
}

}  // namespace

std::string render(const RowValidation& validation, const ReportContext& context, Format format,
                   const Style& style) {
  if (format == Format::json) return rows_json(validation, context);
  if (format == Format::csv) return rows_csv(validation);
  if (format == Format::markdown) return rows_markdown(validation, context);
  if (format == Format::html) return rows_html(validation, context);
  return rows_text(validation, context, style);
}

}  // namespace stallcast::report
