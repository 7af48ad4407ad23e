#include "engine/decide/diff/change_list.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>

#include "engine/base/design_values.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/diff/places.hpp"
#include "models/contract/registry.hpp"

namespace stallcast::diff {
namespace {

namespace fs = std::filesystem;

/// A value that differs, and the text that gave it.
struct Moved {
  const PairedComponent* place = nullptr;
  std::string key;
  const Value* before = nullptr;
  const Value* after = nullptr;
};

/// As a scenario writes it; "" when it is not there.
std::string written(const PairedComponent& place, const std::string& key, const Value* value) {
  if (value == nullptr) return "";
  if (value->dimension == Dimension::rate && std::isfinite(value->number)) {
    const Component* owner = place.head != nullptr ? place.head : place.base;
    const models::KindInfo* kind = models::find_kind(place.role->role, owner->kind);
    if (kind != nullptr)
      for (const auto& fields : {kind->common, kind->fields})
        for (const base::FieldInfo& field : fields)
          if (field.key == key && field.fallback.ends_with(" Gb/s"))
            return base::exact_link_rate(value->number);
  }
  return base::written(*value);
}

std::string where_of(const Value* value) { return value == nullptr ? "" : value->source.where; }

std::string where_of(const Origins& origins, const std::string& pointer) {
  const auto it = origins.where.find(pointer);
  return it == origins.where.end() ? "" : it->second;
}

/// The file of a value that a file gives; "" for others.
std::string file_of(const Value* value) {
  using Kind = Source::Kind;
  if (value == nullptr ||
      (value->source.kind != Kind::scenario && value->source.kind != Kind::expression))
    return "";
  const Position at = base::position_of(value->source.where);
  return at.line > 0 ? at.file : "";
}

std::string beside(const std::string& file, const std::string& main) {
  return fs::path(file).lexically_relative(fs::path(main).parent_path()).generic_string();
}

/// Groups moved values into changes.
class Grouping {
 public:
  Grouping(const Design& base, const Design& head, const Origins& base_origins,
           const Origins& head_origins)
      : base_(base), head_(head), base_origins_(base_origins), head_origins_(head_origins) {
    for (const auto& [name, was] : base_origins.params)
      if (const auto is = head_origins.params.find(name);
          is != head_origins.params.end() && is->second.text != was.text)
        roots_.insert(name);
    // What only follows another parameter was not edited.
    const std::set<std::string> changed = roots_;
    std::erase_if(roots_, [&](const std::string& name) {
      const auto follows = [&](const Parameter& p) {
        return std::any_of(p.needs.begin(), p.needs.end(),
                           [&](const std::string& n) { return changed.contains(n); });
      };
      return follows(base_origins.params.at(name)) || follows(head_origins.params.at(name));
    });
  }

  void add(const Moved& moved) {
    std::set<std::string> roots = roots_behind(moved);
    const bool other_product = moved.place->base->product != moved.place->head->product;
    const bool of_product =
        other_product && (is_product_value(moved.before) || is_product_value(moved.after));
    if (of_product)
      for (const std::string& name : roots_at(pointer_of(*moved.place->base) + "/use",
                                              pointer_of(*moved.place->head) + "/use"))
        roots.insert(name);
    InputStep& change = !roots.empty() ? with_params(roots)
                        : of_product   ? with_product(*moved.place)
                                       : alone_or_with_file(moved);
    change.edits.push_back({moved.place->path, moved.key});
    if (of_product) add_edit(change, {moved.place->path, "use"});
    change.said.moves.push_back({moved.place->path + "." + moved.key,
                                 written(*moved.place, moved.key, moved.before),
                                 written(*moved.place, moved.key, moved.after),
                                 where_of(moved.before), where_of(moved.after)});
  }

  /// A component that came, went, or became another kind; `apart` are values of both kinds that are
  /// changes of their own.
  void add_component(const PairedComponent& place, std::vector<std::string> apart = {}) {
    InputStep change;
    const auto kind = [](const Component* c) { return c == nullptr ? "" : c->kind; };
    InputMove move{place.path, kind(place.base), kind(place.head),
                   place.base ? where_of(base_origins_, place.base->pointer) : "",
                   place.head ? where_of(head_origins_, place.head->pointer) : ""};
    const std::string_view selector = place.role->selector;
    if (place.base != nullptr && place.head != nullptr && !selector.empty())
      move.path += "." + std::string(selector);
    change.said = {move.path, move.before, move.after, move.base_at, move.head_at, {move}};
    change.edits.push_back({place.path, "", std::move(apart)});
    out_.push_back({"", std::move(change)});
  }

  /// A component that is what it was under another id.
  void add_renamed(const PairedComponent& place) {
    const InputMove move{place.path + ".id", place.base->id, place.head->id,
                         where_of(base_origins_, place.base->pointer),
                         where_of(head_origins_, place.head->pointer)};
    InputStep change;
    change.said = {move.path, move.before, move.after, move.base_at, move.head_at, {move}};
    change.edits = {{place.path, ""}, {base::component_path(place.role->id, place.head->id), ""}};
    out_.push_back({"", std::move(change)});
  }

  std::vector<InputStep> take() {
    std::vector<InputStep> out;
    for (auto& [group, change] : out_) {
      if (change.said.name.empty()) describe_params(group, change.said);
      out.push_back(std::move(change));
    }
    return out;
  }

 private:
  static std::string pointer_of(const Component& c) { return c.pointer; }
  static bool is_product_value(const Value* v) {
    return v != nullptr && v->source.kind == Source::Kind::catalogue;
  }
  static void add_edit(InputStep& change, const Edit& edit) {
    if (std::find(change.edits.begin(), change.edits.end(), edit) == change.edits.end())
      change.edits.push_back(edit);
  }

  /// Edited parameters that the values at both pointers depend on: where one is written out, or
  /// made of others, no parameter moved it.
  [[nodiscard]] std::set<std::string> roots_at(const std::string& base_pointer,
                                               const std::string& head_pointer) const {
    const auto needed = [&](const Origins& origins, const std::string& pointer) {
      std::set<std::string> out;
      for (auto it = origins.needs.lower_bound(pointer);
           it != origins.needs.end() && it->first.starts_with(pointer); ++it) {
        if (it->first != pointer && it->first[pointer.size()] != '/') continue;
        for (const std::string& name : it->second)
          if (roots_.contains(name)) out.insert(name);
      }
      return out;
    };
    if (roots_.empty()) return {};
    std::set<std::string> out = needed(base_origins_, base_pointer);
    const std::set<std::string> head = needed(head_origins_, head_pointer);
    std::erase_if(out, [&](const std::string& name) { return !head.contains(name); });
    return out;
  }

  [[nodiscard]] std::set<std::string> roots_behind(const Moved& moved) const {
    std::string tokens;
    for (const std::string& part : base::split(moved.key, '.')) tokens += base::pointer_token(part);
    return roots_at(moved.place->base->pointer + tokens, moved.place->head->pointer + tokens);
  }

  InputStep& group(const std::string& name) {
    for (auto& [known, change] : out_)
      if (known == name) return change;
    return out_.emplace_back(name, InputStep{}).second;
  }

  /// Parameters that one value needs together are one change.
  InputStep& with_params(std::set<std::string> roots) {
    std::size_t at = out_.size();
    for (std::size_t i = 0; i < out_.size(); ++i) {
      std::set<std::string>& others = params_[out_[i].first];
      if (std::none_of(others.begin(), others.end(),
                       [&](const std::string& n) { return roots.contains(n); }))
        continue;
      roots.insert(others.begin(), others.end());
      if (at == out_.size()) {
        at = i;
        continue;
      }
      InputStep& into = out_[at].second;
      InputStep& from = out_[i].second;
      std::move(from.edits.begin(), from.edits.end(), std::back_inserter(into.edits));
      std::move(from.said.moves.begin(), from.said.moves.end(),
                std::back_inserter(into.said.moves));
      out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(i--));
    }
    const std::vector<std::string> names(roots.begin(), roots.end());
    const std::string name = "params " + base::join(names, " ");
    if (at == out_.size()) out_.emplace_back(name, InputStep{});
    out_[at].first = name;
    params_[name] = std::move(roots);
    return out_[at].second;
  }

  void describe_params(const std::string& group, InputChange& said) {
    for (const std::string& name : params_.at(group)) {
      const Parameter& was = base_origins_.params.at(name);
      const Parameter& is = head_origins_.params.at(name);
      const std::string comma = said.name.empty() ? "" : ", ";
      said.name += comma + "params." + name;
      said.before += comma + was.text;
      said.after += comma + is.text;
      if (said.base_at.empty()) said.base_at = was.where;
      if (said.head_at.empty()) said.head_at = is.where;
    }
  }

  InputStep& with_product(const PairedComponent& place) {
    InputStep& change = group("use " + place.path);
    InputChange& said = change.said;
    said.name = place.path + ".use";
    said.before = place.base->product;
    said.after = place.head->product;
    said.base_at = where_of(base_origins_, place.base->pointer + "/use");
    said.head_at = where_of(head_origins_, place.head->pointer + "/use");
    return change;
  }

  InputStep& alone_or_with_file(const Moved& moved) {
    const std::string from = file_of(moved.before), to = file_of(moved.after);
    const std::string was = beside(from, base_.file), is = beside(to, head_.file);
    const bool other_file = !from.empty() && !to.empty() && from != base_.file &&
                            to != head_.file && from != to && was != is;
    if (!other_file) {
      const std::string path = moved.place->path + "." + moved.key;
      out_.emplace_back("", InputStep{});
      out_.back().second.said = {path,
                                 written(*moved.place, moved.key, moved.before),
                                 written(*moved.place, moved.key, moved.after),
                                 where_of(moved.before),
                                 where_of(moved.after),
                                 {}};
      return out_.back().second;
    }
    InputStep& change = group("extends " + was + " " + is);
    if (change.said.name.empty())
      change.said = {"extends", was, is, where_of(moved.before), where_of(moved.after), {}};
    return change;
  }

  const Design& base_;
  const Design& head_;
  const Origins& base_origins_;
  const Origins& head_origins_;
  std::set<std::string> roots_;                          ///< parameters that were edited
  std::map<std::string, std::set<std::string>> params_;  ///< of a group of `out_`
  std::vector<std::pair<std::string, InputStep>> out_;   ///< name of the group, "" for none
};

/// Whether somebody moved a value of a component that became another kind: both kinds have it, and
/// it is neither what each has by default nor what another product brings.
bool apart_from_kind(const Moved& moved) {
  const PairedComponent& place = *moved.place;
  for (const Component* side : {place.base, place.head})
    if (models::find_field(place.role->role, *side, moved.key) == nullptr) return false;
  bool given = false;
  for (const Value* value : {moved.before, moved.after}) {
    if (value == nullptr) continue;
    if (value->source.kind == Source::Kind::catalogue && place.base->product != place.head->product)
      return false;
    given = given || value->source.kind != Source::Kind::default_value;
  }
  return given;
}

std::vector<Moved> moved_values(const PairedComponent& place) {
  std::set<std::string> keys;
  for (const auto& [key, value] : place.base->values) keys.insert(key);
  for (const auto& [key, value] : place.head->values) keys.insert(key);
  std::vector<Moved> out;
  for (const std::string& key : keys) {
    const Moved moved{&place, key, place.base->find(key), place.head->find(key)};
    if (!equal(moved.before, moved.after)) out.push_back(moved);
  }
  return out;
}

/// A component of both designs: its values, and its kind or its id where these are others.
void add_moved(const PairedComponent& place, Grouping& grouping) {
  std::vector<Moved> moved = moved_values(place);
  if (place.base->kind != place.head->kind) {
    std::erase_if(moved, [](const Moved& m) { return !apart_from_kind(m); });
    std::vector<std::string> apart;
    for (const Moved& m : moved) apart.push_back(m.key);
    grouping.add_component(place, std::move(apart));
  }
  if (place.base->id != place.head->id) grouping.add_renamed(place);
  for (const Moved& m : moved) grouping.add(m);
}

void add_targets(const Design& base, const Design& head, std::vector<InputStep>& out) {
  const auto find = [](const Design& d, const std::string& id) -> const Expectation* {
    for (const Expectation& e : d.expect)
      if (e.id == id) return &e;
    return nullptr;
  };
  // All of it that decides what becomes of the target.
  const auto text = [](const Expectation* e) -> std::string {
    if (e == nullptr) return "";
    std::string said = e->that + (e->level == "warn" ? " (warn)" : "");
    if (e->confidence)
      said += ", confidence " + base::print_quantity(*e->confidence, Dimension::ratio);
    if (!e->waive.empty()) said += ", waived until " + e->until + ": " + e->waive;
    return said;
  };
  const auto add = [&](const Expectation* was, const Expectation* is, const std::string& id) {
    if (text(was) == text(is)) return;
    InputStep change;
    change.said = {"expect[" + id + "]", text(was), text(is), was ? was->where : "",
                   is ? is->where : "",  {},        true};
    out.push_back(std::move(change));
  };
  for (const Expectation& e : base.expect) add(&e, find(head, e.id), e.id);
  for (const Expectation& e : head.expect)
    if (find(base, e.id) == nullptr) add(nullptr, &e, e.id);
}

}  // namespace

std::vector<InputStep> changes(const Design& base, const Design& head, const Origins& base_origins,
                               const Origins& head_origins) {
  const std::vector<PairedComponent> all = places(base, head);
  Grouping grouping(base, head, base_origins, head_origins);
  std::set<std::string> jobs;  // that came or went: their parts with them
  for (const PairedComponent& place : all)
    if (place.role->role == models::Role::job && (place.base == nullptr || place.head == nullptr))
      jobs.insert(place.path);
  for (const PairedComponent& place : all) {
    if (place.role->role != models::Role::job &&
        jobs.contains(place.path.substr(0, place.path.rfind('.'))))
      continue;
    if (place.base != nullptr && place.head != nullptr) {
      add_moved(place, grouping);
      continue;
    }
    // Jobs come back in the usual way as soon as something stops them: nobody wrote that.
    const Component* present = place.base != nullptr ? place.base : place.head;
    const Origins& origins = place.base != nullptr ? base_origins : head_origins;
    const bool implied = place.role->role == models::Role::recovery && !origins.where.empty() &&
                         !origins.where.contains(present->pointer);
    if (!implied) grouping.add_component(place);
  }
  std::vector<InputStep> out = grouping.take();
  add_targets(base, head, out);
  return out;
}

}  // namespace stallcast::diff
