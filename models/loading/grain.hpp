#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/random.hpp"
#include "models/stage/job_order.hpp"
#include "stallcast/design.hpp"

/// How finely the samples of a batch are simulated. docs/models/dataloader.md, "grain".
namespace stallcast::models {

/// Samples of a batch are read one after the other. Above this many they are merged into groups
/// whose times add up the same; it bounds the events per batch.
constexpr std::int64_t kGroups = 8;
/// Once every worker has had its first batches others are under way at any time, and tell as much
/// of how reads share storage, unless each batch opens files: a line of requests tells them apart.
constexpr std::int64_t kGroupsLater = 2;
/// As kGroups of batches that threads share, of all of them together.
constexpr std::int64_t kElements = 8;

/// How much of a group of samples of one size ends later, or sooner: evenly drawn. Of `parts`, each
/// has its own part of that range.
[[nodiscard]] inline double draw_cut(base::RandomStream& random, std::int64_t part = 0,
                                     std::int64_t parts = 1) {
  constexpr double kMost = 0.4;
  const double at = (static_cast<double>(part) + random.uniform()) / static_cast<double>(parts);
  return kMost * (2.0 * at - 1.0);
}

/// What is finer where others ask `storage` for fewer files together: a reader has one request in
/// line at a time, whatever its batch.    [docs/models/dataloader.md, "grain"]
struct FinerGrain {
  std::int64_t groups = 1;  ///< for each group of a batch
  double turns = 1.0;       ///< parts in which the files of one of these join the line
};
class Grains {
 public:
  /// `order`, of the design, outlives it.
  Grains(const Design& design, const JobOrder& order);
  /// REQUIRES: `job` reads there.
  [[nodiscard]] FinerGrain of(const JobDesign& job, const std::string& storage) const;

 private:
  const JobOrder& order_;
  /// By storage system, files that its readers ask for together, the fewest first, and their
  /// numbers; none beside tenants, and of no system where one job is alone.
  std::map<std::string, std::vector<std::pair<double, std::size_t>>> readers_;
};

}  // namespace stallcast::models
