#include <algorithm>
#include <cmath>

#include "calibration/measure/statistics.hpp"
#include "stallcast/row_validation.hpp"

namespace stallcast {
namespace {

using calibration::kNearFactor;
using calibration::median;
using calibration::quantile;

/// What a row's `method` ("" = the prediction) says of `metric`; nullptr when it says nothing.
const double* said(const PredictedRow& row, const std::string& method, const std::string& metric) {
  if (method.empty()) {
    const auto at = row.predicted.find(metric);
    return at == row.predicted.end() ? nullptr : &at->second.value;
  }
  const auto by = row.baselines.find(method);
  if (by == row.baselines.end()) return nullptr;
  const auto at = by->second.find(metric);
  return at == by->second.end() ? nullptr : &at->second;
}

bool scored(const PredictedRow& row, const std::string& metric) {
  return !row.calibrates && row.measured.contains(metric) &&
         std::find(row.unscored.begin(), row.unscored.end(), metric) == row.unscored.end();
}

RowErrors errors_over(const RowValidation& validation, const RowMetric& metric,
                      const std::string& group, const std::string& method) {
  RowErrors out{.metric = metric.id, .group = group, .method = method, .coverage = {}};
  std::vector<double> errors, factors;
  double inside = 0.0;
  for (const PredictedRow& row : validation.rows) {
    const double* value = said(row, method, metric.id);
    if (value == nullptr || !scored(row, metric.id) || (!group.empty() && row.group != group))
      continue;
    const double truth = row.measured.at(metric.id);
    errors.push_back(metric.error == ErrorKind::points ? 100.0 * std::abs(*value - truth)
                                                       : std::abs(*value / truth - 1.0));
    factors.push_back(std::max(*value / truth, truth / *value));
    if (method.empty()) {
      const PredictedFigure& figure = row.predicted.at(metric.id);
      if (figure.low <= truth && truth <= figure.high) inside += 1.0;
    }
  }
  out.rows = errors.size();
  if (errors.empty()) return out;
  const auto n = static_cast<double>(errors.size());
  for (const double error : errors) out.mean_absolute += error / n;
  const auto near =
      std::count_if(factors.begin(), factors.end(), [](double f) { return f <= kNearFactor; });
  out.within_factor = static_cast<double>(near) / n;
  out.median = median(errors);
  out.p95 = quantile(errors, 0.95);
  out.median_factor = median(factors);
  if (method.empty()) out.coverage = inside / n;
  return out;
}

}  // namespace

std::vector<const PredictedRow*> unpredicted(const RowValidation& validation) {
  std::vector<const PredictedRow*> out;
  for (const PredictedRow& row : validation.rows)
    if (row.predicted.empty()) out.push_back(&row);
  return out;
}

std::vector<RowErrors> errors_of(const RowValidation& validation) {
  std::vector<std::string> groups{""}, methods{""};
  for (const PredictedRow& row : validation.rows) {
    if (std::find(groups.begin(), groups.end(), row.group) == groups.end())
      groups.push_back(row.group);
    for (const auto& [method, figures] : row.baselines)
      if (std::find(methods.begin(), methods.end(), method) == methods.end())
        methods.push_back(method);
  }
  std::vector<RowErrors> out;
  for (const RowMetric& metric : validation.metrics)
    for (const std::string& group : groups)
      for (const std::string& method : methods)
        if (RowErrors errors = errors_over(validation, metric, group, method); errors.rows > 0)
          out.push_back(std::move(errors));
  return out;
}

Coverage coverage_of(const RowValidation& validation) {
  std::vector<JudgedFigure> figures;
  for (const RowMetric& metric : validation.metrics)
    for (const PredictedRow& row : validation.rows) {
      const auto found = row.predicted.find(metric.id);
      if (found == row.predicted.end() || !scored(row, metric.id)) continue;
      figures.push_back({row.case_id, metric.id, metric.unit, row.measured.at(metric.id),
                         found->second.value, found->second.levels});
    }
  return coverage_of(figures);
}

}  // namespace stallcast
