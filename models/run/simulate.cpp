#include "models/run/simulate.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/accelerators.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/sim/fluid_context.hpp"
#include "engine/sim/join.hpp"
#include "models/bounds/cost.hpp"
#include "models/bounds/power.hpp"
#include "models/bounds/rest_of_run.hpp"
#include "models/bounds/run_requests.hpp"
#include "models/bounds/space.hpp"
#include "models/bounds/waiting_saves.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/rows.hpp"
#include "models/job/job.hpp"
#include "models/job/storage_fault.hpp"
#include "models/plant/plant.hpp"
#include "models/record/recorder.hpp"
#include "models/run/after_credits.hpp"
#include "models/run/fast_forward.hpp"
#include "models/run/luck_of_runs.hpp"
#include "models/run/months.hpp"
#include "models/run/resource_figures.hpp"
#include "models/run/stages.hpp"
#include "models/tenant/tenant.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

// Progress of a run without jobs is reported so often.
constexpr int kParts = 100;
// A job that has not ended after so many times as long as it was to last is late.
//    [docs/models/tenants.md, eq. 20]
constexpr double kLate = 10.0;
// Less of the time of a run is not worth a word.
constexpr double kOfTime = 0.01;

// What is waited for: by the jobs, as a share of the time of each, weighed by its GPUs; without one
// by the requests of tenants, of which each counts as the part of the time that it waits for one.
//    [docs/models/blame.md, eq. 1; docs/models/tenants.md, eq. 9]
WaitSplit waited(const Design& design, const std::vector<std::unique_ptr<TrainingJob>>& jobs,
                 const std::vector<std::unique_ptr<Tenant>>& tenants,
                 const std::map<std::string, Metric>& metrics) {
  WaitSplit all;
  const auto weight = [&](std::size_t j) {
    const Seconds wall = std::max(jobs[j]->measured().wall, kShortest);
    return base::accelerators(design, design.jobs[j]) / wall.in(unit::s);
  };
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    WaitSplit own = jobs[j]->waited();
    if (j > 0 && weight(0) > 0.0) own *= weight(j) / weight(0);
    all += own;
  }
  if (!jobs.empty()) return all;
  for (std::size_t t = 0; t < tenants.size(); ++t) {
    const WaitSplit& own = tenants[t]->waited();
    Seconds total;
    for (const auto& [resource, time] : own.by_resource) total += time;
    if (total <= Seconds{}) continue;
    const double weight = tenant_weight(metrics, design.tenants[t].id);
    for (const auto& [resource, time] : own.by_resource)
      all.blame(Seconds::from(weight * (time / total), unit::s), resource);
  }
  return all;
}

}  // namespace

Simulation::Simulation(const Design& design, Presumed presumed)
    : design_(design), presumed_(presumed), plant_(std::make_unique<Plant>(design, presumed)) {}
Simulation::~Simulation() = default;

/// Everything that acts in one run.
struct Simulation::Parts {
  Parts(const Design& design, Plant& plant, std::uint64_t seed, sim::Context& context)
      : grains(design, plant.order()),
        jobs(jobs_of(design, grains, plant, seed, context)),
        fast_forward(context, plant, jobs),
        stages(design, plant, context, jobs, seed,
               [this, &context] { return context.now() + fast_forward.skipped(); }) {
    for (const Component& tenant : design.tenants)
      tenants.push_back(tenant_row(tenant.kind).make(tenant, plant, context, seed));
    for (auto& tenant : tenants)
      if (!tenant->ends()) context.spawn(tenant->run());
    for (const Component& failure : design.failures)
      if (!failure_row(failure.kind).style.kills)
        faults.push_back(
            std::make_unique<StorageFault>(design, failure, plant, context, seed, jobs));
    for (auto& fault : faults) {
      for (auto& tenant : tenants) tenant->suffer(fault->storage(), fault->outages());
      plant.resources().fails(fault->storage(), plant.resources().index(fault->resource()),
                              fault->outages());
      context.spawn(fault->run());
    }
    if (std::ranges::any_of(tenants, [](const auto& t) { return t->arrives() && !t->ends(); }))
      for (auto& job : jobs)
        if (job->horizon().finite()) context.spawn(close_late(context, *job));
    skips = run_params(design.run).fast_forward && tenants.empty() && faults.empty();
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      jobs[j]->struck_elsewhere = [this, &plant, j](const std::string& failure) {
        for (std::size_t k = 0; k < jobs.size(); ++k)
          if (plant.order().apart(j, k) && jobs[k]->struck_by(failure)) return true;
        return false;
      };
      ahead.push_back(0);
      for (std::size_t k = 0; k < jobs.size(); ++k)
        if (plant.order().before(k, j)) ++ahead.back();
    }
  }
  /// Of requests that arrive by themselves ever more wait where the storage is too slow for them,
  /// so that a job beside them gets ever less of it: once one is late, tenants begin nothing new.
  /// [docs/models/tenants.md, eq. 20]
  sim::Task<void> close_late(sim::Context& context, const TrainingJob& job) {
    const Seconds late = kLate * job.horizon();
    while (!job.stepping() || !job.trains_for(late)) co_await context.sleep(late);
    if (!closed.empty()) co_return;
    for (auto& tenant : tenants) tenant->stop_now();
    closed = "tenants begin nothing new from " +
             base::print_quantity(context.now().in(unit::s), Dimension::time) + " on: job \"" +
             job.id() + "\" was to end after " +
             base::print_quantity(job.horizon().in(unit::s), Dimension::time) +
             ", and its last step was still under way. They ask for more than the storage gives; a "
             "\"limit\" or a \"stop\" of theirs, or faster storage, leaves more to the job";
  }
  static std::vector<std::unique_ptr<TrainingJob>> jobs_of(const Design& design,
                                                           const Grains& grains, Plant& plant,
                                                           std::uint64_t seed,
                                                           sim::Context& context) {
    std::vector<std::unique_ptr<TrainingJob>> out;
    for (const JobDesign& job : design.jobs) {
      out.push_back(std::make_unique<TrainingJob>(design, job, grains, plant, context, seed));
      if (const auto steps = steps_to_end(design, job)) out.back()->end_after(*steps);
    }
    return out;
  }
  // Until the jobs, the stages and the tenants that end have ended, or for as long as the run is to
  // last where there are none. A restore that is asked for comes after that: it costs no training,
  // and no fault is left that would disturb it.    [docs/models/checkpoint.md, Restore]
  sim::Task<void> run(sim::Context& context, Seconds duration) {
    std::vector<sim::Task<void>> programs = stages.programs();
    for (auto& tenant : tenants)
      if (tenant->ends()) programs.push_back(tenant->run());
    const bool timed = programs.empty();
    co_await sim::join(context, std::move(programs));
    for (int part = 1; timed && part <= kParts; ++part) {
      const double share = static_cast<double>(part) / kParts;
      co_await context.sleep(std::max(Seconds{}, duration * share - context.now()));
      context.report_progress(share);
    }
    for (auto& fault : faults) fault->end();
    at_end();
    std::map<std::size_t, std::vector<sim::Task<void>>> restores;  // of a row one after the other
    for (std::size_t j = 0; j < jobs.size(); ++j)
      restores[ahead[j]].push_back(jobs[j]->restore_after());
    for (auto& [before, at_one_time] : restores)
      co_await sim::join(context, std::move(at_one_time));
    context.stop();  // what loaders still read ahead is of no interest
  }
  /// A step of a job ended: what repeats is skipped, while no stage moves data.
  void step_done() {
    if (skips && !stages.moving()) fast_forward.step_done();
  }
  /// A step of job number `j` ended while `recorder` records.
  void step_done(std::size_t j, sim::Context& context, Recorder& recorder) {
    const Seconds before = fast_forward.skipped();
    if (j == 0) step_done();
    recorder.step_done(fast_forward.skipped());
    if (fast_forward.skipped() > before) context.spawn(begin_window(context, recorder));
  }
  /// With no step under way the window begins at its date: data are staged, a state is saved or
  /// restored, tenants are alone.
  sim::Task<void> begin_window(sim::Context& context, Recorder& recorder) {
    const Seconds until =
        std::max(Seconds{}, recorder.window() - fast_forward.skipped() - context.now());
    context.watch(until);
    co_await context.sleep(until);
    if (std::none_of(jobs.begin(), jobs.end(), [](const auto& job) { return job->stepping(); }))
      recorder.step_done(fast_forward.skipped());
  }
  /// What every resource carried so far, in `wall`.
  std::vector<ResourceUse> uses(const Plant& plant, const sim::Context& context, Seconds wall,
                                Plant::Queues& under_way) const {
    std::vector<ResourceUse> out = plant.report(context, wall, &under_way);
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < out.size(); ++i) places.emplace(out[i].name, i);
    const auto add = [&](const std::string& host, Seconds computed, bool at_most_all) {
      const auto place = places.find("host." + host + ".cpu");
      if (place == places.end()) return;
      ResourceUse& use = out[place->second];
      use.throughput += computed / wall;
      if (at_most_all) use.throughput = std::min(use.throughput, use.capacity);
    };
    for (const auto& job : jobs) add(job->host(), job->uncontended_cpu(), false);
    for (const auto& tenant : tenants) {
      add(tenant->host(), tenant->computed(), true);
      if (auto limit = tenant->limit_use(wall)) out.push_back(*std::move(limit));
    }
    for (const auto& [host, time] : stages.computed()) add(host, time, false);
    return out;
  }
  Grains grains;
  std::vector<std::unique_ptr<TrainingJob>> jobs;
  std::vector<std::unique_ptr<Tenant>> tenants{};
  std::vector<std::unique_ptr<StorageFault>> faults{};
  FastForward fast_forward;
  Stages stages;
  std::string closed{};  ///< why tenants were closed before the end, for people; "": they were not
  bool skips = false;    ///< what repeats
  std::vector<std::size_t> ahead{};  ///< of each job: those that have ended when it begins
  /// Called when all of them have ended, before restores begin.
  std::function<void()> at_end = [] {};
};

RunResult Simulation::run(std::uint64_t seed, sim::Context& context) {
  Window window = measure(seed, context);
  if (window.credits.empty() || !follows_credits(design_)) return finish(std::move(window));
  const CreditsGone gone = after_credits(
      design_, window, [&](const Design& later) { return measure_also(later, seed, {}); });
  // What follows the job begins when it ends.
  if (gone.slowed > Seconds{} && !stage_graph(design_).empty())
    window = measure_also(design_, seed, {{gone.job, gone.slowed}});
  gone.add_to(window.result.metrics);
  return finish(std::move(window));
}

Window Simulation::measure_also(const Design& design, std::uint64_t seed,
                                std::map<std::string, Seconds> slowed) const {
  const auto context = sim::make_fluid_context();
  Simulation other(design, presumed_);
  other.slowed_ = std::move(slowed);
  return other.measure(seed, *context);
}

Window Simulation::measure(std::uint64_t seed, sim::Context& context) {
  const Design& design = design_;
  Plant& plant = *plant_;
  plant.attach(context, seed);
  Parts parts(design, plant, seed, context);
  auto& [grains, jobs, tenants, faults, fast_forward, stages, closed, skips, ahead, at_end] = parts;
  if (skips && !jobs.empty()) jobs.front()->on_step = [&parts] { parts.step_done(); };
  const Seconds duration = run_params(design.run).duration.value_or(Seconds{});

  Window window;
  RunResult& result = window.result;
  result.seed = seed;
  stages.slow(slowed_);
  stages.on_last_step = [&] { window.credits = plant.credits(); };
  // Until the last byte of the run was moved: saves may end after the last step, restores that are
  // asked for begin then.    [docs/models/checkpoint.md]
  Seconds end, wall;
  Plant::Queues queues, under_way;
  at_end = [&] {
    end = context.now();
    wall = end + parts.fast_forward.skipped() - parts.stages.left_out();
    if (const Seconds alone = parts.stages.tenants_alone(); alone > wall * kOfTime)
      result.warnings.push_back(
          "tenants go on for " + base::print_quantity(alone.in(unit::s), Dimension::time) +
          " in which whole runs of jobs are waited for and not simulated: means over the run "
          "(resource.*, requests) are too low for what jobs move; give tenants a \"stop\" within "
          "what is simulated of the jobs, or leave \"run\" of these out");
    // What takes no time, as a replay may, moves nothing either: its rates are zero over any span.
    if (wall < kShortest) wall = Seconds::from(1.0, unit::s);
    result.resources = parts.uses(plant, context, wall, under_way);
    std::ranges::move(plant.unevenly_busy(context, wall), std::back_inserter(result.warnings));
    if (!parts.closed.empty()) result.warnings.push_back(parts.closed);
    queues = plant.queues(wall);
    plant.over(wall);
    window.requests.counts = plant.requests();
    for (std::size_t j = 0; j < parts.jobs.size(); ++j)
      window.requests.jobs[design.jobs[j].job.id] = parts.jobs[j]->requests(window.requests.counts);
    for (const auto& tenant : parts.tenants) tenant->report(result);
  };
  context.spawn(parts.run(context, duration));
  context.run();

  for (const auto& job : jobs) job->report(result);
  stages.report(result);
  for (const auto& fault : faults) fault->report(result);
  add_time_of_outages(design, result);
  for (std::size_t j = 0; j < jobs.size(); ++j)
    add_failures(design, design.jobs[j], *jobs[j], plant, seed, result);
  plant.remark(result);
  if (stages.empty())
    blame(waited(design, jobs, tenants, result.metrics), {}, plant.resources(), result.resources);
  else
    blame(stages.waited(), stages.time(), plant.resources(), result.resources);
  std::sort(result.resources.begin(), result.resources.end(),
            [](const ResourceUse& a, const ResourceUse& b) { return a.name < b.name; });
  add_resources(result.resources, std::move(queues), std::move(under_way), result.metrics);
  std::vector<Room> rooms = spaces(design);
  std::vector<BytesOfTier> waiting;
  for (const auto& job : jobs) {
    const Checkpointer* saves = job->measured().saves;
    waiting.push_back(saves == nullptr ? BytesOfTier{} : saves->most_waiting());
  }
  add_waiting(design, waiting, rooms);
  add_spaces(rooms, result.metrics);
  for (const Room& room : rooms) {
    for (const char* figure :
         {"capacity.used", "capacity.headroom", "capacity.needed", "capacity.full_after"})
      result.limited_by[metric::of_storage(room.storage, figure)] =
          metric::of_storage(room.storage, "capacity");
    for (const char* figure : {"wear.dwpd", "wear.life"})
      result.limited_by[metric::of_storage(room.storage, figure)] =
          metric::of_storage(room.storage, "wear");
  }
  // Jobs alone pay for what their saves ask for after the last step, too: as steps go on, so do
  // they.
  if (!jobs.empty() && tenants.empty() && stages.trains_only()) {
    const Seconds after = end - stages.left_out() - stages.last_step();
    if (const Seconds steps = wall - after; steps > kShortest) window.rates.drained = wall / steps;
  }
  window.requests.wall = wall / window.rates.drained;
  result.simulated_s = (context.now() + fast_forward.skipped()).in(unit::s);
  result.skipped_s = fast_forward.skipped().in(unit::s);
  result.events = context.events();
  return window;
}

std::map<std::string, Metric> Simulation::resources(sim::Context& context) {
  plant_->attach(context, 1);
  const Parts parts(design_, *plant_, 1, context);
  const Seconds any = Seconds::from(1.0, unit::s);
  std::map<std::string, Metric> out;
  Plant::Queues under_way;
  const std::vector<ResourceUse> uses = parts.uses(*plant_, context, any, under_way);
  add_resources(uses, plant_->queues(any), std::move(under_way), out);
  return out;
}

RunResult Simulation::finish(Window window) const {
  const Design& design = design_;
  RunResult& result = window.result;
  const Costs prices = costs(design);
  add_outages_of_runs(design, result);
  window.rates.whole = whole_rates(design, window.requests, result.metrics);
  add_costs(design, prices, result.metrics, window.rates);
  add_whole_runs(design, prices, result.metrics);
  add_lasting(design, result.metrics);
  for (std::string& warning : unlike_the_rest(design, result.metrics))
    result.warnings.push_back(std::move(warning));
  const Powers power = powers(design);
  add_power(design, power, result.metrics);
  add_luck_of_runs(design, result);
  if (const CostItem* most = prices.most_bought()) result.limited_by[metric::kCapex] = most->name;
  if (const CostItem* most = prices.most_per_time())
    for (const char* by_time : {metric::kHourlyCost, metric::kUsefulGpuHour})
      result.limited_by[by_time] = most->name;
  if (std::string missing = missing_prices(prices); !missing.empty())
    result.warnings.push_back(std::move(missing));
  for (std::string& missing : missing_powers(power)) result.warnings.push_back(std::move(missing));
  return std::move(window.result);
}

Timeline Simulation::record(std::uint64_t seed, sim::Context& context,
                            const TimelineRequest& request) {
  plant_->attach(context, seed);
  Recorder recorder(request, context, *plant_);
  Parts parts(design_, *plant_, seed, context);
  for (auto& job : parts.jobs) job->record(recorder);
  for (auto& fault : parts.faults) fault->record(recorder);
  for (auto& tenant : parts.tenants) tenant->record(recorder);
  parts.stages.record(recorder);
  parts.fast_forward.stop_before(recorder.window());
  for (std::size_t j = 0; j < parts.jobs.size(); ++j)
    parts.jobs[j]->on_step = [&, j] { parts.step_done(j, context, recorder); };
  context.spawn(parts.begin_window(context, recorder));
  context.spawn(parts.run(context, run_params(design_.run).duration.value_or(Seconds{})));
  context.run();
  return recorder.take(seed);
}

RunResult simulate(const Design& design, std::uint64_t seed, sim::Context& context) {
  return Simulation(design).run(seed, context);
}

}  // namespace stallcast::models
