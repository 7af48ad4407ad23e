#include "engine/decide/uncertain/discrepancy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

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
constexpr std::array kClasses = std::to_array<Class>({{"au", kKnownReaders, kOfUse},
                                                      {"gpu.utilization", kKnownReaders, kOfUse},
                                                      {"goodput", kKnownReaders, kOfUse},
                                                      {"steady.au", kKnownReaders, kOfUse},
                                                      {"first_step", 0.5, kOfFirst},
                                                      {"first_batch", 0.5, kOfFirst},
                                                      {"checkpoint.rank0", 0.2, kOfSave},
                                                      {"checkpoint.duration", 0.2, kOfSave},
                                                      {"checkpoint.stall", 0.2, kOfSave},
                                                      {"restore.rank0", 0.2, kOfSave},
                                                      {"restore.duration", 0.2, kOfSave},
                                                      {"step.time", 0.0, kOfStep},
                                                      {"steady.step.time", 0.0, kOfStep},
                                                      {"throughput.samples", 0.0, kOfStep},
                                                      {"throughput.bytes", 0.0, kOfStep},
                                                      {"throughput.dlio", 0.0, kOfStep},
                                                      {"time.wall", 0.0, kOfStep}});

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

double use_of(const JobDesign& job, std::span<const Prediction> predictions) {
  if (!job.loader || measured(*job.loader) || !waits_for_readers(job.job.id, predictions))
    return kKnownReaders;
  if (job.loader->kind == "pytorch") return kProcesses;
  return job.loader->kind == "tensorflow" ? kTfData : kOtherReaders;
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

}  // namespace

double discrepancy_of(std::string_view metric) {
  const Class* found = class_of(metric::parse(metric));
  return found == nullptr ? 0.0 : found->half;
}

double discrepancy_of(std::string_view metric, const Design& design,
                      std::span<const Prediction> predictions) {
  const Known known = known_of(metric, design);
  if (known.found == nullptr) return 0.0;
  if (known.said) return *known.said;
  return known.found->field == kOfUse && known.job != nullptr ? use_of(*known.job, predictions)
                                                              : known.found->half;
}

double probed_discrepancy_of(std::string_view metric, const Design& design) {
  const Known known = known_of(metric, design);
  if (known.found == nullptr) return 0.0;
  return known.said.value_or(known.found->half);
}

}  // namespace stallcast::uncertain
