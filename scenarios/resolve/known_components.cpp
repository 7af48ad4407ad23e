#include "scenarios/resolve/known_components.hpp"

#include <algorithm>
#include <iterator>

namespace stallcast::scenarios {
namespace {

using Origins = decltype(Tree::origins);

/// Calls `look` with every entry of `origins` at `at` and below, until it says false. What is below
/// one of `parts` is of other components.
template <class Look>
bool each_origin(const Origins& origins, const std::string& at,
                 std::span<const std::string_view> parts, const Look& look) {
  const auto own = origins.find(at);
  if (own != origins.end() && !look(*own)) return false;
  const std::string below = at + "/";
  for (auto it = origins.lower_bound(below); it != origins.end() && it->first.starts_with(below);
       ++it) {
    const std::string_view key = std::string_view(it->first).substr(below.size());
    const bool elsewhere = !parts.empty() && std::find(parts.begin(), parts.end(),
                                                       key.substr(0, key.find('/'))) != parts.end();
    if (!elsewhere && !look(*it)) return false;
  }
  return true;
}

bool says_the_same(const Json* a, const Json* b, std::span<const std::string_view> parts) {
  if (a == nullptr || b == nullptr) return a == b;
  if (parts.empty() || !a->is_object() || !b->is_object()) return *a == *b;
  const auto own = [&](auto it, const Json& of) {
    while (it != of.end() && std::find(parts.begin(), parts.end(), it.key()) != parts.end()) ++it;
    return it;
  };
  auto x = own(a->begin(), *a);
  auto y = own(b->begin(), *b);
  while (x != a->end() && y != b->end() && x.key() == y.key() && *x == *y)
    x = own(std::next(x), *a), y = own(std::next(y), *b);
  return x == a->end() && y == b->end();
}

bool from_the_same_places(const Tree& a, const Tree& b, const std::string& at,
                          std::span<const std::string_view> parts) {
  using Entry = Origins::value_type;
  std::vector<const Entry*> places;
  each_origin(a.origins, at, parts,
              [&](const Entry& entry) { return places.push_back(&entry), true; });
  std::size_t same = 0;
  const bool all = each_origin(b.origins, at, parts, [&](const Entry& entry) {
    if (same == places.size()) return false;
    const Entry& other = *places[same++];
    return entry.first == other.first && entry.second.document == other.second.document &&
           entry.second.pointer == other.second.pointer;
  });
  return all && same == places.size();
}

}  // namespace

void KnownComponents::add(const ComponentSpec& spec, const Component& component, const Tree& tree) {
  const bool lasting = each_origin(tree.origins, spec.pointer, spec.parts, [&](const auto& entry) {
    return entry.second.document < documents_;
  });
  if (lasting) known_.push_back({spec.role, component});
}

const Component* KnownComponents::find(const ComponentSpec& spec, const Tree& before,
                                       const Tree& now) const {
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& k) {
    return k.role == spec.role && k.component.pointer == spec.pointer && k.component.id == spec.id;
  });
  const bool same = known != known_.end() &&
                    says_the_same(scenarios::find(before.root, spec.pointer),
                                  scenarios::find(now.root, spec.pointer), spec.parts) &&
                    from_the_same_places(before, now, spec.pointer, spec.parts);
  return same ? &known->component : nullptr;
}

Component read_component(ReadContext& context, const ComponentSpec& spec) {
  if (context.before != nullptr)
    if (const Component* known =
            context.before->components.find(spec, context.before->tree, context.tree))
      return *known;
  const std::size_t reported = context.report.reported(), asked = context.params.asked();
  Component out = read_anew(context, spec);
  const bool by_itself = context.report.reported() == reported && context.params.asked() == asked;
  if (context.keep != nullptr && by_itself) context.keep->add(spec, out, context.tree);
  return out;
}

}  // namespace stallcast::scenarios
