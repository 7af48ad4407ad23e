#include "calibration/fit/observed.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

#include "calibration/fit/observed_before.hpp"
#include "calibration/measure/statistics.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/random.hpp"
#include "engine/base/text.hpp"
#include "engine/base/what_reads.hpp"
#include "engine/decide/uncertain/discrepancy.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::calibration {
namespace {

using uncertain::Fitted;
using uncertain::Posterior;

constexpr std::string_view kFit = "observed";

/// Inputs whose middle is now where one in twenty was before, or fewer.
std::vector<std::string> left_their_range(const CalibrationProfile& profile) {
  std::vector<std::string> out;
  for (const NarrowedInput& n : profile.narrowed)
    if (const double middle = median(n.draws); middle < n.low_before || middle > n.high_before)
      out.push_back("to fit, " + n.role + " " + n.field + " must leave its range: is it that?");
  return out;
}

/// NarrowedInput::told, of input `i`: by normal scores, of which the prior has mean 0 and width 1.
double told_of(const Posterior& posterior, std::size_t i) {
  double sum = 0.0, squares = 0.0;
  for (const std::vector<double>& point : posterior.points) {
    const double z = base::normal_quantile(point[i]);
    sum += z;
    squares += z * z;
  }
  const auto kept = static_cast<double>(posterior.points.size());
  const double mean = sum / kept, width = std::sqrt(std::max(squares / kept - mean * mean, 0.0));
  // The draws that are kept are picked from those that were weighted.
  const double independent = 1.0 / (1.0 / kept + 1.0 / posterior.effective);
  // Of a width of nothing the logarithm is none.    [docs/models/uncertainty.md, eq. 16]
  const double narrow = std::max(width, 1e-9);
  return independent * (mean * mean + width * width - 1.0 - 2.0 * std::log(narrow));
}

std::string missed(const Fitted& fitted) {
  // In the unit that the table of the report has.
  const std::string_view unit = metric::shown_unit(fitted.observed.metric, fitted.unit);
  const auto text = [&](double value) {
    return base::with_noun(base::print_value(value, fitted.unit), unit);
  };
  return fitted.observed.metric + " was " + text(fitted.observed.value) +
         ", the closest draw gives " + text(fitted.closest) + ", and nine in ten " +
         text(fitted.before.low) + " to " + text(fitted.before.high);
}

/// What all says how long the steps of a job take.
bool follows_steps(std::string_view figure) {
  constexpr std::string_view kFigures[] = {
      "gpu.utilization",  "goodput",         "au",
      "steady.au",        "step.time",       "throughput.samples",
      "throughput.bytes", "throughput.dlio", "steady.step.time"};
  return std::ranges::count(kFigures, figure) > 0;
}

/// Figures of one run that say one thing again: each would narrow as a run of its own does.
std::vector<std::string> said_again(const std::vector<Fitted>& figures) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> of;  // job, file
  for (const Fitted& fitted : figures) {
    const ObservedFigure& observed = fitted.observed;
    const metric::Name name = metric::parse(observed.metric);
    if (name.domain != metric::Domain::job || !follows_steps(name.figure)) continue;
    std::string file = observed.at;  // "seen.csv:3:1"
    while (!file.empty() &&
           (std::isdigit(static_cast<unsigned char>(file.back())) || file.back() == ':'))
      file.pop_back();
    of[{std::string(name.id), file}].push_back(observed.metric);
  }
  std::vector<std::string> out;
  for (const auto& [job, metrics] : of)
    if (metrics.size() > 1)
      out.push_back(base::join(metrics, " and ") +
                    " of one run all follow from how long a step takes: each counts as if it were "
                    "seen in a run of its own, so what is left is too narrow; keep one of them");
  return out;
}

/// Two figures of one metric that no system has both; "" without such.
std::string contradiction(const std::vector<Fitted>& figures) {
  for (const Fitted& a : figures)
    for (const Fitted& b : figures)
      if (a.observed.metric == b.observed.metric && a.closest == b.closest &&
          a.observed.within.high < b.observed.within.low &&
          std::abs(a.off) + std::abs(b.off) > uncertain::kFarOff && a.off * b.off < 0.0)
        return "no one system gives " + base::print_value(a.observed.value, a.unit) + " (" +
               a.observed.at + ") and " + base::print_value(b.observed.value, b.unit) + " (" +
               b.observed.at + ") of " + a.observed.metric +
               ": calibrate with one of both, and its scenario with what differed between them";
  return "";
}

/// Jobs of which something was observed that their utilization follows.
std::vector<ObservedJob> observed_jobs(const Posterior& posterior, const Design& design,
                                       const CalibrationProfile& profile) {
  std::vector<ObservedJob> out;
  for (std::size_t j = 0; j < design.jobs.size(); ++j) {
    const JobDesign& job = design.jobs[j];
    const bool seen = std::ranges::any_of(posterior.figures, [&](const Fitted& fitted) {
      const metric::Name name = metric::parse(fitted.observed.metric);
      return name.domain == metric::Domain::job && name.id == job.job.id &&
             uncertain::tells_use(name.figure);
    });
    std::vector<std::string> left_out = base::narrowed_of_readers(design, job, profile);
    std::string readers = base::what_reads(design, job, left_out);
    if (seen && !readers.empty())
      out.push_back({job.job.id, std::move(readers), posterior.uses[j], std::move(left_out)});
  }
  return out;
}

/// Of what was observed of this design before: the model's error is in all of it.
std::string seen_again(const std::vector<Fitted>& figures) {
  std::vector<std::string> metrics;
  for (const Fitted& fitted : figures)
    if (fitted.seen > 0) metrics.push_back(fitted.observed.metric);
  if (metrics.empty()) return "";
  return base::join(metrics, " and ") + " of this design " +
         (metrics.size() == 1 ? "was" : "were") +
         " observed before: what the model is off by is the same in all of these runs, and only "
         "their measurements average out";
}

Fit fit_of(const Posterior& posterior) {
  Fit fit;
  fit.id = kFit;
  fit.law = kObservedLaw;
  fit.equation = "draws of the inputs, weighted by what was observed";
  fit.cells = posterior.figures.size();
  fit.runs = posterior.simulated;
  std::vector<double> errors;
  for (const Fitted& fitted : posterior.figures) {
    fit.residuals.push_back(
        {fitted.observed.metric, fitted.observed.value, fitted.median, 1, fitted.unit});
    if (fitted.observed.value != 0.0)
      errors.push_back(std::abs(fitted.median / fitted.observed.value - 1.0));
  }
  if (!errors.empty()) {
    fit.median_error = median(errors);
    fit.p90_error = quantile(errors, 0.9);
  }
  fit.verdict = FitVerdict::accepted;
  if (!posterior.explained) {
    fit.verdict = FitVerdict::refused;
    for (const Fitted& fitted : posterior.figures)
      if (!(std::abs(fitted.off) <= uncertain::kFarOff)) fit.reasons.push_back(missed(fitted));
    const std::string both = contradiction(posterior.figures);
    fit.reasons.push_back(both.empty() ? "nothing that the ranges of the scenario allow explains "
                                         "that: state what is known better, or give wider ranges "
                                         "to what may be otherwise"
                                       : both);
  } else if (posterior.effective < uncertain::kLeastEffective) {
    fit.verdict = FitVerdict::usable;
    fit.reasons.push_back("only " + base::significant(posterior.effective, 2) +
                          " independent draws are left: intervals are rough");
  }
  if (std::string again = seen_again(posterior.figures); !again.empty())
    fit.reasons.push_back(std::move(again));
  for (std::string& again : said_again(posterior.figures)) {
    if (fit.verdict == FitVerdict::accepted) fit.verdict = FitVerdict::usable;
    fit.reasons.push_back(std::move(again));
  }
  return fit;
}

/// What was known of inputs before, by what is left of it.
void renew(const CalibrationProfile& made_with, const ObservedBefore& before,
           const Posterior& posterior, CalibrationProfile& out) {
  for (std::size_t k = 0; k < made_with.narrowed.size(); ++k) {
    NarrowedInput n = made_with.narrowed[k];
    const std::size_t i = before.input_of[k];
    const uncertain::Prior prior = prior_of(n);
    n.draws.clear();
    for (const std::vector<double>& point : posterior.points)
      n.draws.push_back(uncertain::quantile(prior, point[i]));
    if (posterior.centre[i] != uncertain::kAsStated)
      n.value = uncertain::quantile(prior, posterior.centre[i]);
    n.low_before = std::exchange(n.low, quantile(n.draws, 0.05));
    n.high_before = std::exchange(n.high, quantile(n.draws, 0.95));
    n.told = told_of(posterior, i);
    out.narrowed.push_back(std::move(n));
  }
}

/// What `made_with` measured, with the draws of it that were left: a row of the posterior is joint
/// with the draw that its simulation had.
void carry(const CalibrationProfile& made_with, const Posterior& posterior,
           CalibrationProfile& out) {
  out.fits.insert(out.fits.end(), made_with.fits.begin(), made_with.fits.end());
  for (ProfileValue value : made_with.values) {
    if (const std::vector<double> all = std::exchange(value.draws, {}); !all.empty()) {
      for (const std::size_t i : posterior.varied) value.draws.push_back(all[i % all.size()]);
      value.low = quantile(value.draws, 0.05);
      value.high = quantile(value.draws, 0.95);
    }
    out.values.push_back(std::move(value));
  }
}

}  // namespace

CalibrationProfile profile_of(const Posterior& posterior, const Design& design, std::string id,
                              const CalibrationProfile* made_with) {
  CalibrationProfile out;
  out.id = std::move(id);
  if (made_with != nullptr) {
    out.environment = made_with->environment;
    out.inputs = made_with->inputs;
  }
  out.environment["simulations"] = std::to_string(posterior.simulated);
  out.environment["effective draws"] = base::significant(posterior.effective, 3);
  out.fits.push_back(fit_of(posterior));
  if (!posterior.explained) return out;
  std::size_t known = 0;
  if (made_with != nullptr) {
    carry(*made_with, posterior, out);
    const ObservedBefore before = observed_before(*made_with, design);
    known = before.known.inputs.size();
    renew(*made_with, before, posterior, out);
  }
  struct At {
    std::string role;
    const Component* component;
  };
  std::vector<At> components;
  std::map<std::pair<std::string, std::string>, std::size_t> of_kind;
  base::for_each_component(
      design, [&](const std::string&, std::string_view role, const Component& component) {
        components.push_back({std::string(role), &component});
        ++of_kind[{std::string(role), component.kind}];
      });
  for (std::size_t i = known; i < posterior.inputs.size(); ++i)
    for (const uncertain::ValuePlace& place : posterior.inputs[i].places) {
      const auto& [role, component] = components[place.component];
      const Value& value = component->values.find(place.key)->second;
      NarrowedInput one;
      one.role = role;
      one.kind = component->kind;
      if (of_kind[{role, component->kind}] > 1 || (is_stated(value) && component->id != role))
        one.component = component->id;
      one.field = place.key;
      one.dimension = value.dimension;
      one.scales = value.number > 0.0 && value.dimension != Dimension::ratio &&
                   value.dimension != Dimension::count;
      for (const std::vector<double>& point : posterior.points) {
        const double drawn = uncertain::quantile(place.prior, point[i]);
        one.draws.push_back(one.scales ? drawn / value.number : drawn);
      }
      const double centre = posterior.centre[i] == uncertain::kAsStated
                                ? value.number
                                : uncertain::quantile(place.prior, posterior.centre[i]);
      one.value = one.scales ? centre / value.number : centre;
      one.low = quantile(one.draws, 0.05);
      one.high = quantile(one.draws, 0.95);
      const double unit = one.scales ? value.number : 1.0;
      one.low_before = uncertain::quantile(place.prior, 0.05) / unit;
      one.high_before = uncertain::quantile(place.prior, 0.95) / unit;
      one.said = value.number;
      one.said_low = value.range->low;
      one.said_high = value.range->high;
      one.told = told_of(posterior, i);
      // What the scenario states otherwise than before has one entry, the new one.
      std::erase_if(out.narrowed,
                    [&key = place.key, &of = role, part = component](const NarrowedInput& n) {
                      return n.field == key && n.is_for(of, *part);
                    });
      out.narrowed.push_back(std::move(one));
    }
  out.jobs = observed_jobs(posterior, design, out);
  if (made_with != nullptr)
    for (const ObservedJob& job : made_with->jobs)
      if (std::ranges::count(out.jobs, job) == 0) out.jobs.push_back(job);
  const std::string runs = base::what_runs(design, made_with);
  for (const Fitted& fitted : posterior.figures)
    out.seen.push_back({runs, fitted.observed.metric, fitted.at, fitted.measured});
  if (made_with != nullptr)
    out.seen.insert(out.seen.end(), made_with->seen.begin(), made_with->seen.end());
  for (std::string& reason : left_their_range(out)) {
    out.fits.front().verdict = FitVerdict::usable;
    out.fits.front().reasons.push_back(std::move(reason));
  }
  return out;
}

}  // namespace stallcast::calibration
