#include "engine/decide/plan/users.hpp"

#include <algorithm>

#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

using base::ResourceName;
using models::Remedy;
using Of = Remedy::Of;

bool refers_to(const Component* component, std::string_view key, std::string_view id) {
  const Value* value = component != nullptr ? component->find(key) : nullptr;
  return value != nullptr && value->text == id;
}

bool reads_of(const JobDesign& job, std::string_view storage) {
  const Component* data = job.dataset ? &*job.dataset : nullptr;
  return refers_to(data, "on", storage) || refers_to(data, "also.on", storage);
}

bool saves_to(const JobDesign& job, std::string_view storage) {
  return refers_to(job.checkpoint ? &*job.checkpoint : nullptr, "to", storage);
}

}  // namespace

const std::optional<Component>& part_of(const JobDesign& job, models::Role part) {
  switch (part) {
    case models::Role::loader:
      return job.loader;
    case models::Role::dataset:
      return job.dataset;
    case models::Role::checkpoint:
      return job.checkpoint;
    case models::Role::elastic:
      return job.elastic;
    default:
      return job.recovery;
  }
}

double share_of(const Prediction& prediction, const std::string& job, std::string_view cause) {
  const auto shares = prediction.breakdown.find(job);
  if (shares == prediction.breakdown.end()) return 0.0;
  const auto share = shares->second.find(std::string(cause));
  return share == shares->second.end() ? 0.0 : share->second;
}

bool uses(const JobDesign& job, std::string_view storage) {
  return reads_of(job, storage) || saves_to(job, storage);
}

bool suffers(const JobDesign& job, const Remedy& remedy, const ResourceName& name,
             const Prediction& prediction) {
  const bool saves = remedy.of == Of::checkpoint;
  if (name.role == "job" && job.job.id != name.id) return false;
  if (remedy.of == Of::recovery) return true;
  if (name.role == "host" && !refers_to(&job.job, "hosts", name.id)) return false;
  if (name.role == "storage" && !(saves ? saves_to(job, name.id) : reads_of(job, name.id)))
    return false;
  if (saves) return share_of(prediction, job.job.id, "checkpoint") >= kNoticeable;
  return share_of(prediction, job.job.id, "data") + share_of(prediction, job.job.id, "cpu") >=
         kNoticeable;
}

bool goes(Remedy::Way way, const ResourceName& name, const Design& design,
          const Prediction& prediction) {
  if (way == Remedy::Way::any || !design.stages.empty()) return true;
  const bool reads = way == Remedy::Way::reads;
  const auto of_job = [&](const JobDesign& job) {
    return reads ? reads_of(job, name.id) : saves_to(job, name.id);
  };
  const auto of_tenant = [&](const Component& tenant) {
    const std::string moved = metric::of_tenant(tenant.id, reads ? "read" : "write");
    return refers_to(&tenant, "on", name.id) && figure_or_zero(prediction, moved) > 0.0;
  };
  return std::ranges::any_of(design.jobs, of_job) || std::ranges::any_of(design.tenants, of_tenant);
}

}  // namespace stallcast::plan
