#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/contract/derivation.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// What can be said of a design without simulating: closed forms, max flow and max-min shares.
namespace stallcast::models {

/// The instant estimate ("~") and the lower bounds `plan` starts from.
struct Bounds {
  std::vector<Derivation> derivations;  ///< in the order they should be read
  double utilization = 0.0;             ///< upper bound of GPU utilization, of the job with least
  std::string job;                      ///< that job; "" where there is none
  double osts_required = 0.0;           ///< fluid lower bound for the storage system under study
  std::string noun;                     ///< what `plan` counts there: "OSTs"
  bool per_host = false;                ///< each host has its own: those of one are counted
  std::string storage;                  ///< id of that storage system; "" when there is none
  std::string binding;                  ///< resource that sets `utilization`
  /// By job, the utilization that its own limits of bytes and operations let it have; only of jobs
  /// that they hold back.
  std::map<std::string, double> held;
};

[[nodiscard]] Bounds bounds(const Design& design);

/// What a shared resource can do.
struct Capacity {
  double amount = 0.0;
  std::string unit;  ///< as of a ResourceUse: "B/s", "cores"
};

/// What the shared resources of `design` can do, by the names that results have for them: what a
/// simulation of it is given, but for rates that are drawn. Lines of requests are left out.
[[nodiscard]] std::map<std::string, Capacity> capacities(const Design& design);

}  // namespace stallcast::models
