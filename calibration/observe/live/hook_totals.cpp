#include "calibration/observe/live/hook_totals.hpp"

#include <algorithm>

#include "engine/base/jsonc.hpp"

namespace stallcast::calibration::live {
namespace {

using base::Json;

std::optional<Distribution<Seconds>> seconds_of(const MergedTally& t) {
  return t.distribution<Seconds>(unit::s);
}
std::optional<Distribution<Bytes>> bytes_of_tally(const MergedTally& t) {
  return t.distribution<Bytes>(unit::B);
}
std::optional<Distribution<Ops>> counts_of(const MergedTally& t) {
  return t.distribution<Ops>(unit::ops);
}

std::optional<std::int64_t> whole_fact(const Json& facts, const char* key) {
  const auto it = facts.find(key);
  if (it == facts.end() || !it->is_number_integer() || *it < 0) return std::nullopt;
  return it->get<std::int64_t>();
}
std::optional<bool> truth_fact(const Json& facts, const char* key) {
  const auto it = facts.find(key);
  if (it == facts.end() || !it->is_boolean()) return std::nullopt;
  return it->get<bool>();
}

/// The facts of a loader; an empty object when they are not there.
Json loader_facts(const std::string& text, int loader) {
  const Json all = Json::parse(text, nullptr, false);
  if (!all.is_object()) return Json::object();
  const auto it = all.find(std::to_string(loader));
  return it != all.end() && it->is_object() ? *it : Json::object();
}

/// Counted of that loader; where nothing was, as many as the measured ones stand for.
double counted(const std::array<double, 4>& by_loader, int loader, double stood_for) {
  const double known = loader >= 0 && loader < 4 ? by_loader[static_cast<std::size_t>(loader)] : 0;
  return known > 0.0 ? known : stood_for;
}

}  // namespace

void HookTotals::add(const SideFile& file) {
  ++processes_;
  Process& process =
      known_.size() < kProcesses || known_.count(file.pid) > 0 ? known_[file.pid] : known_[-1];
  process.rank = file.rank;
  process.worker = file.worker;
  double steps = 0.0, batches = 0.0;
  for (std::size_t i = 0; i < file.steps_of.size(); ++i) {
    steps += file.steps_of[i];
    steps_of_[i] += file.steps_of[i];
    intervals_of_[i] += file.intervals_of[i];
    samples_of_[i] += file.samples_of[i];
  }
  for (const SideTally& tally : file.tallies) {
    tallies_[{tally.kind, tally.loader}].add(tally);
    if (tally.kind == SideKind::first_batch) {
      batches += tally.count;
      passes_[tally.loader] = std::max(passes_[tally.loader], tally.count);
    }
  }
  process.steps = told(steps);
  if (batches > 0.0) ++trainers_;
  if (file.world) world_ = std::max(world_.value_or(0), *file.world);
  samples_ += file.samples;
  measured_ += file.measured;
  errors_ += file.errors;
  syncs_ += file.syncs;
  sync_time_ += file.sync_time;
  in_memory_ += file.saves_in_memory;
  asynchronous_ = asynchronous_ || file.asynchronous;
  if (file.worker) {
    worker_hooks_ += file.hook_time;
    worker_starts_ += file.hook_start;
  } else {
    trainer_hooks_ = std::max(trainer_hooks_, file.hook_time);
  }
  if (file.facts.size() > facts_.size()) facts_ = file.facts;
}

const HookTotals::Process* HookTotals::process(pid_t pid) const {
  const auto it = known_.find(pid);
  return it == known_.end() ? nullptr : &it->second;
}

const MergedTally& HookTotals::of(SideKind kind, int loader) const {
  static const MergedTally kNone;
  for (const int candidate : {loader, -1}) {
    const auto it = tallies_.find({kind, candidate});
    if (it != tallies_.end()) return it->second;
  }
  return kNone;
}

/// The one that most steps are of; without an optimizer, most batches.
int HookTotals::training_loader() const {
  for (const SideKind kind : {SideKind::step, SideKind::interval, SideKind::first_batch}) {
    int best = -1;
    double most = 0.0;
    for (const auto& [key, tally] : tallies_)
      if (key.first == kind && tally.count() > most) {
        best = key.second;
        most = tally.count();
      }
    if (best >= 0) return best;
  }
  return 0;
}

void HookTotals::tell_steps(int loader, Observation& out) const {
  const bool marked = of(SideKind::step, loader).count() > 0.0;
  const MergedTally& steps = of(marked ? SideKind::step : SideKind::interval, loader);
  const MergedTally& first = of(SideKind::first_batch, loader);
  if (steps.count() < 1.0 && first.count() < 1.0) return;
  ObservedSteps& to = out.steps.emplace();
  to.count = told(counted(marked ? steps_of_ : intervals_of_, loader, steps.count()));
  to.marked_by = marked ? "optimizer.step" : "batch";
  to.duration = seconds_of(steps);
  to.wait = seconds_of(of(marked ? SideKind::step_wait : SideKind::wait, loader));
  to.compute = seconds_of(of(marked ? SideKind::step_compute : SideKind::between, loader));
  to.gpu = seconds_of(of(marked ? SideKind::step_gpu : SideKind::batch_gpu, loader));
  // So that those of the run can be told from those of its later epochs.
  to.first_batch = first.distribution<Seconds>(unit::s, Told::by_process);
  const auto passes = passes_.find(loader);
  if (passes != passes_.end()) to.epochs = told(passes->second);
}

void HookTotals::tell_loader(int loader, Observation& out) const {
  if (of(SideKind::first_batch, loader).count() < 1.0 && facts_.empty()) return;
  const Json facts = loader_facts(facts_, loader);
  ObservedLoader& to = out.loader.emplace();
  to.workers = whole_fact(facts, "workers");
  to.kind = to.workers == 0 ? "pytorch" : "pytorch-workers";
  to.prefetch = whole_fact(facts, "prefetch");
  to.batch = whole_fact(facts, "batch");
  if (const auto it = facts.find("sampler"); it != facts.end() && it->is_string())
    to.sampler = it->get<std::string>();
  to.persistent = truth_fact(facts, "persistent");
  to.pinned = truth_fact(facts, "pinned");
  to.batch_bytes = bytes_of_tally(of(SideKind::batch_bytes, loader));
  if (const auto length = whole_fact(facts, "dataset"))
    out.figures["dataset_samples"] = static_cast<double>(*length);
}

void HookTotals::tell_samples(int loader, Observation& out) const {
  const MergedTally& wall = of(SideKind::sample_wall, loader);
  if (samples_ < 1.0 && wall.count() < 1.0) return;
  ObservedSamples& to = out.samples.emplace();
  to.count = told(counted(samples_of_, loader, std::max(samples_, wall.count())));
  to.wall = seconds_of(wall);
  to.cpu = seconds_of(of(SideKind::sample_cpu, loader));
  to.bytes = bytes_of_tally(of(SideKind::sample_read, loader));
  to.files = counts_of(of(SideKind::sample_files, loader));
}

void HookTotals::tell_saves(Observation& out) const {
  const MergedTally& saves = of(SideKind::save, 0);
  if (saves.count() > 0.0) {
    ObservedCheckpoints& to = out.saves.emplace();
    to.count = told(saves.count());
    to.duration = seconds_of(saves);
    to.bytes = bytes_of_tally(of(SideKind::save_bytes, 0));
    to.files = counts_of(of(SideKind::save_files, 0));
    to.period = seconds_of(of(SideKind::save_period, 0));
    to.period_steps = counts_of(of(SideKind::save_steps, 0));
    to.syncs = told(syncs_);
    to.sync_time = Seconds::from(sync_time_, unit::s);
    to.asynchronous = asynchronous_;
  }
  const MergedTally& loads = of(SideKind::load, 0);
  if (loads.count() > 0.0) {
    ObservedCheckpoints& to = out.loads.emplace();
    to.count = told(loads.count());
    to.duration = seconds_of(loads);
    to.bytes = bytes_of_tally(of(SideKind::load_bytes, 0));
  }
}

void HookTotals::tell_figures(int loader, Observation& out) const {
  const auto mean = [&](const char* name, SideKind kind) {
    const MergedTally& tally = of(kind, loader);
    if (tally.count() > 0.0) out.figures[name] = tally.mean();
  };
  mean("step_batches", SideKind::step_batches);
  mean("sample_run_delay_s", SideKind::sample_delay);
  mean("sample_fetched_bytes", SideKind::sample_fetched);
  const MergedTally &read = of(SideKind::sample_read, loader),
                    &fetched = of(SideKind::sample_fetched, loader);
  if (read.sum() > 0.0 && fetched.sum() <= read.sum())
    out.figures["sample_page_cache_share"] = 1.0 - fetched.sum() / read.sum();
  mean("collate_s", SideKind::collate);
  mean("collate_cpu_s", SideKind::collate_cpu);
  if (measured_ > 0.0) out.figures["samples_measured"] = measured_;
  if (in_memory_ > 0.0) out.figures["saves_in_memory"] = in_memory_;
  if (errors_ > 0.0) out.figures["hook_errors"] = errors_;
  out.figures["hooks_training_s"] = trainer_hooks_;
  out.figures["hooks_workers_s"] = worker_hooks_;
  const double busy =
      counted(samples_of_, loader, samples_) * of(SideKind::sample_wall, loader).mean() +
      of(SideKind::collate, loader).sum();
  if (busy > 0.0 && worker_hooks_ > 0.0)
    out.figures["hooks_workers_share"] = (worker_hooks_ - worker_starts_) / busy;
  const auto workers = out.loader && out.loader->workers ? *out.loader->workers : 0;
  if (workers > 0)
    out.figures["hooks_worker_starts_s"] =
        worker_starts_ / static_cast<double>(workers * out.ranks.value_or(1));
  const MergedTally& steps = of(SideKind::step, loader);
  mean("first_step_compute_s",
       steps.count() > 0.0 ? SideKind::first_compute : SideKind::first_between);
  const double measured =
      steps.count() > 0.0 ? steps.measured() : of(SideKind::interval, loader).measured();
  if (out.steps && measured > 0.0) out.figures["steps_measured"] = measured;
}

void HookTotals::tell(Observation& out) const {
  if (!any()) return;
  const int loader = training_loader();
  tell_steps(loader, out);
  tell_loader(loader, out);
  tell_samples(loader, out);
  tell_saves(out);
  if (world_)
    out.ranks = *world_;
  else if (trainers_ > 0)
    out.ranks = static_cast<std::int64_t>(trainers_);
  tell_figures(loader, out);
}

}  // namespace stallcast::calibration::live
