#include "models/failure/restarts.hpp"

#include <algorithm>

#include "engine/base/quantity_text.hpp"
#include "models/contract/training.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

// What ends at a date ends there, whatever adding up its dates rounds.
constexpr double kSameDate = 1e-9;

RecoveryParams recovery_of(const JobDesign& job) {
  return job.recovery ? recovery_params(*job.recovery) : RecoveryParams{};
}

}  // namespace

Restarts::Restarts(const Design& design, const JobDesign& job, Plant& plant, sim::Context& context)
    : context_(context),
      outages_(outages(design, job_params(job.job).hosts)),
      recovers_(job.recovery.has_value()),
      recovery_(recovery_of(job)),
      mount_(recovery_.mounted(plant.layout(job.job.id).used_hosts())),
      missing_(recovery_),
      own_(plant.resources().index(metric::of_job(job.job.id, "failures"))),
      waiting_for_(plant.resources().index(metric::of_job(job.job.id, "spares"))) {}

Seconds Restarts::next() const {
  return passed_ < outages_.size() ? run_began_ + outages_[passed_].at : Seconds::infinity();
}

void Restarts::begin() {
  at_work_ = true;
  begins_ = context_.now() - run_began_;
  while (next() < context_.now()) ++passed_;
  early_ = passed_;
}

bool Restarts::failed() const {
  if (struck_) return true;
  if (!at_work_) return false;  // what it still saves is no work
  const Seconds date = next();
  return date.finite() && context_.now() - date > date * kSameDate;
}

// A wait for it may end a rounding earlier.
bool Restarts::due() const {
  const Seconds date = next();
  return date.finite() && date - context_.now() <= date * kSameDate;
}

void Restarts::record(Recorder& recorder, const std::string& job) {
  if (!outages_.empty())
    lane_ = &recorder.lane({.kind = "failure", .job = job, .name = "failures"});
}

Outage Restarts::take() {
  const Outage outage = outages_[passed_++];
  struck_ = false;
  missing_.fail(outage.at, outage.hosts, outage.repair);
  if (lane_ != nullptr && lane_->idle()) {
    lane_->open_since(run_began_ + outage.at, "failure", static_cast<std::int64_t>(passed_));
    lane_->open_since(run_began_ + outage.at, "restart");
  } else if (!restarting_) {  // again, before the job was where it had been
    then(lane_, "restart");
  }
  restarting_ = true;
  return outage;
}

Seconds Restarts::left_until(Seconds date) const {
  return std::max(Seconds{}, run_began_ + date - context_.now());
}

void Restarts::pass(Seconds start) {
  const Seconds waited = missing_.waiting(start - run_began_, context_.now() - run_began_);
  waited_ += waited;
  blamed_.blame(waited, waiting_for_);
  blamed_.blame(std::max(Seconds{}, context_.now() - start - waited), own_);
}

sim::Task<void> Restarts::notice(const Outage& outage) {
  const Seconds start = context_.now();
  co_await context_.sleep(left_until(outage.at + recovery_.detect));
  pass(start);
}

// t = t_there + t_mount + t_start + t_init    [docs/models/failures.md, eq. 14]
sim::Task<void> Restarts::start() {
  const Seconds start = context_.now(), away = left_until(missing_.there());
  const Seconds waited = missing_.waiting(start - run_began_, missing_.there());
  way_ = {.began = start,
          .parts = {{{"waiting for a spare", waited},
                     {"replace", std::max(Seconds{}, away - waited)},
                     {"mount", mount_},
                     {"start processes", recovery_.start},
                     {"initialise", recovery_.init}}}};
  const Seconds ready = start + away + mount_ + recovery_.start + recovery_.init;
  co_await context_.sleep(std::max(Seconds{}, until_failure(ready) - start));
  pass(start);
}

// t = t_mount + t_start + t_init
std::optional<Seconds> Restarts::startup() const {
  if (!recovers_) return std::nullopt;
  return mount_ + recovery_.start + recovery_.init;
}

void Restarts::end(const Course& course) {
  const Seconds now = context_.now();
  time_ += now - course.stopped;
  durations_.add((now - course.failed).in(unit::s));
  lost_.add((course.lost + std::max(Seconds{}, course.failed - course.stopped)).in(unit::s));
  again_.add(static_cast<double>(course.again));
  if (back_at_ == 0) {
    behind_since_ = course.failed;
    back_at_ = course.done;
  }
  back_at_ += course.again;
  restarting_ = false;
  then(lane_, "lost steps", own_);
  end_step(course.done);
}

void Restarts::end_step(std::int64_t steps) {
  if (back_at_ == 0 || steps < back_at_) return;
  behind_.add((context_.now() - behind_since_).in(unit::s));
  close_all(lane_);
  back_at_ = 0;
}

void Restarts::describe(sim::Ledger& ledger, std::int64_t steps) {
  ledger.state(passed_);
  ledger.since(run_began_);
  if (at_work_ && next().finite()) ledger.bound((next() - context_.now()).in(unit::s), 0.0);
  ledger.state(back_at_ > 0);
  if (back_at_ == 0) return;
  ledger.since(behind_since_);
  ledger.bound(static_cast<double>(back_at_ - steps), 1.0);
}

bool Restarts::struck_by(const std::string& failure) const {
  const auto at = [&](std::size_t i) { return outages_.begin() + static_cast<std::ptrdiff_t>(i); };
  return std::any_of(at(early_), at(passed_),
                     [&](const Outage& outage) { return outage.id == failure; });
}

void Restarts::report(const std::string& name, const ResourceTable& resources,
                      const std::function<bool(const std::string&)>& elsewhere,
                      RunResult& out) const {
  if (outages_.empty()) return;
  const std::string key = name + "restart.";
  out.metrics[key + "count"] = {static_cast<double>(durations_.size()), "count", {}};
  const auto warn = [&](std::size_t which, const std::string& why) {
    if (elsewhere && elsewhere(outages_[which].id)) return;
    out.warnings.push_back("failure." + outages_[which].id + ": " +
                           name.substr(0, name.size() - 1) + why + ": it does nothing to it");
  };
  for (std::size_t i = 0; i < early_; ++i)
    warn(i, " begins after " + base::print_quantity(begins_.in(unit::s), Dimension::time) +
                " of the run, later than this failure comes");
  for (std::size_t i = passed_; i < outages_.size(); ++i)
    warn(i, " is over after " + base::print_quantity(over_.in(unit::s), Dimension::time) +
                " of the run, before this failure comes");
  // What did not come took nothing: a job that is over before a failure is no worse for it.
  const auto none = [&](const char* what, const char* unit) {
    out.metrics[key + what] = {0.0, unit, {}};
  };
  if (passed_ == early_) {
    for (const char* what : {"duration", "restore.duration", "waiting", "lost_work", "caught_up"})
      none(what, "s");
    none("lost_steps", "count");
  }
  if (durations_.empty()) return;
  if (recovery_.spares) none("waiting", "s");
  out.limited_by[name + "restart"] = name + "failures";
  const auto mean = [&](const char* what, const Series& series, const char* unit) {
    if (!series.empty()) out.metrics[key + what] = {series.mean(), unit, {}};
  };
  mean("duration", durations_, "s");
  if (const ResourceIndex worst = blamed_.worst(); worst != kNoResource)
    out.limited_by[key + "duration"] = resources.name(worst);
  mean("lost_work", lost_, "s");
  mean("lost_steps", again_, "count");
  mean("caught_up", behind_, "s");
  if (waited_ > Seconds{})
    out.metrics[key + "waiting"] = {
        waited_.in(unit::s) / static_cast<double>(durations_.size()), "s", {}};
}

}  // namespace stallcast::models
