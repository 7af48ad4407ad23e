#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "models/job/job.hpp"
#include "stallcast/metric.hpp"

/// What a job reports at its end.
namespace stallcast::models {

TrainingJob::Measured TrainingJob::measured() const {
  return {.wall = wall() - once_ - starts_.lost(),
          .useful = useful_,
          .saving = checkpoint_ ? checkpoint_->stalled() : Seconds{},
          .once = once_,
          .filled = starts_.lost_by(),
          .starved = starved_,
          .steps = step_times_,
          .first_wait = first_waited_ + first_starting_,
          .warm_up = step_time_.warm_up,
          .saves = checkpoint_.get(),
          .layout = layout_};
}

TrainingJob::GpuTime TrainingJob::gpu_time(Seconds from, Seconds to) const {
  return {.trained = std::max(Seconds{}, std::min(to, ended_) - std::max(from, began_)),
          .computed = computed_ ? computed_->between(from, to) : Seconds{}};
}

// The sums behind the shares: of the run, before months of failures are laid over it.
void TrainingJob::report_time(const Progress& kept, RunResult& out) const {
  const auto set = [&](const std::string& key, Seconds time) {
    out.metrics[metric::of_job(id_, key)] = {time.in(unit::s), "s", {}};
  };
  set("time.wall", wall());
  set("time.compute", kept.useful);
  set("time.sync", kept.sync);
  set("time.checkpoint", checkpoint_ ? checkpoint_->stalled() : Seconds{});
  if (const Seconds restart = lost_.time() + restarts_.time(); restart > Seconds{})
    set("time.restart", restart);
  const auto wait = [&](const char* cause, Phase phase) {
    set(std::string("time.") + cause, kept.waits[static_cast<std::size_t>(phase)]);
  };
  wait("communication", Phase::communication);
  wait("data", Phase::data);
  wait("metadata", Phase::metadata);
  wait("cpu", Phase::cpu);
  for (const auto& [resource, time] : waited().by_resource)
    if (time > Seconds{}) set("waited." + plant_.resources().name(resource), time);
}

// Of the last epoch: earlier ones may have been colder.
void TrainingJob::report_cache(RunResult& out) const {
  if (!cache().used) return;
  const std::string name = metric::of_job(id_, "cache.");
  out.metrics[name + "size"] = {cache().size.in(unit::B), "B", {}};
  out.metrics[name + "missed"] = {epoch_missed_.in(unit::B), "B", {}};
  if (epoch_read_ > Bytes{}) {
    const double missed = epoch_missed_ / epoch_read_;
    out.metrics[name + "hit"] = {1.0 - missed, "ratio", {}};
    out.metrics[name + "miss"] = {missed, "ratio", {}};
  }
  if (cache().size == Bytes{})
    out.warnings.push_back("job." + id_ +
                           ".cache: processes and snapshots leave no host memory for it");
}

bool TrainingJob::fills_caches() const {
  if (!job_.dataset) return false;
  const DatasetParams dataset = dataset_params(*job_.dataset);
  const bool servers =
      plant_.storage(dataset.on).fills() || (dataset.also && plant_.storage(*dataset.also).fills());
  return servers || (cache().used && !cache().warm);
}

Seconds TrainingJob::filling() const {
  if (!fills_caches() || cold_epochs_.count() < 2) return {};
  return cold_epochs_.more() / (1.0 - (checkpoint_ ? checkpoint_->due_share() : 0.0));
}

Seconds TrainingJob::owed() const {
  if (!checkpoint_) return {};
  const Seconds broken = lost_.time() + restarts_.time();
  return checkpoint_->owed(wall() - checkpoint_->stalled() - broken - once(), kept().steps);
}

std::map<std::string, double> TrainingJob::asked(const RequestCounts& counts, JobWork work) const {
  std::map<std::string, double> out;
  for (const auto& [name, count] : counts) out[name] = count.of(Asker::of(number_, work));
  return out;
}

// Once: R + L - l; as it goes on: l of its steps, and S w / (p b) of b saves.
//    [docs/models/cost.md, eq. 6]
std::map<std::string, TrainingJob::Requests> TrainingJob::requests(
    const RequestCounts& counts) const {
  std::map<std::string, Requests> out;
  const Progress kept = this->kept();
  const Seconds broken = lost_.time() + restarts_.time();
  const Seconds goes_on = wall() - once() - broken - filling() + owed();
  const double due = checkpoint_ ? checkpoint_->due_over_begun(goes_on, kept.steps) : 1.0;
  ColdEpochs::Requests steps = cold_epochs_.goes_on(fills_caches());
  for (const auto& [name, count] : counts) {
    const auto of = [this, &count = count](JobWork work) {
      return count.of(Asker::of(number_, work));
    };
    const double lost = std::max(0.0, of(JobWork::steps) - steps[name]);
    out[name] = {.once = of(JobWork::start) + of(JobWork::restores) + lost,
                 .steps = steps[name],
                 .saves = of(JobWork::saves) * due,
                 .by_time = checkpoint_ && !checkpoint_->params().every_steps};
  }
  return out;
}

// Epochs that fill caches come once, however many the job has.    [docs/models/whole-run.md, eq. 2]
void TrainingJob::report_cold_epochs(RunResult& out) const {
  if (!fills_caches()) return;
  if (cold_epochs_.count() > 1) {
    out.metrics[metric::of_job(id_, "epoch.cold")] = {filling().in(unit::s), "s", {}};
    return;
  }
  const Value *epochs = job_.job.find("run.epochs"), *steps = job_.job.find("run.steps");
  if ((epochs != nullptr && epochs->number > 1.0) ||
      (steps != nullptr && steps->number > steps_per_epoch_))
    out.warnings.push_back("job." + id_ +
                           ".run.time: only the first epoch is simulated, in which caches are "
                           "filled, and all are taken to be like it; \"epochs\": 2 tells them "
                           "apart");
}

void TrainingJob::begin_start(bool again) {
  if (!job_.dataset) return;
  const LoaderParams p = loader_params(*job_.loader);
  const std::int64_t ahead = std::max<std::int64_t>(1, classes_.front().loader->read_ahead());
  starts_.begin(again, {std::clamp<std::int64_t>(p.workers, 1, ahead), ahead});
}

void TrainingJob::end_start(std::int64_t done) {
  if (!job_.dataset) return;
  starts_.step(done, context_.now() - epoch_.began - epoch_.saving - (once_ - epoch_.once));
  while (starts_.turned()) starts_.turn(asked(plant_.requests(), JobWork::steps));
}

// Its starts come once, and so do waits for stages (eq. 2), but for those of further epochs (eq.
// 8). The run begins with an interval before its first save, and ends before its next: a longer one
// is made of whole intervals (eq. 4). Nothing of it comes again where all was simulated.
//    [docs/models/whole-run.md]
void TrainingJob::report_once(RunResult& out) const {
  const auto set = [&](const char* figure, Seconds time) {
    if (time != Seconds{}) out.metrics[metric::of_job(id_, figure)] = {time.in(unit::s), "s", {}};
  };
  const bool whole = p_.whole_runs() > 0;
  const bool all = whole ? static_cast<double>(kept().steps) >= most_steps_
                         : p_.epochs && epochs_ >= *p_.epochs && epoch_.done >= epoch_.steps;
  if (all) return;
  set("start.once", once());
  if (whole || (checkpoint_ && checkpoint_->params().every_steps)) set("checkpoint.owed", owed());
  if (!classes_.front().loader) return;
  const LoaderParams loader = loader_params(*job_.loader);
  set("epoch.begin",
      starts_.another(loader.persistent ? loader.start * static_cast<double>(loader.workers)
                                        : Seconds{}));
  out.metrics[metric::of_job(id_, "epoch.begun")] = {
      static_cast<double>(starts_.begun()), "count", {}};
}

// What was measured is said to hold only there.                             [training.md, eq. 2]
void TrainingJob::remark_barrier(RunResult& out) const {
  const auto warn = [&](const char* how, std::int64_t measured) {
    out.warnings.push_back("job." + id_ +
                           ".barrier: " + base::print_quantity(layout_.ranks, Dimension::number) +
                           " ranks are " + how + " than the " + std::to_string(measured) +
                           " measured, outside what its profile was fitted to");
    out.extrapolated = true;
  };
  if (p_.barrier_fewest && layout_.ranks < static_cast<double>(*p_.barrier_fewest))
    warn("fewer", *p_.barrier_fewest);
  if (p_.barrier_most && layout_.ranks > static_cast<double>(*p_.barrier_most))
    warn("more", *p_.barrier_most);
}

void TrainingJob::report(RunResult& out) const {
  const std::string name = metric::of_job(id_);
  const Seconds wall = this->wall();
  out.warnings.insert(out.warnings.end(), warnings_.begin(), warnings_.end());
  remark_barrier(out);
  const auto ratio = [&](const std::string& key, Seconds part) {
    out.metrics[name + key] = {part / wall, "ratio", {}};
  };
  Progress kept = this->kept();
  // Where no rank waits for another, what all else leaves of the steps is rounding.
  constexpr double kRounding = 1e-12;
  if (std::abs(kept.sync / wall) < kRounding) kept.sync = {};
  report_time(kept, out);
  ratio("gpu.utilization", useful_);
  ratio("goodput", kept.useful);
  if (!au_.empty()) out.metrics[name + "au"] = {au_.mean(), "ratio", {}};
  step_times_.report(name + "step.time", "s", out);
  steady_.report(name, out);
  stragglers_.report(name, wall, out);
  if (held_ > Seconds{} && steps_ > 0)
    out.metrics[name + "unseen.wait"] = {
        (held_ / static_cast<double>(steps_)).in(unit::s), "s", {}};
  restarts_.report(name, plant_.resources(), struck_elsewhere, out);
  if (const auto startup = restarts_.startup())
    out.metrics[name + "startup"] = {
        (*startup + first_waited_ + first_starting_).in(unit::s), "s", {}};
  out.metrics[name + "steps"] = {static_cast<double>(kept.steps), "count", {}};
  if (classes_.front().loader) {
    first_batches_.report(name + "first_batch", "s", out);
    first_steps_.report(name + "first_step", "s", out);
    out.metrics[name + "first_batch.waited"] = {first_waited_.in(unit::s), "s", {}};
    const double samples = batch_ * layout_.readers() * static_cast<double>(kept.steps);
    out.metrics[name + "throughput.samples"] = {samples / wall.in(unit::s), "1/s", {}};
    // What steps read that were lost is read again.    [docs/models/failures.md, At a date]
    const double share =
        steps_ > 0 ? static_cast<double>(kept.steps) / static_cast<double>(steps_) : 1.0;
    out.metrics[name + "throughput.bytes"] = {(read_ * share / wall).in(unit::Bps), "B/s", {}};
    report_cache(out);
    report_cold_epochs(out);
    if (!epoch_samples_.empty())
      out.metrics[name + "throughput.dlio"] = {epoch_samples_.mean(), "1/s", {}};
  }
  const auto wait = [&](Phase phase) { return kept.waits[static_cast<std::size_t>(phase)]; };
  ratio("stall.data", wait(Phase::data));
  ratio("stall.metadata", wait(Phase::metadata));
  ratio("stall.cpu", wait(Phase::cpu));
  if (const ResourceIndex worst = waited().worst(); worst != kNoResource)
    out.limited_by["job." + id_] = plant_.resources().name(worst);
  const Seconds saving = checkpoint_ ? checkpoint_->stalled() : Seconds{};
  auto& shares = out.breakdown[id_];
  for (const char* cause : kBreakdownCauses) shares[cause] = 0.0;
  shares["compute"] = kept.useful / wall;
  shares["communication"] = wait(Phase::communication) / wall;
  shares["data"] = wait(Phase::data) / wall;
  shares["metadata"] = wait(Phase::metadata) / wall;
  shares["cpu"] = wait(Phase::cpu) / wall;
  shares["checkpoint"] = saving / wall;
  shares["sync"] = kept.sync / wall;
  shares["restart"] = (lost_.time() + restarts_.time()) / wall;
  if (communicator_) communicator_->report(id_, out);
  if (checkpoint_) checkpoint_->report(id_, wall, out);
  report_once(out);
}

}  // namespace stallcast::models
