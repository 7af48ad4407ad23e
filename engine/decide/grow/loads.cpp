#include "engine/decide/grow/loads.hpp"

#include <algorithm>

#include "engine/base/design_values.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::grow {
namespace {

/// Share of the jobs' time that they waited for data, files or cores; of jobs in a row each for as
/// long as it is simulated.
double waited(const Prediction& p) {
  const bool in_a_row = p.metrics.contains(metric::kPipelineTime);
  double sum = 0.0, all = 0.0;
  for (const auto& [job, shares] : p.breakdown) {
    const auto wall = p.metrics.find(metric::of_job(job, "time.wall"));
    const double time = in_a_row && wall != p.metrics.end() ? wall->second.value : 1.0;
    all += time;
    for (const char* cause : {"data", "metadata", "cpu"})
      if (const auto share = shares.find(cause); share != shares.end()) sum += share->second * time;
  }
  return all > 0.0 ? sum / all : 0.0;
}

/// What tenants of one storage system, or host class, moved and asked for: bytes a second.
struct Traffic {
  double moved = 0.0, asked = 0.0;
};

/// By "storage.scratch", "host.gpu", "tenant.web", and "fabric." for all.
std::map<std::string, Traffic> traffic_of(const Design& design, const Prediction& p) {
  std::map<std::string, Traffic> out;
  for (const Component& tenant : design.tenants) {
    const Value *on = tenant.find("on"), *hosts = tenant.find("hosts");
    const auto figure = [&](const char* of) {
      return figure_or_zero(p, metric::of_tenant(tenant.id, of));
    };
    const double moved = figure("read") + figure("write");
    if (on == nullptr || hosts == nullptr || moved <= 0.0) continue;
    const double asked = std::max(moved, figure("asked"));
    out["tenant." + tenant.id] = {moved, asked};
    const Value* limit = tenant.find("limit");  // what it holds back is asked of nothing else
    for (const std::string& place :
         {"storage." + on->text, "host." + hosts->text, std::string("fabric.")}) {
      out[place].moved += moved;
      out[place].asked += limit == nullptr ? asked : std::clamp(limit->number, moved, asked);
    }
  }
  return out;
}

/// Bytes a second through the NICs of a host class, both ways.
double through_nics(const Prediction& p, const std::string& host) {
  double sum = 0.0;
  for (const ResourceUse& use : p.resources)
    if (use.name == host + ".nic.read" || use.name == host + ".nic.write") sum += use.throughput;
  return sum;
}

/// By place, how much more tenants asked for than was moved for them, of `all` they did. What is
/// under way is partly there: where tenants are alone, NICs say how much of it.
std::map<std::string, double> behind(const Design& design, const Prediction& p,
                                     const std::map<std::string, Traffic>& all) {
  double moved = 0.0, asked = 0.0, through = 0.0;
  for (const auto& [place, traffic] : all)
    if (place.starts_with("host.")) {
      moved += traffic.moved;
      asked += traffic.asked;
      through += through_nics(p, place);
    }
  const double under_way =
      design.jobs.empty() && moved > 0.0 ? std::clamp(through, moved, asked) / moved : 1.0;
  std::map<std::string, double> out;
  for (const auto& [place, traffic] : all)
    out[place] = std::max(1.0, traffic.asked / (traffic.moved * under_way));
  return out;
}

/// Share of the bytes at `place` that are of jobs.
double of_jobs(const Design& design, const Prediction& p, const std::string& place,
               double of_tenants) {
  double jobs = 0.0;
  for (const JobDesign& job : design.jobs) {
    const Value *hosts = job.job.find("hosts"), *on = nullptr;
    if (job.dataset) on = job.dataset->find("on");
    const bool here = place == "fabric." || (hosts != nullptr && place == "host." + hosts->text) ||
                      (on != nullptr && place == "storage." + on->text);
    if (here) jobs += figure_or_zero(p, metric::of_job(job.job.id, "throughput.bytes"));
  }
  return jobs > 0.0 ? jobs / (jobs + of_tenants) : 0.0;
}

}  // namespace

std::map<std::string, double> loads_of(const Design& design, const Prediction& p) {
  const double waits = 1.0 / std::max(1.0 - waited(p), 1e-9);
  // By place, what is asked over what was done.
  std::map<std::string, double> more;
  const std::map<std::string, Traffic> all = traffic_of(design, p);
  const std::map<std::string, double> by_tenants = behind(design, p, all);
  for (const auto& [place, traffic] : all) {
    const double jobs = of_jobs(design, p, place, traffic.moved);
    more[place] = jobs * waits + (1.0 - jobs) * by_tenants.at(place);
  }
  std::map<std::string, double> out;
  for (const ResourceUse& use : p.resources) {
    if (use.capacity <= 0.0) continue;
    const base::ResourceName name = base::resource_name(use.name);
    const auto found = more.find(std::string(name.role) + "." + std::string(name.id));
    out[use.name] = use.utilization() * (found == more.end() ? waits : found->second);
  }
  return out;
}

}  // namespace stallcast::grow
