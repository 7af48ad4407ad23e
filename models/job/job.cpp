#include "models/job/job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/sim/join.hpp"
#include "models/contract/access.hpp"
#include "models/contract/rows.hpp"
#include "models/loading/loader_site.hpp"
#include "models/plant/host_path.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
TrainingJob::TrainingJob(const Design& design, const JobDesign& job, const Grains& grains,
                         Plant& plant, sim::Context& context, std::uint64_t seed)
    : design_(design),
      job_(job),
      grains_(grains),
      context_(context),
      plant_(plant),
      seed_(seed),
      id_(job.job.id),
      number_(static_cast<std::size_t>(&job - design.jobs.data())),
      p_(job_params(job.job)),
      layout_(plant.layout(id_)),
      step_time_(step_time(
          job.step,
          step_row(job.step.kind).mean(job.step, model_params(job.model), plant.host(p_.hosts)))),
      between_steps_(step_time_.between_steps(layout_.ranks_per_host(),
                                              static_cast<double>(plant.host(p_.hosts).cores))),
      restarts_(design, job, plant, context),
      all_have_(context) {
  const RunParams run = run_params(design.run);
  // A job ends with its epochs; one that gives none runs for `run.duration`, 1 h unless said.
  const bool bounded = p_.epochs.has_value() || (p_.steps.has_value() && !run.duration);
  horizon_ = run.duration.value_or(bounded ? Seconds::infinity() : kDefaultHorizon);
  if (!p_.epochs && bounded) p_.epochs = 1;
  steps_per_epoch_ =
      p_.steps ? static_cast<double>(*p_.steps) : std::numeric_limits<double>::infinity();
  for (const Component& failure : design.failures)
    if (!failure_row(failure.kind).style.kills) computed_.emplace();
  if (run.slowest == "all" && job.dataset)
    for (const DatasetParams::Place& place : dataset_params(*job.dataset).places())
      if (plant.varied(place.storage)) unseen_.emplace(seed, id_, "unseen", 0);
  if (job.dataset) loader_design_ = loader_design();
  for (std::size_t c = 0; c < layout_.classes(); ++c) {
    const RankPlace& place = layout_.places[c];
    RankClass ranks{.weight = layout_.weight(place),
                    .readers = layout_.readers(place),
                    .straggler = plant.groups(p_.hosts)[place.group].slow,
                    .place = place,
                    .random = base::RandomStream(seed, id_, "step", c)};
    classes_.push_back(std::move(ranks));
    if (!job.dataset) continue;
    classes_.back().loader = make_loader(c);
    steps_per_epoch_ = std::min(steps_per_epoch_, classes_.back().loader->steps_per_epoch());
  }
  if (p_.steps && steps_per_epoch_ < static_cast<double>(*p_.steps))
    warnings_.push_back("job." + id_ + ".steps: an epoch ends after " +
                        std::to_string(std::llround(steps_per_epoch_)) + " of " +
                        std::to_string(*p_.steps) + " steps, with the data set");
  if (job.dataset) batch_ = static_cast<double>(loader_params(*job.loader).batch);
  if (asks_for_gds(job) && !layout_.gds)
    warnings_.push_back("job." + id_ + ".loader: GPUDirect Storage falls back to bounce buffers: " +
                        gds_obstacle(plant.host(p_.hosts), job));
  if (saves_ask_for_gds(job) && !layout_.gds_saves)
    warnings_.push_back("job." + id_ +
                        ".checkpoint: GPUDirect Storage falls back to bounce buffers: " +
                        save_gds_obstacle(plant.host(p_.hosts), *job.checkpoint));
  if (job.checkpoint) checkpoint_ = std::make_unique<Checkpointer>(job, plant, restarts_, context);
  if (job.communication) communicator_ = std::make_unique<Communicator>(job, plant, context, seed);
}

std::shared_ptr<const LoaderDesign> TrainingJob::loader_design() const {
  LoaderDesign out{.params = loader_params(*job_.loader),
                   .policy = loader_row(job_.loader->kind).policy(*job_.loader),
                   .dataset = dataset_params(*job_.dataset),
                   .access = sample_access(job_),
                   .cache = {},
                   .hosts = p_.hosts};
  if (layout_.gds) {  // no core sees the bytes
    out.dataset.direct = true;
    out.access.parse = Rate::infinity();
  } else {
    out.cache = cache::cache_plan(design_, job_, plant_);
  }
  return std::make_shared<const LoaderDesign>(std::move(out));
}

std::unique_ptr<LoaderRuntime> TrainingJob::make_loader(std::size_t c) {
  const RankClass& ranks = classes_[c];
  LoaderSite site = loader_site(*loader_design_, job_, grains_, plant_, ranks.place, context_);
  site.apart = step_time_.cv > 0.0;
  site.keeps_up = layout_.keeps_up;
  if (site.also) {
    site.also->ranks = layout_.readers(ranks.place);
    site.also->owed = owed_;
  }
  if (unseen_) {
    const double others = std::max(layout_.readers(ranks.place) - 1.0, 0.0);
    site.client.unseen = others;
    if (site.also) site.also->client.unseen = others;
  }
  const std::size_t number =
      c + ranks.stopped.size() * classes_.size();  // what it draws is its own
  auto loader =
      std::make_unique<LoaderRuntime>(context_, loader_design_, std::move(site), layout_.readers(),
                                      base::RandomStream(seed_, id_, "samples", number));
  loader->on_batch = [this, c](Seconds date) { has_batch(classes_[c], date); };
  return loader;
}

void TrainingJob::describe(sim::Ledger& ledger) {
  if (step_time_.cv > 0.0) ledger.never();  // every step is drawn
  ledger.state(epochs_);                    // no jump leaves its epoch
  ledger.state(cold_);
  starts_.describe(ledger);
  ledger.bound(static_cast<double>(epoch_.last - epoch_.done), 1.0);
  ledger.state(training_);
  ledger.state(waiting_);
  if (last_arrival_ > context_.now()) ledger.due(last_arrival_);
  if (training_ && horizon_.finite())
    ledger.bound((horizon_ - (context_.now() - began_)).in(unit::s), step_time_.mean.in(unit::s));
  ledger.since(began_);
  if (!training_) ledger.since(ended_);  // what others go on for is not its time
  ledger.since(epoch_.began);
  ledger.count(epoch_.saving);
  ledger.count(epoch_.done);
  restarts_.describe(ledger, steps_);
  if (checkpoint_) checkpoint_->describe(ledger, steps_, training_);
  ledger.count(steps_);
  for (Seconds* time : {&useful_, &sync_}) ledger.count(*time);
  for (Bytes* bytes : {&read_, &epoch_read_, &epoch_missed_}) ledger.count(*bytes);
  waited_.describe(ledger);
  steady_.describe(ledger);
  stragglers_.describe(ledger);
  step_times_.describe(ledger);
  if (communicator_) communicator_->describe(ledger);
  for (RankClass& ranks : classes_)
    if (ranks.loader) ranks.loader->describe(ledger);
}

bool TrainingJob::time_is_up() const { return context_.now() - began_ >= horizon_; }

std::optional<TrainingJob::UnseenRank> TrainingJob::latest_unseen() {
  if (!unseen_) return std::nullopt;
  Seconds last;
  for (const RankClass& ranks : classes_) last = std::max(last, ranks.arrived);
  std::optional<UnseenRank> out;
  for (const RankClass& ranks : classes_) {
    if (ranks.batch.behind <= Seconds{}) continue;
    // Its compute is its own: that of the class is the longest of all its members.
    const Seconds compute = step_time_.slowest(1.0, *unseen_) / ranks.speed;
    const Seconds late = ranks.arrived + ranks.batch.behind + compute - ranks.compute - last;
    if (late <= (out ? out->late : Seconds{})) continue;
    out = UnseenRank{&ranks, ranks.batch.wait, compute, late};
    out->wait.add(Phase::data, ranks.batch.behind, ranks.batch.bytes.behind_by);
  }
  return out;
}

sim::Task<void> TrainingJob::step(bool first) {
  const Seconds start = context_.now();
  plant_.begin_step();
  std::vector<sim::Task<void>> parts;
  if (communicator_) {
    communicator_->begin_step(steps_, classes_.size(), step_time_.mean);
    parts.push_back(communicator_->hidden());
  }
  begin_ranks(parts);
  co_await sim::join(context_, std::move(parts));
  // All that comes after the last of the classes comes so much later.
  const std::optional<UnseenRank> unseen = latest_unseen();
  const Seconds held = unseen ? unseen->late : Seconds{};
  if (unseen) co_await context_.sleep(held);
  then_all("communication");
  if (communicator_) co_await communicator_->exposed();
  const Seconds exchanged = context_.now();
  then_all("barrier", communicator_ ? communicator_->limited_by() : kNoResource);
  // release = base + per_doubling log2(N) + per_sqrt sqrt(N)    [docs/models/training.md, eq. 2]
  const double members = std::max(layout_.ranks, 1.0);
  co_await context_.sleep(p_.barrier_base + p_.barrier_per_doubling * std::log2(members) +
                          p_.barrier_per_sqrt * std::sqrt(members));
  close_all();
  if (restarts_.failed()) {  // it never ends
    stopped_ = start;
    co_return;
  }
  // Wall time is split along the rank that arrived last: its wait, its compute, the rest is sync.
  const RankClass* last = &classes_.front();
  for (RankClass& ranks : classes_) {
    if (ranks.arrived > last->arrived) last = &ranks;
    stragglers_.arrive(ranks.straggler, ranks.arrived - start);
    const double weight = ranks.weight;
    const Bytes fetched = ranks.batch.bytes.fetched * ranks.readers;
    read_ += fetched;
    epoch_read_ += fetched;
    epoch_missed_ += ranks.batch.bytes.missed * ranks.readers;
    const Seconds wait = ranks.batch.wait.total();
    if (first) ranks.first = wait + ranks.compute;
    if (first && cold_) ranks.first += step_time_.warm_up;
    if (first) first_batches_.add(wait.in(unit::s), weight);
    if (first) first_steps_.add(ranks.first.in(unit::s), weight);
    const Seconds waited = wait - ranks.batch.starting;
    if (steps_ == 0) {
      const double part = weight / static_cast<double>(classes_.size());
      first_waited_ += waited * part;
      first_starting_ += ranks.batch.starting * part;
      first_batch_ += (start - began_ + wait) * part;
    }
    const Seconds computed =
        ranks.place.members > 1.0 ? step_time_.mean / ranks.speed : ranks.compute;
    const Seconds rest =
        ranks.arrived - start - wait - ranks.compute - (cold_ ? step_time_.warm_up : Seconds{});
    steady_.add({.wait = waited,
                 .compute = computed,
                 .barrier = context_.now() - ranks.arrived + ranks.compute - computed,
                 .rest = rest},
                weight);
  }
  steady_.end_step();
  const Seconds wall = context_.now() - start;
  Seconds communication;
  if (communicator_) {
    communication = exchanged - held - last->arrived + communicator_->slowed();
    communicator_->end_step(communication);
    waited_.add(Phase::communication, communication, communicator_->limited_by());
  }
  held_ += held;
  const RankClass& shown = unseen ? *unseen->like : *last;
  const WaitSplit& waited = unseen ? unseen->wait : last->batch.wait;
  const Seconds computed = unseen ? unseen->compute : last->compute;
  const Seconds useful =
      layout_.ranks > 1.0 ? std::min(step_time_.mean, computed) : computed * shown.speed;
  // The others waited for stragglers, as long as those computed longer than they.
  const Seconds behind = stragglers_.end_step();
  if (const Seconds more = computed * (1.0 - shown.speed); more > Seconds{})
    waited_.blame(std::min(more, behind), plant_.resources().index("host." + p_.hosts + ".slow"));
  waited_ += waited;
  useful_ += useful;
  if (computed_)
    computed_->add(shown.computes + (unseen ? shown.batch.behind : Seconds{}),
                   computed + shown.slowed + (communicator_ ? communicator_->slowed() : Seconds{}),
                   useful);
  if (checkpoint_) checkpoint_->charge(shown.slowed);
  const Seconds warm_up = std::exchange(cold_, false) ? step_time_.warm_up : Seconds{};
  sync_ += wall - waited.total() - useful - shown.slowed - communication - warm_up;
  if (warm_up > Seconds{})  // host work    [docs/models/training.md, eq. 7]
    waited_.add(Phase::cpu, warm_up, plant_.resources().index(metric::of_job(id_, "warm_up")));
  const Seconds scanned = (unseen ? unseen->like : last)->batch.scanned;
  once_ += warm_up + scanned;
  if (first) starts_.waited(waited, scanned);
  step_times_.add((wall - warm_up).in(unit::s));
  ++steps_;
}

sim::Task<void> TrainingJob::epoch(std::int64_t steps, std::int64_t done) {
  co_await train(steps, done);
  const bool failed = restarts_.failed();
  const Seconds until = failed ? restarts_.until_failure(stopped_) : context_.now();
  const Seconds once = once_ - epoch_.once + starts_.end();
  const bool to_end = !failed && epoch_.done == steps;
  const ColdEpochs::Requests asked = this->asked(plant_.requests(), JobWork::steps);
  cold_epochs_.add(until - epoch_.began - epoch_.saving - once, epoch_.done - done, epoch_read_,
                   epoch_missed_, asked, to_end,
                   to_end ? ColdEpochs::Requests{} : starts_.ahead(asked, cold_epochs_.asked()));
  if (!failed) end_epoch();
}

sim::Task<void> TrainingJob::train(std::int64_t steps, std::int64_t done) {
  const double all = static_cast<double>(steps), before = all * static_cast<double>(epochs_);
  const auto last = static_cast<std::int64_t>(std::min(all, most_steps_ - before));
  epoch_ = {.began = context_.now(),
            .saving = {},
            .once = once_,
            .steps = steps,
            .done = done,
            .last = last,
            .before = done};
  epoch_read_ = epoch_missed_ = {};
  // As in the epoch before.    [docs/models/cache.md, eq. 12]
  const Bytes buffered = checkpoint_ ? checkpoint_->buffered_per_host() : Bytes{};
  const Bytes written = buffered - std::exchange(epoch_buffered_, buffered);
  for (RankClass& ranks : classes_)
    if (ranks.loader) ranks.loader->begin_epoch(steps - done, written, done);
  begin_start(done > 0);
  while (epoch_.done < last && !time_is_up()) {
    co_await await_input();
    if (restarts_.failed()) {
      stopped_ = context_.now();
      co_return;
    }
    stepping_ = true;
    co_await step(epoch_.done == done);
    stepping_ = false;
    if (restarts_.failed()) co_return;
    ++epoch_.done;
    end_start(epoch_.done - done);
    restarts_.end_step(steps_);
    const double end =
        p_.epochs ? all * static_cast<double>(*p_.epochs) : std::numeric_limits<double>::infinity();
    context_.report_progress(std::min(
        1.0, std::max((context_.now() - began_) / horizon_,
                      (before + static_cast<double>(epoch_.done)) / std::min(end, most_steps_))));
    if (checkpoint_) {
      const Seconds start = context_.now();
      const WaitSplit blamed = recorder_ != nullptr ? checkpoint_->blamed() : WaitSplit{};
      open_all("checkpoint", steps_);
      co_await checkpoint_->settle();
      if (checkpoint_->due(steps_) && !time_is_up() && !restarts_.failed())
        co_await checkpoint_->save(progress());
      epoch_.saving += context_.now() - start;
      steady_.save(restarts_.until_failure(context_.now()) - start);
      if (recorder_ != nullptr) close_all(worst_since(blamed, checkpoint_->blamed()));
      stopped_ = restarts_.next();
      if (restarts_.failed()) co_return;
    }
    if (on_step) on_step();
  }
}

// AU as DLIO computes it, per rank and epoch, saves left out; then the mean.  [training.md, eq. 3]
// An epoch with a failure in it has none, nor has the last one where the end of the run cut it:
// that is no epoch, unless the run has no other.
void TrainingJob::end_epoch() {
  cold_epochs_.end();
  if (epoch_.before > 0) return;
  const std::int64_t steps = epoch_.done;
  const Seconds wall = context_.now() - epoch_.began - epoch_.saving;
  if (epoch_.done < epoch_.steps && !au_.empty()) return;
  if (steps < 2) return;
  for (const RankClass& ranks : classes_)
    au_.add(step_time_.mean * static_cast<double>(steps - 1) / (wall - ranks.first),
            layout_.weight(ranks.place));
  // v1.0 counts all steps over the whole epoch; v2.0 leaves the first step out of the time, two of
  // the count. AU is the same in both.    [training.md, eq. 3]
  const double samples = batch_ * layout_.readers();
  epoch_samples_.add(p_.au == "dlio-v1" ? samples * static_cast<double>(steps) / wall.in(unit::s)
                                        : samples * static_cast<double>(steps - 2) /
                                              (wall - classes_.front().first).in(unit::s));
}

sim::Task<void> TrainingJob::run() {
  began_ = context_.now();
  training_ = true;
  restarts_.begin();
  if (checkpoint_) checkpoint_->resume(steps_);
  const double most = 9e15;  // exact in a double; no epoch is longer
  const auto steps = static_cast<std::int64_t>(std::min(steps_per_epoch_, most));
  std::int64_t done = 0;
  const auto goes_on = [&] {
    return (!p_.epochs || epochs_ < *p_.epochs) &&
           static_cast<double>(epochs_) * static_cast<double>(steps) < most_steps_;
  };
  while (goes_on() && !time_is_up()) {
    co_await epoch(steps, done);
    done = 0;
    if (!restarts_.failed()) {
      ++epochs_;
      continue;
    }
    open_all("restart");
    const std::int64_t again = co_await restart();
    close_all();
    for (done = epoch_.done - again; done < 0; done += steps) --epochs_;
  }
  ended_ = context_.now();
  restarts_.over();
  training_ = false;
  if (checkpoint_) co_await checkpoint_->finish();
}

sim::Task<void> TrainingJob::restore_after() {
  if (checkpoint_) co_await checkpoint_->restore_after();
}

Seconds TrainingJob::uncontended_cpu() const {
  Seconds all = checkpoint_ ? checkpoint_->uncontended_cpu() : Seconds{};
  for (const RankClass& ranks : classes_)
    if (ranks.loader) {
      all += ranks.loader->uncontended_cpu();
      for (const auto& stopped : ranks.stopped) all += stopped->uncontended_cpu();
    }
  return all;
}

WaitSplit TrainingJob::waited() const {
  WaitSplit all = waited_;
  if (checkpoint_) all += checkpoint_->blamed();
  return all;
}

}  // namespace stallcast::models
