#include "engine/decide/uncertain/possible.hpp"

#include <algorithm>
#include <array>

#include "models/bounds/bounds.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::uncertain {
namespace {

// Not AU, nor the samples that DLIO counts: what is read while a save stalls the step lies in
// neither, and they are beyond it.
constexpr std::array<std::string_view, 5> kShares = {"gpu.utilization", "goodput", "goodput.p5",
                                                     "lasting.utilization", "lasting.useful"};
/// As many as steps, which are as many as utilization lets there be.
constexpr std::array<std::string_view, 5> kRates = {"throughput.samples", "throughput.bytes",
                                                    "steady.au", "steps", "time.compute"};
constexpr std::array<std::string_view, 2> kTimes = {"step.time", "steady.step.time"};

bool among(const auto& figures, std::string_view figure) {
  return std::ranges::find(figures, figure) != figures.end();
}

bool limited(const Design& design) {
  return std::ranges::any_of(design.jobs, [](const JobDesign& job) {
    return job.job.find("limit") != nullptr || job.job.find("limit_operations") != nullptr;
  });
}

}  // namespace

OwnLimits::OwnLimits(const std::vector<Design>& designs, const Prediction& nominal)
    : nominal_(nominal) {
  if (designs.empty() || !limited(designs.front())) return;
  utilization_ = models::bounds(designs.front()).held;
  for (std::size_t i = 1; i < designs.size() && !utilization_.empty(); ++i) {
    const std::map<std::string, double> held = models::bounds(designs[i]).held;
    for (auto& [job, most] : utilization_) {
      const auto same = held.find(job);
      most = same == held.end() ? 1.0 : std::max(most, same->second);
    }
  }
  // What is out of reach in one design says nothing.
  std::erase_if(utilization_, [](const auto& one) { return one.second >= 1.0; });
}

Possible OwnLimits::of(const std::string& metric) const {
  const metric::Name name = metric::parse(metric);
  const auto held = utilization_.find(std::string(name.id));
  if (name.domain != metric::Domain::job || held == utilization_.end()) return {};
  Possible out;
  if (among(kShares, name.figure)) out.most = held->second;
  const double now = figure_or_zero(nominal_, metric::gpu_utilization(name.id));
  const auto figure = nominal_.metrics.find(metric);
  if (figure == nominal_.metrics.end() || !(now > 0.0)) return out;
  const double further = std::max(held->second / now, 1.0);
  if (among(kRates, name.figure)) out.most = figure->second.value * further;
  if (among(kTimes, name.figure)) out.least = figure->second.value / further;
  return out;
}

}  // namespace stallcast::uncertain
