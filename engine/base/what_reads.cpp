#include "engine/base/what_reads.hpp"

#include <algorithm>
#include <array>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/sha256.hpp"

namespace stallcast::base {
namespace {

/// No reader sees these: what comes from where, over which network, how long the job goes on, and
/// what others say of it.
constexpr std::array<std::string_view, 9> kOthers{
    "on", "also.", "nic.", "nics", "epochs", "steps", "limit", "discrepancy.", "priority"};

/// What of `profile` is for that value; nullptr without such.
const NarrowedInput* narrowed_by(const CalibrationProfile& profile, std::string_view role,
                                 const Component& component, std::string_view key) {
  const auto found = std::ranges::find_if(profile.narrowed, [&](const NarrowedInput& one) {
    return one.field == key && one.is_for(role, component);
  });
  return found == profile.narrowed.end() ? nullptr : &*found;
}

bool seen(std::string_view key, const Value& value) {
  if (value.dimension == Dimension::money || value.dimension == Dimension::money_rate) return false;
  for (const std::string_view other : kOthers)
    if (key.starts_with(other)) return false;
  return true;
}

/// What readers are, and what they run on.
template <class Visit>
void for_readers(const Design& design, const JobDesign& job, const Visit& visit) {
  visit("job", job.job);
  visit("step", job.step);
  visit("dataset", *job.dataset);
  visit("loader", *job.loader);
  if (const Value* hosts = job.job.find("hosts"))
    if (const Component* host = design.find_host(hosts->text)) visit("host", *host);
}

std::string name_of(std::string_view role, std::string_view key) {
  return std::string(role) + " " + std::string(key);
}

/// As the scenario states it, where a profile has narrowed it since.
std::string stated(const Value& value, const NarrowedInput* narrowed) {
  if (value.dimension == Dimension::text || value.dimension == Dimension::text_list ||
      value.dimension == Dimension::boolean)
    return written(value);
  const bool since = narrowed != nullptr && value.source.kind == Source::Kind::profile;
  const double number = !since             ? value.number
                        : narrowed->scales ? value.number / narrowed->value
                                           : narrowed->said;
  return significant(number, 6);
}

}  // namespace

std::string what_reads(const Design& design, const JobDesign& job,
                       std::span<const std::string> left_out) {
  if (!job.dataset || !job.loader) return "";
  std::string text;
  for_readers(design, job, [&](std::string_view role, const Component& component) {
    text.append(role).append(" ").append(component.kind).append("\n");
    for (const auto& [key, value] : component.values)
      if (seen(key, value) && std::ranges::count(left_out, name_of(role, key)) == 0)
        text.append(key).append(" ").append(written(value)).append("\n");
  });
  if (const Value* on = job.dataset->find("on"))
    if (const Component* storage = design.find_storage(on->text))
      text.append("storage ").append(storage->kind);
  return sha256(text);
}

std::vector<std::string> narrowed_of_readers(const Design& design, const JobDesign& job,
                                             const CalibrationProfile& profile) {
  std::vector<std::string> out;
  if (!job.dataset || !job.loader) return out;
  for_readers(design, job, [&](std::string_view role, const Component& component) {
    for (const auto& [key, value] : component.values)
      if (seen(key, value) && narrowed_by(profile, role, component, key) != nullptr)
        out.push_back(name_of(role, key));
  });
  return out;
}

std::string what_runs(const Design& design, const CalibrationProfile* profile) {
  std::string text;
  for_each_component(
      design, [&](const std::string&, std::string_view role, const Component& component) {
        if (role == "run") return;
        text.append(role).append(" ").append(component.kind).append("\n");
        for (const auto& [key, value] : component.values) {
          if (value.dimension == Dimension::money || value.dimension == Dimension::money_rate ||
              key.starts_with("discrepancy."))
            continue;
          const NarrowedInput* narrowed =
              profile == nullptr ? nullptr : narrowed_by(*profile, role, component, key);
          text.append(key).append(" ").append(stated(value, narrowed)).append("\n");
        }
      });
  return sha256(text);
}

void note_observed(const CalibrationProfile& profile, Design& design) {
  for (const ObservedJob& seen : profile.jobs)
    for (JobDesign& job : design.jobs) {
      if (job.job.id != seen.id) continue;
      const std::string readers =  // files of old do not say what was left out
          seen.left_out.empty() ? what_reads(design, job, narrowed_of_readers(design, job, profile))
                                : what_reads(design, job, seen.left_out);
      if (readers == seen.readers) job.observed_use.push_back(seen.use);
    }
}

}  // namespace stallcast::base
