#include "models/run/stages.hpp"

#include <algorithm>
#include <utility>

#include "models/run/months.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

// A stage that waited for its input for more of its time was held up: pieces end apart by less.
constexpr double kHeldUp = 0.02;
// What a stage did for more of its time limits it.
constexpr double kDecides = 0.5;

}  // namespace

Stages::Stages(const Design& design, Plant& plant, sim::Context& context, const Jobs& jobs,
               std::uint64_t seed, std::function<Seconds()> date)
    : design_(design),
      plant_(plant),
      context_(context),
      seed_(seed),
      jobs_(jobs),
      date_(std::move(date)) {
  const std::vector<StageNode> nodes = stage_graph(design);
  stages_.reserve(nodes.size());
  for (const StageNode& node : nodes) stages_.push_back({.node = node});
  for (const Component& tenant : design.tenants) {
    const Value* stop = tenant.find("stop");
    tenants_until_ =
        std::max(tenants_until_,
                 stop == nullptr ? Seconds::infinity() : Seconds::from(stop->number, unit::s));
  }
  const std::vector<WholeRun> whole = whole_runs(design);
  for (Stage& stage : stages_) {
    stage.brings = std::make_unique<StageSupply>(context);
    if (stage.node.job == nullptr) {
      stage.mover = std::make_unique<StageMover>(stage.node, plant, context);
      continue;
    }
    for (std::size_t j = 0; j < design.jobs.size(); ++j)
      if (&design.jobs[j] == stage.node.job) stage.job = jobs[j].get();
    for (const WholeRun& run : whole)
      if (run.job == stage.node.job->job.id) stage.whole = run;
  }
}

void Stages::record(Recorder& recorder) {
  for (Stage& stage : stages_)
    stage.lane = &recorder.lane({.kind = "stage", .name = stage.node.id});
}

std::vector<sim::Task<void>> Stages::programs() {
  std::vector<sim::Task<void>> out;
  for (Stage& stage : stages_) out.push_back(run(stage));
  for (const auto& job : jobs_)
    if (std::none_of(stages_.begin(), stages_.end(),
                     [&](const Stage& stage) { return stage.job == job.get(); }))
      out.push_back(work(*job));
  return out;
}

void Stages::count(int& what, int more) {
  const Seconds since = std::exchange(counted_at_, date_());
  if (simulated_ == 0 && waiting_ > 0) {
    const Seconds beside = std::clamp(tenants_until_, since, counted_at_) - since;
    tenants_alone_ += beside;
    left_out_ += counted_at_ - since - beside;
  }
  what += more;
}

sim::Task<void> Stages::work(TrainingJob& job) {
  count(simulated_, 1);
  co_await job.run();
  count(simulated_, -1);
  last_step_ = std::max(last_step_, job.ended() - left_out_);
  on_last_step();
}

sim::Task<void> Stages::run(Stage& stage) {
  co_await context_.sleep(stage.node.start);
  std::vector<StageSupply*> behind;
  for (const std::size_t before : stage.node.after) behind.push_back(stages_[before].brings.get());
  co_await reach_all(behind, stage.node.begins_with);
  open(stage.lane, stage.job != nullptr ? "train" : stage.node.stage->kind);
  if (stage.job != nullptr) {
    co_await train(stage, behind);
  } else {
    ++moving_;
    count(simulated_, 1);
    co_await stage.mover->run(behind, *stage.brings);
    count(simulated_, -1);
    --moving_;
    stage.began = date_() - (context_.now() - stage.mover->began());
  }
  close(stage.lane);
  stage.ended = date_();
  stage.brings->bring(1.0);
}

// T = max(simulated, run.time)          [docs/models/stages.md, eq. 4]
sim::Task<void> Stages::train(Stage& stage, std::vector<StageSupply*> behind) {
  stage.began = date_();
  if (stage.node.streams) stage.job->read_behind(behind);
  co_await work(*stage.job);
  if (!stage.whole) co_return;
  RunResult simulated;
  stage.job->report(simulated);
  const std::string& id = stage.node.job->job.id;
  add_failures(design_, *stage.node.job, *stage.job, plant_, seed_, simulated);
  if (simulated.metrics.contains(metric::of_job(id, "failures.count")))
    stage.failed = simulated.breakdown[id]["restart"];
  if (const auto slowed = slowed_.find(id); slowed != slowed_.end())
    simulated.metrics[metric::of_job(id, "run.slowed")] = {slowed->second.in(unit::s), "s", {}};
  const std::optional<Seconds> whole = time_of(*stage.whole, simulated.metrics);
  stage.open = !whole;
  count(waiting_, 1);
  co_await context_.sleep(std::max(Seconds{}, whole.value_or(Seconds{}) - (date_() - stage.began)));
  count(waiting_, -1);
}

Seconds Stages::time() const {
  Seconds first = Seconds::infinity(), last;
  for (const Stage& stage : stages_) {
    first = std::min(first, stage.began);
    last = std::max(last, stage.ended);
  }
  return stages_.empty() ? Seconds{} : last - first;
}

std::optional<std::size_t> Stages::held_up_by(const Stage& stage) const {
  if (stage.starved() <= stage.time() * kHeldUp) return std::nullopt;
  return streams_behind(stage);
}

std::optional<std::size_t> Stages::streams_behind(const Stage& stage) const {
  if (!stage.node.streams || stage.node.after.empty()) return std::nullopt;
  return *std::max_element(
      stage.node.after.begin(), stage.node.after.end(),
      [&](std::size_t a, std::size_t b) { return stages_[a].ended < stages_[b].ended; });
}

std::optional<std::size_t> Stages::started_by(const Stage& stage) const {
  if (stage.node.after.empty() || stage.began <= stage.node.start) return std::nullopt;
  const auto ready = [&](std::size_t n) {
    return stage.node.streams ? stages_[n].began : stages_[n].ended;
  };
  return *std::max_element(stage.node.after.begin(), stage.node.after.end(),
                           [&](std::size_t a, std::size_t b) { return ready(a) < ready(b); });
}

std::vector<Seconds> Stages::decisive() const {
  if (stages_.empty()) return {};
  const auto last =
      std::max_element(stages_.begin(), stages_.end(),
                       [](const Stage& a, const Stage& b) { return a.ended < b.ended; });
  return decisive(static_cast<std::size_t>(last - stages_.begin()), last->ended);
}

const Stages::Stage* Stages::slowest(const std::vector<Seconds>& parts) const {
  const auto most = std::max_element(parts.begin(), parts.end());
  if (most == parts.end() || *most <= Seconds{}) return nullptr;
  return &stages_[static_cast<std::size_t>(most - parts.begin())];
}

// From the last end back: a stage decides until it began, or until what held it up ended.
//    [docs/models/stages.md, eq. 5]
std::vector<Seconds> Stages::decisive(std::size_t at, Seconds until) const {
  std::vector<Seconds> out(stages_.size());
  for (;;) {
    const Stage& stage = stages_[at];
    if (const auto by = held_up_by(stage); by && stages_[*by].ended > stage.began) {
      const Seconds since = std::min(until, stages_[*by].ended);
      out[at] += until - since;
      until = since;
      at = *by;
      continue;
    }
    out[at] += std::max(Seconds{}, until - stage.began);
    until = std::min(until, stage.began);
    const auto before = started_by(stage);
    if (!before) return out;
    at = *before;
  }
}

WaitSplit Stages::waited() const {
  WaitSplit all;
  const std::vector<Seconds> parts = decisive();
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const Stage& stage = stages_[s];
    const WaitSplit own = stage.limited();
    Seconds total = stage.mover ? Seconds{} : stage.job->wall();
    if (stage.mover)
      for (const auto& [resource, time] : own.by_resource) total += time;
    if (total <= Seconds{}) continue;
    for (const auto& [resource, time] : own.by_resource)
      all.blame(parts[s] * ((1.0 - stage.failed) * (time / total)), resource);
    if (stage.failed > 0.0)
      all.blame(parts[s] * stage.failed, plant_.resources().index(failures_of(stage)));
  }
  return all;
}

std::vector<std::pair<std::string, Seconds>> Stages::computed() const {
  std::vector<std::pair<std::string, Seconds>> out;
  for (const Stage& stage : stages_)
    if (stage.mover) out.emplace_back(stage.node.move.hosts, stage.mover->uncontended());
  return out;
}

std::string Stages::failures_of(const Stage& stage) {
  return metric::of_job(stage.node.job->job.id, "failures");
}

std::string Stages::limit_of(const Stage& stage) const {
  if (const auto by = held_up_by(stage); by && stage.starved() > stage.time() * kDecides)
    return metric::of_stage(stages_[*by].node.id, "rate");
  const WaitSplit own = stage.limited();
  if (stage.job != nullptr &&
      stage.job->useful() * (1.0 - stage.failed) > stage.job->wall() * kDecides)
    return metric::of_job(stage.node.job->job.id, "compute");
  const ResourceIndex worst = own.worst();
  const Seconds waited = worst == kNoResource ? Seconds{} : own.by_resource.find(worst)->second;
  if (stage.failed > 0.0 && stage.job->wall() * stage.failed > waited * (1.0 - stage.failed))
    return failures_of(stage);
  return worst == kNoResource ? std::string() : plant_.resources().name(worst);
}

bool Stages::is_open(const Stage& stage) const { return stage.open || follows_open(stage); }

bool Stages::follows_open(const Stage& stage) const {
  return std::any_of(stage.node.after.begin(), stage.node.after.end(),
                     [this](std::size_t before) { return is_open(stages_[before]); });
}

void Stages::report(const Stage& stage, RunResult& out) const {
  const auto set = [&](const char* figure, double value, const char* unit) {
    out.metrics[metric::of_stage(stage.node.id, figure)] = {value, unit, {}};
  };
  if (!follows_open(stage)) set("start", stage.began.in(unit::s), "s");
  if (is_open(stage)) return;
  set("end", stage.ended.in(unit::s), "s");
  set("time", stage.time().in(unit::s), "s");
  set("waited", stage.starved().in(unit::s), "s");
  if (stage.mover) {
    set("read", stage.node.read.in(unit::B), "B");
    set("written", stage.node.written.in(unit::B), "B");
    if (stage.time() > Seconds{})
      set("rate", (stage.node.read / stage.time()).in(unit::Bps), "B/s");
  }
  if (const std::string limit = limit_of(stage); !limit.empty())
    out.limited_by["stage." + stage.node.id] = limit;
  if (const auto before = streams_behind(stage))
    out.limited_by[metric::of_stage(stage.node.id, "waited")] =
        metric::of_stage(stages_[*before].node.id, "rate");
}

void Stages::report(RunResult& out) const {
  if (stages_.empty()) return;
  for (const Stage& stage : stages_) report(stage, out);
  if (std::any_of(stages_.begin(), stages_.end(), [this](const Stage& s) { return is_open(s); }))
    return;
  // Dates are those of what went before.
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const auto limited = [&](const char* date, const Stage* most) {
      if (most != nullptr)
        out.limited_by[metric::of_stage(stages_[s].node.id, date)] = limit_of(*most);
    };
    if (const auto before = started_by(stages_[s]))
      limited("start", slowest(decisive(*before, stages_[s].began)));
    limited("end", slowest(decisive(s, stages_[s].ended)));
  }
  out.metrics[metric::kPipelineTime] = {time().in(unit::s), "s", {}};
  report_first_batch(out);
  const std::vector<Seconds> parts = decisive();
  const Stage* most = slowest(parts);
  if (most == nullptr) return;
  const Seconds decides = *std::max_element(parts.begin(), parts.end());
  out.metrics[metric::kPipelineLimit] = {decides / time(), "ratio", {}};
  out.limited_by[metric::kPipelineLimit] = "stage." + most->node.id;
  const std::string limit = limit_of(*most);
  out.limited_by["pipeline"] = limit.empty() ? "stage." + most->node.id : limit;
}

void Stages::report_first_batch(RunResult& out) const {
  Seconds date = Seconds::infinity();
  std::size_t first = 0;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (stages_[s].job == nullptr || !stages_[s].node.job->dataset) continue;
    const Seconds there = stages_[s].began + stages_[s].job->first_batch();
    if (there < date) date = there, first = s;
  }
  if (!date.finite()) return;
  out.metrics[metric::kPipelineFirstBatch] = {date.in(unit::s), "s", {}};
  // Of what was before it, if anything was.
  const auto before = started_by(stages_[first]);
  const Stage* most = before ? slowest(decisive(*before, stages_[first].began)) : &stages_[first];
  if (most != nullptr) out.limited_by[metric::kPipelineFirstBatch] = limit_of(*most);
}

}  // namespace stallcast::models
