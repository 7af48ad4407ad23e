#include "models/storage/striping.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/random.hpp"

namespace stallcast::models {

double Striping::of(Bytes file) const {
  const double most = count == 0.0 ? targets : std::min(count, targets);
  return std::clamp(std::ceil(file / size), 1.0, most);
}

double Striping::evenness(const StorageLoad& load) const {
  // Q objects in flight over M stations of a closed product-form network: Q / (Q + M - 1).
  const double objects = load.concurrent_reads * of(load.file);
  const bool even = objects == 0.0 || of(load.file) == targets;
  return even ? 1.0 : objects / (objects + targets - 1.0);
}

Rate Striping::placed(Bytes file, Rate target, double fullest) const {
  if (of(file) == targets) return Rate::infinity();  // even by construction
  return of(file) * target / std::max(fullest, 1.0);
}

double Striping::fullest_in_turn(double files, Bytes file) const {
  return std::ceil(files * of(file) / targets - 1e-9);
}

double Striping::fullest_at_random(double files, Bytes file, std::uint64_t seed,
                                   const std::string& name) const {
  base::RandomStream draw(seed, name, "placement");
  std::vector<double> load(static_cast<std::size_t>(targets), 0.0);
  const double objects = files * of(file);
  for (double i = 0; i < objects; ++i) load[draw.below(load.size())] += 1.0;
  return *std::max_element(load.begin(), load.end());
}

Rate window_rate(Bytes window, Bytes request, Seconds turn, Rate server) {
  return std::min(server, window / (turn + request / server));
}

}  // namespace stallcast::models
