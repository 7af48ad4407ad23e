#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/predict/busiest.hpp"
#include "engine/decide/predict/predict.hpp"
#include "engine/decide/predict/student.hpp"
#include "models/bounds/gpu_use.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::predict {
namespace {

/// A resource below this utilization that nobody waited for is not worth a line.
constexpr double kIdle = 0.005;

bool takes_maximum(std::string_view name) { return name.ends_with(".max"); }

/// Who never waited for it does not say so.
bool left_out_at_zero(const std::string& name) {
  return metric::parse(name).figure.starts_with("waited.");
}

void add_resource_metrics(Prediction& prediction) {
  for (const ResourceUse& r : prediction.resources) {
    // A limit of each process by itself has no capacity that is shared, so no part of it is used.
    if (r.capacity > 0.0)
      prediction.metrics.try_emplace(metric::of_resource(r.name, "utilization"),
                                     Metric{r.utilization(), "ratio", std::nullopt});
    // It moves nothing that could be summed either: it has no unit.
    if (!r.unit.empty())
      prediction.metrics.try_emplace(metric::of_resource(r.name, "throughput"),
                                     Metric{r.throughput, r.unit, std::nullopt});
  }
}

/// Means of figures that are never negative are not; nor are those of shares above 1.
void keep_possible(std::pair<double, double>& interval, std::span<const double> values,
                   std::string_view unit) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least >= 0.0) interval.first = std::max(interval.first, 0.0);
  if (unit == "ratio" && *most <= 1.0) interval.second = std::min(interval.second, 1.0);
}

std::map<std::string, Metric> combine_metrics(std::span<const RunResult> replicas) {
  std::map<std::string, Metric> metrics;
  if (replicas.size() == 1) {  // as below, without looking for each name again
    for (const auto& [name, metric] : replicas.front().metrics)
      metrics.emplace_hint(metrics.end(), name,
                           Metric{takes_maximum(name) ? metric.value : mean({&metric.value, 1}),
                                  metric.unit, std::nullopt});
    return metrics;
  }
  std::map<std::string, std::vector<double>> samples;
  for (const RunResult& r : replicas) {
    for (const auto& [name, metric] : r.metrics) {
      samples[name].push_back(metric.value);
      metrics[name].unit = metric.unit;
    }
    for (const ResourceUse& use : r.resources) {
      const std::string name = metric::of_resource(use.name, "utilization");
      if (r.metrics.contains(name) || !(use.capacity > 0.0)) continue;
      samples[name].push_back(use.utilization());
      metrics[name].unit = "ratio";
    }
  }
  for (auto& [name, metric] : metrics) {
    std::vector<double>& values = samples[name];
    if (values.size() < replicas.size() && left_out_at_zero(name)) values.resize(replicas.size());
    if (takes_maximum(name)) {
      metric.value = *std::max_element(values.begin(), values.end());
    } else {
      metric.value = mean(values);
      metric.ci95 = interval95(values);
      if (metric.ci95) keep_possible(*metric.ci95, values, metric.unit);
    }
  }
  return metrics;
}

/// Mean share of every cause. A cause that a replica does not mention is 0 there, so the shares
/// still sum to 1.
std::map<std::string, std::map<std::string, double>> combine_breakdown(
    std::span<const RunResult> replicas) {
  std::map<std::string, std::map<std::string, double>> breakdown;
  const double n = static_cast<double>(replicas.size());
  for (const RunResult& r : replicas)
    for (const auto& [job, causes] : r.breakdown)
      for (const auto& [cause, share] : causes) breakdown[job][cause] += share / n;
  return breakdown;
}

/// Mean quantiles of what all replicas have.
std::map<std::string, Luck> combine_luck(std::span<const RunResult> replicas) {
  std::map<std::string, Luck> out;
  const double n = static_cast<double>(replicas.size());
  for (const auto& [name, first] : replicas.front().luck) {
    Luck mean(first.size(), 0.0);
    const bool in_all = std::ranges::all_of(replicas, [&, &name = name](const RunResult& r) {
      const auto found = r.luck.find(name);
      return found != r.luck.end() && found->second.size() == mean.size();
    });
    if (!in_all) continue;
    for (const RunResult& r : replicas)
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += r.luck.at(name)[i] / n;
    out.emplace_hint(out.end(), name, std::move(mean));
  }
  return out;
}

/// The mean is that of all replicas, each with histories of its own: what one has weighs as much as
/// its mean.
std::map<std::string, Histories> combine_histories(std::span<const RunResult> replicas,
                                                   const std::map<std::string, Metric>& means) {
  if (replicas.size() == 1) return replicas.front().histories;
  std::map<std::string, Histories> out;
  const double n = static_cast<double>(replicas.size());
  for (const RunResult& r : replicas)
    for (const auto& [name, groups] : r.histories) {
      const auto own = r.metrics.find(name);
      if (own == r.metrics.end() || !(means.at(name).value > 0.0)) continue;
      const double weight = own->second.value / (n * means.at(name).value);
      for (const double group : groups) out[name].push_back(group * weight);
    }
  return out;
}

std::vector<ResourceUse> combine_resources(std::span<const RunResult> replicas) {
  std::map<std::string, ResourceUse> uses;
  const double n = static_cast<double>(replicas.size());
  for (const RunResult& r : replicas)
    for (const ResourceUse& use : r.resources) {
      ResourceUse& sum = uses[use.name];
      sum.name = use.name;
      sum.unit = use.unit;
      sum.capacity += use.capacity / n;
      sum.throughput += use.throughput / n;
      sum.blamed_share += use.blamed_share / n;
      sum.in_use += use.in_use / n;
    }
  std::vector<ResourceUse> out;
  out.reserve(uses.size());
  for (auto& [name, use] : uses) out.push_back(std::move(use));
  return out;
}

/// Collectives are times, and no bytes that its use counts: what waits for them, and moves next to
/// nothing else, says nothing of how busy it is.    [docs/models/communication.md]
bool of_collectives(const ResourceUse& use) {
  constexpr double kNext = 0.1;
  const bool moves = use.name.ends_with(".nvlink") || use.name == "fabric.compute_link";
  return moves && use.blamed_share > 0.0 && use.utilization() < kNext;
}

std::string headroom(const ResourceUse& use) {
  if (of_collectives(use)) return "collectives are not counted";
  if (use.name.starts_with("failure.")) return "";  // there is none of an outage
  // Waited for although next to nothing of it is used: each process has its own part of it.
  if (use.name.ends_with(".replicas")) return "what its GPUs compute";
  const bool unshared = use.blamed_share > 0.0 && use.throughput == 0.0;
  if (!(use.capacity > 0.0) || !std::isfinite(use.capacity) || unshared)
    return "a limit of each process by itself";
  // A process computes on one core, so it waits for the CPU while others idle.
  if (use.name.ends_with(".cpu") && use.blamed_share > 0.0 && use.utilization() < 0.5)
    return "one core for each process";
  const std::string of = " left of " + base::print_value(use.capacity, use.unit);
  if (use.utilization() >= 0.995) return "nothing" + of;
  std::string text = base::print_value(std::max(0.0, use.capacity - use.throughput), use.unit) + of;
  if (use.load() >= 0.995) text += " on average, none while it is in use";
  return text;
}

/// Whose the most of what is moved is, where tenants share a storage system with others: ", of
/// which tenant backup moves 9.25 GB/s". Of bytes that are waited for.
std::string shared_with(const Design& design, const Prediction& prediction,
                        const ResourceUse& use) {
  constexpr double kMuch = 0.1;
  const base::ResourceName name = base::resource_name(use.name);
  if (name.role != "storage" || use.unit != "B/s" || !(use.blamed_share > 0.0) ||
      !std::isfinite(use.capacity))
    return "";
  if (design.jobs.size() + design.tenants.size() < 2) return "";
  const BusiestTenant busiest = busiest_tenant(design, prediction, use);
  return busiest.moved <= kMuch * use.throughput
             ? ""
             : ", of which tenant " + busiest.tenant->id + " moves " +
                   base::print_value(busiest.moved, use.unit);
}

std::vector<Bottleneck> rank(const std::vector<ResourceUse>& uses) {
  std::vector<Bottleneck> out;
  std::map<std::string_view, const ResourceUse*> by_name;
  for (const ResourceUse& use : uses) by_name[use.name] = &use;
  // Time of a part is the part, where it is fuller than what its bytes take: drives that seek; and
  // of a part that is known by its time alone.
  constexpr std::string_view kTime = ".busy";
  const auto part_of = [&](const ResourceUse& time) -> const ResourceUse* {
    if (!time.name.ends_with(kTime) || time.blamed_share > 0.0) return nullptr;
    const auto part =
        by_name.find(std::string_view(time.name).substr(0, time.name.size() - kTime.size()));
    const bool fuller = part != by_name.end() && time.utilization() > part->second->utilization();
    return fuller ? part->second : nullptr;
  };
  for (const ResourceUse& use : uses) {
    if (part_of(use) != nullptr) continue;
    ResourceUse full = use;
    const auto time = by_name.find(use.name + std::string(kTime));
    if (time != by_name.end() && part_of(*time->second) == &use) {
      full = *time->second;
      full.name = use.name, full.blamed_share = use.blamed_share;
    }
    if (full.blamed_share > 0.0 || full.utilization() >= kIdle)
      out.push_back({use.name, of_collectives(full) ? 0.0 : full.utilization(), full.blamed_share,
                     headroom(full)});
  }
  std::stable_sort(out.begin(), out.end(), [](const Bottleneck& a, const Bottleneck& b) {
    if (a.blamed_share != b.blamed_share) return a.blamed_share > b.blamed_share;
    return a.utilization > b.utilization;
  });
  return out;
}

/// Replicas say the same with figures of their own: those of the first are told.
std::string without_numbers(const std::string& warning) {
  std::string out;
  for (const std::string& word : base::split(warning, ' '))
    if (word.empty() || word.front() < '0' || word.front() > '9') out += word + ' ';
  return out;
}

}  // namespace

Prediction combine(const Design& design, std::span<const RunResult> replicas) {
  assert(!replicas.empty());
  Prediction prediction;
  prediction.scenario_id = design.id;
  prediction.scenario_file = design.file;
  prediction.metrics = combine_metrics(replicas);
  prediction.breakdown = combine_breakdown(replicas);
  prediction.gpus = models::gpus_of_jobs(design, prediction.metrics);
  prediction.resources = combine_resources(replicas);
  add_resource_metrics(prediction);
  prediction.bottlenecks = rank(prediction.resources);
  for (Bottleneck& b : prediction.bottlenecks)
    for (const ResourceUse& use : prediction.resources)
      if (use.name == b.resource) b.headroom += shared_with(design, prediction, use);
  prediction.limited_by = replicas.front().limited_by;
  prediction.luck = combine_luck(replicas);
  prediction.histories = combine_histories(replicas, prediction.metrics);
  std::set<std::string> said;
  for (const RunResult& r : replicas) {
    prediction.seeds.push_back(r.seed);
    prediction.simulated_s = std::max(prediction.simulated_s, r.simulated_s);
    prediction.skipped_s = std::max(prediction.skipped_s, r.skipped_s);
    prediction.events += r.events;
    prediction.extrapolated = prediction.extrapolated || r.extrapolated;
    for (const std::string& warning : r.warnings)
      if (said.insert(without_numbers(warning)).second) prediction.warnings.push_back(warning);
  }
  return prediction;
}

}  // namespace stallcast::predict
