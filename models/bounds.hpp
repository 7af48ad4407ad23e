#pragma once

#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// What can be said of a design without simulating: closed forms, max flow and max-min shares.
namespace stallcast::models {

/// One derived line: what, how much, from what. `explain` prints these.
struct Derivation {
  std::string name;    ///< metric-like: "job.train.read.demand"
  double value = 0.0;  ///< SI base unit
  Dimension dimension = Dimension::number;
  std::string formula;  ///< "512 GPUs x 100000 tokens/s x 2 B = 102.4 MB/s"
};

/// The instant estimate ("~") and the lower bounds `plan` starts from.
struct Bounds {
  std::vector<Derivation> derivations;  ///< in the order they should be read
  double utilization = 0.0;             ///< upper bound of GPU utilization, all jobs together
  double osts_required = 0.0;           ///< fluid lower bound for the storage system under study
  std::string noun;                     ///< what `plan` counts there: "OSTs"
  Rate unit_write;                      ///< what one of them writes
  std::string storage;                  ///< id of that storage system; "" when there is none
  std::string binding;                  ///< resource that sets `utilization`
};

[[nodiscard]] Bounds bounds(const Design& design);

}  // namespace stallcast::models
