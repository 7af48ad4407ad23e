#include "models/job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/quantity_text.hpp"
#include "engine/sim/join.hpp"
#include "models/dataload/access.hpp"
#include "models/host_path.hpp"
#include "models/rows.hpp"

namespace stallcast::models {
namespace {

constexpr Seconds kDefaultHorizon = Seconds::from(1.0, unit::h);

LoaderSite loader_site(const Design& design, const JobDesign& job, Plant& plant, std::size_t group,
                       const RankLayout& layout, sim::Context& context) {
  const std::string host = job_params(job.job).hosts;
  const HostParams& p = plant.host(host);
  const LoaderParams loader = loader_params(*job.loader);
  LoaderSite site;
  const DatasetParams dataset = dataset_params(*job.dataset);
  const std::string storage = dataset.on;
  site.storage = &plant.storage(storage);
  site.client = plant.client(host, group, storage, layout.reading_members(), layout.gds);
  // Core time a byte costs on its way in: copies, and the client.    [host.md, eq. 3]
  site.cores = plant.cores(host, group, storage, layout.reading_members());
  if (!layout.gds && site.storage->client_limits().page_cache)
    site.cores.rates.process =
        in_series(site.cores.rates.process, dataset.direct ? p.cpu_direct : p.cpu_copy);
  site.copy_resource = plant.resources().index("host." + host + ".gpu.copy");
  const LoaderPolicy policy = loader_row(job.loader->kind).policy(*job.loader);
  site.last_resource = policy.gpu_copies ? site.copy_resource : site.cores.resource;
  if (policy.gpu_decode > Seconds{})
    site.last_resource = plant.resources().index("host." + host + ".gpu.decode");
  if (policy.import_on) {
    site.imports = &plant.storage(*policy.import_on);
    site.imports_client = plant.client(host, group, *policy.import_on, layout.reading_members());
  }
  if (const cache::CachePlan plan = cache::cache_plan(design, job, plant); plan.used && !layout.gds)
    site.cache = std::make_unique<cache::DatasetCache>(plan, dataset, plant, host, group, context);
  if (loader.copy == "pinned" || (loader.copy == "gds" && !layout.gds)) site.gpu_copy = p.gpu_copy;
  if (loader.copy == "pageable") site.gpu_copy = p.gpu_copy_pageable;
  site.gpu_link = plant.host_link(host, group, "pcie.down");
  site.peers = batch_peers(p, job);
  site.nvlink = plant.host_link(host, group, "nvlink");
  site.peer_rate = p.nvlink_payload();
  site.nvlink_resource = plant.resources().index("host." + host + ".nvlink");
  return site;
}

}  // namespace

TrainingJob::TrainingJob(const Design& design, const JobDesign& job, Plant& plant,
                         sim::Context& context, std::uint64_t seed)
    : context_(context),
      plant_(plant),
      id_(job.job.id),
      p_(job_params(job.job)),
      layout_(plant.layout(id_)),
      step_time_(step_time(
          job.step,
          step_row(job.step.kind).mean(job.step, model_params(job.model), plant.host(p_.hosts)))) {
  const RunParams run = run_params(design.run);
  // A job ends with its epochs; one that gives none runs for `run.duration`, 1 h unless said.
  const bool bounded = p_.epochs.has_value() || (p_.steps.has_value() && !run.duration);
  horizon_ = run.duration.value_or(bounded ? Seconds::infinity() : kDefaultHorizon);
  if (!p_.epochs && bounded) p_.epochs = 1;
  steps_per_epoch_ =
      p_.steps ? static_cast<double>(*p_.steps) : std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < layout_.classes(); ++c) {
    RankClass ranks{nullptr, base::RandomStream(seed, id_, "step", c), {}, {}, {}, {}, {}};
    if (job.dataset) {
      DatasetParams dataset = dataset_params(*job.dataset);
      SampleAccess access = sample_access(job);
      if (layout_.gds) {  // no core sees the bytes
        dataset.direct = true;
        access.parse = Rate::infinity();
      }
      const LoaderParams loader = loader_params(*job.loader);
      batch_ = static_cast<double>(loader.batch);
      ranks.loader = std::make_unique<LoaderRuntime>(
          context, loader, loader_row(job.loader->kind).policy(*job.loader), dataset, access,
          loader_site(design, job, plant, c / layout_.per_group, layout_, context),
          layout_.readers(), base::RandomStream(seed, id_, "samples", c));
      steps_per_epoch_ = std::min(steps_per_epoch_, ranks.loader->steps_per_epoch());
      if (!layout_.gds) cache_ = cache::cache_plan(design, job, plant);
    }
    classes_.push_back(std::move(ranks));
  }
  if (asks_for_gds(job) && !layout_.gds)
    warnings_.push_back("job." + id_ + ".loader: GPUDirect Storage falls back to bounce buffers: " +
                        gds_obstacle(plant.host(p_.hosts), job));
  if (saves_ask_for_gds(job) && !layout_.gds_saves)
    warnings_.push_back("job." + id_ +
                        ".checkpoint: GPUDirect Storage falls back to bounce buffers: " +
                        save_gds_obstacle(plant.host(p_.hosts), *job.checkpoint));
  if (job.checkpoint) checkpoint_ = std::make_unique<Checkpointer>(job, plant, context);
  if (job.communication) communicator_ = std::make_unique<Communicator>(job, plant, context, seed);
}

void TrainingJob::describe(sim::Ledger& ledger) {
  if (step_time_.cv > 0.0) ledger.never();  // every step is drawn
  ledger.bound(static_cast<double>(epoch_.steps - epoch_.done), 1.0);
  if (horizon_.finite())
    ledger.bound((horizon_ - (context_.now() - began_)).in(unit::s), step_time_.mean.in(unit::s));
  ledger.since(began_);
  ledger.since(epoch_.began);
  ledger.count(epoch_.saving);
  ledger.count(epoch_.done);
  if (checkpoint_) checkpoint_->describe(ledger, steps_);
  ledger.count(steps_);
  for (Seconds* time : {&useful_, &sync_}) ledger.count(*time);
  for (Bytes* bytes : {&read_, &epoch_read_, &epoch_missed_}) ledger.count(*bytes);
  waited_.describe(ledger);
  steady_.describe(ledger);
  step_times_.describe(ledger);
  if (communicator_) communicator_->describe(ledger);
  for (RankClass& ranks : classes_)
    if (ranks.loader) ranks.loader->describe(ledger);
}

bool TrainingJob::time_is_up() const { return context_.now() - began_ >= horizon_; }

sim::Task<void> TrainingJob::rank_step(RankClass& ranks) {
  ranks.batch = {};
  if (ranks.loader) ranks.batch = co_await ranks.loader->next();
  ranks.compute = step_time_.slowest(layout_.members(), ranks.random);
  ranks.slowed = checkpoint_ ? ranks.compute * checkpoint_->slowdown() : Seconds{};
  if (communicator_) {
    const Communicator::Split split = communicator_->split(ranks.compute + ranks.slowed);
    co_await context_.sleep(split.before + step_time_.overhead);
    communicator_->reached();
    co_await context_.sleep(split.beside);
  } else {
    co_await context_.sleep(ranks.compute + ranks.slowed + step_time_.overhead);
  }
  if (ranks.loader && ranks.loader->gpu_work() > Seconds{}) {
    co_await context_.sleep(ranks.loader->gpu_work());
    ranks.batch.wait.add(Phase::cpu, ranks.loader->gpu_work(), ranks.loader->gpu_resource());
  }
  ranks.arrived = context_.now();
}

sim::Task<void> TrainingJob::step(bool first) {
  const Seconds start = context_.now();
  std::vector<sim::Task<void>> parts;
  if (communicator_) {
    communicator_->begin_step(classes_.size(), step_time_.mean);
    parts.push_back(communicator_->hidden());
  }
  for (RankClass& ranks : classes_) parts.push_back(rank_step(ranks));
  co_await sim::join(context_, std::move(parts));
  if (communicator_) co_await communicator_->exposed();
  const Seconds exchanged = context_.now();
  // release = base + per_doubling log2(N) + per_sqrt sqrt(N)    [docs/models/training.md, eq. 2]
  const double members = std::max(layout_.ranks, 1.0);
  co_await context_.sleep(p_.barrier_base + p_.barrier_per_doubling * std::log2(members) +
                          p_.barrier_per_sqrt * std::sqrt(members));
  // Wall time is split along the rank that arrived last: its wait, its compute, the rest is sync.
  const RankClass* last = &classes_.front();
  for (RankClass& ranks : classes_) {
    if (ranks.arrived > last->arrived) last = &ranks;
    read_ += ranks.batch.bytes.fetched * layout_.reading_members();
    epoch_read_ += ranks.batch.bytes.fetched * layout_.reading_members();
    epoch_missed_ += ranks.batch.bytes.missed * layout_.reading_members();
    if (first) ranks.first = ranks.batch.wait.total() + ranks.compute;
    if (first) first_batches_.add(ranks.batch.wait.total().in(unit::s));
    if (first) first_steps_.add(ranks.first.in(unit::s));
    const Seconds waited = ranks.batch.wait.total() - ranks.batch.starting;
    if (steps_ == 0) first_waited_ += waited / static_cast<double>(classes_.size());
    const Seconds computed = layout_.members() > 1.0 ? step_time_.mean : ranks.compute;
    const Seconds rest = ranks.arrived - start - ranks.batch.wait.total() - ranks.compute;
    steady_.add({.wait = waited,
                 .compute = computed,
                 .barrier = context_.now() - ranks.arrived + ranks.compute - computed,
                 .rest = rest});
  }
  steady_.end_step();
  const Seconds wall = context_.now() - start;
  Seconds communication;
  if (communicator_) {
    communication = exchanged - last->arrived + communicator_->slowed();
    communicator_->end_step(communication);
    waited_.add(Phase::communication, communication, communicator_->limited_by());
  }
  const Seconds useful =
      layout_.ranks > 1.0 ? std::min(step_time_.mean, last->compute) : last->compute;
  waited_ += last->batch.wait;
  useful_ += useful;
  if (checkpoint_) checkpoint_->charge(last->slowed);
  sync_ += wall - last->batch.wait.total() - useful - last->slowed - communication;
  step_times_.add(wall.in(unit::s));
  ++steps_;
}

sim::Task<void> TrainingJob::epoch(std::int64_t steps) {
  epoch_ = {.began = context_.now(), .saving = {}, .steps = steps, .done = 0};
  epoch_read_ = epoch_missed_ = {};
  // As in the epoch before.    [docs/models/cache.md, eq. 12]
  const Bytes buffered = checkpoint_ ? checkpoint_->buffered_per_host() : Bytes{};
  const Bytes written = buffered - std::exchange(epoch_buffered_, buffered);
  for (RankClass& ranks : classes_)
    if (ranks.loader) ranks.loader->begin_epoch(steps, written);
  while (epoch_.done < steps && !time_is_up()) {
    co_await step(epoch_.done == 0);
    ++epoch_.done;
    if (horizon_.finite())
      context_.report_progress(std::min(1.0, (context_.now() - began_) / horizon_));
    else if (p_.epochs)
      context_.report_progress(static_cast<double>(steps_) /
                               (static_cast<double>(steps) * static_cast<double>(*p_.epochs)));
    if (checkpoint_) {
      const Seconds start = context_.now();
      co_await checkpoint_->settle();
      if (checkpoint_->due(steps_) && !time_is_up()) co_await checkpoint_->save(steps_);
      epoch_.saving += context_.now() - start;
      steady_.save(context_.now() - start);
    }
    if (on_step) on_step();
  }
  end_epoch();
}

// AU as DLIO computes it, per rank and epoch, saves left out; then the mean.  [training.md, eq. 3]
void TrainingJob::end_epoch() {
  const std::int64_t steps = epoch_.done;
  const Seconds wall = context_.now() - epoch_.began - epoch_.saving;
  if (steps < 2) return;
  for (const RankClass& ranks : classes_)
    au_.add(step_time_.mean * static_cast<double>(steps - 1) / (wall - ranks.first));
  // v1.0 counts all steps over the whole epoch; v2.0 leaves the first step out of the time, two of
  // the count.
  const double samples = batch_ * layout_.readers();
  epoch_samples_.add(p_.au == "dlio-v1" ? samples * static_cast<double>(steps) / wall.in(unit::s)
                                        : samples * static_cast<double>(steps - 2) /
                                              (wall - classes_.front().first).in(unit::s));
}

sim::Task<void> TrainingJob::run() {
  began_ = context_.now();
  const double most = 9e15;  // exact in a double; no epoch is longer
  for (std::int64_t e = 0; (!p_.epochs || e < *p_.epochs) && !time_is_up(); ++e)
    co_await epoch(static_cast<std::int64_t>(std::min(steps_per_epoch_, most)));
  ended_ = context_.now();
  if (checkpoint_) co_await checkpoint_->finish();
}

Seconds TrainingJob::uncontended_cpu() const {
  Seconds all = checkpoint_ ? checkpoint_->uncontended_cpu() : Seconds{};
  for (const RankClass& ranks : classes_)
    if (ranks.loader) all += ranks.loader->uncontended_cpu();
  return all;
}

WaitSplit TrainingJob::waited() const {
  WaitSplit all = waited_;
  if (checkpoint_) all += checkpoint_->blamed();
  return all;
}

TrainingJob::Measured TrainingJob::measured() const {
  return {.wall = wall(),
          .useful = useful_,
          .saving = checkpoint_ ? checkpoint_->stalled() : Seconds{},
          .steps = step_times_,
          .first_wait = Seconds::from(first_batches_.mean(), unit::s),
          .saves = checkpoint_.get(),
          .layout = layout_};
}

// Of the last epoch: earlier ones may have been colder.
void TrainingJob::report_cache(RunResult& out) const {
  if (!cache_.used) return;
  const std::string name = "job." + id_ + ".cache.";
  out.metrics[name + "size"] = {cache_.size.in(unit::B), "B", {}};
  out.metrics[name + "missed"] = {epoch_missed_.in(unit::B), "B", {}};
  if (epoch_read_ > Bytes{}) {
    const double missed = epoch_missed_ / epoch_read_;
    out.metrics[name + "hit"] = {1.0 - missed, "ratio", {}};
    out.metrics[name + "miss"] = {missed, "ratio", {}};
  }
  if (cache_.size == Bytes{})
    out.warnings.push_back("job." + id_ +
                           ".cache: processes and snapshots leave no host memory for it");
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
  const std::string name = "job." + id_ + ".";
  const Seconds wall = this->wall();
  out.warnings.insert(out.warnings.end(), warnings_.begin(), warnings_.end());
  remark_barrier(out);
  const auto ratio = [&](const std::string& key, Seconds part) {
    out.metrics[name + key] = {part / wall, "ratio", {}};
  };
  ratio("gpu.utilization", useful_);
  ratio("goodput", useful_);
  if (!au_.empty()) out.metrics[name + "au"] = {au_.mean(), "ratio", {}};
  step_times_.report(name + "step.time", "s", out);
  steady_.report(name, out);
  out.metrics[name + "steps"] = {static_cast<double>(steps_), "count", {}};
  if (classes_.front().loader) {
    first_batches_.report(name + "first_batch", "s", out);
    first_steps_.report(name + "first_step", "s", out);
    out.metrics[name + "first_batch.waited"] = {first_waited_.in(unit::s), "s", {}};
    const double samples = batch_ * layout_.readers() * static_cast<double>(steps_);
    out.metrics[name + "throughput.samples"] = {samples / wall.in(unit::s), "1/s", {}};
    out.metrics[name + "throughput.bytes"] = {(read_ / wall).in(unit::Bps), "B/s", {}};
    report_cache(out);
    if (!epoch_samples_.empty())
      out.metrics[name + "throughput.dlio"] = {epoch_samples_.mean(), "1/s", {}};
  }
  const auto wait = [&](Phase phase) { return waited_.by_phase[static_cast<std::size_t>(phase)]; };
  ratio("stall.data", wait(Phase::data));
  ratio("stall.metadata", wait(Phase::metadata));
  ratio("stall.cpu", wait(Phase::cpu));
  if (const ResourceIndex worst = waited().worst(); worst != kNoResource)
    out.limited_by["job." + id_] = plant_.resources().name(worst);
  const Seconds saving = checkpoint_ ? checkpoint_->stalled() : Seconds{};
  auto& shares = out.breakdown[id_];
  for (const char* cause : kBreakdownCauses) shares[cause] = 0.0;
  shares["compute"] = useful_ / wall;
  shares["communication"] = wait(Phase::communication) / wall;
  shares["data"] = wait(Phase::data) / wall;
  shares["metadata"] = wait(Phase::metadata) / wall;
  shares["cpu"] = wait(Phase::cpu) / wall;
  shares["checkpoint"] = saving / wall;
  shares["sync"] = sync_ / wall;
  if (communicator_) communicator_->report(id_, out);
  if (checkpoint_) checkpoint_->report(id_, wall, out);
}

}  // namespace stallcast::models
