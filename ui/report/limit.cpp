#include "ui/report/limit.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

/// Less of the time than this is nothing to act on.
constexpr double kNegligible = 0.0005;

/// What ranks wait for each other: half of it is no speed of anything.
bool is_barrier(std::string_view resource) { return resource.ends_with(".barrier"); }

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

double mean_share(const Prediction& p, const char* cause) {
  double sum = 0.0;
  for (const auto& [job, shares] : p.breakdown)
    if (const auto share = shares.find(cause); share != shares.end()) sum += share->second;
  return sum / static_cast<double>(std::max<std::size_t>(p.breakdown.size(), 1));
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
  const std::string label = label::of_resource(resource);
  if (is_barrier(resource)) {
    const auto own = p.breakdown.find(std::string(metric::parse(resource).id));
    if (own == p.breakdown.end() || p.breakdown.size() == 1)
      return {Limit::Kind::barrier, resource, label, mean_share(p, "sync"), std::move(target)};
    const auto sync = own->second.find("sync");
    return {Limit::Kind::barrier, resource,  label, sync == own->second.end() ? 0.0 : sync->second,
            std::move(target),    own->first};
  }
  const Bottleneck* b = find_bottleneck(p, resource);
  // Of a target of one job among several, what that job saves.
  const std::string job = b != nullptr && b->gain ? job_of(target, p) : "";
  if (b != nullptr && b->gain && b->gain->each.contains(job)) {
    if (const double saved = b->gain->each.at(job); saved >= p.gains->noise)
      return {Limit::Kind::gain, resource, label, saved, std::move(target), job};
  } else if (b != nullptr) {
    if (const Gain* gain = gain_of(*b, p))
      return {Limit::Kind::gain, resource, label, gain->time, std::move(target)};
  }
  const double share = b == nullptr ? 0.0 : b->blamed_share * waiting_share(p);
  return {Limit::Kind::resource, resource, label, share, std::move(target)};
}

Limit in_words(Limit::Kind kind, const std::string& words, double share) {
  return {kind, words, words, share};
}

}  // namespace

Limit limit_of(const Prediction& p) {
  // Bounds know what sets them, and no shares of the time.
  if (p.method == "estimate")
    return p.bottlenecks.empty() ? Limit{} : by_resource(p, p.bottlenecks.front().resource, {});
  if (const AssertionOutcome* missed = worst_missed(p))
    return by_resource(p, missed->limited_by, missed->id);
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
    std::vector<std::string> labels;
    for (const std::string& part : p.gains->pair) labels.push_back(label::of_resource(part));
    return {Limit::Kind::together, base::join(p.gains->pair, " and "), base::join(labels, " and "),
            p.gains->together.time};
  }
  if (sync > std::max(waiting, kNegligible))
    return in_words(Limit::Kind::barrier, "the slowest rank", sync);
  if (waiting < kNegligible) return in_words(Limit::Kind::compute, "GPU compute", 0.0);
  if (p.bottlenecks.empty() || !(p.bottlenecks.front().blamed_share > 0.0))
    return in_words(Limit::Kind::unnamed, "nothing that is named", waiting);
  if (p.gains && p.gains->simulated > 0 && p.gains->left_out == 0)
    return in_words(Limit::Kind::nothing, "nothing alone", waiting);
  return by_resource(p, p.bottlenecks.front().resource, {});
}

std::string_view kind_name(Limit::Kind kind) {
  switch (kind) {
    case Limit::Kind::failures:
      return "failures";
    case Limit::Kind::shifts:
      return "shifts";
    case Limit::Kind::gain:
      return "gain";
    case Limit::Kind::together:
      return "together";
    case Limit::Kind::nothing:
      return "nothing";
    case Limit::Kind::barrier:
      return "barrier";
    case Limit::Kind::compute:
      return "compute";
    case Limit::Kind::resource:
      return "resource";
    case Limit::Kind::unnamed:
      break;
  }
  return "unnamed";
}

std::string_view what_is_tried(std::string_view resource) {
  const std::string_view last = resource.substr(resource.rfind('.') + 1);
  const bool owned = resource.starts_with("job.") || resource.starts_with("tenant.");
  if (resource.starts_with("failure.")) return "without it";
  if (owned && last == "failures") return "without them";
  if (owned && last.starts_with("limit")) return "twice as high";
  if (owned && last == "threads") return "twice as many";
  return is_barrier(resource) ? "half of it" : "twice as fast";
}

std::string_view cpu_words(const Prediction& p, const std::string& job) {
  double cores = 0.0, decoders = 0.0;
  const std::string waited = metric::of_job(job, "waited.host.");
  for (auto m = p.metrics.lower_bound(waited); m != p.metrics.end() && m->first.starts_with(waited);
       ++m) {
    if (m->first.ends_with(".gpu.decode")) decoders += m->second.value;
    if (m->first.ends_with(".cpu")) cores += m->second.value;
  }
  constexpr double kMost = 0.9;
  if (decoders > kMost * (cores + decoders)) return "waiting for GPU decoders";
  return decoders > (1.0 - kMost) * (cores + decoders) ? "waiting for decoders, cores"
                                                       : label::of_cause("cpu");
}

std::string of_the_time(const Prediction& p) {
  const std::string what = time_gained(p);
  return what.empty() ? " of the time" : " of the time " + what;
}

LimitWords limit_words(const Prediction& p) {
  const Limit limit = limit_of(p);
  constexpr std::string_view kThe = "the ";
  LimitWords out{limit.label.substr(limit.label.starts_with(kThe) ? kThe.size() : 0), ""};
  if (!limit.target.empty()) out.what += ", target " + limit.target;
  const std::string share =
      print_share(limit.share) + of_the_time(p) + (limit.job.empty() ? "" : " of " + limit.job);
  switch (limit.kind) {
    case Limit::Kind::failures:
      out.cost = share + " goes to lost work and restarts";
      break;
    case Limit::Kind::shifts:
      out.cost = share + " goes to saves and restarts for them";
      break;
    case Limit::Kind::barrier:
      out.cost = share + " goes to waiting for it";
      break;
    case Limit::Kind::resource:
      if (limit.share > 0.0) out.cost = share + " is spent waiting for it";
      break;
    case Limit::Kind::gain:
      out.cost = std::string(what_is_tried(limit.name)) + " saves " + share;
      break;
    case Limit::Kind::together:
      out.cost = "both twice as fast saves " + share;
      break;
    case Limit::Kind::nothing:
      out.cost = share + " is waiting, and no part that is twice as fast saves " +
                 print_share(p.gains->noise);
      break;
    case Limit::Kind::compute:
    case Limit::Kind::unnamed:
      break;
  }
  // Shares of breakdowns and of what was waited for; what is gained says of which time itself.
  const bool shared = limit.kind != Limit::Kind::gain && limit.kind != Limit::Kind::together;
  if (shared && !out.cost.empty() && limit.job.empty() && p.breakdown.size() > 1)
    out.cost += ", mean of the jobs";
  return out;
}

std::string limit_phrase(const Prediction& p) {
  const Limit limit = limit_of(p);
  const auto [what, cost] = limit_words(p);
  switch (limit.kind) {
    case Limit::Kind::failures:
    case Limit::Kind::shifts:
      return "limited by " + what + ": " + cost;
    case Limit::Kind::barrier:
      return "limited by the slowest rank" +
             (limit.target.empty() ? "" : ", target " + limit.target) + ": " + cost;
    case Limit::Kind::resource:
    case Limit::Kind::gain:
    case Limit::Kind::together:
      return "limited by the " + what + (cost.empty() ? "" : ": " + cost);
    case Limit::Kind::nothing:
      return "nothing alone limits it: " + cost;
    case Limit::Kind::compute:
      return "data, saves and communication cost less than 0.05 % of the time";
    case Limit::Kind::unnamed:
      break;
  }
  return "";
}

}  // namespace stallcast::report
