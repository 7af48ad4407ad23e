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

/// How a figure follows from another one, which decides what it is off by.
enum class From {
  itself,  ///< it does not
  alike,   ///< the same statement, of another time
  part,    ///< that part of the time of the run
  rate,    ///< as much of something for each part of the time that is used
  share    ///< it holds the other one, and what is known besides
};

/// A class of metrics: of jobs, by their figure; the field of a job that says otherwise; and the
/// figure that they are times a number, or over one.
struct Class {
  std::string_view figure;
  double half;  ///< of utilization: where nothing is read, or readers were measured
  std::string_view field;
  From how = From::itself;
  std::string_view from = {};
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
constexpr std::array kClasses = std::to_array<Class>(
    {{"au", kKnownReaders, kOfUse},
     {"gpu.utilization", kKnownReaders, kOfUse},
     {"goodput", kKnownReaders, kOfUse},
     {"goodput.p5", kKnownReaders, kOfUse},
     {"steady.au", kKnownReaders, kOfUse},
     {"stall.data", kKnownReaders, kOfUse},
     {"stall.cpu", kKnownReaders, kOfUse},
     {"stall.metadata", kKnownReaders, kOfUse},
     {"lasting.utilization", kKnownReaders, kOfUse, From::alike, "gpu.utilization"},
     {"lasting.useful", kKnownReaders, kOfUse, From::alike, "goodput"},
     {"checkpoint.best_interval.goodput", kKnownReaders, kOfUse, From::alike, "goodput"},
     {"time.compute", kKnownReaders, kOfUse, From::part, "gpu.utilization"},
     {"time.data", kKnownReaders, kOfUse, From::part, "stall.data"},
     {"time.cpu", kKnownReaders, kOfUse, From::part, "stall.cpu"},
     {"time.metadata", kKnownReaders, kOfUse, From::part, "stall.metadata"},
     {"first_step", 0.5, kOfFirst},
     {"first_batch", 0.5, kOfFirst},
     {"first_batch.waited", 0.5, kOfFirst, From::alike, "first_batch"},
     {"epoch.begin", 0.5, kOfFirst, From::alike, "first_batch"},
     {"start.once", 0.5, kOfFirst, From::share, "epoch.begin"},
     {"checkpoint.rank0", 0.2, kOfSave},
     {"checkpoint.duration", 0.2, kOfSave},
     {"checkpoint.stall", 0.2, kOfSave},
     {"restore.rank0", 0.2, kOfSave},
     {"restore.duration", 0.2, kOfSave},
     {"checkpoint.stall.total", 0.2, kOfSave},
     {"checkpoint.overhead", 0.2, kOfSave},
     {"checkpoint.bandwidth", 0.2, kOfSave},
     {"time.checkpoint", 0.2, kOfSave},
     {"restore.bandwidth", 0.2, kOfSave},
     {"restart.restore.rank0", 0.2, kOfSave, From::alike, "restore.rank0"},
     {"restart.restore.duration", 0.2, kOfSave, From::alike, "restore.duration"},
     {"restart.restore.bandwidth", 0.2, kOfSave, From::alike, "restore.bandwidth"},
     {"step.time", 0.0, kOfStep, From::rate, "au"},
     {"steady.step.time", 0.0, kOfStep, From::rate, "gpu.utilization"},
     {"throughput.samples", 0.0, kOfStep, From::rate, "gpu.utilization"},
     {"throughput.bytes", 0.0, kOfStep, From::rate, "gpu.utilization"},
     {"steps", 0.0, kOfStep, From::rate, "gpu.utilization"},
     {"throughput.dlio", 0.0, kOfStep, From::rate, "au"},
     {"time.wall", 0.0, kOfStep, From::rate, "gpu.utilization"},
     {"run.time", 0.0, "", From::rate, "goodput"},
     {"run.days", 0.0, "", From::rate, "goodput"},
     {"run.cost", 0.0, "", From::rate, "goodput"}});

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

/// The middle of a figure in the predictions that have it.
std::optional<double> middle_figure(const std::string& metric,
                                    std::span<const Prediction> predictions) {
  std::vector<double> values;
  for (const Prediction& p : predictions)
    if (const auto found = p.metrics.find(metric); found != p.metrics.end())
      values.push_back(found->second.value);
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<double> middle_share(const std::string& metric,
                                   std::span<const Prediction> predictions) {
  const std::optional<double> out = middle_figure(metric, predictions);
  return out ? std::optional(std::clamp(*out, 0.0, 1.0)) : std::nullopt;
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

/// Whether the clock ends a job, and not its work.
bool ends_by_clock(const Design& design, const JobDesign& job,
                   std::span<const Prediction> predictions) {
  const Value* duration = design.run.find("duration");
  if (duration == nullptr)
    return job.job.find("epochs") == nullptr && job.job.find("steps") == nullptr;
  const std::string wall = metric::of_job(job.job.id, "time.wall");
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

/// Whether a figure is what the clock, or what there is to do, says it is: the time of a run that
/// the clock ends, and what one that its work ends does.
bool is_set(const Known& known, const Design& design, std::span<const Prediction> predictions) {
  const std::string_view figure = known.found->figure;
  const bool wall = figure == "time.wall";
  if (known.job == nullptr || (!wall && figure != "steps" && figure != "time.compute"))
    return false;
  return wall == ends_by_clock(design, *known.job, predictions);
}

/// The part of the middle of a metric that another one is.
double part_of(const std::string& metric, const std::string& other,
               std::span<const Prediction> predictions) {
  const double whole = middle_figure(metric, predictions).value_or(0.0);
  return whole > 0.0 ? std::min(1.0, middle_figure(other, predictions).value_or(0.0) / whole) : 1.0;
}

/// The name of the figure that a metric follows from; "" if none.
std::string from_of(const Known& known) {
  if (known.job == nullptr || known.found->from.empty()) return "";
  return metric::of_job(known.job->job.id, known.found->from);
}

}  // namespace

bool tells_use(std::string_view figure) {
  return std::ranges::any_of(kClasses, [&](const Class& one) {
    return one.figure == figure && (one.field == kOfUse || one.field == kOfStep);
  });
}

std::string source_of(std::string_view metric, const Design& design) {
  const metric::Name name = metric::parse(metric);
  if (over_utilizations(metric) && (name.domain == metric::Domain::job || design.jobs.size() == 1))
    return metric::gpu_utilization(name.domain == metric::Domain::job ? std::string(name.id)
                                                                      : design.jobs.front().job.id);
  const Class* found = class_of(name);
  if (found == nullptr) return std::string(metric);
  while (!found->from.empty()) found = &*std::ranges::find(kClasses, found->from, &Class::figure);
  if (found->field == kOfUse) return metric::gpu_utilization(std::string(name.id));
  const bool loads = found->figure.starts_with("restore.");
  return metric::of_job(std::string(name.id), found->field == kOfFirst ? "first_batch"
                                              : loads                  ? "restore.duration"
                                                                       : "checkpoint.duration");
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
  if (known.found == nullptr || is_set(known, design, predictions)) return 0.0;
  if (known.found->how == From::share && known.job != nullptr)
    return known.said.value_or(known.found->half) *
           part_of(std::string(metric), metric::of_job(known.job->job.id, known.found->from),
                   predictions);
  if (known.said) return *known.said;
  if (known.job == nullptr) return known.found->half;
  const bool use = known.found->field == kOfUse;
  if (use && known.found->from.empty()) return use_of(known.found->figure, *known.job, predictions);
  const std::string from = from_of(known);
  if (from.empty()) return known.found->half;
  const double half = discrepancy_of(from, design, predictions);
  return known.found->how == From::rate ? derived_of(from, half, predictions) : half;
}

std::optional<double> whole_of(std::string_view metric, const Design& design,
                               std::span<const Prediction> predictions) {
  const Known known = known_of(metric, design);
  if (known.found == nullptr || known.job == nullptr || known.found->how != From::part ||
      !ends_by_clock(design, *known.job, predictions))
    return std::nullopt;
  const std::string wall = metric::of_job(known.job->job.id, "time.wall");
  double out = 0.0;
  for (const Prediction& p : predictions) out = std::max(out, figure_or_zero(p, wall));
  return out > 0.0 ? std::optional(out) : std::nullopt;
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
  if (const std::string from = from_of(known);
      !known.said && !from.empty() && known.found->how == From::rate)
    probed = derived_of(from, probed_discrepancy_of(from, design, predictions), predictions);
  return probed < now * (1.0 - kWorthProbing) ? probed : now;
}

}  // namespace stallcast::uncertain
