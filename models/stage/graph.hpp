#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/stage/stage.hpp"
#include "stallcast/design.hpp"

/// Which stage follows which, and what it has to do. docs/models/stages.md.
namespace stallcast::models {

/// A stage, or a job that follows stages.
struct StageNode {
  std::string id;
  const Component* stage = nullptr;  ///< nullptr: a job that no stage names
  const JobDesign* job = nullptr;    ///< nullptr: it moves data
  std::vector<std::size_t> after{};  ///< nodes
  bool streams = false;              ///< behind them
  double begins_with = 1.0;          ///< share of what they bring
  Seconds start{};                   ///< it starts no earlier
  /// Of one that moves data.      [docs/models/stages.md, eq. 1]
  MoveParams move{};
  StageWork work{};
  double hosts = 1.0;       ///< that it runs on
  double copies = 1.0;      ///< hosts that each have all that it writes    [eq. 8]
  Bytes read{}, written{};  ///< of all its hosts together
  Bytes file{}, written_file{};
  [[nodiscard]] const Component& component() const { return stage ? *stage : job->job; }
};

/// What is wrong with the order of stages.
struct StageFault {
  enum class What { unknown, cycle, no_input, no_job, twice, streams_behind_job, other_hosts };
  What what = What::unknown;
  const Component* component = nullptr;
  std::string key;         ///< field at fault
  std::string name;        ///< what it names, or the way round the cycle
  std::string hosts = {};  ///< other_hosts: those of what it names
};

/// Stages and jobs that belong to a pipeline, each after those that it follows. Empty where nothing
/// follows anything, or something is wrong: then `faults` says what. REQUIRES: all components are
/// complete.
[[nodiscard]] std::vector<StageNode> stage_graph(const Design& design,
                                                 std::vector<StageFault>* faults = nullptr);

/// Whether `node` comes after node number `before`, by whatever way.
[[nodiscard]] bool follows(const std::vector<StageNode>& nodes, const StageNode& node,
                           std::size_t before);

/// Whether what stage number `at` writes is, or is a part of, the data set of `job`, which follows
/// it.    [docs/models/capacity.md, eq. 2]
[[nodiscard]] bool brings_data(const std::vector<StageNode>& nodes, std::size_t at,
                               const StageNode& job);

/// Whether anything may follow something: there are stages, or a job says what it comes after.
[[nodiscard]] bool has_order(const Design& design);

/// Whether the data set of the job lies on `storage`, all of it or a part.
[[nodiscard]] bool reads_from(const JobDesign& job, const std::string& storage);

}  // namespace stallcast::models
