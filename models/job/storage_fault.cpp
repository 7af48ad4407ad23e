#include "models/job/storage_fault.hpp"

#include <algorithm>
#include <cmath>

#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using namespace base;

// A share of the rate that stands for none: links need some.
constexpr double kNothing = 1e-6;

}  // namespace

StorageFault::StorageFault(const Component& component, Plant& plant, sim::Context& context,
                           std::uint64_t seed, std::span<const std::unique_ptr<TrainingJob>> jobs)
    : id_(component.id),
      p_(storage_fault_params(component)),
      storage_(plant.storage(p_.on)),
      context_(context),
      random_(seed, "failure." + id_, "dates"),
      jobs_(jobs) {}

Seconds StorageFault::useful() const {
  Seconds sum;
  for (const auto& job : jobs_) sum += job->useful();
  return sum / static_cast<double>(std::max<std::size_t>(jobs_.size(), 1));
}

void StorageFault::degrade(StoragePart part, double fraction) {
  storage_.scale(part, fraction);
  broken_.emplace_back(part, fraction);
}

void StorageFault::restore() {
  for (const auto& [part, fraction] : broken_) storage_.scale(part, 1.0 / fraction);
  broken_.clear();
}

void StorageFault::record(Recorder& recorder) {
  lane_ = &recorder.lane({.kind = "failure", .job = "", .name = id_ + " of storage " + p_.on});
}

sim::Task<void> StorageFault::run() {
  if (p_.at) {
    co_await context_.sleep(*p_.at);
    co_await fail();
  }
  while (p_.mtbf) {
    const Seconds mean = *p_.mtbf / storage_.parts(storage_part(p_));
    co_await context_.sleep(mean * -std::log1p(-random_.uniform()));
    co_await fail();
  }
}

sim::Task<void> StorageFault::fail() {
  const StoragePart part = storage_part(p_);
  const double parts = storage_.parts(part);
  count_ += 1.0;
  began_ = context_.now();
  useful_before_ = useful();
  // Everybody soon waits for the part that is gone.    [docs/models/failures.md, eq. 7]
  const bool data = (part == StoragePart::target || part == StoragePart::server) &&
                    storage_.parts(StoragePart::target) > 0.0;
  degrade(data ? StoragePart::target : part, kNothing);
  outages_.begin(context_.now());
  open(lane_, p_.part + " down", static_cast<std::int64_t>(count_));
  co_await context_.sleep(p_.failover);
  restore();
  outages_.end(context_.now());
  // A partner that carries two shares sets the pace of even traffic; n - 1 that share the load
  // have (n - 1) / n of it.    [docs/models/failures.md, eq. 8]
  if (part == StoragePart::target)
    degrade(part, 1.0 - p_.rebuild.in(unit::ratio));
  else if (part == StoragePart::service)
    degrade(part, p_.left.in(unit::ratio));
  else if (parts > 1.0)
    degrade(part, p_.takeover == "partner" ? 0.5 : (parts - 1.0) / parts);
  then(lane_, part == StoragePart::target ? "rebuild" : "degraded until the repair");
  co_await context_.sleep(p_.repair);
  close(lane_);
  end();
}

void StorageFault::end() {
  restore();
  if (!began_) return;
  lasted_ += context_.now() - *began_;
  computed_ += useful() - useful_before_;
  began_.reset();
}

void StorageFault::report(RunResult& out) const {
  const std::string name = metric::of_failure(id_);
  out.metrics[name + "count"] = {count_, "count", {}};
  if (p_.mtbf) {
    // One fault after the other: mtbf / parts whole, then down, then degraded.  [failures.md, eq.
    // 12]
    const Seconds whole = *p_.mtbf / storage_.parts(storage_part(p_));
    const Seconds cycle = whole + p_.failover + p_.repair;
    out.metrics[name + "down.share"] = {p_.failover / cycle, "ratio", {}};
    out.metrics[name + "degraded.share"] = {p_.repair / cycle, "ratio", {}};
  }
  if (count_ == 0.0 || lasted_ <= Seconds{}) return;
  out.metrics[name + "lasted"] = {lasted_.in(unit::s) / count_, "s", {}};
  if (jobs_.empty()) return;
  // Time GPUs did not compute while something was broken, each time.
  out.metrics[name + "stall"] = {(lasted_ - computed_).in(unit::s) / count_, "s", {}};
  out.metrics[name + "gpu.utilization"] = {computed_ / lasted_, "ratio", {}};
}

}  // namespace stallcast::models
