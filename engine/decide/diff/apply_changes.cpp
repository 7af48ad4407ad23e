#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/decide/diff/change_list.hpp"

namespace stallcast::diff {
namespace {

struct List {
  std::string_view name;
  std::vector<Component> Design::*components;
};
constexpr std::array kLists = {List{"cluster.hosts", &Design::hosts},
                               List{"storage", &Design::storage}, List{"tenants", &Design::tenants},
                               List{"stages", &Design::stages},
                               List{"failures", &Design::failures}};

struct Part {
  std::string_view name;
  std::optional<Component> JobDesign::*component;
};
constexpr std::array kParts = {
    Part{"dataset", &JobDesign::dataset},       Part{"loader", &JobDesign::loader},
    Part{"checkpoint", &JobDesign::checkpoint}, Part{"communication", &JobDesign::communication},
    Part{"recovery", &JobDesign::recovery},     Part{"elastic", &JobDesign::elastic}};

template <class AnyDesign>
auto find(AnyDesign& design, const std::string& path) {
  using Found = std::conditional_t<std::is_const_v<AnyDesign>, const Component*, Component*>;
  Found out = nullptr;
  base::for_each_component(design, [&](const std::string& at, std::string_view, auto& component) {
    if (at == path) out = &component;
  });
  return out;
}

const std::string& id_of(const Component& c) { return c.id; }
const std::string& id_of(const JobDesign& j) { return j.job.id; }

/// The element `id` of `to` becomes what it is in `from`: added, replaced or removed.
template <class T>
void take_element(std::vector<T>& to, const std::vector<T>& from, std::string_view id) {
  const auto is_it = [&](const T& item) { return id_of(item) == id; };
  const auto mine = std::find_if(to.begin(), to.end(), is_it);
  const auto other = std::find_if(from.begin(), from.end(), is_it);
  if (other == from.end())
    std::erase_if(to, is_it);
  else if (mine == to.end())
    to.push_back(*other);
  else
    *mine = *other;
}

/// "storage[scratch]" of "storage[scratch]": its list and id; the rest after "]." is `below`.
struct Name {
  std::string_view list, id, below;
};

Name name_of(std::string_view path) {
  const std::size_t open = path.find('[');
  if (open == std::string_view::npos) return {path, "", ""};
  // An id may hold any character but the end of the path or of a part is behind the last bracket.
  const std::size_t close = path.rfind(']');
  const std::string_view below = path.substr(close + 1);
  return {path.substr(0, open), path.substr(open + 1, close - open - 1),
          below.empty() ? below : below.substr(1)};
}

void take_component(Design& to, const Design& from, const std::string& path) {
  const Name name = name_of(path);
  for (const List& list : kLists)
    if (list.name == name.list)
      return take_element(to.*list.components, from.*list.components, name.id);
  if (name.list == "jobs" && name.below.empty()) return take_element(to.jobs, from.jobs, name.id);
  if (name.list == "jobs")
    for (JobDesign& mine : to.jobs)
      for (const JobDesign& other : from.jobs)
        for (const Part& part : kParts)
          if (mine.job.id == name.id && other.job.id == name.id && part.name == name.below) {
            mine.*part.component = other.*part.component;
            return;
          }
  // One that every design has.
  Component* mine = find(to, path);
  const Component* other = find(from, path);
  if (mine != nullptr && other != nullptr) *mine = *other;
}

/// The component, but for values that are edits of their own.
void take_but(Design& to, const Design& from, const Edit& edit) {
  const Component* now = find(std::as_const(to), edit.component);
  const auto before = now != nullptr ? now->values : decltype(Component::values){};
  take_component(to, from, edit.component);
  Component* mine = find(to, edit.component);
  for (const std::string& key : edit.apart) {
    if (mine == nullptr) return;
    if (const auto value = before.find(key); value != before.end())
      mine->values.insert_or_assign(key, value->second);
    else
      mine->values.erase(key);
  }
}

void take(Design& to, const Design& from, const Edit& edit) {
  if (edit.key.empty()) return take_but(to, from, edit);
  Component* mine = find(to, edit.component);
  const Component* other = find(from, edit.component);
  if (mine == nullptr || other == nullptr) return;
  if (edit.key == "use")
    mine->product = other->product;
  else if (const Value* value = other->find(edit.key))
    mine->values.insert_or_assign(edit.key, *value);
  else
    mine->values.erase(edit.key);
}

/// What stops jobs needs a way for them to come back, which scenarios may leave out.
void add_recovery(Design& design, const Design& base, const Design& head) {
  for (JobDesign& job : design.jobs) {
    if (job.recovery || (design.failures.empty() && !job.elastic)) continue;
    for (const Design* source : {&base, &head})
      for (const JobDesign& other : source->jobs)
        if (other.job.id == job.job.id && other.recovery) job.recovery = other.recovery;
  }
}

}  // namespace

Design apply(const Design& base, const Design& head, const std::vector<InputStep>& all,
             std::uint64_t mask) {
  std::uint64_t whole = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].edits.empty()) whole |= std::uint64_t{1} << i;
  Design out = (mask & whole) == whole ? head : base;
  out.expect = base.expect;
  if ((mask & whole) == whole) return out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((mask >> i & 1U) != 0)
      for (const Edit& edit : all[i].edits) take(out, head, edit);
  add_recovery(out, base, head);
  return out;
}

}  // namespace stallcast::diff
