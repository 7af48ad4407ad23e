#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/bounds.hpp"
#include "models/contract/access.hpp"
#include "models/contract/checkpoint.hpp"
#include "models/contract/dataset.hpp"
#include "models/plant/plant.hpp"

/// What the files of the bounds share: the demand of a job, and its parts.
namespace stallcast::models::detail {

inline constexpr const char* kTraining = "docs/models/training.md";
inline constexpr const char* kEq1 = "docs/models/bounds.md, eq. 1";
inline constexpr const char* kEq2 = "docs/models/bounds.md, eq. 2";
inline constexpr const char* kEq3 = "docs/models/bounds.md, eq. 3";
inline constexpr const char* kEq5 = "docs/models/bounds.md, eq. 5";
inline constexpr const char* kEq6 = "docs/models/bounds.md, eq. 6";
inline constexpr const char* kSaves = "docs/models/checkpoint.md, eq. 1";

/// A number with its dimension: all that a line derives.
struct Measure {
  double value = 0.0;  ///< SI base unit
  Dimension dimension = Dimension::number;

  Measure(double v, Dimension d) : value(v), dimension(d) {}
  // NOLINTBEGIN(google-explicit-constructor): a quantity is its measure
  Measure(Bytes b) : Measure(b.in(unit::B), Dimension::bytes) {}
  Measure(Seconds t) : Measure(t.in(unit::s), Dimension::time) {}
  Measure(Rate r) : Measure(r.in(unit::Bps), Dimension::rate) {}
  Measure(OpRate r) : Measure(r.in(unit::per_s), Dimension::op_rate) {}
  Measure(Money m) : Measure(m.in(unit::USD), Dimension::money) {}
  Measure(MoneyRate m) : Measure(m.in(unit::USD_per_s), Dimension::money_rate) {}
  Measure(Power p) : Measure(p.in(unit::W), Dimension::power) {}
  // NOLINTEND(google-explicit-constructor)
};

inline std::string text(const Measure& m) { return base::print_quantity(m.value, m.dimension); }
inline std::string text(double value, Dimension dimension) { return text({value, dimension}); }
inline std::string count(double n) { return text(n, Dimension::number); }
/// To two decimals where `text` would round a number above 10 to fewer.
inline std::string hundredths(double n) { return base::shortest(std::round(n * 100.0) / 100.0); }

/// "512 GPUs", or "16 of 512 GPUs" where one rank of a model copy reads.
inline std::string readers_of(const RankLayout& layout) {
  return (layout.per_copy > 1.0 ? count(layout.readers()) + " of " : "") + count(layout.ranks) +
         " GPUs";
}

/// A line whose sentence is `what`, its value and `more`: "100 GB / 60 s = 1.67 GB/s on average".
inline Derivation derived(std::string name, const Measure& value, const std::string& what,
                          Rule rule = {}, const std::string& more = "") {
  return {std::move(name), value.value, value.dimension, what + " = " + text(value) + more,
          std::move(rule)};
}

/// Steps of an epoch of its data set where so many readers take batches of `batch`: what fills no
/// batch of all is left out. Infinite where the data set is.    [docs/models/dataloader.md, eq. 3]
[[nodiscard]] inline double steps_of_data(const JobDesign& job, double batch, double readers) {
  const double samples = sample_access(job).epoch(dataset_params(*job.dataset).sample_count());
  return std::floor(samples / (batch * readers));
}

/// A minimum cut, and what it cuts through first.
struct MinCut {
  Rate value = Rate::infinity();
  std::string binding;
};

/// Everything that is derived for one job.
struct JobDemand {
  std::string id, host;
  /// Paths of its inputs, and of its hosts'.
  [[nodiscard]] std::string input(const std::string& key) const {
    return "jobs[" + id + "]." + key;
  }
  [[nodiscard]] std::string host_input(const std::string& key) const {
    return "cluster.hosts[" + host + "]." + key;
  }
  RankLayout layout;
  Seconds compute;            ///< mean step of one rank
  Seconds exposed;            ///< what communication adds to it, undisturbed
  std::string communication;  ///< what limits that
  std::string read_from, write_to;
  std::vector<DatasetParams::Place> places;  ///< that it reads from; the first is `read_from`
  /// Share of the files on a storage system.
  [[nodiscard]] double share_on(const std::string& storage) const {
    double sum = 0.0;
    for (const DatasetParams::Place& place : places)
      if (place.storage == storage) sum += place.share;
    return sum;
  }
  /// The share of a place in equations, of the input "share"; "" of all.
  [[nodiscard]] std::string share_of(std::size_t place) const {
    return places.size() < 2 ? "" : place == 0 ? "(1 - share)" : "share";
  }
  Rate read;    ///< demanded at full utilization, all ranks
  Rate missed;  ///< of that, what caches of the hosts cannot hold: from the storage
  /// Share of that which a limit of its own lets pass, of what is not in the hosts.
  double allowed = 1.0;
  OpRate opens;         ///< files opened at full utilization, all ranks
  double opened = 1.0;  ///< share of them that the storage is asked to open, at least
  double reads = 0.0;   ///< dependent requests that reading one of those takes
  double begun = 1.0;   ///< and that its limit of operations lets begin
  Rate write;           ///< checkpoint bytes over their interval, all ranks
  Bytes checkpoint;
  Bytes drained;         ///< of a save that goes on to the storage, as `checkpoint` on average
  double of_host = 1.0;  ///< share of a save that the ranks of one host write, at most
  Seconds interval;      ///< between checkpoints; infinite: never
  bool blocking = false;
  Seconds save;      ///< least of a save, from its start to its end
  MinCut write_cut;  ///< between its hosts and where it saves
  Seconds flush;     ///< least until a save is there, all hosts at once
  Seconds stall;     ///< least a save costs training; 0: never saves
  Rate loader;       ///< most the loaders can take in, CPU alone
};

/// The rule of a kind, its inputs those of the job and its hosts.
[[nodiscard]] Rule placed(Rule rule, const JobDemand& d);

/// How the size of a save comes about; no rule where a layout cuts the state.
[[nodiscard]] Rule size_rule(const CheckpointParams& p, const ModelParams& model,
                             const JobDemand& d);

/// What a job reads and opens at full utilization.
[[nodiscard]] Rule read_rule(const JobDemand& d, const SampleAccess& access);
[[nodiscard]] Rule open_rule(const JobDemand& d, const SampleAccess& access);
/// Of the `part` of those files that `resource` opens, `most` a second.
[[nodiscard]] Rule opened_rule(const JobDemand& d, OpRate most, double part,
                               const std::string& resource);

/// What CPU alone lets the loaders take in: the slowest stage of one rank, or the cores of all.
[[nodiscard]] Derivation loader_ceiling(const JobDesign& job, const JobDemand& d,
                                        const SampleAccess& access, const Plant& plant);

/// Dependent requests that reading a file takes which is opened, where caches of the hosts open
/// what they miss, or all.
[[nodiscard]] double reads_of_opened(const SampleAccess& access, double missed, double opened);

/// JobDemand::allowed of a job.    [docs/models/bounds.md, eq. 2]
[[nodiscard]] double allowed_share(const JobDesign& job, const JobDemand& d, const Plant& plant);
/// How it comes from `demand`: what lies inside its hosts is not held.
[[nodiscard]] Rule allowed_rule(const JobDemand& d, const std::string& demand, const Plant& plant);
/// The operations that a job begins at full utilization, at least: `opens` of the files that it
/// reads from outside its hosts and the requests of their data.
[[nodiscard]] OpRate least_operations(const JobDemand& d, OpRate opens, const Plant& plant);

/// What a save writes: its size, unless less.
[[nodiscard]] std::string written_of(const JobDemand& d, Bytes size);

/// Where reads from `storage` end on the hosts that have readers.    [docs/models/folding.md, eq.
/// 1]
[[nodiscard]] std::vector<graph::NodeId> reading_mounts(const JobDemand& d,
                                                        const std::string& storage,
                                                        const Plant& plant);
/// What those beside each job leave it that ask for most. REQUIRES: all jobs, in order.
void derive_shares(const std::vector<JobDemand>& jobs, const Plant& plant, Bounds& out);

/// How many units of the storage under study jobs take that run at one time, and what one can do.
/// REQUIRES: all jobs, in order.
void derive_units(const std::vector<JobDemand>& demands, const Plant& plant, Bounds& out);

}  // namespace stallcast::models::detail
