#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/contract/derivation.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

/// What a design draws and how much room it takes. Equations: docs/models/power.md.
namespace stallcast::models {

/// Parts of one sort whose power or rack units are said.
struct PowerItem {
  std::string name;  ///< "storage.scratch.oss"
  std::string noun;  ///< "OSSs"
  double count = 0.0;
  double spares = 0.0;  ///< share of them in hosts that stand by
  Power power{};        ///< of one, at work
  Power idle{};         ///< of one, while its GPUs wait; as `power` where nobody says it
  double space = 0.0;   ///< rack units of one
  std::string host{};   ///< class of hosts that these are or are in; "" elsewhere
  bool storage = false;
};

struct Powers {
  std::vector<PowerItem> items;
  std::vector<std::string> unsaid;    ///< names of what has no power; it counts as none
  std::vector<std::string> unplaced;  ///< and of what has no rack units
  bool any_power = false, any_space = false;

  /// Σ n p            [docs/models/power.md, eq. 1]
  [[nodiscard]] Power total() const;
  [[nodiscard]] Power storage() const;
  [[nodiscard]] double rack_units() const;
};

/// What `design` says; no simulation.
[[nodiscard]] Powers powers(const Design& design);

/// Warnings of what has no power where something has, and no rack units: sums are those of the
/// rest.
[[nodiscard]] std::vector<std::string> missing_powers(const Powers& powers);

/// Adds "power.total", ".storage", "space.rack_units", with the utilization of every job
/// "power.mean" and ".gpu_idle", and with whole runs "job.J.run.energy".
/// [docs/models/power.md, eq. 1-4]
void add_power(const Design& design, const Powers& powers, std::map<std::string, Metric>& metrics);

/// How they add up, for `explain`.
[[nodiscard]] std::vector<Derivation> derive_powers(const Design& design);

}  // namespace stallcast::models
