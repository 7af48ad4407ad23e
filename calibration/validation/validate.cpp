#include "calibration/validation/validate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "calibration/measure/metric_text.hpp"
#include "calibration/measure/statistics.hpp"
#include "calibration/profile/apply.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/uncertain/outcomes.hpp"
#include "scenarios/rules/rules.hpp"

namespace stallcast::calibration {
namespace {

/// "job.train.au" -> "job.*.au": jobs are named by whoever wrote the scenario.
std::string kind_of(const std::string& metric) {
  std::vector<std::string> parts = base::split(metric, '.');
  if (parts.size() > 2) parts[1] = "*";
  return base::join(parts, ".");
}

double error_of(double predicted, double measured, const std::string& unit) {
  if (unit == "ratio") return 100.0 * (predicted - measured);
  return 100.0 * (predicted / measured - 1.0);
}

// Of a share of nothing, a factor on this at least.
double factor_of(const Comparison& c) {
  constexpr double kLeastShare = 1e-3;
  const double least = c.measured > 0.0 ? 0.0 : kLeastShare;
  const double measured = std::max(c.measured, least);
  const double predicted = std::max(c.predicted.value, least);
  return std::max(predicted / measured, measured / predicted);
}

std::string names_like(const std::string& metric, const Prediction& prediction) {
  std::vector<std::string> names;
  for (const auto& [name, m] : prediction.metrics) names.push_back(name);
  const std::string near = base::nearest(metric, names);
  return near.empty() ? "`stallcast run --format csv` lists all metrics of a scenario"
                      : "did you mean \"" + near + "\"?";
}

}  // namespace

ValidatedCase compare(const Case& measured, const Prediction& prediction, Diagnostics& faults) {
  ValidatedCase out;
  out.id = measured.id;
  out.scenario = measured.scenario;
  out.source = measured.source;
  out.note = measured.note;
  out.warnings = prediction.warnings;
  // Without expectations only an early end is inconclusive.
  out.finished = prediction.verdict != Verdict::inconclusive;
  out.replicas = prediction.seeds.size();
  out.extrapolated = prediction.extrapolated;
  for (const CaseFigure& m : measured.measured) {
    const auto fault = [&](std::string_view code, std::string message, std::string hint) {
      faults.add({Severity::error, std::string(code), m.pointer, m.position, std::move(message),
                  std::move(hint)});
    };
    const auto found = prediction.metrics.find(m.metric);
    if (found == prediction.metrics.end()) {
      fault("unknown-metric", "the simulation yields no metric \"" + m.metric + "\"",
            names_like(m.metric, prediction));
      continue;
    }
    const Metric& predicted = found->second;
    const std::optional<double> value = figure_in(m.text, predicted.unit);
    if (!value) {
      fault("unit", "\"" + m.text + "\" " + does_not_fit(m.metric, predicted.unit),
            what_fits(predicted.unit));
      continue;
    }
    const double measured_value = *value;
    const bool is_share = predicted.unit == "ratio";
    if (!(measured_value > 0.0 || (is_share && measured_value == 0.0))) {
      fault("range",
            std::string("a measured value must be ") + (is_share ? "0 or more" : "above 0") +
                ", not \"" + m.text + "\"",
            is_share ? "it is a share" : "errors are relative to it");
      continue;
    }
    out.comparisons.push_back({m.metric, predicted.unit, measured_value, predicted,
                               error_of(predicted.value, measured_value, predicted.unit)});
    if (!prediction.uncertainty) continue;
    const auto drawn = prediction.uncertainty->metrics.find(m.metric);
    if (drawn != prediction.uncertainty->metrics.end())
      out.comparisons.back().outcomes = drawn->second.levels;
  }
  return out;
}

std::vector<ErrorSummary> summarise(std::span<const ValidatedCase> cases) {
  std::vector<ErrorSummary> out;
  std::vector<std::vector<double>> factors;
  for (const ValidatedCase& c : cases)
    for (const Comparison& comparison : c.comparisons) {
      const std::string kind = kind_of(comparison.metric);
      const auto known = std::find_if(out.begin(), out.end(),
                                      [&](const ErrorSummary& s) { return s.metric == kind; });
      const auto i = static_cast<std::size_t>(known - out.begin());
      if (known == out.end()) {
        out.push_back({kind, comparison.unit, 0, 0.0, 1.0, 0.0});
        factors.emplace_back();
      }
      ++out[i].cases;
      out[i].mean_absolute_error += std::abs(comparison.error);
      factors[i].push_back(factor_of(comparison));
    }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto n = static_cast<double>(out[i].cases);
    const auto near = std::count_if(factors[i].begin(), factors[i].end(),
                                    [](double f) { return f <= kNearFactor; });
    out[i].mean_absolute_error /= n;
    out[i].within_factor = static_cast<double>(near) / n;
    out[i].median_factor = median(std::move(factors[i]));
  }
  return out;
}

Coverage coverage_of(std::span<const ValidatedCase> cases) {
  std::vector<JudgedFigure> figures;
  for (const ValidatedCase& c : cases)
    for (const Comparison& m : c.comparisons)
      if (m.outcomes)
        figures.push_back(
            {c.id, kind_of(m.metric), m.unit, m.measured, m.predicted.value, *m.outcomes});
  return stallcast::coverage_of(figures);
}

namespace {

/// Adds to `predictions` what their figures may turn out to be; what cannot be drawn stays without.
void draw_each(const LoadedCases& loaded, std::size_t draws, const predict::PredictOptions& predict,
               std::vector<Result<Prediction>>& predictions) {
  uncertain::DrawOptions how{.predict = predict, .draws = draws};
  how.valid = [](const Design& design) { return scenarios::fault_of(design).empty(); };
  if (loaded.profile != nullptr)
    how.vary = [&](Design& design, std::size_t draw) { apply_draw(*loaded.profile, draw, design); };
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!predictions[i].ok()) continue;
    const Design& design = loaded.cases[i].design;
    Result<Uncertainty> found = uncertain::outcomes(design, *predictions[i], how);
    if (found.ok())
      uncertain::attach(std::move(found).value(), design, *predictions[i]);
    else
      predictions[i]->warnings.push_back("no interval: " + found.failure().message);
  }
}

}  // namespace

Result<Validation> validate(const LoadedCases& loaded, const predict::PredictOptions& options,
                            std::size_t draws, Diagnostics& faults) {
  Validation out;
  out.files = loaded.files;
  if (loaded.profile != nullptr) {
    out.profile_id = loaded.profile->id;
    out.profile_sha256 = loaded.profile->sha256;
  }
  std::vector<Design> designs;
  for (const Case& c : loaded.cases) designs.push_back(c.design);
  std::vector<Result<Prediction>> predictions = predict::predict_all(designs, options);
  if (draws > 0) draw_each(loaded, draws, options, predictions);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Case& c = loaded.cases[i];
    if (!predictions[i].ok()) {
      Failure failure = predictions[i].failure();
      failure.message = "case \"" + c.id + "\": " + failure.message;
      return failure;
    }
    out.cases.push_back(compare(c, predictions[i].value(), faults));
    if (loaded.profile != nullptr)
      std::ranges::move(said_of(*loaded.profile, c.design),
                        std::back_inserter(out.cases.back().warnings));
    out.wall_s = predictions[i]->wall_s;
  }
  if (faults.has_errors())
    return Failure{ExitCode::bad_input, faults.items().front().message,
                   faults.items().front().hint};
  out.summary = summarise(out.cases);
  out.coverage = coverage_of(out.cases);
  return out;
}

}  // namespace stallcast::calibration
