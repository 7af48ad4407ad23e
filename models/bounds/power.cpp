#include "models/bounds/power.hpp"

#include <algorithm>
#include <optional>

#include "engine/base/accelerators.hpp"
#include "engine/base/text.hpp"
#include "models/bounds/gpu_use.hpp"
#include "models/bounds/part_counts.hpp"
#include "models/bounds/parts.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using namespace detail;

class Meter {
 public:
  explicit Meter(const Design& design) : design_(design), counts_(design) {}

  Powers run() {
    for (const Component& host : design_.hosts) add(Role::host, host, "host." + host.id, host.id);
    add(Role::fabric, design_.fabric, "fabric", "");
    for (const Component& storage : design_.storage)
      add(Role::storage, storage, "storage." + storage.id, "");
    return std::move(out_);
  }

 private:
  void add(Role role, const Component& component, const std::string& name,
           const std::string& host) {
    const KindInfo* kind = find_kind(role, component.kind);
    if (kind == nullptr) return;
    bool any = false, placed = false;
    for (const PartInfo* part : parts_of(*kind)) {
      const double n = counts_.of(component, *part);
      const auto power = base::number_if(component, part->power.key),
                 space = base::number_if(component, part->space.key);
      if (n <= 0.0 || (!power && !space)) continue;
      any = any || power;
      placed = placed || space;
      PowerItem item{.name = name + (part->id.empty() ? "" : "." + std::string(part->id)),
                     .noun = std::string(part->noun),
                     .count = n};
      item.power = Power::from(power.value_or(0.0), unit::W);
      const auto idle = part->idle ? base::number_if(component, part->idle->key) : std::nullopt;
      item.idle = idle ? Power::from(*idle, unit::W) : item.power;
      item.space = space.value_or(0.0);
      item.host = host;
      if (const double spares = counts_.spares(component); spares > 0.0)
        item.spares = spares / (base::number_of(component, "count") + spares);
      item.storage = role == Role::storage;
      out_.any_power = out_.any_power || power;
      out_.any_space = out_.any_space || space;
      out_.items.push_back(std::move(item));
    }
    if (!any) out_.unsaid.push_back(name);
    if (!placed) out_.unplaced.push_back(name);
  }

  const Design& design_;
  PartCounts counts_;
  Powers out_;
};

/// Share of the GPUs of a host class that are busy; nullopt where a job's is not known.
std::optional<double> busy_share(const Design& design, const std::string& host,
                                 const std::map<std::string, Metric>& metrics) {
  const Component* component = design.find_host(host);
  const double gpus = base::gpus_of(*component);
  if (!(gpus > 0.0)) return 1.0;
  const std::optional<GpuUse> use = gpu_use(design, host, gpus, metrics, false);
  if (!use) return std::nullopt;
  return use->busy / gpus;
}

/// Of one derivation for each part.
struct Sum {
  Rule rule{"", "docs/models/power.md, eq. 1", {}};

  void add(const Derivation& part) {
    const std::string symbol = "part" + std::to_string(rule.terms.size() + 1);
    rule.equation += (rule.terms.empty() ? "" : " + ") + symbol;
    rule.terms.push_back({symbol, part.name});
  }
};

Metric watts(Power power) { return {power.in(unit::W), "W", {}}; }

}  // namespace

Power Powers::total() const {
  Power sum;
  for (const PowerItem& item : items) sum += item.power * item.count;
  return sum;
}

Power Powers::storage() const {
  Power sum;
  for (const PowerItem& item : items)
    if (item.storage) sum += item.power * item.count;
  return sum;
}

double Powers::rack_units() const {
  double sum = 0.0;
  for (const PowerItem& item : items) sum += item.space * item.count;
  return sum;
}

Powers powers(const Design& design) { return Meter(design).run(); }

std::vector<std::string> missing_powers(const Powers& all) {
  std::vector<std::string> out;
  if (all.any_power && !all.unsaid.empty())
    out.push_back("no power for " + base::join(all.unsaid, ", ") +
                  ": it is that of the rest (\"power\": \"0 W\" says that there is none)");
  if (all.any_space && !all.unplaced.empty())
    out.push_back("no rack units for " + base::join(all.unplaced, ", ") +
                  ": they are those of the rest (\"space\": 0 says that there are none)");
  return out;
}

void add_power(const Design& design, const Powers& all, std::map<std::string, Metric>& metrics) {
  if (all.any_space) metrics[metric::kRackUnits] = {all.rack_units(), "U", {}};
  if (!all.any_power) return;
  metrics[metric::kPower] = watts(all.total());
  metrics[metric::kStoragePower] = watts(all.storage());
  Power mean, waiting;
  for (const PowerItem& item : all.items) {
    if (item.host.empty()) {
      mean += item.power * item.count;
      continue;
    }
    const auto share = busy_share(design, item.host, metrics);
    if (!share) return;
    const double busy = item.count * (1.0 - item.spares) * *share;
    waiting += item.idle * (item.count - busy);  // eq. 3
    mean += item.power * busy + item.idle * (item.count - busy);
  }
  const bool serves = std::any_of(design.tenants.begin(), design.tenants.end(),
                                  [](const Component& t) { return serving_gpus(t, 1.0) > 0.0; });
  if (design.jobs.empty() && !serves) return;
  metrics[metric::kMeanPower] = watts(mean);
  metrics[metric::kIdlePower] = watts(waiting);
  for (const JobDesign& job : design.jobs)
    if (const auto run = metrics.find(metric::of_job(job.job.id, "run.time")); run != metrics.end())
      metrics[metric::of_job(job.job.id, "run.energy")] = {
          metric::from_base(mean.in(unit::W)*run->second.value, "kWh"), "kWh", {}};  // eq. 4
}

std::vector<Derivation> derive_powers(const Design& design) {
  std::vector<Derivation> out;
  const Powers all = powers(design);
  Sum total, storage, space;
  for (const PowerItem& item : all.items) {
    const std::string each = count(item.count) + " " + item.noun + " x ";
    if (item.power.in(unit::W) > 0.0) {
      out.push_back(
          derived("power." + item.name, item.power * item.count, each + text(item.power)));
      total.add(out.back());
      if (item.storage) storage.add(out.back());
    }
    if (item.space > 0.0) {
      out.push_back(derived("space." + item.name, {item.space * item.count, Dimension::number},
                            each + count(item.space) + " U"));
      space.add(out.back());
    }
  }
  const auto add = [&](std::string_view name, const Measure& value, const std::string& what,
                       const Rule& rule, const std::vector<std::string>& unsaid) {
    const std::string of = unsaid.empty() ? "" : "nothing is said of " + base::join(unsaid, ", ");
    out.push_back(derived(std::string(name), value, what, rule, of.empty() ? "" : "; " + of));
    out.back().remark = of;
  };
  if (all.any_power) {
    add(metric::kPower, all.total(), "all that is said, at work", total.rule, all.unsaid);
    std::vector<std::string> unsaid = all.unsaid;
    std::erase_if(unsaid, [](const std::string& name) { return !name.starts_with("storage."); });
    add(metric::kStoragePower, all.storage(), "all that is said of storage", storage.rule, unsaid);
  }
  if (all.any_space)
    add(metric::kRackUnits, {all.rack_units(), Dimension::number}, "all that is said", space.rule,
        all.unplaced);
  return out;
}

}  // namespace stallcast::models
