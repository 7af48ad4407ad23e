#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/decide/predict/predict.hpp"
#include "models/bounds/space.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/limit.hpp"
#include "stallcast/metric.hpp"

/// What limits a metric: decided once, for every verb.    [docs/models/blame.md]
namespace stallcast::predict {
namespace {

/// The job whose time `metric` is about, all that it waits for; "" where it is of something else.
std::string job_of_time(const Prediction& prediction, std::string_view metric) {
  constexpr std::string_view kCounting[] = {
      "gpu.utilization", "goodput",  "au",       "step.time",
      "throughput",      "run.time", "run.days", "checkpoint.best_interval"};
  for (const auto& [job, shares] : prediction.breakdown) {
    const std::string prefix = metric::of_job(job);
    if (!metric.starts_with(prefix)) continue;
    const std::string_view rest = metric.substr(prefix.size());
    if (std::any_of(std::begin(kCounting), std::end(kCounting),
                    [&](std::string_view name) { return rest.starts_with(name); }))
      return job;
  }
  return "";
}

/// Whether ranks of `job` wait more for each other than for anything else.
bool held_by_barrier(const Prediction& prediction, const std::string& job) {
  double sync = 0.0, other = 0.0;
  for (const auto& [cause, share] : prediction.breakdown.at(job)) {
    if (cause == "sync")
      sync = share;
    else if (cause != "compute")
      other += share;
  }
  return sync > other;
}

/// Whether something too slow can be why `metric` is missed: not of money, power and space, nor of
/// how many or how large things are.
bool can_be_limited(const Prediction& prediction, std::string_view metric) {
  const metric::Domain domain = metric::parse(metric).domain;
  if (domain == metric::Domain::power || domain == metric::Domain::space) return false;
  if (domain == metric::Domain::tenant) return true;  // what it is behind with
  const auto known = prediction.metrics.find(std::string(metric));
  constexpr std::string_view kNone[] = {"count", "B", "USD", "USD/h", "kWh"};
  return known == prediction.metrics.end() ||
         std::find(std::begin(kNone), std::end(kNone), known->second.unit) == std::end(kNone);
}

/// What `id` gains most from, alone; "" where nothing is known to. Of GPUs that are `lent` only the
/// whole run knows.
std::string gains_most(const Prediction& prediction, const std::string& id, bool lent) {
  if (!prediction.gains) return "";
  double most = prediction.gains->noise;
  std::string out;
  for (const Bottleneck& b : prediction.bottlenecks)
    if (const double gain = b.gain ? gain_of(*b.gain, id) : 0.0;
        gain >= most && gain > 0.0 && gain >= noise_of(*b.gain, id, 0.0) &&
        (lent || !is_lending(b.resource))) {
      if (!out.empty() && gain == most) continue;
      most = gain;
      out = b.resource;
    }
  return out;
}

}  // namespace

bool tried_by_its_figure(const Prediction& prediction, std::string_view metric) {
  const metric::Domain domain = metric::parse(metric).domain;
  return domain != metric::Domain::resource && domain != metric::Domain::cost &&
         !models::is_of_space(metric) && can_be_limited(prediction, metric) &&
         job_of_time(prediction, metric).empty();
}

std::string known_limiter(const Prediction& prediction, std::string_view metric) {
  const metric::Name name = metric::parse(metric);
  if (name.domain == metric::Domain::resource) return std::string(name.id);
  if (name.domain == metric::Domain::cost) return "";  // what it is spent on is no limit
  if (!can_be_limited(prediction, metric)) {
    const auto own = prediction.limited_by.find(std::string(metric));
    return own == prediction.limited_by.end() ? std::string() : own->second;
  }
  // A stage begins when those before it let it: nothing of its own.
  if (name.domain == metric::Domain::stage && name.figure == "start") {
    const auto before = prediction.limited_by.find(std::string(metric));
    return before == prediction.limited_by.end() ? std::string() : before->second;
  }
  const std::string job = job_of_time(prediction, metric);
  const std::string whole = job.empty() ? "" : "job." + job;  // where it waited most, all in all
  // of the time of a job with its best interval, too, a save is no more than a part
  const std::string saves = job.empty() ? "" : whole + ".checkpoint";
  // the longest entry that is the metric or a parent of it
  for (std::string entry(metric); !entry.empty() && entry != whole && entry != saves;) {
    const auto found = prediction.limited_by.find(entry);
    if (found != prediction.limited_by.end()) return found->second;
    const std::size_t dot = entry.rfind('.');
    entry.resize(dot == std::string::npos ? 0 : dot);
  }
  return "";
}

std::string limiter(const Prediction& prediction, std::string_view metric) {
  if (const TargetGain* tried = gain_of_target(prediction, metric)) return tried->resource;
  if (std::string known = known_limiter(prediction, metric); !known.empty()) return known;
  const metric::Name name = metric::parse(metric);
  if (name.domain == metric::Domain::cost || !can_be_limited(prediction, metric)) return "";
  const std::string job = job_of_time(prediction, metric);
  const bool tenant = name.domain == metric::Domain::tenant && of_tenants_alone(prediction);
  if (!job.empty() || tenant)
    if (std::string first = gains_most(prediction, tenant ? std::string(name.id) : job,
                                       name.figure.starts_with("run."));
        !first.empty())
      return first;
  if (!job.empty() && held_by_barrier(prediction, job)) return metric::of_job(job, "barrier");
  const auto whole = prediction.limited_by.find(job.empty() ? "" : "job." + job);
  if (whole != prediction.limited_by.end()) return whole->second;
  // Of a figure that is neither all the time of jobs nor told by a row of its own nobody knows.
  const bool all = !job.empty() || tenant || metric.starts_with("time.");
  return !all || prediction.bottlenecks.empty() ? "" : prediction.bottlenecks.front().resource;
}

}  // namespace stallcast::predict
