#include "models/storage/striping.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {

double Striping::width() const { return count == 0.0 ? targets : std::min(count, targets); }

double Striping::of(Bytes file) const { return std::clamp(std::ceil(file / size), 1.0, width()); }

// (sum n)^2 / sum n^2 of the n objects on each target: of O in turn k on each, and one more on r;
// at random O (1 + (O - c) / M) in the mean, for no two of a file's c meet.
double Striping::reached(std::span<const StorageLoad::FileSet> files,
                         std::string_view placement) const {
  double objects = 0.0, count = 0.0;
  for (const StorageLoad::FileSet& set : files) {
    const double each = distinct ? std::min(of(set.size) * copies, targets)
                                 : std::max(1.0, std::ceil(set.size / size)) * copies;
    objects += set.files * each;
    count += set.files;
  }
  if (objects == 0.0 || !std::isfinite(objects)) return 1.0;
  if (placement != "round-robin")
    return objects / (objects + targets - (distinct ? objects / count : 1.0));
  const double on_each = std::floor(objects / targets), rest = objects - on_each * targets;
  const double squares = targets * on_each * on_each + rest * (2.0 * on_each + 1.0);
  return objects / targets * (objects / squares);
}

double Striping::evenness(const StorageLoad& load, double reached) const {
  const double there = targets * reached;
  const double each = std::min(of(load.file), there), objects = load.concurrent_reads * each;
  const bool even = objects == 0.0 || each == there;
  return reached * (even ? 1.0 : objects / (objects + there - (distinct ? each : 1.0)));
}

Rate Striping::placed(const Placement& placement, double files, Bytes file, Rate target,
                      std::uint64_t seed, const std::string& name) const {
  if (of(file) == targets) return Rate::infinity();  // even by construction
  const double fullest = placement.fullest(files, of(file) * copies, targets, seed, name);
  return of(file) * target / std::max(fullest, 1.0);
}

// Each of the others is on one of its targets with probability c / M; files in turn are on the
// next.
Rate Striping::apart(std::string_view placement, double files, Bytes file, Rate target) const {
  if (of(file) == targets) return Rate::infinity();  // even by construction
  const double others = placement == "round-robin" ? 0.0 : files - 1.0;
  return of(file) * target / (1.0 + others * of(file) * copies / targets);
}

Rate window_rate(Bytes window, Bytes request, Seconds turn, Rate server) {
  return std::min(server, window / (turn + request / server));
}

Rate ahead_rate(Bytes file, Bytes window, Seconds turn, Rate moving, double answered) {
  const double turns = std::max(0.0, file / window - std::min(1.0, answered));
  return file / (turn * turns + file / moving);
}

StreamCap window_cap(Bytes window, Bytes request, Seconds turn, Rate server) {
  const Rate rate = window_rate(window, request, turn, server);
  return {rate, rate >= server || request / server > turn};
}

StreamCap ahead_cap(Bytes file, Bytes window, Seconds turn, Rate moving, double answered) {
  const Rate rate = ahead_rate(file, window, turn, moving, answered);
  return {rate, rate * 2.0 > moving};
}

}  // namespace stallcast::models
