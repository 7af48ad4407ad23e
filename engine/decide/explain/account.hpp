#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decide/explain/forms.hpp"
#include "stallcast/explanation.hpp"

/// What a run measured, as sums and quotients of what it measured: identities, no models.
namespace stallcast::explain {

inline constexpr const char* kSavesPage = "docs/models/checkpoint.md";
/// Sums of what was measured hold to this.
inline constexpr double kRounding = 1e-12;
/// Closed forms hold to this: a flow is exact to 1e-9.
inline constexpr double kExact = 1e-9;

/// One metric of one run, taken apart.
class Account {
 public:
  /// Both must outlive this.
  Account(const RunResult& run, Forms& forms, const std::string& metric);
  ExplainNode tree();

 private:
  [[nodiscard]] bool has(const std::string& name) const { return run_.metrics.contains(name); }
  [[nodiscard]] double value(const std::string& name) const;
  [[nodiscard]] ExplainNode plain(const std::string& name, std::string symbol = {},
                                  std::string note = {}) const;
  static void rest(ExplainNode& node, double left, std::string note);
  /// A closed form next to or within a simulated number.
  void form(ExplainNode& node, const std::string& name, std::string symbol, std::string note = {});
  void limited(ExplainNode& node) const;
  void job_tree(ExplainNode& node);

  /// The tree of the closed form, where the run agrees with it.
  ExplainNode same_as_form(const std::string& key, ExplainNode measured);
  static void divide(ExplainNode& node, const char* above, ExplainNode numerator, const char* below,
                     ExplainNode denominator, const char* reference);
  [[nodiscard]] ExplainNode time(const std::string& cause) const;

  /// compute = steps x compute of one
  ExplainNode computing();

  /// Saves as a sum: each one's stall, and what saves in the background cost.
  ExplainNode saving();

  /// wall = compute + every wait
  ExplainNode wall();

  /// The same waits by what was waited for.
  ExplainNode waited();
  void utilization(ExplainNode& node);

  /// With failures: shares of the time over months.    [failures.md]
  void over_months(ExplainNode& node);
  void restarts(ExplainNode& node);

  /// How far the run is from what no run can beat.
  void bound(ExplainNode& node);
  void step(ExplainNode& node);
  void stall(ExplainNode& node);
  void duration(ExplainNode& node);
  /// How long saves kept a resource busy, next to the least a closed form says for it.
  ExplainNode taken(const std::string& resource);
  /// A sum of what is known of a save, and the rest.
  void save_parts(ExplainNode& node, std::vector<ExplainNode> parts, const std::string& why);
  /// What GPUs that wait cost, and what one that is of use does.    [docs/models/cost.md]
  void idle_cost(ExplainNode& node);
  void useful_cost(ExplainNode& node);
  /// GPUs of the jobs times `key` of each, as a sum; none where a job lends GPUs.
  std::optional<ExplainNode> gpus_in(const std::string& name, const std::string& key);
  void samples(ExplainNode& node);
  void bytes(ExplainNode& node);
  void resource_tree(ExplainNode& node);

  const RunResult& run_;
  Forms& forms_;
  std::string metric_, job_, key_;
};

}  // namespace stallcast::explain
