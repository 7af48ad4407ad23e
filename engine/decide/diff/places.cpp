#include "engine/decide/diff/places.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/design_values.hpp"

namespace stallcast::diff {
namespace {

/// Which part of the scenario a path is in.
std::size_t section(std::string_view path) {
  constexpr std::array<std::string_view, 7> kOrder = {"cluster", "storage",  "jobs", "tenants",
                                                      "stages",  "failures", "run"};
  std::size_t at = 0;
  while (at < kOrder.size() && !path.starts_with(kOrder[at])) ++at;
  return at;
}

bool same_but_for_id(const PairedComponent& base, const PairedComponent& head) {
  const Component &was = *base.base, &is = *head.head;
  return base.role == head.role && was.kind == is.kind && was.product == is.product &&
         std::ranges::equal(was.values, is.values, [](const auto& a, const auto& b) {
           return a.first == b.first && equal(&a.second, &b.second);
         });
}

/// What is only in base and what is only in head are one where the id alone differs. A job is more
/// than its own component.
void pair_renamed(std::vector<PairedComponent>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    PairedComponent& gone = places[i];
    if (gone.head != nullptr || gone.base == nullptr || !gone.path.ends_with(']') ||
        gone.role->role == models::Role::job)
      continue;
    const auto came = std::ranges::find_if(places, [&](const PairedComponent& other) {
      return other.base == nullptr && other.path.ends_with(']') && same_but_for_id(gone, other);
    });
    if (came == places.end()) continue;
    gone.head = came->head;
    places.erase(came);  // behind those of base
  }
}

}  // namespace

bool equal(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->dimension == b->dimension && a->number == b->number && a->text == b->text &&
         a->list == b->list;
}

std::vector<PairedComponent> places(const Design& base, const Design& head) {
  std::vector<PairedComponent> out;
  base::for_each_component(base,
                           [&](const std::string& path, std::string_view role, const Component& c) {
                             out.push_back({path, models::find_role(role), &c, nullptr});
                           });
  base::for_each_component(
      head, [&](const std::string& path, std::string_view role, const Component& c) {
        const auto same = std::find_if(out.begin(), out.end(), [&](const PairedComponent& p) {
          return p.path == path && p.head == nullptr;
        });
        if (same != out.end())
          same->head = &c;
        else
          out.push_back({path, models::find_role(role), nullptr, &c});
      });
  pair_renamed(out);
  std::stable_sort(out.begin(), out.end(), [](const PairedComponent& a, const PairedComponent& b) {
    return section(a.path) < section(b.path);
  });
  return out;
}

}  // namespace stallcast::diff
