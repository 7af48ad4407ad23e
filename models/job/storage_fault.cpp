#include "models/job/storage_fault.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/quantity_text.hpp"
#include "models/contract/training.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using namespace base;

// A share of the rate that stands for none: links need some.
constexpr double kNothing = 1e-6;

}  // namespace

StorageFault::StorageFault(const Design& design, const Component& component, Plant& plant,
                           sim::Context& context, std::uint64_t seed,
                           std::span<const std::unique_ptr<TrainingJob>> jobs)
    : id_(component.id),
      p_(storage_fault_params(component)),
      storage_(plant.storage(p_.on)),
      context_(context),
      random_(seed, "failure." + id_, "dates"),
      jobs_(jobs) {
  const auto until = run_params(design.run).duration;
  comes_after_said_ = p_.at && until && *p_.at > *until;
}

TrainingJob::GpuTime StorageFault::gpu_time() const {
  TrainingJob::GpuTime all;
  for (const auto& [from, until] : lasted_) {
    TrainingJob::GpuTime sum;
    double jobs = 0.0;
    for (const auto& job : jobs_) {
      const TrainingJob::GpuTime own = job->gpu_time(from, until);
      if (own.trained <= Seconds{}) continue;
      sum.trained += own.trained;
      sum.computed += own.computed;
      jobs += 1.0;
    }
    if (jobs == 0.0) continue;
    all.trained += sum.trained / jobs;
    all.computed += sum.computed / jobs;
  }
  return all;
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
  while (p_.mtbf && !over_) {
    const Seconds mean = *p_.mtbf / storage_.parts(storage_part(p_));
    co_await context_.sleep(mean * -std::log1p(-random_.uniform()));
    co_await fail();
  }
}

sim::Task<void> StorageFault::fail() {
  if (over_) co_return;
  const StoragePart part = storage_part(p_);
  const double parts = storage_.parts(part);
  count_ += 1.0;
  began_ = context_.now();
  // Everybody soon waits for the part that is gone.    [docs/models/failures.md, eq. 7]
  const bool data = (part == StoragePart::target || part == StoragePart::server) &&
                    storage_.parts(StoragePart::target) > 0.0;
  degrade(data ? StoragePart::target : part, kNothing);
  outages_.begin(context_.now());
  open(lane_, p_.part + " down", static_cast<std::int64_t>(count_));
  co_await context_.sleep(p_.failover);
  if (over_) co_return;
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
  if (!over_) close_fault();
}

void StorageFault::end() {
  over_ = context_.now();
  if (began_) close_fault();
}

void StorageFault::close_fault() {
  restore();
  outages_.end(context_.now());
  close_all(lane_);
  lasted_.emplace_back(*std::exchange(began_, std::nullopt), context_.now());
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
  if (p_.at && count_ == 0.0 && over_ && !comes_after_said_)
    out.warnings.push_back("failure." + id_ + ": the run is over after " +
                           print_quantity(over_->in(unit::s), Dimension::time) +
                           ", before this failure; let it come earlier, or lengthen the run");
  Seconds lasted;
  for (const auto& [from, until] : lasted_) lasted += until - from;
  if (count_ == 0.0) {  // what did not come took no time
    out.metrics[name + "lasted"] = {0.0, "s", {}};
    if (!jobs_.empty()) out.metrics[name + "stall"] = {0.0, "s", {}};
  }
  if (count_ == 0.0 || lasted <= Seconds{}) return;
  out.metrics[name + "lasted"] = {lasted.in(unit::s) / count_, "s", {}};
  if (jobs_.empty()) return;
  // Of the time of training: what a job still saves after its last step costs none.
  const auto [trained, computed] = gpu_time();
  out.metrics[name + "stall"] = {(trained - computed).in(unit::s) / count_, "s", {}};
  if (trained > Seconds{})
    out.metrics[name + "gpu.utilization"] = {computed / trained, "ratio", {}};
}

}  // namespace stallcast::models
