#include "models/plant/ecmp.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace stallcast::models {
namespace {

// Beyond these the draws no longer decide anything.
constexpr double kMostFlows = 1e5, kMostSwitches = 256;

std::uint64_t whole(double n) { return static_cast<std::uint64_t>(std::max(1.0, std::round(n))); }

}  // namespace

double hashed_share(double flows, double links, base::RandomStream& random) {
  const std::uint64_t count = whole(std::min(flows, kMostFlows)), ways = whole(links);
  std::vector<std::uint64_t> load(ways);
  for (std::uint64_t f = 0; f < count; ++f) ++load[random.below(ways)];
  const std::uint64_t most = *std::max_element(load.begin(), load.end());
  return static_cast<double>(count) / static_cast<double>(ways) / static_cast<double>(most);
}

double worst_hashed_share(double switches, double flows, double links, base::RandomStream& random) {
  double worst = 1.0;
  for (std::uint64_t s = whole(std::min(switches, kMostSwitches)); s > 0; --s)
    worst = std::min(worst, hashed_share(flows, links, random));
  return worst;
}

}  // namespace stallcast::models
