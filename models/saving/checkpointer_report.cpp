#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "models/saving/checkpointer.hpp"
#include "stallcast/metric.hpp"

/// What a job's saves report at its end, and what of them repeats while it runs.
namespace stallcast::models {
namespace {

constexpr double kSameTime = 1e-9;  // of an interval

/// The least mean of `turns` that follow each other: what an outage held up is not how it goes on.
///    [docs/models/checkpoint.md, eq. 18]
double quickest(const std::vector<double>& values, std::size_t turns) {
  turns = std::min(turns, values.size());
  double sum = 0.0, least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] - (i < turns ? 0.0 : values[i - turns]);
    if (i + 1 >= turns) least = std::min(least, sum / static_cast<double>(turns));
  }
  return least;
}

}  // namespace

// Steps that make up an interval do so whatever adding up their dates rounds.
Seconds Checkpointer::until_due() const {
  return *p_.every * (1.0 - kSameTime) - (mover_.context().now() - last_start_);
}

void Checkpointer::describe(sim::Ledger& ledger, std::int64_t steps, bool training) {
  mover_.describe(ledger);
  for (Retention& tier : retention_) tier.describe(ledger);
  buffers_.describe(ledger);
  idle_.describe(ledger);
  copied_.describe(ledger);
  ledger.state(copying_);
  ledger.state(flushing_);
  ledger.state(resumed_);
  // Which of the next saves are whole, and go on to the last tier.
  ledger.state(begun_ % p_.full_every);
  ledger.state(chain_);
  ledger.state(begun_ % p_.drain_every);
  const std::int64_t more = ledger.growth(begun_);
  const Seconds since = mover_.context().now() - last_start_;
  if (training && p_.every_steps)
    ledger.countdown(static_cast<double>(*p_.every_steps - (steps - last_steps_)), begun_);
  else if (training && p_.every)
    ledger.countdown(until_due().in(unit::s), begun_);
  last_start_ = last_start_ - ledger.growth(since);
  ledger.since(first_start_);
  const std::int64_t beyond = ledger.growth(steps - last_steps_);
  last_steps_ += ledger.growth(steps) - beyond;
  begun_ += more;
  copies_.describe(ledger);
  ledger.state(static_cast<std::int64_t>(last_limit_));
  ledger.count(stalled_);
  ledger.count(slowed_);
  ledger.count(slowed_steps_);
  counted_.describe(ledger);
  for (WaitSplit& tier : beyond_) tier.describe(ledger);
  blamed_.describe(ledger);
  for (Series* series : {&stalls_, &durations_, &parts_, &backpressure_, &rank0_})
    series->describe(ledger);
  staged_.describe(ledger);
  for (SaveSeries& series : complete_) series.describe(ledger);
}

// As they began, what they waited for a buffer included.
Seconds Checkpointer::interval() const {
  const std::int64_t count = begun_ - 1 - anew_;
  if (count < 1) return Seconds::infinity();
  return (last_start_ - first_start_) / static_cast<double>(count);
}

Seconds Checkpointer::cost() const {
  return Seconds::from(stalls_.mean(), unit::s) + slowed_by_save();
}

// q = cost / interval    [docs/models/whole-run.md, eq. 4]
double Checkpointer::due_share() const {
  if (p_.every_steps || stalls_.empty() || !interval().finite()) return 0.0;
  const double share = cost() / interval();
  return share < 1.0 ? share : 0.0;
}

// o = w q / (1 - q) - stalled; of saves by steps, cost n / N - stalled
//    [docs/models/whole-run.md, eq. 4]
Seconds Checkpointer::owed(Seconds work, std::int64_t steps) const {
  if (stalls_.empty()) return {};
  if (p_.every_steps)
    return cost() * (static_cast<double>(steps) / static_cast<double>(*p_.every_steps)) - stalled_;
  const double share = due_share();  // none before the second
  return share > 0.0 ? work * (share / (1.0 - share)) - stalled_ : Seconds{};
}

double Checkpointer::due_over_begun(Seconds time, std::int64_t steps) const {
  const auto begun = static_cast<double>(begun_);
  if (begun_ == 0) return 1.0;
  if (p_.every_steps)
    return static_cast<double>(steps) / static_cast<double>(*p_.every_steps) / begun;
  return interval().finite() ? time / interval() / begun : 1.0;
}

// Also sync: then a save follows the one before after a step. By steps a sync save is never late,
// and others are due a wait for a buffer before they begin.    [docs/models/checkpoint.md, eq. 3]
bool Checkpointer::falls_behind() const {
  if (stalls_.empty() || (!p_.every && staged_.empty())) return false;
  const auto turns = static_cast<std::size_t>(p_.full_every);
  std::vector<double> flushes = staged_.empty() ? stalls_.values() : staged_.in_order();
  for (std::size_t i = 0; i < flushes.size() && !staged_.empty(); ++i)
    flushes[i] -=
        flushes.size() == backpressure_.size() ? backpressure_.values()[i] : backpressure_.mean();
  const double flush =
      quickest(flushes, turns) / static_cast<double>(staged_.empty() ? 1 : p_.buffers);
  const Seconds waited = Seconds::from(backpressure_.empty() ? 0.0 : backpressure_.mean(), unit::s);
  return flush > p_.every.value_or(interval() - waited).in(unit::s);
}

// Nothing holds back a save whose bytes have left host memory: on their way to a tier behind there
// are as many as one takes times the interval.    [docs/models/checkpoint.md, eq. 18]
std::optional<std::string> Checkpointer::drains_late() const {
  const std::vector<std::string>& tiers = mover_.tiers();
  if (style_.blocking) return {};
  for (std::size_t t = leaves_ + 1; t < tiers.size(); ++t) {
    if (complete_[t].empty()) continue;
    const std::int64_t drains = t + 1 == tiers.size() && t != durable_ ? p_.drain_every : 1;
    const std::map<std::int64_t, double> before = complete_[t - 1].numbered();
    std::vector<double> took;
    for (const auto& [nth, there] : complete_[t].numbered())
      if (const auto from = before.find(nth * drains); from != before.end())
        took.push_back(there - from->second);
    const double each = quickest(took, static_cast<std::size_t>(p_.chain(drains)));
    if (!took.empty() && each > interval().in(unit::s) * static_cast<double>(drains))
      return tiers[t];
  }
  return {};
}

Checkpointer::Saves Checkpointer::saves() const {
  Saves out{stalls_, backpressure_, staged_.in_order(), {}, mover_.tiers()};
  for (const SaveSeries& tier : complete_) out.complete.push_back(tier.in_order());
  return out;
}

Seconds Checkpointer::slowed() const {
  return slowed_steps_ == 0 ? Seconds{} : slowed_ / static_cast<double>(slowed_steps_);
}

Seconds Checkpointer::slowed_by_save() const {
  return stalls_.empty() ? Seconds{} : slowed_ / static_cast<double>(stalls_.size());
}

std::string Checkpointer::waiting() const {
  std::string out;
  for (const auto& [tier, bytes] : most_waiting())
    out += "; " + base::print_quantity(bytes.in(unit::B), Dimension::bytes) +
           " of saves that \"keep\" would have deleted waited in \"" + tier + "\" in the end";
  return out;
}

void Checkpointer::report(const std::string& job, Seconds wall, RunResult& out) const {
  const std::string name = metric::checkpoint(job);
  out.metrics[name + "size"] = {size_.in(unit::B), "B", {}};
  out.metrics[name + "count"] = {static_cast<double>(stalls_.size()), "count", {}};
  out.metrics[name + "stall.total"] = {stalled_.in(unit::s), "s", {}};
  out.metrics[name + "overhead"] = {stalled_ / wall, "ratio", {}};
  if (const Seconds slowed = slowed_by_save(); slowed > Seconds{})
    out.metrics[name + "slowed"] = {slowed.in(unit::s), "s", {}};
  stalls_.report(name + "stall", "s", out);
  durations_.report(name + "duration", "s", out);
  backpressure_.report(name + "backpressure", "s", out);
  if (!durations_.empty()) {
    const Bytes moved = size_ * parts_.mean();  // less by increments    [checkpoint.md, eq. 9]
    out.metrics[name + "bandwidth"] = {moved.in(unit::B) / durations_.mean(), "B/s", {}};
    const auto add_took = [&](const WaitSplit& took, std::size_t saves) {
      for (const auto& [resource, time] : took.by_resource) {
        if (time <= Seconds{}) continue;
        Metric& each = out.metrics[name + "took." + mover_.plant().resources().name(resource)];
        each = {each.value + time.in(unit::s) / static_cast<double>(saves), "s", {}};
      }
    };
    add_took(counted_, durations_.size());
    for (std::size_t t = 0; t < beyond_.size(); ++t) add_took(beyond_[t], complete_[t].size());
    out.metrics[name + "rank0"] = {rank0_.mean(), "s", {}};
    if (!p_.ends_in_memory()) {
      out.metrics[name + "files"] = {mover_.layout().files(), "count", {}};
      out.metrics[name + "held"] = {kept().most_held().in(unit::B), "B", {}};
    }
  } else {
    out.warnings.push_back("job." + job +
                           ".checkpoint: the run ended before the first save was due");
  }
  const bool goes_on =
      durable_ == kInMemory ? !mover_.tiers().empty() : durable_ + 1 < mover_.tiers().size();
  // Saves that go no further than a tier before the last never settle there.
  if (goes_on && !complete_.back().empty())
    out.metrics[name + "settled"] = {complete_.back().mean(), "s", {}};
  ResourceTable& resources = mover_.plant().resources();
  const auto limit = [&](const char* metric, const WaitSplit& split) {
    if (const ResourceIndex worst = mover_.worst_of(split); worst != kNoResource)
      out.limited_by[name + metric] = resources.name(worst);
  };
  limit("duration", counted_);
  limit("bandwidth", counted_);
  limit("rank0", counted_);
  if (out.metrics.contains(name + "settled")) {
    WaitSplit all = counted_;
    for (const WaitSplit& tier : beyond_) all += tier;
    limit("settled", all);
  }
  limit("stall", blamed_);
  limit("overhead", blamed_);
  // A save that an outage holds up is one of many.
  const auto of_longest = [&](const char* metric, const Longest& longest) {
    if (longest.by != kNoResource) out.limited_by[name + metric] = resources.name(longest.by);
  };
  of_longest("duration.max", longest_);
  of_longest("stall.max", longest_stall_);
  if (last_limit_ != kNoResource)
    out.limited_by[name + "backpressure"] = resources.name(last_limit_);
  const std::string due = p_.every ? "\"every\"" : "\"every_steps\"";
  if (falls_behind())
    out.warnings.push_back("job." + job + ".checkpoint: saves take longer than " + due +
                           ": each begins when the one before leaves room");
  if (const std::optional<std::string> tier = drains_late())
    out.warnings.push_back("job." + job + ".checkpoint: saves take longer to drain to \"" + *tier +
                           "\" than " + due +
                           ": each begins before the one before is there, and they fall behind "
                           "for as long as the run goes on where they share what limits them" +
                           waiting());
  out.warnings.insert(out.warnings.end(), warnings_.begin(), warnings_.end());
  const std::string after = metric::of_job(job, "restore."),
                    again = metric::of_job(job, "restart.restore.");
  restore_.report(after, resources, out);
  const auto last = std::find_if(again_.rbegin(), again_.rend(),
                                 [](const auto& one) { return one->took() > Seconds{}; });
  if (last != again_.rend())
    (*last)->report(again, resources, out);
  else if (out.metrics.contains(metric::of_job(job, "restart.duration")))
    out.metrics[again + "duration"] = {given_restore_.in(unit::s), "s", {}};  // 0: anew
  // Where none was asked for after the run, that of a restart is the one there is.
  if (restore_.took() > Seconds{}) return;
  if (last != again_.rend())
    (*last)->report(after, resources, out);
  else if (given_restore_ > Seconds{})
    out.metrics[after + "duration"] = out.metrics[again + "duration"];
}

}  // namespace stallcast::models
