#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stallcast/metric.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast {

/// The figure of a metric, 0 where there is none.
[[nodiscard]] inline double figure_or_zero(const std::map<std::string, Metric>& metrics,
                                           const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0.0 : found->second.value;
}
[[nodiscard]] inline double figure_or_zero(const Prediction& prediction, const std::string& name) {
  return figure_or_zero(prediction.metrics, name);
}

/// GPU utilization of each job.
[[nodiscard]] inline std::vector<double> utilizations(const Prediction& prediction) {
  std::vector<double> out;
  for (const auto& [name, metric] : prediction.metrics)
    if (const metric::Name parsed = metric::parse(name);
        parsed.domain == metric::Domain::job && parsed.figure == metric::kGpuUtilization)
      out.push_back(metric.value);
  return out;
}

/// Ids of the jobs that it has figures of.
[[nodiscard]] inline std::vector<std::string> jobs_of(const Prediction& prediction) {
  std::vector<std::string> out;
  for (const auto& [job, shares] : prediction.breakdown) out.push_back(job);
  if (!out.empty()) return out;
  for (const auto& [full, metric] : prediction.metrics)  // bounds have no shares
    if (const metric::Name name = metric::parse(full);
        name.domain == metric::Domain::job && (out.empty() || out.back() != name.id))
      out.emplace_back(name.id);
  return out;
}

/// Mean over GPUs of what `figure` says of a job by its id: each job weighs as much as it has GPUs,
/// all alike where that is not known. Jobs that it says nothing of, nullopt, do not count; 0 where
/// it says something of none.
template <typename Figure>
[[nodiscard]] double mean_over_gpus(const Prediction& prediction, Figure figure) {
  const std::vector<std::string> jobs = jobs_of(prediction);
  const auto gpus = [&](const std::string& job) {
    const auto found = prediction.gpus.find(job);
    return found == prediction.gpus.end() ? 0.0 : found->second;
  };
  const bool known = jobs.size() > 1 && std::all_of(jobs.begin(), jobs.end(), [&](const auto& job) {
                       return gpus(job) > 0.0;
                     });
  double sum = 0.0, weight = 0.0;
  for (const std::string& job : jobs)
    if (const std::optional<double> value = figure(job)) {
      const double of_job = known ? gpus(job) : 1.0;
      sum += of_job * *value, weight += of_job;
    }
  return weight > 0.0 ? sum / weight : 0.0;
}

/// Of the time of a job, what goes to `cause`, mean over GPUs.
[[nodiscard]] inline double mean_share(const Prediction& prediction, const char* cause) {
  return mean_over_gpus(prediction, [&](const std::string& job) -> std::optional<double> {
    const auto shares = prediction.breakdown.find(job);
    if (shares == prediction.breakdown.end()) return std::nullopt;
    const auto found = shares->second.find(cause);
    return found == shares->second.end() ? 0.0 : found->second;
  });
}

/// A figure of jobs, such as "goodput", mean over the GPUs of those that tell it.
[[nodiscard]] inline double mean_figure(const Prediction& prediction, std::string_view figure) {
  return mean_over_gpus(prediction, [&](const std::string& job) -> std::optional<double> {
    const auto found = prediction.metrics.find(metric::of_job(job, figure));
    return found == prediction.metrics.end() ? std::nullopt : std::optional(found->second.value);
  });
}
[[nodiscard]] inline double mean_goodput(const Prediction& prediction) {
  return mean_figure(prediction, metric::kGoodput);
}
[[nodiscard]] inline double mean_utilization(const Prediction& prediction) {
  return mean_figure(prediction, metric::kGpuUtilization);
}

/// Of a job whose failures undid a part of what its GPUs were busy with, what is left; nullopt of
/// others.
[[nodiscard]] inline std::optional<double> goodput_left(const Prediction& prediction,
                                                        const std::string& job) {
  constexpr double kNothing = 0.001;
  const auto shares = prediction.breakdown.find(job);
  const auto busy = prediction.metrics.find(metric::gpu_utilization(job));
  const auto useful = prediction.metrics.find(metric::goodput(job));
  if (shares == prediction.breakdown.end() || busy == prediction.metrics.end() ||
      useful == prediction.metrics.end())
    return std::nullopt;
  const auto restart = shares->second.find("restart");
  const bool failed = restart != shares->second.end() && restart->second > 0.0;
  const bool some = busy->second.value - useful->second.value >= kNothing;
  return failed && some ? std::optional(useful->second.value) : std::nullopt;
}

/// The metric that tells `figure`, goodput or GPU utilization, of a job as it goes on, with its
/// starts as often as they come in a long run; that of the run that was simulated where this is all
/// of it. What a change gains is told by these.    [docs/models/whole-run.md, eq. 9]
[[nodiscard]] inline std::string lasting_name(const Prediction& prediction, std::string_view job,
                                              std::string_view figure) {
  std::string name = metric::of_job(
      job, figure == metric::kGoodput ? metric::kLastingGoodput : metric::kLastingUtilization);
  return prediction.metrics.contains(name) ? name : metric::of_job(job, figure);
}
[[nodiscard]] inline double lasting(const Prediction& prediction, std::string_view job,
                                    std::string_view figure) {
  return figure_or_zero(prediction, lasting_name(prediction, job, figure));
}
[[nodiscard]] inline double mean_lasting(const Prediction& prediction, std::string_view figure) {
  return mean_over_gpus(prediction, [&](const std::string& job) -> std::optional<double> {
    const bool told = prediction.metrics.contains(metric::of_job(job, figure));
    return told ? std::optional(lasting(prediction, job, figure)) : std::nullopt;
  });
}
[[nodiscard]] inline double lasting_goodput(const Prediction& prediction) {
  return mean_lasting(prediction, metric::kGoodput);
}
[[nodiscard]] inline double lasting_utilization(const Prediction& prediction) {
  return mean_lasting(prediction, metric::kGpuUtilization);
}

/// What that is called where it is said of a change: "GPU utilization".
[[nodiscard]] inline const char* mean_utilization_name(const Prediction& prediction) {
  return jobs_of(prediction).size() > 1 ? "mean utilization of all GPUs" : "GPU utilization";
}

/// Whether it has stages: then the time of all of them says what limits it.
[[nodiscard]] inline bool of_pipeline(const Prediction& prediction) {
  return prediction.metrics.contains(metric::kPipelineTime);
}

/// Whether it is of tenants alone: then the time of their requests says what limits them.
[[nodiscard]] inline bool of_tenants_alone(const Prediction& prediction) {
  return prediction.method == "simulation" && prediction.breakdown.empty() &&
         !of_pipeline(prediction);
}

/// Whether no job is in it: then there is no GPU to be busy.
[[nodiscard]] inline bool without_jobs(const Prediction& prediction) {
  return prediction.method == "simulation" && prediction.breakdown.empty();
}

/// Whether waits are told by time, and not by that of jobs: that "of requests", or "of all stages".
/// "" where they are not.
[[nodiscard]] inline std::string time_waited(const Prediction& prediction) {
  if (of_pipeline(prediction)) return "of all stages";
  return of_tenants_alone(prediction) ? "of requests" : "";
}

/// Share of the time that goes to waiting for something that could be faster, mean over GPUs: all
/// but compute, barriers and restarts. Of tenants alone it is all the time of their requests, of
/// stages all of theirs.
[[nodiscard]] inline double waiting_share(const Prediction& prediction) {
  if (of_tenants_alone(prediction) || of_pipeline(prediction)) return 1.0;
  double sum = 0.0;
  for (const char* cause : {"communication", "data", "metadata", "cpu", "checkpoint"})
    sum += mean_share(prediction, cause);
  return sum;
}

/// Ids of the tenants that it has figures of.
[[nodiscard]] inline std::vector<std::string> tenants_of(const Prediction& prediction) {
  std::vector<std::string> out;
  for (const auto& [full, metric] : prediction.metrics)
    if (const metric::Name name = metric::parse(full);
        name.domain == metric::Domain::tenant && (out.empty() || out.back() != name.id))
      out.emplace_back(name.id);
  return out;
}

/// Of a tenant, the first that it has says how long it takes: all of a replay, a chunk that is
/// computed, the first token of an answer, a query, a request of the storage.
inline constexpr std::array kTenantTimes = {"makespan", "chunk", "ttft", "query", "latency"};

/// The same of gains: a replay gains of its makespan, which has the time between its calls, too.
//    [docs/models/blame.md, eq. 1]
[[nodiscard]] inline std::string time_gained(const Prediction& prediction) {
  if (!of_tenants_alone(prediction)) return time_waited(prediction);
  const std::vector<std::string> tenants = tenants_of(prediction);
  const auto replays = std::count_if(tenants.begin(), tenants.end(), [&](const auto& tenant) {
    return prediction.metrics.contains(metric::of_tenant(tenant, kTenantTimes.front()));
  });
  if (replays == 0) return "of requests";
  if (replays < std::ssize(tenants)) return "of requests and replays";
  return replays == 1 ? "of the replay" : "of the replays";
}

/// What a tenant counts for in means over tenants: the part of the time in which it waits for a
/// request, by Little's law at most all of it. All of it where nothing says how often it asks.
//    [docs/models/tenants.md, eq. 9]
[[nodiscard]] inline double tenant_weight(const std::map<std::string, Metric>& metrics,
                                          const std::string& tenant) {
  const auto figure = [&](const char* name) {
    return figure_or_zero(metrics, metric::of_tenant(tenant, name));
  };
  double under_way = 0.0;
  for (const auto& [rate, time] :
       {std::pair{"queries", "query"}, {"operations", "latency"}, {"metadata", "metadata.latency"}})
    under_way += figure(rate) * figure(time);
  // Storage is a part only of what these do.
  for (const char* time : {"makespan", "chunk", "ttft"})
    if (metrics.contains(metric::of_tenant(tenant, time))) return 1.0;
  return under_way > 0.0 ? std::min(under_way, 1.0) : 1.0;
}

/// Speed of a tenant in `with` over that in `without`, by the times of one request, else of an
/// open; 0 where nothing tells.
[[nodiscard]] inline double tenant_speed(const std::string& tenant, const Prediction& with,
                                         const Prediction& without) {
  const auto ratio = [&](const char* time) {
    const std::string name = metric::of_tenant(tenant, time);
    const double is = figure_or_zero(with, name), was = figure_or_zero(without, name);
    return is > 0.0 && was > 0.0 ? was / is : 0.0;
  };
  for (const char* time : kTenantTimes)
    if (const double found = ratio(time); found > 0.0) return found;
  return ratio("metadata.latency");
}

/// What a prediction says first: of each job its GPU utilization; of tenants alone, of each how
/// long it takes.
[[nodiscard]] inline std::vector<std::string> headlines(const Prediction& prediction) {
  std::vector<std::string> out;
  for (const auto& [job, shares] : prediction.breakdown)
    out.push_back(metric::gpu_utilization(job));
  if (of_pipeline(prediction)) out.emplace_back(metric::kPipelineTime);
  if (!of_tenants_alone(prediction)) return out;
  for (const std::string& tenant : tenants_of(prediction))
    for (const char* figure : kTenantTimes)
      if (const std::string name = metric::of_tenant(tenant, figure);
          prediction.metrics.contains(name)) {
        out.push_back(name);
        break;
      }
  return out;
}

/// What a job lends of the time of all its GPUs; 0 where it lends none.
[[nodiscard]] inline double lent_share(const Prediction& prediction, std::string_view job) {
  return figure_or_zero(prediction, metric::of_job(job, "elastic.lent.share"));
}

/// By what it is of, the time that it needs for the same work: of jobs for a second of useful
/// compute of all their GPUs as they go on, of tenants alone for one request or chunk, of stages
/// for all of them.
[[nodiscard]] inline std::map<std::string, double> times_for_the_same(
    const Prediction& prediction) {
  std::map<std::string, double> out;
  if (of_pipeline(prediction))
    return {{metric::kPipelineTime, figure_or_zero(prediction, metric::kPipelineTime)}};
  for (const std::string& name : headlines(prediction)) {
    const metric::Name parsed = metric::parse(name);
    const bool job = parsed.domain == metric::Domain::job;
    const double value = job ? lasting(prediction, parsed.id, metric::kGoodput) *
                                   (1.0 - lent_share(prediction, parsed.id))
                             : figure_or_zero(prediction, name);
    out[name] = job && value > 0.0 ? 1.0 / value : value;
  }
  return out;
}

/// Of the time for the same work, what `after` saves: of each job, or tenant, by its id.
//    [docs/models/blame.md, eq. 1]
[[nodiscard]] inline std::map<std::string, double> times_saved(const Prediction& before,
                                                               const Prediction& after) {
  const std::map<std::string, double> is = times_for_the_same(after);
  std::map<std::string, double> out;
  for (const auto& [name, time] : times_for_the_same(before)) {
    double& saved = out[std::string(metric::parse(name).id)];
    if (const auto found = is.find(name); found != is.end() && time > 0.0 && found->second > 0.0)
      saved = 1.0 - found->second / time;
  }
  return out;
}

/// What of `gain` is that of a job or tenant.
[[nodiscard]] inline double gain_of(const Gain& gain, const std::string& id) {
  const auto found = gain.each.find(id);
  return found == gain.each.end() ? gain.time : found->second;
}
/// What of that is none, where all gains have so much `noise`.
[[nodiscard]] inline double noise_of(const Gain& gain, const std::string& id, double noise) {
  const auto found = gain.each_noise.find(id);
  return std::max(noise, found == gain.each_noise.end() ? gain.noise : found->second);
}
/// Whether it is more than its own noise, and that of all.
[[nodiscard]] inline bool is_gain(const Gain& gain, double noise) {
  return gain.time >= std::max(noise, gain.noise);
}
[[nodiscard]] inline bool is_loss(const Gain& gain, double noise) {
  return -gain.time >= std::max(noise, gain.noise);
}

[[nodiscard]] inline bool is_change(const Gain& gain, double noise) {
  return is_gain(gain, noise) || is_loss(gain, noise);
}

/// What a bottleneck would gain, where that is more than noise; else nullptr.
[[nodiscard]] inline const Gain* gain_of(const Bottleneck& bottleneck,
                                         const Prediction& prediction) {
  return prediction.gains && bottleneck.gain && is_gain(*bottleneck.gain, prediction.gains->noise)
             ? &*bottleneck.gain
             : nullptr;
}

/// What was found by trying parts for `metric`, of a missed target; nullptr where none was.
[[nodiscard]] inline const TargetGain* gain_of_target(const Prediction& prediction,
                                                      std::string_view metric) {
  if (!prediction.gains) return nullptr;
  const auto found = prediction.gains->targets.find(std::string(metric));
  return found == prediction.gains->targets.end() ? nullptr : &found->second;
}

/// The mean over GPUs, or over tenants by the time that they wait.
[[nodiscard]] inline double time_saved(const Prediction& before, const Prediction& after) {
  const std::map<std::string, double> each = times_saved(before, after);
  if (!before.breakdown.empty() && !of_pipeline(before))
    return mean_over_gpus(before, [&](const std::string& job) -> std::optional<double> {
      const auto found = each.find(job);
      return found == each.end() ? 0.0 : found->second;
    });
  double sum = 0.0, weights = 0.0;
  for (const auto& [id, saved] : each) {
    const double weight = of_pipeline(before) ? 1.0 : tenant_weight(before.metrics, id);
    sum += weight * saved, weights += weight;
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

}  // namespace stallcast
