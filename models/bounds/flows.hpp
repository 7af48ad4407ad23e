#pragma once

#include <string>
#include <vector>

#include "engine/graph/topology.hpp"
#include "models/bounds/parts.hpp"
#include "models/checkpoint/layout.hpp"

/// What flows to and from storage at the most, and what saves ask of it.
namespace stallcast::models::detail {

/// A minimum cut of `plant`, named: the sum of what it cuts through goes to `lines`.
[[nodiscard]] MinCut named_cut(const std::string& name, const Plant& plant,
                               const graph::Topology::Cut& found, std::vector<Derivation>& lines);

/// What is computed from save to save, or from start to start of two.
[[nodiscard]] Derivation interval_of(const CheckpointParams& p, JobDemand& d);

/// What a job moves to or from a storage system at one time.
struct Passage {
  Bytes all, host, rank;  ///< in all, the most of one host and of one rank, as they are stored
  double part = 1.0;      ///< of the state
  Rate flow;              ///< the most that all hosts together move
  std::string stem;       ///< "job.train.restore.": of "size", "size.host", "size.rank", "flow"
  std::string storage;
  bool reading = false;
  const char* reference = kEq6;
};
/// The least that takes: by what all hosts move, one of them, or one rank.
///    [docs/models/bounds.md, eq. 6]
struct Slowest {
  Seconds time;
  std::string formula, binding;  ///< of the flow: ""
  Rule rule;
};
[[nodiscard]] Slowest slowest_of(const Passage& way, const CheckpointParams& p, const JobDemand& d,
                                 const Plant& plant);

/// The least a save takes to its storage.    [docs/models/bounds.md, eq. 6]
void derive_flush(const CheckpointParams& p, const CheckpointLayout& layout, const Plant& plant,
                  JobDemand& d, std::vector<Derivation>& lines);

/// What saves write on average. REQUIRES: `d` knows its interval, and what a save takes.
///    [docs/models/bounds.md, eq. 1]
[[nodiscard]] Derivation write_demand(const CheckpointParams& p, Bytes size, JobDemand& d);

}  // namespace stallcast::models::detail
