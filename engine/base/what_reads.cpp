#include "engine/base/what_reads.hpp"

#include <algorithm>
#include <array>

#include "engine/base/design_values.hpp"
#include "engine/base/sha256.hpp"

namespace stallcast::base {
namespace {

/// No reader sees these: what comes from where, over which network, how long the job goes on, and
/// what others say of it.
constexpr std::array<std::string_view, 9> kOthers{
    "on", "also.", "nic.", "nics", "epochs", "steps", "limit", "discrepancy.", "priority"};

bool was_narrowed(const CalibrationProfile& profile, std::string_view role,
                  const Component& component, std::string_view key) {
  return std::ranges::any_of(profile.narrowed, [&](const NarrowedInput& one) {
    return one.field == key && one.is_for(role, component);
  });
}

bool seen(std::string_view key, const Value& value) {
  if (value.dimension == Dimension::money || value.dimension == Dimension::money_rate) return false;
  for (const std::string_view other : kOthers)
    if (key.starts_with(other)) return false;
  return true;
}

}  // namespace

std::string what_reads(const Design& design, const JobDesign& job,
                       const CalibrationProfile& profile) {
  if (!job.dataset || !job.loader) return "";
  std::string text;
  const auto add = [&](std::string_view role, const Component& component) {
    text.append(role).append(" ").append(component.kind).append("\n");
    for (const auto& [key, value] : component.values)
      if (seen(key, value) && !was_narrowed(profile, role, component, key))
        text.append(key).append(" ").append(written(value)).append("\n");
  };
  add("job", job.job);
  add("step", job.step);
  add("dataset", *job.dataset);
  add("loader", *job.loader);
  if (const Value* hosts = job.job.find("hosts"))
    if (const Component* host = design.find_host(hosts->text)) add("host", *host);
  if (const Value* on = job.dataset->find("on"))
    if (const Component* storage = design.find_storage(on->text))
      text.append("storage ").append(storage->kind);
  return sha256(text);
}

void note_observed(const CalibrationProfile& profile, Design& design) {
  for (const ObservedJob& seen : profile.jobs)
    for (JobDesign& job : design.jobs)
      if (job.job.id == seen.id && what_reads(design, job, profile) == seen.readers)
        job.observed_use = seen.use;
}

}  // namespace stallcast::base
