#include "engine/decide/uncertain/discrepancy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "engine/decide/uncertain/computed.hpp"
#include "engine/decide/uncertain/posterior.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::uncertain {
namespace {

/// A class of metrics: of jobs, by their figure; and the field of a job that says otherwise.
struct Class {
  std::string_view figure;
  double half;  ///< of utilization: where nothing is read, or readers were measured
  std::string_view field;
};
constexpr std::string_view kOfUse = "discrepancy.utilization", kOfFirst = "discrepancy.first_batch",
                           kOfSave = "discrepancy.checkpoint", kOfStep = "discrepancy.step";
/// Of the odds of utilization. By who reads, where that was not measured: PyTorch's processes,
/// tf.data, and any other as both together (bench/mlperf_widths.py).
constexpr double kKnownReaders = 0.25, kProcesses = 0.75, kTfData = 0.15, kOtherReaders = 0.5;
/// Part of the time that a job waits for data from where on its readers matter.
constexpr double kFelt = 1e-3;
/// A change of a loader by less than this part of a width is not worth a word.
constexpr double kWorthProbing = 0.1;
/// How unsure a change is from what was observed of the same readers: so much of itself.
constexpr double kOfChange = 0.5;
constexpr std::array kClasses = std::to_array<Class>({{"au", kKnownReaders, kOfUse},
                                                      {"gpu.utilization", kKnownReaders, kOfUse},
                                                      {"goodput", kKnownReaders, kOfUse},
                                                      {"goodput.p5", kKnownReaders, kOfUse},
                                                      {"steady.au", kKnownReaders, kOfUse},
                                                      {"stall.data", kKnownReaders, kOfUse},
                                                      {"stall.cpu", kKnownReaders, kOfUse},
                                                      {"stall.metadata", kKnownReaders, kOfUse},
                                                      {"first_step", 0.5, kOfFirst},
                                                      {"first_batch", 0.5, kOfFirst},
                                                      {"checkpoint.rank0", 0.2, kOfSave},
                                                      {"checkpoint.duration", 0.2, kOfSave},
                                                      {"checkpoint.stall", 0.2, kOfSave},
                                                      {"restore.rank0", 0.2, kOfSave},
                                                      {"restore.duration", 0.2, kOfSave},
                                                      {"restart.restore.rank0", 0.2, kOfSave},
                                                      {"restart.restore.duration", 0.2, kOfSave},
                                                      {"restart.restore.bandwidth", 0.2, kOfSave},
                                                      {"checkpoint.stall.total", 0.2, kOfSave},
                                                      {"checkpoint.overhead", 0.2, kOfSave},
                                                      {"checkpoint.bandwidth", 0.2, kOfSave},
                                                      {"time.checkpoint", 0.2, kOfSave},
                                                      {"restore.bandwidth", 0.2, kOfSave},
                                                      {"step.time", 0.0, kOfStep},
                                                      {"steady.step.time", 0.0, kOfStep},
                                                      {"throughput.samples", 0.0, kOfStep},
                                                      {"throughput.bytes", 0.0, kOfStep},
                                                      {"throughput.dlio", 0.0, kOfStep},
                                                      {"time.wall", 0.0, kOfStep},
                                                      {"run.time", 0.0, ""},
                                                      {"run.days", 0.0, ""},
                                                      {"run.cost", 0.0, ""}});

/// Figures that are what a job computes over a utilization: as sure as that.
struct Derived {
  std::string_view figure, from;
};
constexpr std::array kDerived = std::to_array<Derived>({{"step.time", "au"},
                                                        {"steady.step.time", "gpu.utilization"},
                                                        {"throughput.samples", "gpu.utilization"},
                                                        {"throughput.bytes", "gpu.utilization"},
                                                        {"throughput.dlio", "au"},
                                                        {"time.wall", "gpu.utilization"},
                                                        {"run.time", "goodput"},
                                                        {"run.days", "goodput"},
                                                        {"run.cost", "goodput"}});

const Class* class_of(const metric::Name& name) {
  if (name.domain != metric::Domain::job) return nullptr;
  const auto found = std::find_if(kClasses.begin(), kClasses.end(),
                                  [&](const Class& one) { return one.figure == name.figure; });
  return found == kClasses.end() ? nullptr : &*found;
}

/// Whether probes of the loader told what its readers cost.
bool measured(const Component& loader) {
  return std::any_of(loader.values.begin(), loader.values.end(), [](const auto& one) {
    const Source& source = one.second.source;
    return source.kind == Source::Kind::profile && source.citation.starts_with("fit loader.");
  });
}

/// Whether steps of the job wait for data, or for the cores that read it: more often than not.
bool waits_for_readers(const std::string& job, std::span<const Prediction> predictions) {
  const std::string stall = "job." + job + ".stall.";
  const auto waits = std::count_if(predictions.begin(), predictions.end(), [&](const auto& p) {
    return figure_or_zero(p, stall + "data") + figure_or_zero(p, stall + "cpu") > kFelt;
  });
  return 2 * waits >= std::ssize(predictions) && waits > 0;
}

/// The middle of a share in the predictions that have it.
std::optional<double> middle_share(const std::string& metric,
                                   std::span<const Prediction> predictions) {
  std::vector<double> values;
  for (const Prediction& p : predictions)
    if (const auto found = p.metrics.find(metric); found != p.metrics.end())
      values.push_back(std::clamp(found->second.value, 0.0, 1.0));
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double width_of_readers(const JobDesign& job, std::span<const Prediction> predictions) {
  if (!job.loader || measured(*job.loader) || !waits_for_readers(job.job.id, predictions))
    return kKnownReaders;
  if (job.loader->kind == "pytorch") return kProcesses;
  return job.loader->kind == "tensorflow" ? kTfData : kOtherReaders;
}

/// Readers that were observed at work are off by what two runs are, and by a part of what is
/// predicted to change; of several runs by what is least.    [docs/models/uncertainty.md, eq. 14]
double use_of_readers(const JobDesign& job, std::span<const Prediction> predictions) {
  double width = width_of_readers(job, predictions);
  if (width <= kKnownReaders || job.observed_use.empty()) return width;
  const auto use = middle_share(metric::of_job(job.job.id, "gpu.utilization"), predictions);
  for (const double observed : job.observed_use) {
    const double change =
        on_error_scale(use.value_or(0.0), "ratio") - on_error_scale(observed, "ratio");
    width = std::min(width, std::hypot(kKnownReaders, kOfChange * change));
  }
  return width;
}

/// Part of the lost time that is not for saves, communication and restarts: mean over the draws.
double lost_to_readers(const std::string& job, std::span<const Prediction> predictions) {
  double sum = 0.0, count = 0.0;
  for (const Prediction& p : predictions) {
    const auto shares = p.breakdown.find(job);
    if (shares == p.breakdown.end()) continue;
    double lost = 0.0, other = 0.0;
    for (const auto& [cause, share] : shares->second) {
      if (cause == "compute") continue;
      lost += share;
      if (cause == "checkpoint" || cause == "communication" || cause == "restart") other += share;
    }
    if (lost <= 0.0) continue;
    sum += 1.0 - other / lost;
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 1.0;
}

/// The odds of utilization are compute over lost time: what readers lose of it is as unsure as
/// readers are, the rest is not.    [docs/models/uncertainty.md, eq. 11]
double use_of(std::string_view figure, const JobDesign& job,
              std::span<const Prediction> predictions) {
  const double readers = use_of_readers(job, predictions);
  // AU leaves saves and restarts out, and waits for data are all readers'.
  if (readers <= kKnownReaders || figure.ends_with("au") || figure.starts_with("stall."))
    return readers;
  const double share = lost_to_readers(job.job.id, predictions);
  return kKnownReaders + share * (readers - kKnownReaders);
}

/// Half width of what is computed over a utilization of this median, as the logarithm of a factor:
/// d ln u = (1 - u) d ln (u / (1 - u)).    [docs/models/uncertainty.md, eq. 12]
double derived_of(const std::string& utilization, double half,
                  std::span<const Prediction> predictions) {
  const std::optional<double> middle = middle_share(utilization, predictions);
  return middle ? half * (1.0 - *middle) : 0.0;
}

/// Whether the clock ends a job, and not its work: its time cannot vary then.
bool ends_by_clock(const Design& design, const JobDesign& job, const std::string& wall,
                   std::span<const Prediction> predictions) {
  const Value* duration = design.run.find("duration");
  if (duration == nullptr)
    return job.job.find("epochs") == nullptr && job.job.find("steps") == nullptr;
  const auto ended = std::count_if(predictions.begin(), predictions.end(), [&](const auto& p) {
    return figure_or_zero(p, wall) >= duration->number;
  });
  return 2 * ended >= std::ssize(predictions) && ended > 0;
}

/// What a metric of a design is of, and what its job says of its width.
struct Known {
  const Class* found = nullptr;
  const JobDesign* job = nullptr;
  std::optional<double> said;
};

Known known_of(std::string_view metric, const Design& design) {
  const metric::Name name = metric::parse(metric);
  Known out;
  out.found = class_of(name);
  if (out.found == nullptr) return out;
  for (const JobDesign& job : design.jobs) {
    if (job.job.id != name.id) continue;
    out.job = &job;
    // A share of the figure; utilization is said on its scale.
    if (const Value* said = job.job.find(out.found->field))
      out.said = said->dimension == Dimension::ratio ? std::log1p(said->number) : said->number;
  }
  return out;
}

/// The utilization that a metric is computed over; "" if none.
std::string derived_from(const Known& known) {
  const auto found = std::find_if(kDerived.begin(), kDerived.end(), [&](const Derived& one) {
    return one.figure == known.found->figure;
  });
  if (found == kDerived.end() || known.job == nullptr) return "";
  return metric::of_job(known.job->job.id, found->from);
}

}  // namespace

bool tells_use(std::string_view figure) {
  return std::ranges::any_of(kClasses, [&](const Class& one) {
    return one.figure == figure && (one.field == kOfUse || one.field == kOfStep);
  });
}

double discrepancy_of(std::string_view metric) {
  const Class* found = class_of(metric::parse(metric));
  return found == nullptr ? 0.0 : found->half;
}

double discrepancy_of(std::string_view metric, const Design& design,
                      std::span<const Prediction> predictions) {
  if (over_utilizations(metric))
    return half_over_utilizations(metric, design, predictions, [&](const std::string& utilization) {
      return discrepancy_of(utilization, design, predictions);
    });
  const Known known = known_of(metric, design);
  if (known.found == nullptr) return 0.0;
  if (known.job != nullptr && known.found->figure == "time.wall" &&
      ends_by_clock(design, *known.job, std::string(metric), predictions))
    return 0.0;
  if (known.said) return *known.said;
  if (known.job == nullptr) return known.found->half;
  if (known.found->field == kOfUse) return use_of(known.found->figure, *known.job, predictions);
  const std::string from = derived_from(known);
  if (from.empty()) return known.found->half;
  return derived_of(from, discrepancy_of(from, design, predictions), predictions);
}

double probed_discrepancy_of(std::string_view metric, const Design& design,
                             std::span<const Prediction> predictions) {
  if (over_utilizations(metric))
    return half_over_utilizations(metric, design, predictions, [&](const std::string& utilization) {
      return probed_discrepancy_of(utilization, design, predictions);
    });
  const double now = discrepancy_of(metric, design, predictions);
  const Known known = known_of(metric, design);
  if (known.found == nullptr) return now;
  double probed = known.said.value_or(known.found->half);
  if (const std::string from = derived_from(known); !known.said && !from.empty())
    probed = derived_of(from, probed_discrepancy_of(from, design, predictions), predictions);
  return probed < now * (1.0 - kWorthProbing) ? probed : now;
}

}  // namespace stallcast::uncertain
