#include "stallcast/metric.hpp"

#include <algorithm>
#include <array>

#include "engine/base/glob.hpp"

namespace stallcast::metric {
namespace {

using enum Better;
using enum Group;

constexpr Figure kFigures[] = {
    {Domain::job, kGpuUtilization, "GPU utilization", "ratio", higher, none, TileOn::both},
    {Domain::job, kAu, "AU (DLIO)", "ratio", higher, job, TileOn::page, "AU"},
    {Domain::job, kGoodput, "goodput", "ratio", higher, job, TileOn::both},
    {Domain::job, "goodput.p5", "goodput, worst 5 %", "ratio", higher, job},
    {Domain::job, kStepTime, "step", "s", lower, job, TileOn::both, "step time"},
    {Domain::job, "first_batch", "first batch after", "s", lower, job, TileOn::page},
    {Domain::job, "neighbours.loss", "lost to others", "ratio", lower, job, TileOn::page},
    {Domain::job, "startup", "starts within", "s", lower, job},
    {Domain::job, "stall.data", "waiting for data", "ratio", lower, none, TileOn::explorer},
    {Domain::job, "throughput.samples", "samples", "1/s", higher, job},
    {Domain::job, "throughput.bytes", "data read", "B/s", higher, job, TileOn::both},
    {Domain::job, "cache.hit", "found in cache", "ratio", higher, job, TileOn::none,
     "reads found in the cache"},
    {Domain::job, "run.time", "whole run takes", "s", lower, job},
    {Domain::job, "run.days", "whole run takes", "d", lower, none},
    {Domain::job, "run.cost", "whole run costs", "USD", lower, job},
    {Domain::job, "run.slowed", "spent credits add", "s", lower, job},
    {Domain::job, "run.outages", "storage outages add", "s", lower, job},
    {Domain::job, "epoch.cold", "cold epochs add", "s", lower, job},
    {Domain::job, "start.once", "its start adds", "s", lower, job},
    {Domain::job, "run.energy", "energy until then", "kWh", lower, job},
    {Domain::job, "checkpoint.size", "size", "B", neither, checkpoint, TileOn::none,
     "size of a save"},
    {Domain::job, "checkpoint.stall", "stall per save", "s", lower, checkpoint, TileOn::both},
    {Domain::job, "checkpoint.duration", "durable after", "s", lower, checkpoint, TileOn::both,
     "time to a durable save"},
    {Domain::job, "checkpoint.bandwidth", "bandwidth", "B/s", higher, checkpoint, TileOn::none,
     "bandwidth of saves"},
    {Domain::job, "checkpoint.overhead", "overhead", "ratio", lower, checkpoint, TileOn::none,
     "time lost to saves"},
    {Domain::job, "checkpoint.owed", "saves still owed", "s", neither, checkpoint},
    {Domain::job, "restore.duration", "restore", "s", lower, job, TileOn::explorer},

    {Domain::job, "failures.time", "counted over", "s", neither, failures, TileOn::none,
     "time that failures are counted over"},
    {Domain::job, "failures.mtbf", "mean time between", "s", neither, failures, TileOn::none,
     "mean time between failures"},
    {Domain::job, "failures.count", "failures", "count", neither, failures},
    {Domain::job, "failures.lost_work", "work lost by each", "s", lower, failures, TileOn::none,
     "work lost by each failure"},
    {Domain::job, "failures.restart", "restart", "s", lower, failures, TileOn::none,
     "restart after a failure"},
    {Domain::job, "failures.lost.share", "time in lost work", "ratio", lower, failures},
    {Domain::job, "failures.restart.share", "time in restarts", "ratio", lower, failures},
    {Domain::job, "failures.waiting.share", "waiting for spares", "ratio", lower, failures},
    {Domain::job, "checkpoint.best_interval", "best save interval", "s", neither, failures},
    {Domain::job, "checkpoint.best_interval.goodput", "goodput with it", "ratio", higher, failures,
     TileOn::none, "goodput with the best save interval"},
    {Domain::job, "checkpoint.best_interval.young", "Young's formula", "s", neither, failures,
     TileOn::none, "save interval by Young's formula"},
    {Domain::job, "checkpoint.best_interval.daly", "Daly's formula", "s", neither, failures,
     TileOn::none, "save interval by Daly's formula"},

    {Domain::job, "restart.count", "failures at a date", "count", neither, restart},
    {Domain::job, "restart.duration", "until steps go on", "s", lower, restart, TileOn::none,
     "restart until steps go on"},
    {Domain::job, "restart.restore.duration", "of it, restore", "s", lower, restart, TileOn::none,
     "restore of a restart"},
    {Domain::job, "restart.waiting", "of it, for a spare", "s", lower, restart, TileOn::none,
     "wait of a restart for a spare"},
    {Domain::job, "restart.lost_work", "work lost", "s", lower, restart},
    {Domain::job, "restart.lost_steps", "steps done again", "count", lower, restart},
    {Domain::job, "restart.caught_up", "caught up after", "s", lower, restart},

    {Domain::job, "elastic.time", "counted over", "s", neither, elastic, TileOn::none,
     "time that lent GPUs are counted over"},
    {Domain::job, "elastic.lent.gpu_hours", "GPU hours lent", "GPU h", neither, elastic},
    {Domain::job, "elastic.lent.share", "share of all", "ratio", neither, elastic, TileOn::none,
     "share of GPU hours lent"},
    {Domain::job, "elastic.lost.gpu_hours", "GPU hours in shifts", "GPU h", lower, elastic},
    {Domain::job, "elastic.lost.share", "share of all", "ratio", lower, elastic, TileOn::none,
     "share of GPU hours in shifts"},
    {Domain::job, "elastic.trained.share", "trained, of all", "ratio", higher, elastic,
     TileOn::none, "share of GPU hours trained"},
    {Domain::job, "elastic.shift.save", "save of a shift", "s", neither, elastic},
    {Domain::job, "elastic.shift.restart", "restart of a shift", "s", lower, elastic},

    {Domain::tenant, "neighbours.loss", "lost to others", "ratio", lower, tenant},
    {Domain::tenant, "read", "reads", "B/s", higher, tenant, TileOn::both},
    {Domain::tenant, "write", "writes", "B/s", higher, tenant, TileOn::both},
    {Domain::tenant, "asked", "asked for", "B/s", neither, none},
    {Domain::tenant, "operations", "requests", "1/s", higher, tenant},
    {Domain::tenant, "latency", "latency", "s", lower, tenant, TileOn::both},
    {Domain::tenant, "ttft", "first token after", "s", lower, tenant, TileOn::both},
    {Domain::tenant, "itl", "between tokens", "s", lower, tenant, TileOn::both,
     "time between tokens"},
    {Domain::tenant, "tokens", "tokens answered", "1/s", higher, tenant},
    {Domain::tenant, "load", "cache loaded in", "s", lower, tenant},
    {Domain::tenant, "gpu.utilization", "GPUs compute", "ratio", higher, tenant},
    {Domain::tenant, "gpu.starved", "GPUs starved", "ratio", lower, tenant},
    {Domain::tenant, "queries", "queries", "1/s", higher, tenant, TileOn::both},
    {Domain::tenant, "query", "a query takes", "s", lower, tenant, TileOn::both},
    {Domain::tenant, "chunk", "a chunk takes", "s", lower, tenant},
    {Domain::tenant, "database.use", "database in use", "ratio", lower, tenant},
    {Domain::tenant, "database.latency", "a call takes", "s", lower, tenant},
    {Domain::tenant, "makespan", "makespan", "s", lower, tenant, TileOn::both},
    {Domain::tenant, "io", "time in I/O", "s", lower, tenant},
    {Domain::tenant, "weights.load", "weights loaded in", "s", neither, tenant},
    {Domain::tenant, "behind", "not yet written", "B", lower, tenant},

    {Domain::pipeline, "time", "all stages take", "s", lower, pipeline, TileOn::both,
     "pipeline takes"},
    {Domain::pipeline, "first_batch", "first batch after", "s", lower, pipeline, TileOn::page,
     "first batch of the pipeline after"},
    {Domain::pipeline, "limit", "of it, the slowest", "ratio", neither, pipeline},

    {Domain::stage, "start", "starts after", "s", lower, stage, TileOn::none, "start"},
    {Domain::stage, "end", "ends after", "s", lower, stage, TileOn::none, "end"},
    {Domain::stage, "time", "takes", "s", lower, stage, TileOn::none, "time"},
    {Domain::stage, "rate", "reads", "B/s", higher, stage, TileOn::none, "read rate"},
    {Domain::stage, "waited", "waits for input", "s", lower, stage, TileOn::none, "wait for input"},

    {Domain::failure, "count", "failures in the run", "count", neither, fault},
    {Domain::failure, "lasted", "lasted", "s", neither, fault, TileOn::none, "duration"},
    {Domain::failure, "stall", "GPUs waited", "s", lower, fault, TileOn::none, "wait of GPUs"},
    {Domain::failure, kGpuUtilization, "GPU utilization", "ratio", higher, fault, TileOn::none,
     "GPU utilization during failure"},
    {Domain::failure, "down.share", "time down", "ratio", lower, fault},
    {Domain::failure, "degraded.share", "time degraded", "ratio", lower, fault},

    {Domain::storage, "capacity.usable", "room for data", "B", higher, capacity},
    {Domain::storage, "capacity.needed", "to be stored", "B", lower, capacity, TileOn::none,
     "data to be stored"},
    {Domain::storage, "capacity.headroom", "left", "B", higher, capacity, TileOn::none,
     "room that is left"},
    {Domain::storage, "capacity.used", "of the room", "ratio", lower, capacity, TileOn::none,
     "room that is used"},
    {Domain::storage, "capacity.full_after", "full after", "s", higher, capacity, TileOn::none,
     "time until the room is full"},
    {Domain::storage, "fairness", "fairness", "ratio", higher, capacity},
    {Domain::storage, "hit", "found in cache", "ratio", higher, capacity, TileOn::none,
     "reads found in the cache"},
    {Domain::storage, "credits.use", "used of its base", "ratio", lower, capacity},
    {Domain::storage, "credits.lasts", "credits last", "s", higher, capacity},
    {Domain::storage, "wear.dwpd", "drive writes a day", "count", lower, capacity},
    {Domain::storage, "wear.life", "drives last", "s", higher, capacity},

    {Domain::cost, "capex", "bought for", "USD", lower, cost, TileOn::both, "cost of the system"},
    {Domain::cost, "hourly", "by the hour", "USD/h", lower, cost, TileOn::none,
     "cost of the system by the hour"},
    {Domain::cost, "gpu_idle", "idle GPUs", "USD/h", lower, cost, TileOn::both,
     "cost of idle GPUs"},
    {Domain::cost, "per_useful_gpu_hour", "useful GPU-hour", "USD", lower, cost, TileOn::both,
     "cost per useful GPU-hour"},
    {Domain::cost, "requests", "requests", "USD/h", lower, cost},
    {Domain::storage, "link.price", "egress", "USD", lower, cost},

    {Domain::power, "total", "all at work", "W", lower, power, TileOn::both, "power"},
    {Domain::power, "mean", "on average", "W", lower, power, TileOn::none, "mean power"},
    {Domain::power, "storage", "of it, storage", "W", lower, power, TileOn::none,
     "power of storage"},
    {Domain::power, "gpu_idle", "of waiting GPUs", "W", lower, power, TileOn::none,
     "power of waiting GPUs"},
    {Domain::space, "rack_units", "rack units", "U", lower, power},
};

struct Convention {
  std::string_view pattern;  ///< of full names
  Better better;
};

/// Of figures outside the table. The first row that matches decides.
constexpr Convention kConventions[] = {
    {"*.au", higher},
    {"job.*.throughput.*", higher},
    {"*.bandwidth", higher},
    {"*.hit", higher},
    {"*.supported", higher},
    {"cost.*", lower},
    {"*.price*", lower},
    {"*.required", lower},
    {"*.stall.*", lower},
    {"*.step.time*", lower},
    {"*.first_step*", lower},
    {"*.backpressure*", lower},
    {"*.barrier", lower},
    {"*.wait", lower},
    {"*.waited*", lower},
    {"*.exposed*", lower},
    {"*.communication.time*", lower},
    {"*.miss", lower},
    {"*.missed", lower},
    {"*.throttled*", lower},
    {"*.tries.most", lower},
    {"*.ramped", neither},
    {"*.lost*", lower},
    {"*.restart*", lower},
    {"*.bad_saves", lower},
};

constexpr std::array<std::pair<std::string_view, Domain>, 11> kDomains = {
    {{"job", Domain::job},
     {"tenant", Domain::tenant},
     {"stage", Domain::stage},
     {"pipeline", Domain::pipeline},
     {"failure", Domain::failure},
     {"storage", Domain::storage},
     {"resource", Domain::resource},
     {"cost", Domain::cost},
     {"power", Domain::power},
     {"space", Domain::space},
     {"*", Domain::any}}};

/// What is one of a design has no id.
bool has_id(Domain domain) {
  return domain != Domain::cost && domain != Domain::power && domain != Domain::space &&
         domain != Domain::pipeline && domain != Domain::any;
}

std::string joined(std::string_view domain, std::string_view id, std::string_view figure) {
  std::string out;
  out.reserve(domain.size() + id.size() + figure.size() + 1);
  return out.append(domain).append(id).append(".").append(figure);
}

}  // namespace

Name parse(std::string_view full) {
  Name out;
  out.figure = full;
  for (const std::string_view statistic : {"p50", "p95", "p99", "max"})
    if (full.size() > statistic.size() && full.ends_with(statistic) &&
        full[full.size() - statistic.size() - 1] == '.') {
      out.statistic = full.substr(full.size() - statistic.size());
      out.figure.remove_suffix(statistic.size() + 1);
    }
  const std::size_t dot = out.figure.find('.');
  if (dot == std::string_view::npos) return out;
  const auto domain = std::find_if(kDomains.begin(), kDomains.end(), [&](const auto& known) {
    return known.first == full.substr(0, dot);
  });
  if (domain == kDomains.end()) return out;
  out.domain = domain->second;
  out.figure.remove_prefix(dot + 1);
  if (!has_id(out.domain)) return out;
  const std::size_t end =
      out.domain == Domain::resource ? out.figure.rfind('.') : out.figure.find('.');
  out.id = out.figure.substr(0, end);
  out.figure.remove_prefix(end == std::string_view::npos ? out.figure.size() : end + 1);
  return out;
}

std::vector<std::string_view> domain_words() {
  std::vector<std::string_view> out;
  for (const auto& [word, domain] : kDomains)
    if (domain != Domain::any) out.push_back(word);
  return out;
}

std::vector<Stem> stems() {
  std::vector<Stem> out;
  for (const auto& [word, domain] : kDomains)
    if (domain != Domain::any)
      out.push_back({domain, std::string(word) + (has_id(domain) ? ".*." : ".")});
  return out;
}

std::string of_job(std::string_view job, std::string_view figure) {
  return joined("job.", job, figure);
}
std::string of_tenant(std::string_view tenant, std::string_view figure) {
  return joined("tenant.", tenant, figure);
}
std::string of_stage(std::string_view stage, std::string_view figure) {
  return joined("stage.", stage, figure);
}
std::string of_failure(std::string_view failure, std::string_view figure) {
  return joined("failure.", failure, figure);
}
std::string of_storage(std::string_view storage, std::string_view figure) {
  return joined("storage.", storage, figure);
}
std::string of_resource(std::string_view resource, std::string_view figure) {
  return joined("resource.", resource, figure);
}
std::string of_cost(std::string_view figure) { return joined("cost", {}, figure); }
std::string checkpoint(std::string_view job, std::string_view figure) {
  return of_job(job, "checkpoint.").append(figure);
}

std::span<const Figure> figures() { return kFigures; }

const Figure* find(std::string_view full) {
  const Name name = parse(full);
  const auto row =
      std::find_if(std::begin(kFigures), std::end(kFigures), [&](const Figure& figure) {
        return figure.key == name.figure &&
               (figure.domain == name.domain || name.domain == Domain::any);
      });
  return row == std::end(kFigures) ? nullptr : row;
}

Better better(std::string_view full) {
  if (const Figure* row = find(full)) return row->better;
  for (const Convention& row : kConventions)
    if (base::matches_glob(row.pattern, full)) return row.better;
  return Better::neither;
}

}  // namespace stallcast::metric
