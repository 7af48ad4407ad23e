#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "engine/base/design_values.hpp"
#include "engine/decide/gain/levers.hpp"
#include "models/contract/registry.hpp"

/// Levers pulled.
namespace stallcast::gain {
namespace {

/// A count, or bytes, that say how much is under way at a time, or on how many cores, and the
/// speeds of the same component that it multiplies. docs/models/blame.md.
struct AtATime {
  std::string_view key;
  std::array<std::string_view, 2> times = {};
};
constexpr std::array<AtATime, 19> kAtATime{{{"prefixes", {"get.rate", "put.rate"}},
                                            {"lines", {"latency"}},
                                            {"depth", {"read.latency", "drive.latency"}},
                                            {"client.depth", {"array.service"}},
                                            {"client.cores", {"client.core"}},
                                            {"client.nconnect", {"client.connection"}},
                                            {"client.paths", {"client.path"}},
                                            {"client.rpcs_in_flight", {"ost.service"}},
                                            {"client.dirty", {"ost.service"}},
                                            {"client.slots", {"head.service"}},
                                            {"client.parallel", {"client.stream"}},
                                            {"client.in_flight", {"node.service"}},
                                            {"client.connections", {"target.service"}},
                                            {"get.parallel", {"connection.rate", "first_byte"}},
                                            {"put.parallel", {"connection.rate", "put.answer"}},
                                            {"hsm.agents", {"hsm.rate"}},
                                            {"local.links", {"link.rate"}},
                                            {"global.links", {"link.rate"}},
                                            {"threads", {"serialize"}}}};

const AtATime* at_a_time(std::string_view key) {
  const auto found = std::ranges::find(kAtATime, key, &AtATime::key);
  return found == kAtATime.end() ? nullptr : &*found;
}

/// Components, in their order, and their keys.
using Pulled = std::set<std::pair<std::size_t, std::string_view>>;
Pulled pulled_by(const Levers& levers) {
  Pulled out;
  for (const Lever& lever : levers) out.emplace(lever.component, lever.key);
  return out;
}

/// Twice as many that are each twice as fast would be four times as fast.
bool by_others(const Lever& lever, const Pulled& pulled) {
  const AtATime* count = at_a_time(lever.key);
  return count != nullptr && std::ranges::any_of(count->times, [&](std::string_view speed) {
           return pulled.contains({lever.component, speed});
         });
}

}  // namespace

bool counts_at_a_time(std::string_view key) { return at_a_time(key) != nullptr; }

bool hidden_in(const Levers& part, const Levers& levers) {
  const Pulled pulled = pulled_by(levers);
  return std::ranges::all_of(part, [&](const Lever& lever) { return by_others(lever, pulled); });
}

Levers levers_of(const Items& items) {
  Levers out;
  for (const auto& [name, levers] : items) out.insert(out.end(), levers.begin(), levers.end());
  return out;
}

std::vector<Levers> without_each(const Items& items) {
  std::vector<Levers> out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Items others = items;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(levers_of(others));
  }
  return out;
}

Design faster(const Design& design, const std::vector<Lever>& levers, double strength) {
  Design out = design;
  std::vector<std::pair<std::string_view, Component*>> components;
  base::for_each_component(out,
                           [&](const std::string&, std::string_view role, Component& component) {
                             components.emplace_back(role, &component);
                           });
  std::set<std::string> gone;
  const Pulled pulled = pulled_by(levers);
  for (const Lever& lever : levers) {
    if (by_others(lever, pulled)) continue;
    auto& [role_id, component] = components[lever.component];
    if (lever.removes()) {
      if (strength >= 1.0) gone.insert(lever.path);
      continue;
    }
    const auto held = component->values.find(lever.key);
    if (held == component->values.end()) continue;  // a design that does not state it
    Value& value = held->second;
    double wanted = value.number * std::pow(lever.factor, strength);
    if (value.dimension == Dimension::count) wanted = std::round(wanted);
    const models::RoleInfo* role = models::find_role(role_id);
    if (const base::FieldInfo* field = models::find_field(role->role, *component, lever.key))
      wanted = std::clamp(wanted, field->limits.minimum, field->limits.maximum);
    value.number = wanted;
  }
  std::erase_if(out.failures, [&](const Component& failure) {
    return gone.contains(base::component_path("failure", failure.id));
  });
  for (JobDesign& job : out.jobs)
    if (gone.contains(base::component_path("job", job.job.id) + ".elastic")) job.elastic.reset();
  return out;
}

}  // namespace stallcast::gain
