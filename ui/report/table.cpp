#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

/// RFC 4180 quoting of one field.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::pair<std::string, std::string> name_and_stat(const std::string& metric) {
  const std::string_view statistic = metric::parse(metric).statistic;
  if (statistic.empty()) return {metric, "mean"};
  return {metric.substr(0, metric.size() - statistic.size() - 1), std::string(statistic)};
}

std::string csv_number(double value) { return std::isfinite(value) ? base::shortest(value) : ""; }

std::string csv_row(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& field : fields) out += (out.empty() ? "" : ",") + csv_field(field);
  return out + "\n";
}

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string table_of(const std::vector<std::string>& heads,
                     const std::vector<std::vector<std::string>>& rows, Format format) {
  const auto line = [&](const std::vector<std::string>& cells) {
    if (format == Format::csv) return csv_row(cells);
    std::string out = "|";
    for (const std::string& cell : cells) out += " " + markdown_cell(cell) + " |";
    return out + "\n";
  };
  std::string out = line(heads);
  if (format != Format::csv) out += line(std::vector<std::string>(heads.size(), "---"));
  for (const auto& row : rows) out += line(row);
  return out;
}

std::string prediction_csv(const Prediction& p) {
  std::string out = csv_row({"scenario", "metric", "stat", "value", "unit"});
  const auto row = [&](const std::string& metric, const std::string& stat, double value,
                       const std::string& unit) {
    out += csv_row({p.scenario_id, metric, stat, base::shortest(value), unit});
  };
  for (const auto& [name, metric] : p.metrics) {
    const auto [stem, stat] = name_and_stat(name);
    row(stem, stat, metric.value, metric.unit);
    if (metric.ci95.has_value()) {
      row(stem, stat + ".ci95.low", metric.ci95->first, metric.unit);
      row(stem, stat + ".ci95.high", metric.ci95->second, metric.unit);
    }
    if (metric.median) row(stem, stat + ".median", *metric.median, metric.unit);
    if (metric.ci90) {
      row(stem, stat + ".ci90.low", metric.ci90->first, metric.unit);
      row(stem, stat + ".ci90.high", metric.ci90->second, metric.unit);
    }
  }
  for (const auto& [job, shares] : p.breakdown)
    for (const char* cause : kBreakdownCauses) {
      const auto it = shares.find(cause);
      row("breakdown." + job + "." + cause, "mean", it == shares.end() ? 0.0 : it->second, "ratio");
    }
  for (const Bottleneck& b : p.bottlenecks)
    row("bottleneck." + b.resource + ".blamed_share", "mean", b.blamed_share, "ratio");
  for (const Bottleneck& b : p.bottlenecks)
    if (b.gain) row("bottleneck." + b.resource + ".gain", "mean", b.gain->time, "ratio");
  return out;
}

}  // namespace stallcast::report
