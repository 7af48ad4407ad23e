#include "ui/app/replay.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "models/contract/registry.hpp"
#include "models/contract/replay_program.hpp"
#include "scenarios/resolve/component_reader.hpp"
#include "scenarios/rules/rules.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::client {
namespace {

constexpr const char* kTenant = "replay";

/// The id of the component that `wanted` names, or the only one.
Result<std::string> choose(const std::vector<Component>& all, const std::string& wanted,
                           const std::string& what, const std::string& several,
                           const std::string& option) {
  std::vector<std::string> ids;
  for (const Component& component : all) ids.push_back(component.id);
  if (ids.empty())
    return Failure{ExitCode::bad_input, "the scenario has no " + what,
                   "a replay needs one to run on"};
  if (wanted.empty() && ids.size() == 1) return ids.front();
  if (wanted.empty())
    return Failure{ExitCode::bad_input, "the scenario has several " + several,
                   "choose with " + option + ": " + base::join(ids, ", ") +
                       (option == "--storage" ? "; --map PATH=ID is for files elsewhere" : "")};
  if (std::find(ids.begin(), ids.end(), wanted) != ids.end()) return wanted;
  const std::string near = base::nearest(wanted, ids);
  return Failure{
      ExitCode::bad_input, "the scenario has no " + what + " \"" + wanted + "\"",
      near.empty() ? "it has " + base::join(ids, ", ") : "did you mean \"" + near + "\"?"};
}

Value given_text(std::string value) {
  Value out;
  out.dimension = Dimension::text;
  out.text = std::move(value);
  return out;
}
Value given_number(Dimension dimension, double value) {
  Value out;
  out.dimension = dimension;
  out.number = value;
  return out;
}

}  // namespace

Result<ReplayDesign> replay_design(const Design& scenario, const ReplayQuestion& question) {
  const auto storage =
      choose(scenario.storage, question.storage, "storage system", "storage systems", "--storage");
  if (!storage.ok()) return storage.failure();
  const auto hosts =
      choose(scenario.hosts, question.hosts, "host class", "host classes", "--hosts");
  if (!hosts.ok()) return hosts.failure();
  ReplayDesign out{scenario, *storage, *hosts, {}, 1};
  for (const auto& [path, id] : question.maps) {
    const auto also = choose(scenario.storage, id, "storage system", "storage systems", "--map");
    if (!also.ok()) return also.failure();
    if (*also != *storage && std::find(out.also.begin(), out.also.end(), *also) == out.also.end())
      out.also.push_back(*also);
  }
  Design& design = out.design;
  const Value* count = design.find_host(*hosts)->find("count");
  const double there = count != nullptr ? count->number : 1.0;
  const models::ReplayPlacement placed = models::replay_placement(
      question.header, static_cast<std::uint64_t>(there), question.per_host);
  out.hosts_used = placed.hosts;
  if (static_cast<double>(placed.hosts) > there)
    return Failure{ExitCode::bad_input,
                   std::to_string(question.header.processes) + " processes, " +
                       std::to_string(placed.per_host) + " on each host, need " +
                       std::to_string(placed.hosts) + " hosts, and \"" + *hosts + "\" has " +
                       std::to_string(static_cast<std::uint64_t>(there)),
                   "raise --per-host, or set cluster.hosts." + *hosts + ".count"};
  design.expect.clear();
  if (!question.with_jobs) {
    design.jobs.clear();
    design.tenants.clear();
    design.stages.clear();
    design.failures.clear();
    design.run.values.erase("duration");
  }
  Component tenant;
  tenant.id = kTenant;
  for (bool taken = true; taken; tenant.id += taken ? "_" : "")
    taken = std::any_of(design.tenants.begin(), design.tenants.end(),
                        [&](const Component& other) { return other.id == tenant.id; });
  tenant.kind = "replay";
  tenant.pointer = "/tenants/" + std::to_string(design.tenants.size());
  auto& values = tenant.values;
  for (const base::FieldInfo* field :
       models::fields_of(*models::find_kind(models::Role::tenant, tenant.kind)))
    if (const Value* value = scenarios::default_value(*field)) values.emplace(field->key, *value);
  values["on"] = given_text(*storage);
  values["hosts"] = given_text(*hosts);
  if (!out.also.empty()) {
    values["also"].dimension = Dimension::text_list;
    values["also"].list = out.also;
  }
  values["program"] = given_text(question.program);
  values["sha256"] =
      given_text(std::string(question.header.sha256.begin(), question.header.sha256.end()));
  values["speed"] = given_text(question.speed);
  values["direct"] = given_number(Dimension::boolean, question.direct ? 1.0 : 0.0);
  if (question.per_host)
    values["per_host"] = given_number(Dimension::count, static_cast<double>(*question.per_host));
  design.tenants.push_back(std::move(tenant));
  if (question.program.empty()) return out;  // there is none yet
  Diagnostics faults;
  scenarios::check_design(design, faults);
  for (const Diagnostic& fault : faults.items())
    if (fault.severity == Severity::error)
      return Failure{ExitCode::bad_input, fault.message, fault.hint};
  return out;
}

void add_replayed(const ReplayDesign& design, Prediction prediction, Replay& out) {
  const std::string tenant = design.design.tenants.back().id;
  const auto value = [&](const std::string& figure) {
    return figure_or_zero(prediction, metric::of_tenant(tenant, figure));
  };
  out.storage = design.storage;
  out.hosts = design.hosts;
  out.hosts_used = design.hosts_used;
  out.makespan_s = value("makespan");
  out.io_s = value("io");
  out.unwritten_bytes = value("unwritten");
  const auto replayed = [&](const std::string& count, const std::string& times,
                            const ReplayFigures& traced) {
    ReplayFigures figures;
    figures.operations = static_cast<std::uint64_t>(value(count + ".count"));
    figures.bytes = traced.bytes;
    figures.time_s = value(count + ".time");
    for (const char* key : {"p50", "p95", "p99", "max"})
      figures.latency_s[key] = value(times + "." + key);
    figures.latency_s["mean"] = value(times);
    return figures;
  };
  for (const auto& [action, plural] :
       {std::pair{"read", "reads"}, std::pair{"write", "writes"}, std::pair{"sync", "syncs"},
        std::pair{"metadata", "metadata"}})
    if (const auto traced = out.traced.find(action); traced != out.traced.end())
      out.replayed[action] = replayed(plural, std::string(plural) + ".latency", traced->second);
  for (const auto& [what, traced] : out.traced_training)
    out.replayed_training[what] = replayed(what, what, traced);
  const auto reads = out.traced.find("read");
  if (reads != out.traced.end() && reads->second.bytes > 0.0)
    out.cached_share = value("cached") / reads->second.bytes;
  // The program is what it holds, wherever it lies.
  Design identity = design.design;
  identity.tenants.back().values.erase("program");
  prediction.design_sha256 = codec::design_hash(identity);
  if (prediction.gains && prediction.gains->simulated == 0) prediction.gains.reset();
  // What was waited for beside it is of the jobs; what is gained is of the replay.
  if (!prediction.breakdown.empty())
    for (Bottleneck& b : prediction.bottlenecks) b.blamed_share = 0.0;
  prediction.breakdown.clear();
  out.prediction = std::move(prediction);
}

}  // namespace stallcast::client
