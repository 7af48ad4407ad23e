#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decide/explain/forms.hpp"
#include "models/bounds/power.hpp"
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
  ExplainNode take_apart();

 private:
  [[nodiscard]] bool has(const std::string& name) const { return run_.metrics.contains(name); }
  [[nodiscard]] double value(const std::string& name) const;
  [[nodiscard]] ExplainNode read(const std::string& name, std::string symbol = {},
                                 std::string note = {}) const;
  static void add_rest(ExplainNode& node, double left, std::string note);
  /// A closed form next to or within a simulated number.
  void add_form(ExplainNode& node, const std::string& name, std::string symbol,
                std::string note = {});
  void add_limit(ExplainNode& node) const;
  void explain_job(ExplainNode& node);

  /// Of a number that is in no sum: its closed form, where the run agrees with that.
  void prefer_closed_form(ExplainNode& node);
  /// The tree of the closed form, where the run agrees with it.
  ExplainNode prefer_form(const std::string& key, ExplainNode measured);
  static void divide(ExplainNode& node, const char* above, ExplainNode numerator, const char* below,
                     ExplainNode denominator, const char* reference);
  [[nodiscard]] ExplainNode read_time(const std::string& cause) const;

  /// compute = steps x compute of one
  ExplainNode explain_compute();

  /// Saves as a sum: each one's stall, and what saves in the background cost.
  ExplainNode explain_saving();

  /// wall = compute + every wait
  ExplainNode explain_wall();

  /// The same waits by what was waited for.
  ExplainNode explain_waits();
  void explain_utilization(ExplainNode& node);

  /// With failures: shares of the time over months.    [failures.md]
  void explain_months(ExplainNode& node);
  void explain_restarts(ExplainNode& node);
  void explain_startup(ExplainNode& node);

  /// How far the run is from what no run can beat.
  void add_bound(ExplainNode& node);
  void explain_step(ExplainNode& node);
  void explain_stall(ExplainNode& node);
  void explain_bandwidth(ExplainNode& node);
  void explain_duration(ExplainNode& node);
  /// Names of the closed forms of what saves keep a resource busy with.
  [[nodiscard]] std::vector<std::string> forms_of_save(const std::string& resource) const;
  /// Whether the closed form `form` is of a time that `resource` takes.
  [[nodiscard]] bool is_of(const std::string& form, const std::string& resource) const;
  /// The same of a restore.
  [[nodiscard]] std::vector<std::string> forms_of_restore(const std::string& resource) const;
  /// How long a resource was busy for `stem`, "job.train.checkpoint.", next to the least that the
  /// closed forms say for it.
  ExplainNode explain_busy_time(const std::string& stem, const std::string& resource,
                                const std::vector<std::string>& forms);
  void explain_restore(ExplainNode& node);
  /// A sum of what is known of a save, and the rest.
  void add_save_parts(ExplainNode& node, std::vector<ExplainNode> parts, const std::string& why);
  /// What GPUs that wait cost, and what one that is of use does.    [docs/models/cost.md]
  void explain_idle_cost(ExplainNode& node);
  void explain_useful_cost(ExplainNode& node);
  /// GPUs of the jobs, on `host` if it is given, times `key` of each, and times its share of the
  /// time of jobs in a row, as a sum; none where a job lends GPUs.
  std::optional<ExplainNode> count_gpus(const std::string& name, std::string_view key,
                                        const std::string& host = {});
  [[nodiscard]] ExplainNode time_share(const JobDesign& job, const std::string& number) const;
  /// A run of weeks: how long, at what price and with what energy; and what a failure of it costs.
  void explain_run(ExplainNode& node);
  void explain_run_time(ExplainNode& node);
  /// Adds what further epochs lose when they begin.
  void explain_epochs(ExplainNode& made);
  void explain_run_days(ExplainNode& node);
  void explain_run_cost(ExplainNode& node);
  void explain_run_energy(ExplainNode& node);
  void explain_failure(ExplainNode& node, const char* share, const char* note);
  /// What only histories of failures and lent GPUs tell: a closed form of its mean, and the rest.
  void explain_histories(ExplainNode& node);
  void explain_failure_count(ExplainNode& node);
  void explain_history_time(ExplainNode& node);
  void explain_share(ExplainNode& node, const char* each, const char* note);
  void explain_lost_work(ExplainNode& node);
  void explain_way_back(ExplainNode& node);
  void explain_waiting(ExplainNode& node);
  void explain_bad_saves(ExplainNode& node);
  void explain_lending(ExplainNode& node);
  /// Failures of one kind that hit the job: how many parts fail so, and how often each does.
  struct Source {
    const Component* failure;
    ExplainNode units, mtbf;
  };
  std::vector<Source> sources();
  /// A field of the job as a part of `made`; not where it is not given, or 0.
  bool add_input(ExplainNode& made, const std::string& field, const std::string& symbol);
  /// `made` as what `node` is, with what it is short of as a part for this reason.
  void accept_with_rest(ExplainNode& node, ExplainNode made, const std::string& why) const;
  /// How often to save: the closed forms, and what was searched.
  void explain_young(ExplainNode& node);
  void explain_daly(ExplainNode& node);
  void explain_best_interval(ExplainNode& node);
  /// "stall", with what it is and the time between failures in `node`: what a save costs training
  /// but for waiting for a buffer.
  std::string add_save_and_failure(ExplainNode& node);
  /// What requests cost by the hour, and what the design draws on average.
  void explain_requests(ExplainNode& node);
  /// What a cache had of what was read through it.
  void explain_hits(ExplainNode& node);
  /// What reads through the line of a cache were billed.
  void explain_egress(ExplainNode& node);
  /// From the first start of a stage to the last end.
  void explain_pipeline(ExplainNode& node);
  void explain_power(ExplainNode& node);
  void explain_mean_power(ExplainNode& node);
  void explain_idle_power(ExplainNode& node);
  [[nodiscard]] static ExplainNode idle_power(const models::PowerItem& item,
                                              const std::string& number);
  [[nodiscard]] bool has_gpus(const std::string& host);
  /// Share of the GPUs of a class of hosts that are busy; none where nobody knows.
  std::optional<ExplainNode> busy_gpus(const std::string& host);
  /// "jobs[train].recovery.horizon" of the job.
  [[nodiscard]] std::string input(const std::string& field) const;
  /// A figure that an equation needs, of no metric: an hour.
  [[nodiscard]] static ExplainNode constant(std::string symbol, double value, std::string unit,
                                            std::string text = {});
  /// Another metric of the run, taken apart.
  ExplainNode part(const std::string& name, std::string symbol);
  /// The equation and the parts of `made`, if they give what `node` is.
  void accept(ExplainNode& node, ExplainNode made) const;
  void explain_samples(ExplainNode& node);
  void explain_bytes(ExplainNode& node);
  void explain_resource(ExplainNode& node);

  const RunResult& run_;
  Forms& forms_;
  std::string metric_, job_, key_;
};

}  // namespace stallcast::explain
