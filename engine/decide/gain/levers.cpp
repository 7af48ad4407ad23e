#include "engine/decide/gain/levers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/base/design_values.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/breakdown.hpp"

namespace stallcast::gain {
namespace {

using models::Role;

/// Time lost to less than this share of the time is not looked for.
constexpr double kNoTime = 0.0005;

/// Times that are no cost: how long something lasts, how often it is done, when it begins.
constexpr std::array<std::string_view, 13> kNoCost = {
    "life", "every", "burst",   "limit.burst", "retry.base", "retry.cap", "until",
    "from", "at",    "horizon", "period",      "busy",       "mtbf"};

/// What tenants compute: on cores of their hosts, and on the GPUs of copies of a model.
constexpr std::array<std::string_view, 2> kOfCores = {"cpu", "compute"};
constexpr std::array<std::string_view, 3> kOfReplicas = {"prefill", "decode", "memory_rate"};

/// First words of what one device takes over an operation, where storage is known by measurements.
constexpr std::array<std::string_view, 2> kOfDevice = {"read", "write"};

template <std::size_t N>
bool one_of(std::string_view key, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), key) != list.end();
}

/// What the value of `key` is multiplied by to be twice as fast; none where it is not a speed.
std::optional<double> factor_of(Role role, std::string_view key, const Value& value) {
  if (!(value.number > 0.0) || !std::isfinite(value.number)) return std::nullopt;
  if (role == Role::host && key.starts_with("slow.")) return std::nullopt;
  if (role == Role::run) return std::nullopt;  // for how long it is looked at
  if (role == Role::step) return key == "jitter" ? std::optional(0.5) : std::nullopt;
  if (role == Role::job && !key.starts_with("limit") && !key.starts_with("barrier."))
    return std::nullopt;
  if (role == Role::tenant && !key.starts_with("limit") && !one_of(key, kOfCores) &&
      !one_of(key, kOfReplicas))
    return std::nullopt;
  if (role == Role::stage && key == "start") return std::nullopt;
  if (role == Role::stage && key == "workers") return 2.0;
  switch (value.dimension) {
    case Dimension::rate:
    case Dimension::op_rate:
      return 2.0;
    case Dimension::time:
      return one_of(key, kNoCost) || key.starts_with("every") || key.starts_with("keep")
                 ? std::nullopt
                 : std::optional(0.5);
    case Dimension::count:
    case Dimension::bytes:
      return counts_at_a_time(key) ? std::optional(2.0) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::string first_word(std::string_view dotted) {
  return std::string(dotted.substr(0, dotted.find('.')));
}

/// The job or tenant a component belongs to: "jobs[train].loader" -> "jobs[train]".
std::string job_of(const std::string& path) { return path.substr(0, path.find(']') + 1); }

/// Shares of the time that go to each cause, mean over the jobs. Requests of tenants alone are all
/// data.
struct Lost {
  explicit Lost(const Prediction& prediction) {
    alone = of_tenants_alone(prediction) || of_pipeline(prediction);
    if (alone) by_cause["data"] = 1.0;
    const auto jobs = static_cast<double>(prediction.breakdown.size());
    for (const auto& [job, shares] : prediction.breakdown) {
      for (const auto& [cause, share] : shares) by_cause[cause] += share / jobs;
      by_cause["lent"] += lent_share(prediction, job) / jobs;
    }
  }
  [[nodiscard]] double to(std::initializer_list<const char*> causes) const {
    double sum = 0.0;
    for (const char* cause : causes)
      if (const auto found = by_cause.find(cause); found != by_cause.end()) sum += found->second;
    return sum;
  }
  /// The most that a value of this role can gain. Ranks that load or save unevenly wait for each
  /// other, too.
  [[nodiscard]] double most(Role role, std::string_view key) const {
    if (any) return 1.0;
    const double moving = to({"data", "metadata", "cpu", "checkpoint"});
    const double uneven = moving >= kNoTime ? to({"sync"}) : 0.0;
    switch (role) {
      case Role::storage:
        return moving + uneven + to({"restart", "communication"});
      case Role::host:
      case Role::fabric:
        return moving + uneven + to({"restart", "communication"});
      case Role::dataset:
      case Role::loader:
        return to({"data", "metadata", "cpu"}) + uneven + to({"restart"});
      case Role::checkpoint:
        return to({"checkpoint", "restart"}) + uneven;
      case Role::communication:
        return to({"communication"});
      case Role::job:
        return key.starts_with("limit") ? most(Role::storage, key) : to({"sync"});
      case Role::step:
        return to({"sync"});
      case Role::recovery:
        return to({"restart"});
      case Role::elastic:  // all of it, and how long processes take to end
        return to({key.empty() ? "lent" : "restart"});
      case Role::tenant:
      case Role::stage:
        return alone ? moving : 0.0;
      default:
        return 0.0;
    }
  }
  std::map<std::string, double> by_cause;
  bool alone = false;
  bool any = false;  ///< nothing is left out for the little time that it costs
};

/// Whether a loader copies batches to pinned memory.
bool pins(const Component& loader) {
  const Value* on = loader.find("pin_memory");
  return on != nullptr && on->number != 0.0;
}

/// Where a value belongs. Readers' work on the CPU is one part with the cores that do it.
std::pair<std::string, std::string> part_and_owner(Role role, const std::string& path,
                                                   const std::string& key, const std::string& host,
                                                   const std::string& kind) {
  switch (role) {
    case Role::dataset:
    case Role::loader:
      if (key.starts_with("gpu.")) return {path + ".gpu", path};
      // One thread of the training process: no more cores make it faster.
      if (key.starts_with("pin.")) return {path + ".pin", path};
      return {host + ".cpu", host};
    case Role::tenant:
    case Role::stage:
      if (one_of(key, kOfCores)) return {host + ".cpu", host};
      if (one_of(key, kOfReplicas)) return {path + ".replicas", path};
      return {path + "." + key, path};
    case Role::job:
      if (key.starts_with("limit")) return {path + "." + key, path + "." + key};
      [[fallthrough]];
    case Role::step:
      return {job_of(path) + ".barrier", job_of(path) + ".barrier"};
    case Role::checkpoint:
      // More at a time also write more at a time: another part than what each of them does.
      return {path + (key == "threads" ? ".threads" : ".work"), path};
    case Role::communication:
    case Role::recovery:
      return {path, path};
    case Role::elastic:
      return {job_of(path) + ".recovery", job_of(path) + ".recovery"};
    case Role::fabric:  // ports that NICs are plugged into are no links between switches
      if (key == "port.rate") return {path + ".port", path};
      return {path + (key == "compute_link.rate" ? ".compute_link" : ""), path};
    case Role::storage:
      // Of measured storage: what its device takes over a read or a write. Elsewhere it is the most
      // that the whole system reads or writes.
      if (kind == "measured" && one_of(first_word(key), kOfDevice))
        return {path + (key.ends_with(".copy") ? ".copy" : ".device"), path};
      [[fallthrough]];
    default:
      return {path + "." + first_word(key), path};
  }
}

/// Failures of hosts, left out, of each job that loses work or restarts: what it gains without
/// them.
void add_host_failures(const std::string& path, std::size_t at, const Prediction& prediction,
                       Parts& parts) {
  for (const auto& [job, shares] : prediction.breakdown) {
    const auto lost = shares.find("restart");
    if (lost == shares.end() || lost->second < kNoTime) continue;
    const std::string name = base::component_path("job", job) + ".failures";
    DesignPart& part = parts[name];
    part.path = part.owner = name;
    part.levers.push_back({path, at, "", 0.0});
  }
}

/// What slow hosts would be without it.
void add_slow(const std::string& path, std::size_t at, const Component& host, Parts& parts) {
  const Value* count = host.find("slow.count");
  if (count == nullptr || !(count->number > 0.0)) return;
  for (const char* key : {"slow.compute", "slow.nic"})
    if (const Value* value = host.find(key); value != nullptr && value->number < 1.0) {
      DesignPart& part = parts[path + ".slow"];
      part.path = path + ".slow";
      part.owner = path;
      part.levers.push_back({path + "." + key, at, key, std::min(2.0, 1.0 / value->number)});
    }
}

Parts parts_for(const Design& design, const Prediction& prediction, const Lost& lost) {
  Parts out;
  std::map<std::string, std::string> hosts;  // path of the host class, by that of who runs there
  for (const JobDesign& job : design.jobs)
    if (const Value* value = job.job.find("hosts"))
      hosts[base::component_path("job", job.job.id)] = base::component_path("host", value->text);
  for (const Component& tenant : design.tenants)
    if (const Value* value = tenant.find("hosts"))
      hosts[base::component_path("tenant", tenant.id)] = base::component_path("host", value->text);
  for (const Component& stage : design.stages)
    if (const Value* value = stage.find("hosts"))
      hosts[base::component_path("stage", stage.id)] = base::component_path("host", value->text);
  std::size_t number = 0;
  base::for_each_component(
      design, [&](const std::string& path, std::string_view id, const Component& component) {
        const std::size_t at = number++;
        const models::RoleInfo* role = models::find_role(id);
        if (role == nullptr) return;
        if (role->role == Role::host) add_slow(path, at, component, out);
        if (role->role == Role::failure && component.kind != "storage")
          add_host_failures(path, at, prediction, out);
        const bool outage = role->role == Role::failure && component.kind == "storage" &&
                            lost.most(Role::storage, "") >= kNoTime;
        if (outage || (role->role == Role::elastic && lost.most(Role::elastic, "") >= kNoTime))
          out[path] = {path, path, {{path, at, "", 0.0}}};
        for (const auto& [key, value] : component.values) {
          if (lost.most(role->role, key) < kNoTime) continue;
          if (role->role == Role::loader && key.starts_with("pin.") && !pins(component)) continue;
          const std::optional<double> factor = factor_of(role->role, key, value);
          if (!factor) continue;
          const auto [name, owner] =
              part_and_owner(role->role, path, key, hosts[job_of(path)], component.kind);
          DesignPart& part = out[name];
          part.path = name;
          part.owner = owner;
          part.levers.push_back({path + "." + key, at, key, *factor});
        }
      });
  return out;
}

}  // namespace

Parts parts_of(const Design& design, const Prediction& prediction) {
  const Lost lost(prediction);
  if (lost.to({"communication", "data", "metadata", "cpu", "checkpoint", "sync", "restart",
               "lent"}) < kNoTime)
    return {};
  return parts_for(design, prediction, lost);
}

Parts all_parts_of(const Design& design, const Prediction& prediction) {
  Lost lost(prediction);
  lost.any = true;
  return parts_for(design, prediction, lost);
}

std::string part_of_resource(std::string_view resource, const Design& design, const Parts& parts) {
  const base::ResourceName name = base::resource_name(resource);
  const std::string word = first_word(name.part);
  const auto known = [&](const std::string& path) {
    return parts.contains(path) ? path : std::string();
  };
  const std::string owner = base::component_path(name.role, name.id);
  if (name.role == "fabric")
    return known(word == "port" || word == "compute_link" ? owner + "." + word : owner);
  if (name.role == "failure") return known(owner);
  if (name.role == "job") {
    if (word == "checkpoint") return known(owner + ".checkpoint.work");
    if (word == "barrier" || word.starts_with("limit")) return known(owner + "." + word);
    if (word == "failures" || word == "elastic") return known(owner + "." + word);
    if (word == "spares") return known(owner + ".recovery");
    if (name.part == "loader.pin") return known(owner + ".loader.pin");
    for (const JobDesign& job : design.jobs)
      if (const Value* host = job.job.find("hosts"); host != nullptr && job.job.id == name.id)
        return known(base::component_path("host", host->text) + ".cpu");
    return "";
  }
  // A cache is a client of what lies behind it.
  const bool of_cache = name.role == "storage" && std::ranges::count(name.part, '.') > 1;
  if (word == "client" && (name.role == "host" || of_cache)) {
    const std::string_view rest = name.part.substr(word.size() + 1);
    const std::string of = base::component_path("storage", rest.substr(0, rest.find('.')));
    const std::string path = known(of + ".client");
    return path.empty() ? known(of + ".port") : path;  // of CXL a host has no more than its port
  }
  if (name.role == "host" && name.part == "gpu.decode")
    for (const JobDesign& job : design.jobs)
      return known(base::component_path("job", job.job.id) + ".loader.gpu");
  if (name.role == "stage" && word == "workers") return known(owner + ".workers");
  if (name.role == "host" && word == "cache") return known(owner + ".cpu");
  // What pieces of one file wait for is a value of its own, not of the targets that hold it.
  if (name.role == "storage" && name.part == "ost.lock") return known(owner + ".lock");
  if (name.role == "storage" && word == "shared_file") return known(owner + ".shared");
  if (const std::string path = known(owner + "." + word); !path.empty() || name.role != "storage")
    return path;
  // Its bytes are counted by direction; their time, most of it latency, is the device's.
  if (one_of(word, kOfDevice) && !known(owner + ".device").empty()) return "";
  // Drives of "drive", and what a server does under another name: its metadata, space, media.
  if (const std::string path = known(owner + "." + word.substr(0, word.size() - 1)); !path.empty())
    return path;
  for (const char* server : {"server", "backend", "node", "target", "array", "head", "datanode",
                             "device", "osd", "connection"})
    if (const std::string path = known(owner + "." + server); !path.empty()) return path;
  return "";
}

}  // namespace stallcast::gain
