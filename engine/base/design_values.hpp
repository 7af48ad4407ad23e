#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"

namespace stallcast::base {

/// What a resource belongs to: "storage.scratch.oss.nic" is storage, scratch, oss.nic. The fabric
/// has no id. Views of the name, which outlives them.
struct ResourceName {
  std::string_view role, id, part;
};
[[nodiscard]] ResourceName resource_name(std::string_view resource);
template <std::same_as<std::string> Temporary>
ResourceName resource_name(Temporary&& resource) = delete;

/// "storage[scratch]", "cluster.hosts[gpu]", "cluster.fabric": a component as `--set` names it; of
/// parts of jobs, the job.
[[nodiscard]] std::string component_path(std::string_view role, std::string_view id);

/// Calls `visit(path, role, component)` for every component of `design`, in the order of the
/// scenario. The path is what `--set` takes ("jobs[train].loader"), the role the id of its row in
/// models::roles().
template <class AnyDesign, class Visit>
void for_each_component(AnyDesign& design, const Visit& visit) {
  for (auto& host : design.hosts) visit(component_path("host", host.id), "host", host);
  visit(component_path("fabric", {}), "fabric", design.fabric);
  for (auto& storage : design.storage)
    visit(component_path("storage", storage.id), "storage", storage);
  for (auto& job : design.jobs) {
    const std::string path = component_path("job", job.job.id);
    visit(path, "job", job.job);
    visit(path + ".model", "model", job.model);
    visit(path + ".step", "step", job.step);
    if (job.communication) visit(path + ".communication", "communication", *job.communication);
    if (job.dataset) visit(path + ".dataset", "dataset", *job.dataset);
    if (job.loader) visit(path + ".loader", "loader", *job.loader);
    if (job.checkpoint) visit(path + ".checkpoint", "checkpoint", *job.checkpoint);
    if (job.recovery) visit(path + ".recovery", "recovery", *job.recovery);
    if (job.elastic) visit(path + ".elastic", "elastic", *job.elastic);
  }
  for (auto& tenant : design.tenants) visit(component_path("tenant", tenant.id), "tenant", tenant);
  for (auto& stage : design.stages) visit(component_path("stage", stage.id), "stage", stage);
  for (auto& failure : design.failures)
    visit(component_path("failure", failure.id), "failure", failure);
  visit(std::string("run"), "run", design.run);
}

/// Every value of a design with the path `--set` takes, in the order of the scenario.
[[nodiscard]] std::vector<std::pair<std::string, const Value*>> values_of(const Design& design);

/// "storage.scratch.ost.count" from "storage[scratch].ost.count": how metrics and people write it.
[[nodiscard]] std::string plain_path(std::string_view path);

/// JSON pointer of the field `key` of `component` in its scenario.
[[nodiscard]] std::string pointer_of(const Component& component, std::string_view key);

/// A value as a scenario would write it: "4 GB/s", "70B".
[[nodiscard]] std::string written(const Value& value);

/// The number of the field `key`, where `component` has it.
[[nodiscard]] inline std::optional<double> number_if(const Component& component,
                                                     std::string_view key) {
  const Value* value = component.find(key);
  return value == nullptr ? std::nullopt : std::optional(value->number);
}
[[nodiscard]] inline double number_of(const Component& component, std::string_view key,
                                      double otherwise = 0.0) {
  return number_if(component, key).value_or(otherwise);
}

/// "file:line:column", as Source::where says it, as a place; line 0 when it is not one.
[[nodiscard]] Position position_of(const std::string& where);

}  // namespace stallcast::base
