#include "engine/decide/plan/sized.hpp"

#include <algorithm>
#include <string_view>

#include "engine/base/assertion.hpp"
#include "engine/base/design_values.hpp"
#include "engine/decide/plan/countables.hpp"
#include "engine/decide/plan/users.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

/// The storage system that a resource is of, or a client of: "" for others.
std::string storage_in(const std::string& resource) {
  const base::ResourceName name = base::resource_name(resource);
  if (name.role == "storage") return std::string(name.id);
  constexpr std::string_view kClient = "client.";
  if (name.role != "host" || !name.part.starts_with(kClient)) return "";
  const std::string_view id = name.part.substr(kClient.size());
  return std::string(id.substr(0, id.find('.')));
}

}  // namespace

std::vector<std::string> storages_of(const Design& design, const Prediction& prediction,
                                     const AssertionOutcome& target) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& storage) {
    if (!storage.empty() && !default_path(design, storage).empty() &&
        std::find(out.begin(), out.end(), storage) == out.end())
      out.push_back(storage);
  };
  const metric::Name name = metric::parse(target.metric);
  if (name.domain == metric::Domain::storage) add(std::string(name.id));
  add(storage_in(target.limited_by));
  for (const JobDesign& job : design.jobs) {
    if (name.domain != metric::Domain::job || job.job.id != name.id) continue;
    const auto use = [&](const std::optional<Component>& part, const char* key) {
      const Value* storage = part ? part->find(key) : nullptr;
      if (storage != nullptr) add(storage->text);
    };
    const bool saves =
        share_of(prediction, job.job.id, "checkpoint") >= share_of(prediction, job.job.id, "data");
    if (saves) use(job.checkpoint, "to");
    use(job.dataset, "on");
    use(job.dataset, "also.on");
    use(job.checkpoint, "to");
  }
  for (const Component& tenant : design.tenants)
    if (name.domain == metric::Domain::tenant && tenant.id == name.id)
      if (const Value* on = tenant.find("on"); on != nullptr) add(on->text);
  return out;
}

std::string storage_to_size(const PlanSpec& spec, const Design& design,
                            const predict::PredictOptions& options) {
  const auto counted =
      std::count_if(design.storage.begin(), design.storage.end(),
                    [&](const Component& s) { return !default_path(design, s.id).empty(); });
  if (!spec.storage.empty() || !spec.over.empty() || !spec.maximize.empty() || counted < 2)
    return spec.storage;
  Design judged = design;
  std::erase_if(judged.expect, [](const Expectation& e) {
    const auto parsed = base::parse_assertion(e.that);
    return parsed.ok() && predict::is_plan_metric(parsed->metric);
  });
  const Result<Prediction> made = predict::predict(judged, predict::one_run(options));
  if (!made.ok()) return "";
  for (const AssertionOutcome& target : made->assertions) {
    if (target.status == "pass" || target.level == "warn") continue;
    if (const auto of = storages_of(design, *made, target); !of.empty()) return of.front();
  }
  return "";
}

}  // namespace stallcast::plan
