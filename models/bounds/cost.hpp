#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

/// What a design costs. Equations: docs/models/cost.md.
namespace stallcast::models {

struct Derivation;

/// Parts of one sort that have a price.
struct CostItem {
  std::string name;      ///< "storage.scratch.ost"
  std::string noun;      ///< "OSTs"
  std::string count_of;  ///< how `count` comes about: "64 x 8"
  double count = 0.0;
  double spares = 0.0;              ///< hosts among them, or that they are in, that stand by
  std::optional<Money> price{};     ///< of one
  std::optional<MoneyRate> rent{};  ///< of one
  Seconds life{};                   ///< over which the price is written off

  [[nodiscard]] Money bought() const { return price.value_or(Money{}) * count; }
  [[nodiscard]] MoneyRate rented() const { return rent.value_or(MoneyRate{}) * count; }
  /// n (p / L + r)    [docs/models/cost.md, eq. 2]
  [[nodiscard]] MoneyRate per_time() const;
};

/// A host class: what its GPUs cost.
struct GpuCost {
  std::string host;
  double gpus = 0.0;
  double spare = 0.0;                 ///< GPUs of hosts that stand by, besides
  std::optional<MoneyRate> per_time;  ///< of all of them; none: no price
};

struct Costs {
  std::vector<CostItem> items;        ///< what has a price, in the order of the design
  std::vector<std::string> unpriced;  ///< names of what has none; it counts as free
  std::vector<GpuCost> hosts;

  [[nodiscard]] bool known() const { return !items.empty(); }
  /// Whether anything is bought, and rented.
  [[nodiscard]] bool buys() const;
  [[nodiscard]] bool rents() const;
  /// Σ n p    [docs/models/cost.md, eq. 1]
  [[nodiscard]] Money capex() const;
  /// Σ n (p / L + r)    [docs/models/cost.md, eq. 2]
  [[nodiscard]] MoneyRate per_time() const;
  /// The items bought for most, and that cost most by the hour; nullptr when nothing does.
  [[nodiscard]] const CostItem* most_bought() const;
  [[nodiscard]] const CostItem* most_per_time() const;
};

/// How often requests are paid that were counted.
struct RequestRates {
  double drained = 1.0;  ///< times as often as in the mean over what was simulated
  std::map<std::string, double>
      whole{};  ///< by resource, a second of a whole run: in place of that
};

/// What the prices of `design` say; no simulation.
[[nodiscard]] Costs costs(const Design& design);

/// Adds "cost.capex" where anything is bought, "cost.hourly", with the utilization of every job
/// "cost.gpu_idle", and with its goodput "cost.per_useful_gpu_hour", where `costs` of `design` are
/// known; "cost.requests" where requests have a price and were counted, as often as `rates` say.
/// [docs/models/cost.md, eq. 1-6]
void add_costs(const Design& design, const Costs& costs, std::map<std::string, Metric>& metrics,
               const RequestRates& rates = {});

/// One line for people on what has no price though something has; "" when nothing is missing.
[[nodiscard]] std::string missing_prices(const Costs& costs);

/// How the costs add up, for `explain`.
[[nodiscard]] std::vector<Derivation> derive_costs(const Design& design);

}  // namespace stallcast::models
