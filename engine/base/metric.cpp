#include "stallcast/metric.hpp"

#include <algorithm>
#include <array>

#include "engine/base/glob.hpp"

namespace stallcast::metric {
namespace {

using enum Better;

constexpr std::array kFigures = {
    Figure{Scope::job, kGpuUtilization, "GPU utilization", "ratio", higher, Group::none,
           Tile::both},
    Figure{Scope::job, kAu, "AU (DLIO)", "ratio", higher, Group::job, Tile::page, "AU"},
    Figure{Scope::job, kGoodput, "goodput", "ratio", higher, Group::job, Tile::both},
    Figure{Scope::job, "goodput.p5", "goodput, worst 5 %", "ratio", higher, Group::job},
    Figure{Scope::job, kStepTime, "step", "s", lower, Group::job, Tile::both, "step time"},
    Figure{Scope::job, "first_batch", "first batch after", "s", lower, Group::job, Tile::page},
    Figure{Scope::job, "stall.data", "waiting for data", "ratio", lower, Group::none,
           Tile::explorer},
    Figure{Scope::job, "throughput.samples", "samples", "1/s", higher, Group::job},
    Figure{Scope::job, "throughput.bytes", "data read", "B/s", higher, Group::job, Tile::both},
    Figure{Scope::job, "checkpoint.size", "size", "B", neither, Group::checkpoint},
    Figure{Scope::job, "checkpoint.stall", "stall per save", "s", lower, Group::checkpoint,
           Tile::both},
    Figure{Scope::job, "checkpoint.duration", "durable after", "s", lower, Group::checkpoint,
           Tile::both, "save durable after"},
    Figure{Scope::job, "checkpoint.bandwidth", "bandwidth", "B/s", higher, Group::checkpoint},
    Figure{Scope::job, "checkpoint.overhead", "overhead", "ratio", lower, Group::checkpoint},
    Figure{Scope::job, "restore.duration", "restore", "s", lower, Group::job, Tile::explorer},

    Figure{Scope::job, "failures.mtbf", "mean time between", "s", neither, Group::failures},
    Figure{Scope::job, "failures.count", "failures", "count", neither, Group::failures},
    Figure{Scope::job, "failures.lost_work", "work lost by each", "s", lower, Group::failures},
    Figure{Scope::job, "failures.restart", "restart", "s", lower, Group::failures},
    Figure{Scope::job, "failures.lost.share", "time in lost work", "ratio", lower, Group::failures},
    Figure{Scope::job, "failures.restart.share", "time in restarts", "ratio", lower,
           Group::failures},
    Figure{Scope::job, "failures.waiting.share", "waiting for spares", "ratio", lower,
           Group::failures},
    Figure{Scope::job, "checkpoint.best_interval", "best save interval", "s", neither,
           Group::failures},
    Figure{Scope::job, "checkpoint.best_interval.goodput", "goodput with it", "ratio", higher,
           Group::failures},
    Figure{Scope::job, "checkpoint.best_interval.young", "Young's formula", "s", neither,
           Group::failures},
    Figure{Scope::job, "checkpoint.best_interval.daly", "Daly's formula", "s", neither,
           Group::failures},

    Figure{Scope::job, "restart.count", "failures at a date", "count", neither, Group::restart},
    Figure{Scope::job, "restart.duration", "until steps go on", "s", lower, Group::restart},
    Figure{Scope::job, "restart.restore.duration", "of it, restore", "s", lower, Group::restart},
    Figure{Scope::job, "restart.waiting", "of it, for a spare", "s", lower, Group::restart},
    Figure{Scope::job, "restart.lost_work", "work lost", "s", lower, Group::restart},
    Figure{Scope::job, "restart.lost_steps", "steps done again", "count", lower, Group::restart},
    Figure{Scope::job, "restart.caught_up", "caught up after", "s", lower, Group::restart},

    Figure{Scope::job, "elastic.lent.gpu_hours", "GPU hours lent", "GPU h", neither,
           Group::elastic},
    Figure{Scope::job, "elastic.lent.share", "share of all", "ratio", neither, Group::elastic},
    Figure{Scope::job, "elastic.lost.gpu_hours", "GPU hours in shifts", "GPU h", lower,
           Group::elastic},
    Figure{Scope::job, "elastic.lost.share", "share of all", "ratio", lower, Group::elastic},
    Figure{Scope::job, "elastic.trained.share", "trained, of all", "ratio", higher, Group::elastic},
    Figure{Scope::job, "elastic.shift.save", "save of a shift", "s", neither, Group::elastic},
    Figure{Scope::job, "elastic.shift.restart", "restart of a shift", "s", lower, Group::elastic},

    Figure{Scope::tenant, "read", "reads", "B/s", higher, Group::tenant},
    Figure{Scope::tenant, "write", "writes", "B/s", higher, Group::tenant},
    Figure{Scope::tenant, "operations", "requests", "1/s", higher, Group::tenant},
    Figure{Scope::tenant, "latency", "latency", "s", lower, Group::tenant},
    Figure{Scope::tenant, "weights.load", "weights loaded in", "s", neither, Group::tenant},
    Figure{Scope::tenant, "behind", "not yet written", "B", lower, Group::tenant},

    Figure{Scope::failure, "count", "failures", "count", neither, Group::fault},
    Figure{Scope::failure, "lasted", "lasted", "s", neither, Group::fault},
    Figure{Scope::failure, "stall", "GPUs waited", "s", lower, Group::fault},
    Figure{Scope::failure, kGpuUtilization, "GPU utilization", "ratio", higher, Group::fault},

    Figure{Scope::cost, "capex", "bought for", "USD", lower, Group::cost, Tile::both,
           "cost of the system"},
    Figure{Scope::cost, "gpu_idle", "idle GPUs", "USD/h", lower, Group::cost, Tile::both,
           "cost of idle GPUs"},
    Figure{Scope::cost, "per_useful_gpu_hour", "useful GPU-hour", "USD", lower, Group::cost,
           Tile::both, "cost per useful GPU-hour"},
};

struct Convention {
  std::string_view pattern;  ///< of full names
  Better better;
};

/// Of figures outside the table. The first row that matches decides.
constexpr std::array kConventions = {
    Convention{"*.au", higher},
    Convention{"job.*.throughput.*", higher},
    Convention{"*.bandwidth", higher},
    Convention{"*.hit", higher},
    Convention{"*.supported", higher},
    Convention{"cost.*", lower},
    Convention{"*.price*", lower},
    Convention{"*.required", lower},
    Convention{"*.stall.*", lower},
    Convention{"*.step.time*", lower},
    Convention{"*.first_step*", lower},
    Convention{"*.backpressure*", lower},
    Convention{"*.barrier", lower},
    Convention{"*.wait", lower},
    Convention{"*.waited*", lower},
    Convention{"*.exposed*", lower},
    Convention{"*.communication.time*", lower},
    Convention{"*.miss", lower},
    Convention{"*.missed", lower},
    Convention{"*.throttled*", lower},
    Convention{"*.tries.most", lower},
    Convention{"*.lost*", lower},
    Convention{"*.restart*", lower},
    Convention{"*.bad_saves", lower},
};

constexpr std::array<std::pair<std::string_view, Scope>, 7> kScopes = {
    {{"job", Scope::job},
     {"tenant", Scope::tenant},
     {"failure", Scope::failure},
     {"storage", Scope::storage},
     {"resource", Scope::resource},
     {"cost", Scope::cost},
     {"*", Scope::any}}};

std::string joined(std::string_view scope, std::string_view id, std::string_view figure) {
  std::string out;
  out.reserve(scope.size() + id.size() + figure.size() + 1);
  return out.append(scope).append(id).append(".").append(figure);
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
  const auto scope = std::find_if(kScopes.begin(), kScopes.end(), [&](const auto& known) {
    return known.first == full.substr(0, dot);
  });
  if (scope == kScopes.end()) return out;
  out.scope = scope->second;
  out.figure.remove_prefix(dot + 1);
  if (out.scope == Scope::cost || out.scope == Scope::any) return out;
  const std::size_t end =
      out.scope == Scope::resource ? out.figure.rfind('.') : out.figure.find('.');
  out.id = out.figure.substr(0, end);
  out.figure = end == std::string_view::npos ? std::string_view() : out.figure.substr(end + 1);
  return out;
}

std::string of_job(std::string_view job, std::string_view figure) {
  return joined("job.", job, figure);
}
std::string of_tenant(std::string_view tenant, std::string_view figure) {
  return joined("tenant.", tenant, figure);
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
  const auto row = std::find_if(kFigures.begin(), kFigures.end(), [&](const Figure& figure) {
    return figure.key == name.figure && (figure.scope == name.scope || name.scope == Scope::any);
  });
  return row == kFigures.end() ? nullptr : &*row;
}

Better better(std::string_view full) {
  if (const Figure* row = find(full)) return row->better;
  for (const Convention& row : kConventions)
    if (base::matches_glob(row.pattern, full)) return row.better;
  return Better::neither;
}

}  // namespace stallcast::metric
