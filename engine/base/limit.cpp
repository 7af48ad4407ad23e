#include "stallcast/limit.hpp"

#include <algorithm>
#include <cmath>

#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"

namespace stallcast {
namespace {

/// How far from its limit, as a share of the limit.
double missed_by(const AssertionOutcome& a) {
  const double limit = a.limit.value_or(0.0);
  return limit != 0.0 ? std::abs(a.value - limit) / std::abs(limit) : std::abs(a.value);
}

/// The missed target that must hold and is missed by most, of those that say what limits them.
const AssertionOutcome* worst_missed(const Prediction& p) {
  const AssertionOutcome* worst = nullptr;
  for (const AssertionOutcome& a : p.assertions)
    if (a.level == "error" && a.status == "fail" && !a.limited_by.empty() &&
        (worst == nullptr || missed_by(a) > missed_by(*worst)))
      worst = &a;
  return worst;
}

const Bottleneck* find_bottleneck(const Prediction& p, const std::string& resource) {
  const auto found = std::find_if(p.bottlenecks.begin(), p.bottlenecks.end(),
                                  [&](const Bottleneck& b) { return b.resource == resource; });
  return found == p.bottlenecks.end() ? nullptr : &*found;
}

/// The job or tenant that the target `id` is about; "" where it is of none.
std::string job_of(const std::string& id, const Prediction& p) {
  for (const AssertionOutcome& a : p.assertions)
    if (a.id == id) return std::string(metric::parse(a.metric).id);
  return "";
}

/// Of one resource: by what it gains, else by what it costs.
Limit by_resource(const Prediction& p, const std::string& resource, std::string target) {
  const Bottleneck* b = find_bottleneck(p, resource);
  const std::vector<std::string> parts =
      b != nullptr && b->gain ? b->gain->parts : std::vector<std::string>();
  // More than three say nothing.
  const bool few = parts.size() > 1 && parts.size() < 4;
  const std::string label = few ? label::of_several(parts) : label::of_resource(resource);
  if (is_barrier(resource)) {
    const auto own = p.breakdown.find(std::string(metric::parse(resource).id));
    if (own == p.breakdown.end() || p.breakdown.size() == 1)
      return {Limit::Kind::barrier, resource, label, mean_share(p, "sync"), std::move(target)};
    const auto sync = own->second.find("sync");
    return {Limit::Kind::barrier, resource,  label, sync == own->second.end() ? 0.0 : sync->second,
            std::move(target),    own->first};
  }
  // Of a target of one job among several, what that job saves.
  const std::string job = b != nullptr && b->gain ? job_of(target, p) : "";
  if (b != nullptr && b->gain && b->gain->each.contains(job)) {
    if (const double saved = b->gain->each.at(job);
        saved >= noise_of(*b->gain, job, p.gains->noise))
      return {Limit::Kind::gain, resource, label, saved, std::move(target), job};
  } else if (b != nullptr) {
    if (const Gain* gain = gain_of(*b, p))
      return {label::are_several(resource) ? Limit::Kind::together : Limit::Kind::gain, resource,
              label, gain->time, std::move(target)};
  }
  const double share = b == nullptr ? 0.0 : b->blamed_share * waiting_share(p);
  return {Limit::Kind::resource, resource, label, share, std::move(target)};
}

Limit in_words(Limit::Kind kind, const std::string& words, double share) {
  return {kind, words, words, share};
}

/// By its resource where there is one job, so that it has one name whatever was tried.
Limit by_slowest_rank(const Prediction& p) {
  if (p.breakdown.size() == 1)
    return by_resource(p, metric::of_job(p.breakdown.begin()->first, "barrier"), {});
  return in_words(Limit::Kind::barrier, "the slowest rank", mean_share(p, "sync"));
}

}  // namespace

bool is_barrier(std::string_view resource) {
  return resource.ends_with(".barrier") && !label::are_several(resource);
}
bool is_lending(std::string_view resource) {
  return resource.ends_with(".elastic") && !label::are_several(resource);
}

Limit limit_of(const Prediction& p) {
  // Bounds know what sets them, and no shares of the time.
  if (p.method == "estimate")
    return p.bottlenecks.empty() ? Limit{} : by_resource(p, p.bottlenecks.front().resource, {});
  if (const AssertionOutcome* missed = worst_missed(p)) {
    const std::string& by = missed->limited_by;
    if (missed->change)
      return {Limit::Kind::gain, by, label::of_resource(by), std::abs(*missed->change),
              missed->id,        {}, missed->change};
    Limit most = by_resource(p, missed->limited_by, missed->id);
    if (missed->waited && most.kind == Limit::Kind::resource) most.kind = Limit::Kind::waited;
    return most;
  }
  const double waiting = waiting_share(p);
  const double sync = mean_share(p, "sync"), restart = mean_share(p, "restart");
  if (restart > std::max({sync, waiting, kNegligible})) {
    const bool fails = std::any_of(p.metrics.begin(), p.metrics.end(), [](const auto& metric) {
      return metric.first.ends_with(".failures.count") || metric.first.ends_with(".restart.count");
    });
    return fails ? in_words(Limit::Kind::failures, "failures", restart)
                 : in_words(Limit::Kind::shifts, "shifts of GPUs", restart);
  }
  if (!p.bottlenecks.empty() && gain_of(p.bottlenecks.front(), p) != nullptr)
    return by_resource(p, p.bottlenecks.front().resource, {});
  if (p.gains && !p.gains->pair.empty()) {
    const std::string name = label::several(p.gains->pair);
    return {Limit::Kind::together, name, label::of_resource(name), p.gains->together.time};
  }
  if (sync > std::max(waiting, kNegligible)) return by_slowest_rank(p);
  if (waiting < kNegligible) return in_words(Limit::Kind::compute, "GPU compute", 0.0);
  if (p.bottlenecks.empty() || !(p.bottlenecks.front().blamed_share > 0.0))
    return in_words(Limit::Kind::unnamed, "nothing that is named", waiting);
  if (p.gains && p.gains->simulated > 0 && p.gains->left_out == 0)
    return in_words(Limit::Kind::nothing, "nothing alone", waiting);
  Limit most = by_resource(p, p.bottlenecks.front().resource, {});
  if (most.kind == Limit::Kind::resource) most.kind = Limit::Kind::waited;
  return most;
}

Limit most_waited_for(const Prediction& p) {
  const auto most = std::max_element(
      p.bottlenecks.begin(), p.bottlenecks.end(),
      [](const auto& a, const auto& b) { return a.blamed_share < b.blamed_share; });
  const double share = most == p.bottlenecks.end() ? 0.0 : most->blamed_share * waiting_share(p);
  if (mean_share(p, "sync") > share) return by_slowest_rank(p);
  if (!(share > 0.0)) return {};
  return {Limit::Kind::resource, most->resource, label::of_resource(most->resource), share};
}

}  // namespace stallcast
