#include "engine/decide/gain/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/decide/uncertain/draws.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::gain {
namespace {

/// Sharers that are simulated alone at most, and events of all these runs together.
constexpr std::size_t kMostSharers = 12;
constexpr double kAllEvents = 2.5e6;

/// A job or a tenant, and where it reads and writes.
struct Sharer {
  std::string id;
  bool job = true;
  std::set<std::string> storage;
};

std::vector<Sharer> sharers_of(const Design& design) {
  std::vector<Sharer> out;
  const auto use = [&](Sharer& sharer, const Component* component, const char* key) {
    const Value* value = component == nullptr ? nullptr : component->find(key);
    if (value != nullptr && design.find_storage(value->text) != nullptr)
      sharer.storage.insert(value->text);
  };
  for (const JobDesign& job : design.jobs) {
    Sharer sharer{job.job.id, true, {}};
    use(sharer, job.dataset ? &*job.dataset : nullptr, "on");
    use(sharer, job.dataset ? &*job.dataset : nullptr, "also.on");
    use(sharer, job.checkpoint ? &*job.checkpoint : nullptr, "to");
    out.push_back(std::move(sharer));
  }
  for (const Component& tenant : design.tenants) {
    Sharer sharer{tenant.id, false, {}};
    use(sharer, &tenant, "on");
    out.push_back(std::move(sharer));
  }
  return out;
}

/// `design` with nobody but `sharer`, for as long.
Design alone(const Design& design, const Sharer& sharer, double seconds) {
  Design out = design;
  std::erase_if(out.jobs,
                [&](const JobDesign& job) { return !sharer.job || job.job.id != sharer.id; });
  std::erase_if(out.tenants,
                [&](const Component& tenant) { return sharer.job || tenant.id != sharer.id; });
  if (out.jobs.empty() && out.run.find("duration") == nullptr) {
    Value duration;
    duration.dimension = Dimension::time;
    duration.number = seconds;
    out.run.values["duration"] = duration;
  }
  out.expect.clear();
  return out;
}

/// Speeds that differ by less, relative, are the same.
constexpr double kRounding = 1e-12;
/// By less than this of its speed nobody is said to gain from company.
constexpr double kByChance = 0.001;

/// Speed of `sharer` with the others over that without them; 0 where nothing tells.
double kept(const Sharer& sharer, const Prediction& with, const Prediction& without) {
  if (!sharer.job) return tenant_speed(sharer.id, with, without);
  const std::string name = metric::gpu_utilization(sharer.id);
  const double shared = figure_or_zero(with, name), own = figure_or_zero(without, name);
  return shared > 0.0 && own > 0.0 ? shared / own : 0.0;
}

}  // namespace

// J = (sum x)^2 / (n sum x^2)
double jain(const std::vector<double>& kept) {
  double sum = 0.0, squares = 0.0;
  for (const double x : kept) {
    sum += x;
    squares += x * x;
  }
  return sum * sum / (static_cast<double>(kept.size()) * squares);
}

void add_neighbours(const Design& design, Prediction& prediction, const GainOptions& options) {
  const std::vector<Sharer> sharers = sharers_of(design);
  std::map<std::string, std::vector<double>> on;
  for (const Sharer& sharer : sharers)
    for (const std::string& storage : sharer.storage) on[storage];
  const bool shared = std::any_of(on.begin(), on.end(), [&](const auto& each) {
    return std::count_if(sharers.begin(), sharers.end(), [&](const Sharer& sharer) {
             return sharer.storage.contains(each.first);
           }) > 1;
  });
  const double cost = std::max(uncertain::cost_of(design, prediction), 1.0);
  if (!shared || !design.stages.empty() || sharers.size() > kMostSharers ||
      cost * static_cast<double>(sharers.size() + 1) > kAllEvents)
    return;
  std::vector<Design> designs(1, design);
  designs.front().expect.clear();
  for (const Sharer& sharer : sharers)
    designs.push_back(alone(design, sharer, prediction.simulated_s));
  predict::PredictOptions how = predict::one_run(options.predict);
  if (!prediction.seeds.empty()) how.seed = prediction.seeds.front();
  const std::vector<Result<Prediction>> found = predict::predict_all(designs, how);
  for (const Result<Prediction>& each : found)
    if (!each.ok()) return;
  for (std::size_t i = 0; i < sharers.size(); ++i) {
    const Sharer& sharer = sharers[i];
    const double left = kept(sharer, *found.front(), *found[i + 1]);
    if (left <= 0.0) continue;
    const std::string name = sharer.job ? metric::of_job(sharer.id, "neighbours.loss")
                                        : metric::of_tenant(sharer.id, "neighbours.loss");
    // Of two speeds that are the same but for rounding nothing is lost; nor does company help by as
    // little as chance does.
    const double lost = 1.0 - left;
    const double chance = std::max(kByChance, prediction.gains ? prediction.gains->noise : 0.0);
    prediction.metrics[name].value = lost < kRounding && lost > -chance ? 0.0 : lost;
    prediction.metrics[name].unit = "ratio";
    for (const std::string& storage : sharer.storage) on[storage].push_back(left);
  }
  for (const auto& [storage, all] : on) {
    if (all.size() < 2) continue;
    Metric& fairness = prediction.metrics[metric::of_storage(storage, "fairness")];
    fairness.value = jain(all);
    fairness.unit = "ratio";
  }
}

}  // namespace stallcast::gain
