#include "engine/decide/uncertain/computed.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "engine/decide/predict/estimate.hpp"
#include "engine/decide/uncertain/posterior.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::uncertain {
namespace {

using Metrics = std::map<std::string, Metric>;

/// The one of them in which the metric is in the middle; nullptr if none has it.
const Prediction* middle_of(const std::string& metric, std::span<const Prediction> predictions) {
  std::vector<const Prediction*> having;
  for (const Prediction& p : predictions)
    if (p.metrics.contains(metric)) having.push_back(&p);
  if (having.empty()) return nullptr;
  const auto middle = having.begin() + std::ssize(having) / 2;
  const auto value = [&](const Prediction* p) { return p->metrics.at(metric).value; };
  std::nth_element(having.begin(), middle, having.end(),
                   [&](const Prediction* a, const Prediction* b) { return value(a) < value(b); });
  return *middle;
}

/// Utilizations moved by so much of their half widths, and what is computed over them made again.
Metrics moved(Metrics metrics, const Design& design, double by,
              const std::function<double(const std::string&)>& half_of) {
  for (const JobDesign& job : design.jobs) {
    const std::string& id = job.job.id;
    for (const std::string& name : {metric::gpu_utilization(id), metric::goodput(id)}) {
      const auto found = metrics.find(name);
      if (found == metrics.end()) continue;
      double& value = found->second.value;
      if (value > 0.0 && value < 1.0)
        value = from_error_scale(on_error_scale(value, "ratio") + by * half_of(name), "ratio");
    }
  }
  predict::add_over_utilizations(design, metrics);
  return metrics;
}

}  // namespace

bool over_utilizations(std::string_view metric) {
  const metric::Name name = metric::parse(metric);
  return metric == metric::kGpuIdleCost || metric == metric::kUsefulGpuHour ||
         metric == metric::kMeanPower || metric == metric::kIdlePower ||
         (name.domain == metric::Domain::job && name.figure == "run.energy");
}

double half_over_utilizations(std::string_view metric, const Design& design,
                              std::span<const Prediction> predictions,
                              const std::function<double(const std::string&)>& half_of) {
  const std::string name(metric);
  const Prediction* middle = middle_of(name, predictions);
  if (middle == nullptr) return 0.0;
  const auto at = [&](double by) {
    const Metrics all = moved(middle->metrics, design, by, half_of);
    const auto found = all.find(name);
    return found == all.end() ? 0.0 : found->second.value;
  };
  const double up = at(1.0), down = at(-1.0);
  return up > 0.0 && down > 0.0 ? std::abs(std::log(up / down)) / 2.0 : 0.0;
}

}  // namespace stallcast::uncertain
