#include "models/bounds/cost.hpp"
#include "engine/base/design_values.hpp"
#include "models/bounds/parts.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

#include <algorithm>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/bounds.hpp"
#include "models/bounds/gpu_use.hpp"
#include "models/bounds/part_counts.hpp"
#include "models/contract/registry.hpp"
#include "models/contract/requests.hpp"

namespace stallcast::models {
namespace {

constexpr std::string_view kGpus = "gpus", kHosts = "count";

using namespace detail;

/// Collects the parts of all components.
class Accountant {
 public:
  explicit Accountant(const Design& design) : design_(design), counts_(design) {}

  Costs run() {
    for (const Component& host : design_.hosts) {
      const std::size_t before = out_.items.size();
      add(Role::host, host, "host." + host.id);
      const double each = base::number_of(host, kGpus);
      GpuCost gpus{host.id, base::number_of(host, kHosts) * each, counts_.spares(host) * each, {}};
      for (std::size_t i = before; i < out_.items.size(); ++i)
        gpus.per_time = gpus.per_time.value_or(MoneyRate{}) + out_.items[i].per_time();
      out_.hosts.push_back(std::move(gpus));
    }
    add(Role::fabric, design_.fabric, "fabric");
    for (const Component& storage : design_.storage)
      add(Role::storage, storage, "storage." + storage.id);
    return std::move(out_);
  }

 private:
  void add(Role role, const Component& component, const std::string& name) {
    const KindInfo* kind = find_kind(role, component.kind);
    if (kind == nullptr) return;
    const auto priced = [&](const PartInfo& part) {
      return component.find(part.price.key) != nullptr || component.find(part.rent.key) != nullptr;
    };
    const auto parts = parts_of(*kind);
    // What is sold as one thing needs no prices of its parts; nor does it need one itself where
    // all its parts have theirs.
    const bool any = std::any_of(parts.begin(), parts.end(), [&](auto* p) { return priced(*p); });
    const bool paid = std::any_of(parts.begin(), parts.end(), [&](auto* p) {
      return priced(*p) && (p->id.empty() || p->included);
    });
    if (!any) out_.unpriced.push_back(name);
    const auto has_price = [&](const PricedRequests& r) { return component.find(r.price); };
    if (std::any_of(kPricedRequests.begin(), kPricedRequests.end(), has_price))
      for (const PricedRequests& requests : kPricedRequests)
        if (!has_price(requests)) out_.unpriced.push_back(name + "." + std::string(requests.price));
    for (const PartInfo* part : parts) {
      const double n = counts_.of(component, *part);
      if (n <= 0.0) continue;
      const std::string full = name + (part->id.empty() ? "" : "." + std::string(part->id));
      if (priced(*part))
        out_.items.push_back(item(*kind, component, *part, full, n));
      else if (any && !paid && !part->included && !part->id.empty())
        out_.unpriced.push_back(full);
    }
  }

  CostItem item(const KindInfo& kind, const Component& component, const PartInfo& part,
                const std::string& name, double n) const {
    CostItem out{.name = name, .noun = std::string(part.noun), .count_of = count(n), .count = n};
    const double each = counts_.owners(component, part);
    if (in_each_host(component, part) || !part.of.empty())
      out.count_of = count(each) + " x " + count(n / each);
    if (const Value* price = component.find(part.price.key))
      out.price = Money::from(price->number, unit::USD);
    if (const Value* rent = component.find(part.rent.key))
      out.rent = MoneyRate::from(rent->number, unit::USD_per_s);
    out.life = life(kind, component);
    out.spares = counts_.spares(component);
    return out;
  }

  static Seconds life(const KindInfo& kind, const Component& component) {
    for (const PartInfo* part : parts_of(kind))
      if (part->id.empty() && part->own) {
        const Value* given = component.find(part->own->key);
        return Seconds::from(
            given != nullptr ? given->number
                             : *base::parse_quantity(part->own->fallback, Dimension::time).value,
            unit::s);
      }
    return Seconds::infinity();
  }

  const Design& design_;
  PartCounts counts_;
  Costs out_;
};

/// A figure in the unit that the table of metrics has for it.
Metric in_table(std::string_view metric, double value) {
  return {value, std::string(metric::find(metric)->unit), {}};
}

/// The item of the largest `cost`; nullptr when all are free.
template <class Cost>
const CostItem* largest(const std::vector<CostItem>& items, const Cost& cost) {
  const CostItem* out = nullptr;
  for (const CostItem& item : items)
    if (cost(item) > (out != nullptr ? cost(*out) : decltype(cost(item)){})) out = &item;
  return out;
}

// Σ λ p / 1000    [docs/models/cost.md, eq. 5, 6]
std::optional<MoneyRate> cost_of_requests(const Design& design,
                                          const std::map<std::string, Metric>& metrics,
                                          const RequestRates& rates) {
  std::optional<MoneyRate> out;
  for (const Component& storage : design.storage)
    for (const PricedRequests& requests : kPricedRequests) {
      const Value* price = storage.find(requests.price);
      const std::string resource = metric::of_storage(storage.id, requests.resource);
      const auto counted = metrics.find(metric::of_resource(resource, "throughput"));
      if (price == nullptr || counted == metrics.end()) continue;
      const double each = price->number / kRequestsOfPrice;
      const auto whole = rates.whole.find(resource);
      const double rate =
          whole != rates.whole.end() ? whole->second : counted->second.value * rates.drained;
      out = out.value_or(MoneyRate{}) + MoneyRate::from(rate * each, unit::USD_per_s);
    }
  return out;
}

}  // namespace

MoneyRate CostItem::per_time() const {
  const double written_off = bought().in(unit::USD) / life.in(unit::s);
  return MoneyRate::from(written_off, unit::USD_per_s) + rented();
}

Money Costs::capex() const {
  Money sum;
  for (const CostItem& item : items) sum += item.bought();
  return sum;
}

bool Costs::buys() const {
  return capex() > Money{} || (known() && !rents());  // "0 USD" says: paid elsewhere
}

bool Costs::rents() const {
  return std::any_of(items.begin(), items.end(), [](const CostItem& item) { return item.rent; });
}

MoneyRate Costs::per_time() const {
  MoneyRate sum;
  for (const CostItem& item : items) sum += item.per_time();
  return sum;
}

const CostItem* Costs::most_bought() const {
  return largest(items, [](const CostItem& item) { return item.bought(); });
}
const CostItem* Costs::most_per_time() const {
  return largest(items, [](const CostItem& item) { return item.per_time(); });
}

Costs costs(const Design& design) { return Accountant(design).run(); }

// idle = Σ a_h / N_h (N_h - B_h), per useful GPU-hour = Σ a / Σ G    [docs/models/cost.md, eq. 3,
// 4]
void add_costs(const Design& design, const Costs& all, std::map<std::string, Metric>& metrics,
               const RequestRates& rates) {
  const std::optional<MoneyRate> requests = cost_of_requests(design, metrics, rates);
  if (requests)
    metrics[metric::of_cost("requests")] =
        in_table(metric::of_cost("requests"), requests->in(unit::USD_per_h));
  if (!all.known()) return;
  if (all.buys()) metrics[metric::kCapex] = in_table(metric::kCapex, all.capex().in(unit::USD));
  metrics[metric::kHourlyCost] = in_table(metric::kHourlyCost, all.per_time().in(unit::USD_per_h));
  MoneyRate idle;
  double useful = 0.0;
  bool any = false, idle_known = true, useful_known = true;
  for (const GpuCost& gpus : all.hosts) {
    if (gpus.gpus <= 0.0) continue;
    any = true;
    const auto used = gpu_use(design, gpus.host, gpus.gpus, metrics, false);
    const auto kept = gpu_use(design, gpus.host, gpus.gpus, metrics, true);
    idle_known = idle_known && used && gpus.per_time;
    useful_known = useful_known && kept && gpus.per_time;
    if (idle_known) idle += *gpus.per_time * (1.0 - used->busy / (gpus.gpus + gpus.spare));
    if (useful_known) useful += kept->useful;
  }
  if (idle_known && any)
    metrics[metric::kGpuIdleCost] = in_table(metric::kGpuIdleCost, idle.in(unit::USD_per_h));
  if (useful_known && useful > 0.0)
    metrics[metric::kUsefulGpuHour] =
        in_table(metric::kUsefulGpuHour,
                 (all.per_time() + requests.value_or(MoneyRate{})).in(unit::USD_per_h) / useful);
}

std::string missing_prices(const Costs& costs) {
  if (!costs.known() || costs.unpriced.empty()) return "";
  std::string names;
  for (const std::string& name : costs.unpriced) names += (names.empty() ? "" : ", ") + name;
  return "no price for " + names +
         ": costs are those of the rest (\"price\": \"0 USD\" says that there is none)";
}

std::vector<Derivation> derive_costs(const Design& design) {
  std::vector<Derivation> out;
  const Costs all = costs(design);
  if (!all.known()) return out;
  // [docs/models/cost.md, eq. 1 and 2]
  Rule capex{"", "docs/models/cost.md, eq. 1", {}}, hourly{"", "docs/models/cost.md, eq. 2", {}};
  const auto add = [](Rule& rule, const std::string& symbol, const std::string& over,
                      std::vector<Term> terms) {
    rule.equation += (rule.equation.empty() ? "" : " + ") + symbol + over;
    for (Term& term : terms) rule.terms.push_back(std::move(term));
  };
  for (const CostItem& item : all.items) {
    const std::string number = std::to_string(&item - all.items.data() + 1);
    if (item.price) {
      const Term bought{"bought" + number, metric::of_cost(item.name)};
      add(capex, bought.symbol, "", {bought});
      add(hourly, bought.symbol, " / life" + number,
          {bought, figure("life" + number, item.life.in(unit::s), Dimension::time,
                          "over which it is written off")});
    }
    if (item.rent)
      add(hourly, "rent" + number, "", {{"rent" + number, metric::of_cost(item.name + ".rent")}});
    const std::string by =
        item.spares > 0.0 ? " (with " + count(item.spares) + " spare hosts)" : "";
    const std::string of = item.count_of + " " + item.noun + by + " x ";
    if (item.price)
      out.push_back(derived(metric::of_cost(item.name), item.bought(), of + text(*item.price), {},
                            ", written off in " + text(item.life)));
    if (item.rent)
      out.push_back(
          derived(metric::of_cost(item.name + ".rent"), item.rented(), of + text(*item.rent)));
  }
  for (const GpuCost& gpus : all.hosts)
    if (gpus.per_time && gpus.gpus > 0.0)
      out.push_back({metric::of_cost("host." + gpus.host + ".gpu_hour"),
                     gpus.per_time->in(unit::USD_per_h) / (gpus.gpus + gpus.spare),
                     Dimension::money,
                     text(*gpus.per_time) + " / " + count(gpus.gpus + gpus.spare) + " GPUs"});
  std::string without;
  for (const std::string& name : all.unpriced) without += (without.empty() ? "" : ", ") + name;
  if (!without.empty()) without = "no price for " + without;
  const std::string more = without.empty() ? "" : "; " + without;
  out.push_back(
      derived(metric::kCapex, all.capex(), "sum of purchase prices", std::move(capex), more));
  out.back().remark = without;
  out.push_back(derived(metric::of_cost("hourly"), all.per_time(),
                        "purchase prices over their lives, and rents", std::move(hourly), more));
  out.back().remark = without;
  return out;
}

}  // namespace stallcast::models
