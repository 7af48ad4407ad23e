#include "models/storage/striping.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/random.hpp"

namespace stallcast::models {

double fullest_at_random(double objects, double targets, std::uint64_t seed,
                         const std::string& name) {
  base::RandomStream draw(seed, name, "placement");
  std::vector<double> load(static_cast<std::size_t>(targets), 0.0);
  for (double i = 0; i < objects; ++i) load[draw.below(load.size())] += 1.0;
  return *std::max_element(load.begin(), load.end());
}

double Striping::width() const { return count == 0.0 ? targets : std::min(count, targets); }

double Striping::of(Bytes file) const { return std::clamp(std::ceil(file / size), 1.0, width()); }

double Striping::evenness(const StorageLoad& load) const {
  // Q objects in flight over M stations of a closed product-form network: Q / (Q + M - 1).
  const double objects = load.concurrent_reads * of(load.file);
  const bool even = objects == 0.0 || of(load.file) == targets;
  return even ? 1.0 : objects / (objects + targets - 1.0);
}

Rate Striping::placed(std::string_view placement, double files, Bytes file, Rate target,
                      std::uint64_t seed, const std::string& name) const {
  if (of(file) == targets) return Rate::infinity();  // even by construction
  const double objects = files * of(file);
  const double fullest = placement == "round-robin"
                             ? std::ceil(objects / targets - 1e-9)
                             : fullest_at_random(objects, targets, seed, name);
  return of(file) * target / std::max(fullest, 1.0);
}

Rate window_rate(Bytes window, Bytes request, Seconds turn, Rate server) {
  return std::min(server, window / (turn + request / server));
}

Rate ahead_rate(Bytes file, Bytes window, Seconds turn, Rate moving, double answered) {
  const double turns = std::max(0.0, file / window - std::min(1.0, answered));
  return file / (turn * turns + file / moving);
}

}  // namespace stallcast::models
