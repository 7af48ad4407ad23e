#include "calibration/observe/missing_ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

/// Those of `ranks` that are not in `seen`, which is in order: "ranks 1, 3 to 6".
std::string others_of(const std::vector<std::int64_t>& seen, std::int64_t ranks) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> out;
  std::int64_t next = 0, missing = 0;
  const auto missing_up_to = [&](std::int64_t end) {
    missing += end - next;
    if (next == end - 1) out.push_back(std::to_string(next));
    if (next < end - 1) out.push_back(std::to_string(next) + " to " + std::to_string(end - 1));
    next = end + 1;
  };
  for (const std::int64_t rank : seen) missing_up_to(rank);
  missing_up_to(ranks);
  if (out.size() > kNamed) {
    out.resize(kNamed);
    out.emplace_back("...");
  }
  return (missing == 1 ? "rank " : "ranks ") + base::join(out, ", ");
}

}  // namespace

std::string tell_missing_ranks(Observation& observation, bool meet) {
  std::vector<std::int64_t> seen;
  for (const ObservedProcess& process : observation.processes)
    if (process.rank && process.steps > 0) seen.push_back(*process.rank);
  if (seen.empty()) return "";
  std::sort(seen.begin(), seen.end());
  const std::int64_t numbered = seen.back() + 1, told = observation.ranks.value_or(0);
  if (meet && told < numbered) observation.ranks = numbered;
  const auto here = static_cast<std::int64_t>(seen.size());
  const std::int64_t ranks = observation.ranks.value_or(0);
  if (ranks <= here) return "";
  const bool one = ranks == here + 1 && numbered <= ranks;
  std::string out = "the job had " + std::to_string(ranks) +
                    (told < ranks ? " ranks or more" : " ranks") + ", and steps of " +
                    std::to_string(here) + " are here: the " + (one ? "file" : "files") + " of ";
  out += numbered <= ranks ? others_of(seen, ranks) : "the others";
  out += one ? " is missing" : " are missing";
  if (meet)
    out +=
        "; a step ends with the slowest of all ranks, so those that one of these ended lasted "
        "longer "
        "than is said here";
  return out;
}

}  // namespace stallcast::calibration
