#include "models/saving/checkpointer.hpp"
#include "stallcast/metric.hpp"

/// What a job's saves report at its end.
namespace stallcast::models {

void Checkpointer::report(const std::string& job, Seconds wall, RunResult& out) const {
  const std::string name = metric::checkpoint(job);
  out.metrics[name + "size"] = {size_.in(unit::B), "B", {}};
  out.metrics[name + "count"] = {static_cast<double>(stalls_.size()), "count", {}};
  out.metrics[name + "stall.total"] = {stalled_.in(unit::s), "s", {}};
  out.metrics[name + "overhead"] = {stalled_ / wall, "ratio", {}};
  stalls_.report(name + "stall", "s", out);
  durations_.report(name + "duration", "s", out);
  backpressure_.report(name + "backpressure", "s", out);
  if (!durations_.empty()) {
    const Bytes moved = size_ * parts_.mean();  // less by increments    [checkpoint.md, eq. 9]
    out.metrics[name + "bandwidth"] = {moved.in(unit::B) / durations_.mean(), "B/s", {}};
    for (const auto& [resource, time] : took_.by_resource)
      if (time > Seconds{})
        out.metrics[name + "took." + mover_.plant().resources().name(resource)] = {
            time.in(unit::s) / static_cast<double>(durations_.size()), "s", {}};
    out.metrics[name + "rank0"] = {rank0_.mean(), "s", {}};
    if (!p_.ends_in_memory()) {
      out.metrics[name + "files"] = {mover_.layout().files(), "count", {}};
      out.metrics[name + "held"] = {retention_.most_held().in(unit::B), "B", {}};
    }
  } else {
    out.warnings.push_back("job." + job +
                           ".checkpoint: the run ended before the first save was due");
  }
  const bool goes_on =
      durable_ == kInMemory ? !mover_.tiers().empty() : durable_ + 1 < mover_.tiers().size();
  if (goes_on && !settled_.empty()) out.metrics[name + "settled"] = {settled_.mean(), "s", {}};
  ResourceTable& resources = mover_.plant().resources();
  const auto limit = [&](const char* metric, const WaitSplit& split) {
    if (split.worst() != kNoResource) out.limited_by[name + metric] = resources.name(split.worst());
  };
  limit("duration", took_);
  limit("bandwidth", took_);
  limit("stall", blamed_);
  limit("overhead", blamed_);
  if (last_limit_ != kNoResource)
    out.limited_by[name + "backpressure"] = resources.name(last_limit_);
  restore_.report(metric::of_job(job, "restore."), resources, out);
  again_.report(metric::of_job(job, "restart.restore."), resources, out);
  out.warnings.insert(out.warnings.end(), warnings_.begin(), warnings_.end());
}

}  // namespace stallcast::models
