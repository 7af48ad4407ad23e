#include "models/saving/cached_saves.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {
namespace {

// Saves that wait to be written at one time, at most.
constexpr double kMostSaves = 1e6;

}  // namespace

bool end_in_cache(const CheckpointParams& p, const Plant& plant) {
  return p.ends_in_cache() && !p.ends_in_memory() && plant.storage(p.to).client_limits().page_cache;
}

// D = dirty (memory - reserved - ranks process)
CachedSaves::CachedSaves(const StateMover& mover) : mover_(mover) {
  const HostParams& host = mover.host();
  const Bytes free =
      host.memory - host.memory_reserved - host.memory_process * mover.ranks().most();
  room_ = std::max(free, Bytes{}) * host.memory_dirty.in(unit::ratio);
  if (mover.params().ends_in_cache())
    if (const auto own = mover.plant().storage(mover.params().to).client_limits().own_cache)
      room_ = std::min(room_, *own);
}

Bytes CachedSaves::of_host(const Mover& mover) const {
  return mover_.params().stored(mover.share.bytes) * mover.share.per_host;
}

CheckpointParams CachedSaves::params() const {
  CheckpointParams p = mover_.params();
  if (!p.ends_in_cache()) return p;
  if (!end_in_cache(p, mover_.plant())) {
    p.commit = "fsync";
    return p;
  }
  // n = max(1, floor(D / S))
  const Bytes most = p.stored(mover_.layout().of_host(mover_.ranks()));
  const double fit = most > Bytes{} ? std::floor(room_ / most) : kMostSaves;
  p.buffers = static_cast<std::int64_t>(std::clamp(fit, 1.0, kMostSaves));
  return p;
}

double CachedSaves::beyond(const Mover& mover, double part) const {
  return std::max(0.0, part - room_ / of_host(mover));
}

CpuPasses CachedSaves::passes(const Mover& mover, double part) const {
  const CheckpointParams& p = mover_.params();
  CpuPasses out = save_passes(p, mover.share.bytes * part);
  const double threads = static_cast<double>(p.threads);
  out.add("copy", p.stored(mover.share.bytes) * part / threads / mover_.host().cpu_copy);
  return out;
}

}  // namespace stallcast::models
