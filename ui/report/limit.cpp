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
    case Limit::Kind::waited:
      return "waited";
    case Limit::Kind::unnamed:
      break;
  }
  return "unnamed";
}

std::string limited_phrase(const AssertionOutcome& outcome) {
  return label::limits(outcome.limited_by, outcome.waited);
}

std::string limited_cell(const AssertionOutcome& outcome) {
  return label::of_resource(outcome.limited_by) + (outcome.waited ? " (waited for most)" : "");
}

std::string_view what_is_tried(std::string_view resource) {
  if (label::are_several(resource))
    return label::each_of(resource).size() == 2 ? "both twice as fast" : "all twice as fast";
  const std::string_view last = resource.substr(resource.rfind('.') + 1);
  const bool owned = resource.starts_with("job.") || resource.starts_with("tenant.") ||
                     resource.starts_with("stage.");
  if (resource.starts_with("failure.") || (owned && is_lending(resource))) return "without it";
  if (owned && last == "failures") return "without them";
  if (owned && last.starts_with("limit")) return "twice as high";
  if (owned && (last == "threads" || last == "workers")) return "twice as many";
  if (last == "depth") return "twice as deep";
  return is_barrier(resource) ? "half of it" : "twice as fast";
}

std::string_view cpu_words(const Prediction& p, const std::string& job) {
  struct Waited {
    std::string_view part;   ///< how what is waited for ends
    std::string_view alone;  ///< words where nearly all is waited for it
    std::string_view beside_cores;
    double seconds = 0.0;
  };
  Waited others[] = {{".gpu.decode", "waiting for GPU decoders", "waiting for decoders, cores"},
                     {".loader.pin", "copying to pinned memory", "waiting for pinning, cores"}};
  double cores = 0.0;
  const std::string waited = metric::of_job(job, "waited.");
  for (auto m = p.metrics.lower_bound(waited); m != p.metrics.end() && m->first.starts_with(waited);
       ++m) {
    const bool of_host = m->first.starts_with(waited + "host.");
    if (of_host && m->first.ends_with(".cpu")) cores += m->second.value;
    for (Waited& other : others)
      if (m->first.ends_with(other.part)) other.seconds += m->second.value;
  }
  const Waited& most = others[others[1].seconds > others[0].seconds ? 1 : 0];
  const double sum = cores + others[0].seconds + others[1].seconds;
  constexpr double kMost = 0.9;
  if (most.seconds > kMost * sum) return most.alone;
  return most.seconds > (1.0 - kMost) * sum ? most.beside_cores : label::of_cause("cpu");
}

std::string of_the_time(const Prediction& p) {
  const std::string what = time_waited(p);
  return what.empty() ? " of the time" : " of the time " + what;
}

std::string lasting_note(const Prediction& p) {
  const double lasts = lasting_utilization(p);
  return std::abs(lasts - mean_utilization(p)) < kNothing
             ? ""
             : "gains are those of the run as it goes on beyond what was simulated: " +
                   std::string(mean_utilization_name(p)) + " " + print_share(lasts);
}

std::string changed_words(const std::string& figure, std::string_view resource, double change) {
  const std::string tried(what_is_tried(resource)), by = print_share(std::abs(change));
  const bool less = change < 0.0;
  return tried.starts_with("without")
             ? tried + " " + figure + " is " + by + (less ? " less" : " more")
             : tried + (less ? " cuts " : " raises ") + figure + " by " + by;
}

/// What is tried does to the figure of a target.
std::string changed_figure(const Prediction& p, const Limit& limit) {
  std::string figure = "its figure";
  for (const AssertionOutcome& a : p.assertions)
    if (a.id == limit.target)
      figure = "the " + label::of_metric(a.metric, a.unit, p.breakdown.size() > 1);
  return changed_words(figure, limit.name, *limit.change);
}

LimitWords limit_words(const Prediction& p) {
  const Limit limit = limit_of(p);
  constexpr std::string_view kThe = "the ";
  LimitWords out{limit.label.substr(limit.label.starts_with(kThe) ? kThe.size() : 0), ""};
  if (!limit.target.empty()) out.what += ", target " + limit.target;
  const bool gained = limit.kind == Limit::Kind::gain || limit.kind == Limit::Kind::together;
  const std::string of_time =
      gained && !time_gained(p).empty() ? " of the time " + time_gained(p) : of_the_time(p);
  const std::string share =
      print_share(limit.share) + of_time + (limit.job.empty() ? "" : " of " + limit.job);
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
    case Limit::Kind::waited:
      if (limit.share > 0.0) out.cost = share + " is spent waiting for it";
      break;
    case Limit::Kind::gain:
      out.cost = std::string(what_is_tried(limit.name));
      if (limit.change)
        out.cost = changed_figure(p, limit);
      else if (out.cost.starts_with("without"))
        out.cost += ", " + share + " is saved";
      else
        out.cost += " saves " + share;
      break;
    case Limit::Kind::together:
      out.cost = std::string(what_is_tried(limit.name)) + " saves " + share;
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
  if (!gained && !out.cost.empty() && limit.job.empty() && p.breakdown.size() > 1)
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
    case Limit::Kind::waited:
      return "waits most for the " + what + (cost.empty() ? "" : ": " + cost);
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
