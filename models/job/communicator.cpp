#include "models/job/communicator.hpp"

#include <algorithm>

#include "engine/sim/join.hpp"
#include "models/contract/rows.hpp"
#include "stallcast/metric.hpp"

/// Equations and sources: docs/models/communication.md.
namespace stallcast::models {

CommunicationSite communication_site(const JobDesign& job, const Plant& plant) {
  const HostParams& host = plant.host(job_params(job.job).hosts);
  const RankLayout& layout = plant.layout(job.job.id);
  const bool converged = plant.fabric().converged;
  return {.model = model_params(job.model),
          .ranks = layout.ranks,
          .hosts = layout.used_hosts(),
          .tensor = static_cast<double>(job_params(job.job).tensor),
          .pipeline = static_cast<double>(job_params(job.job).pipeline),
          .nvlink = host.nvlink,
          .network =
              converged ? host.nic_rate * static_cast<double>(host.nic_count) : host.compute_nics(),
          .nic_efficiency = host.nic_efficiency,
          .shares = {}};
}

namespace {

// The hosts of a job, with the ports that its collectives use.
FabricSite ports_of(const JobDesign& job, const Plant& plant) {
  const HostParams& host = plant.host(job_params(job.job).hosts);
  const bool converged = plant.fabric().converged;
  const std::int64_t ports =
      converged ? host.nic_count : host.compute_nic_count.value_or(host.gpus);
  return {.hosts = plant.layout(job.job.id).used_hosts(),
          .ports = static_cast<double>(ports),
          .port = converged ? host.nic_rate : host.compute_nic_rate,
          .compute = !converged};
}

// With what the fabric leaves them. REQUIRES: the job has communication.
CommunicationSite site_on_fabric(const JobDesign& job, const Plant& plant,
                                 std::optional<std::uint64_t> seed) {
  CommunicationSite site = communication_site(job, plant);
  // Kinds that compute their collectives say how many connections those have.
  const StepTraffic alone =
      communication_row(job.communication->kind).traffic(*job.communication, site);
  site.shares = plant.network().collectives(ports_of(job, plant), alone.connections, seed);
  return site;
}

// All that a step exchanges, as if no link between switches were slower than the ports.
Traffic alone_on_ports(const JobDesign& job, const Plant& plant) {
  if (!job.communication) return {};
  const StepTraffic traffic = communication_row(job.communication->kind)
                                  .traffic(*job.communication, communication_site(job, plant));
  Traffic all = traffic.hidden;
  all += traffic.exposed;
  return all;
}

}  // namespace

StepTraffic step_traffic(const JobDesign& job, const Plant& plant,
                         std::optional<std::uint64_t> seed) {
  if (!job.communication) return {};
  return communication_row(job.communication->kind)
      .traffic(*job.communication, site_on_fabric(job, plant, seed));
}

std::string limit_of(const Traffic& traffic, const JobDesign& job, const Plant& plant) {
  const std::string& host = job_params(job.job).hosts;
  const bool converged = plant.fabric().converged;
  if (traffic.latency >= traffic.transfer) return metric::of_job(job.job.id, "communication");
  if (traffic.by_nics < traffic.transfer / 2.0) return "host." + host + ".nvlink";
  // Links between switches where all ports together would be faster.
  constexpr double kSlower = 1.01;
  if (traffic.transfer > kSlower * alone_on_ports(job, plant).transfer)
    return converged ? "fabric." + host + ".area.uplink.write" : "fabric.compute_link";
  return "host." + host + (converged ? ".nic.write" : ".compute_nic");
}

Communicator::Communicator(const JobDesign& job, Plant& plant, sim::Context& context,
                           std::uint64_t seed)
    : context_(context),
      plant_(plant),
      traffic_(step_traffic(job, plant, seed)),
      host_(job_params(job.job).hosts),
      ready_(context) {
  Traffic all = traffic_.hidden;
  all += traffic_.exposed;
  own_limit_ = limited_by_ = plant.resources().index(limit_of(all, job, plant));
  if (!plant.fabric().converged || !job.communication) return;
  const std::vector<HostGroup>& groups = plant.groups(host_);
  const FabricSite ports = ports_of(job, plant);
  CommunicationSite site = site_on_fabric(job, plant, seed);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Path path{{plant.host_link(host_, g, "nic.write"), plant.host_link(host_, g, "nic.read")},
              {},
              groups[g].shared_with(0.0, ports.hosts)};
    if (path.hosts <= 0.0) continue;
    path.outside = path.ports;
    for (const sim::LinkId link : plant.uplinks(host_, g)) path.outside.push_back(link);
    // Of a last area that is not full each host sends more out than of a full one.
    site.shares.area_hosts = plant.network().beside(ports, groups[g].first);
    path.traffic = communication_row(job.communication->kind).traffic(*job.communication, site);
    paths_.push_back(std::move(path));
  }
}

void Communicator::record(Recorder& recorder, const std::string& job) {
  lane_ = &recorder.lane({.kind = "communication", .job = job, .name = "collectives"});
}

void Communicator::begin_step(std::int64_t number, std::size_t classes, Seconds mean) {
  ready_.reset();
  step_ = number;
  missing_ = classes;
  window_ = mean * traffic_.window;
  running_ = {};
  limited_by_ = own_limit_;
}

Seconds Communicator::slowed() const {
  return std::min(window_, traffic_.hidden.time()) * traffic_.slowdown;
}

Communicator::Split Communicator::split(Seconds compute) const {
  const Seconds beside = std::min(window_, compute);
  return {.before = compute - beside, .beside = beside + slowed()};
}

void Communicator::reached() {
  if (--missing_ == 0) ready_.set();
}

// Every host sends and receives `traffic.network` at no more than the undisturbed rate, on
// `connections` connections that share its NICs max-min with storage traffic; `share` of them take
// `path`.    [docs/models/communication.md, eq. 7]
sim::Task<void> Communicator::exchange(const std::vector<sim::LinkId>& path, double hosts,
                                       double share, const Traffic& traffic) {
  if (share <= 0.0) co_return;
  const double connections = std::max(1.0, traffic_.connections);
  const double members = hosts * connections * share;
  const Bytes bytes = traffic.network / connections;
  const sim::FlowOutcome flow = co_await context_.transfer(
      {.path = path, .bytes = bytes, .members = members, .cap = bytes / traffic.transfer});
  if (flow.binding.valid()) limited_by_ = plant_.resources().of_link[flow.binding.index];
}

sim::Task<void> Communicator::run(Traffic StepTraffic::*part) {
  const Traffic& traffic = traffic_.*part;
  const Seconds start = context_.now();
  if (paths_.empty() || traffic.network <= Bytes{}) {
    co_await context_.sleep(traffic.time());
  } else {
    co_await context_.sleep(traffic.latency);
    std::vector<sim::Task<void>> parts;
    // What leaves an area shares its uplinks too: the collective is as fast as the slower part.
    for (const Path& path : paths_) {
      const double outside = (path.traffic.*part).outside / traffic.network;
      parts.push_back(exchange(path.ports, path.hosts, 1.0 - outside, traffic));
      parts.push_back(exchange(path.outside, path.hosts, outside, traffic));
    }
    co_await sim::join(context_, std::move(parts));
  }
  running_ += context_.now() - start;
}

sim::Task<void> Communicator::hidden() {
  if (traffic_.hidden.time() <= Seconds{}) co_return;
  co_await ready_.wait();
  open(lane_, "beside compute", step_);
  co_await run(&StepTraffic::hidden);
  close(lane_, limited_by_);
}

sim::Task<void> Communicator::exposed() {
  if (traffic_.exposed.time() <= Seconds{}) co_return;
  open(lane_, "exposed", step_);
  co_await run(&StepTraffic::exposed);
  close(lane_, limited_by_);
}

void Communicator::end_step(Seconds time) {
  times_.add(running_.in(unit::s));
  exposed_.add(time.in(unit::s));
}

void Communicator::report(const std::string& job, RunResult& out) const {
  const std::string name = metric::of_job(job, "communication.");
  times_.report(name + "time", "s", out);
  exposed_.report(name + "exposed", "s", out);
  for (const char* metric : {"time", "exposed"})
    out.limited_by[name + metric] = plant_.resources().name(limited_by_);
}

}  // namespace stallcast::models
