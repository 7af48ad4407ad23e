#include "scenarios/document/document.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "engine/base/place_text.hpp"

namespace stallcast::scenarios {
namespace {

// Every node at or below `at` forgets where it came from.
void forget(Tree& tree, const std::string& at) {
  tree.origins.erase(at);
  const std::string below = at + "/";
  auto it = tree.origins.lower_bound(below);
  while (it != tree.origins.end() && it->first.starts_with(below)) it = tree.origins.erase(it);
}

// Copies the origins of `source` (the node `from` of `patch`) to the node `at` of `tree`.
void remember(Tree& tree, const std::string& at, const Tree& patch, const Json& source,
              const std::string& from) {
  if (const auto it = patch.origins.find(from); it != patch.origins.end())
    tree.origins[at] = it->second;
  if (source.is_object())
    for (const auto& [key, value] : source.items()) {
      const std::string token = base::pointer_token(key);
      remember(tree, at + token, patch, value, from + token);
    }
  if (source.is_array())
    for (std::size_t i = 0; i < source.size(); ++i) {
      const std::string token = base::pointer_token(i);
      remember(tree, at + token, patch, source[i], from + token);
    }
}

/// `origin_of` (pointer) for the node at `at` and all below it.
template <class OriginOf>
void mark(Tree& tree, const Json& node, const std::string& at, const OriginOf& origin_of) {
  tree.origins[at] = origin_of(at);
  if (node.is_object())
    for (const auto& [key, value] : node.items())
      mark(tree, value, at + base::pointer_token(key), origin_of);
  if (node.is_array())
    for (std::size_t i = 0; i < node.size(); ++i)
      mark(tree, node[i], at + base::pointer_token(i), origin_of);
}

bool is_item_with_id(const Json& item) {
  return item.is_object() && item.contains("id") && item["id"].is_string();
}

bool merges_by_id(const Json& a, const Json& b) {
  return a.is_array() && b.is_array() && !a.empty() && !b.empty() &&
         std::all_of(a.begin(), a.end(), is_item_with_id) &&
         std::all_of(b.begin(), b.end(), is_item_with_id);
}

constexpr std::string_view kStorage = "/storage";

// Makes a list of the object `node` at `at`.
void wrap(Tree& tree, Json& node, const std::string& at) {
  const Tree old{node, tree.origins};
  const Origin origin = tree.origins[at];
  forget(tree, at);
  node = Json::array({old.root});
  tree.origins[at] = origin;
  remember(tree, at + "/0", old, old.root, at);
}

/// Whether `source` moves an end of the range `target`, whose reason is of the ends it had.
bool outdates_reason(const Json& target, const Json& source) {
  return target.contains("value") && target.contains("low") && target.contains("high") &&
         (source.contains("low") || source.contains("high")) && !source.contains("why");
}

void merge_node(Tree& base, Json& target, const std::string& at, const Tree& patch,
                const Json& source, const std::string& from, std::vector<std::string>& repeated) {
  if (source.is_object() && target.is_object()) {
    if (outdates_reason(target, source) && target.erase("why") > 0) forget(base, at + "/why");
    for (const auto& [key, value] : source.items()) {
      const std::string token = base::pointer_token(key);
      merge_node(base, target[key], at + token, patch, value, from + token, repeated);
    }
    return;
  }
  if (merges_by_id(target, source)) {
    std::set<std::string> given;
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (!given.insert(source[i]["id"].get<std::string>()).second)
        repeated.push_back(from + base::pointer_token(i) + "/id");
      const auto same = std::find_if(target.begin(), target.end(), [&](const Json& item) {
        return item["id"] == source[i]["id"];
      });
      const auto index = static_cast<std::size_t>(same - target.begin());
      if (same == target.end()) target.push_back(nullptr);
      merge_node(base, target[index], at + base::pointer_token(index), patch, source[i],
                 from + base::pointer_token(i), repeated);
    }
    return;
  }
  if (at == kStorage && (target.is_array() || source.is_array())) {
    // One storage system may be written without the list around it.
    if (target.is_object()) wrap(base, target, at);
    if (target.is_array() && source.is_object() && target.size() == 1 &&
        (!source.contains("id") || (is_item_with_id(target[0]) && source["id"] == target[0]["id"])))
      return merge_node(base, target[0], at + "/0", patch, source, from, repeated);
    if (target.is_array() && source.is_object()) {
      const Tree list{Json::array({source}), {}};
      if (merges_by_id(target, list.root)) {
        target.push_back(nullptr);
        return merge_node(base, target.back(), at + base::pointer_token(target.size() - 1), patch,
                          source, from, repeated);
      }
    }
    if (merges_by_id(target, source))
      return merge_node(base, target, at, patch, source, from, repeated);
  }
  forget(base, at);
  target = source;
  remember(base, at, patch, source, from);
}

}  // namespace

Tree tree_of(const Json& root, std::size_t document) {
  Tree out{root, {}};
  mark(out, root, "", [&](const std::string& at) { return Origin{document, at}; });
  return out;
}

Tree tree_from(const Json& root, const Origin& origin) {
  Tree out{root, {}};
  mark(out, root, "", [&](const std::string&) { return origin; });
  return out;
}

Json number_node(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) < kExact)
    return static_cast<std::int64_t>(value);
  return value;
}

std::size_t Documents::add(base::JsonDocument document) {
  items_.push_back(std::make_shared<const base::JsonDocument>(std::move(document)));
  return items_.size() - 1;
}

std::size_t Documents::add_option(std::string name) { return add({nullptr, std::move(name), ""}); }

const Json* find(const Json& root, std::string_view pointer) {
  const Json* node = &root;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    const std::string token = base::pointer_key(raw);
    if (node->is_object()) {
      const auto it = node->find(token);
      if (it == node->end()) return nullptr;
      node = &*it;
    } else if (node->is_array()) {
      std::size_t index = 0;
      if (token.empty() || token.size() > 9) return nullptr;
      for (const char c : token) {
        if (c < '0' || c > '9') return nullptr;
        index = index * 10 + static_cast<std::size_t>(c - '0');
      }
      if (index >= node->size()) return nullptr;
      node = &(*node)[index];
    } else {
      return nullptr;
    }
  }
  return node;
}

std::string parent(std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  return std::string(slash == std::string_view::npos ? "" : pointer.substr(0, slash));
}

std::vector<std::string> merge(Tree& base, const std::string& at, const Tree& patch,
                               const std::string& from) {
  const Json* source = find(patch.root, from);
  Json* target = const_cast<Json*>(find(base.root, at));
  // A node may be merged into the tree it is part of (a variant): copy it first.
  const Json copy = *source;
  std::vector<std::string> repeated;
  merge_node(base, *target, at, patch, copy, from, repeated);
  return repeated;
}

std::string repeated_id_text(const Tree& patch, const std::string& pointer) {
  const std::string list = parent(parent(pointer));
  return "two \"" + base::pointer_key(list.substr(list.rfind('/') + 1)) +
         "\" entries have the id \"" + find(patch.root, pointer)->get<std::string>() + "\"";
}

void list_storage(Tree& tree) {
  const auto it = tree.root.find("storage");
  if (it != tree.root.end() && it->is_object()) wrap(tree, *it, std::string(kStorage));
}

void put(Tree& tree, const std::string& at, const Json& value, std::size_t document) {
  Json* node = &tree.root;
  std::string done;
  std::string_view rest = at;
  while (!rest.empty()) {
    const std::size_t end = rest.find('/', 1);
    const std::string_view token = rest.substr(0, end);
    done += token;
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end);
    if (Json* known = const_cast<Json*>(find(*node, token)); known != nullptr) {
      node = known;
      continue;
    }
    if (node->is_null()) *node = Json::object();
    node = &(*node)[base::pointer_key(token.substr(1))];
    tree.origins[done] = {document, ""};
  }
  forget(tree, at);
  *node = value;
  Tree patch{value, {}};
  tree.origins[at] = {document, ""};
  remember(tree, at, patch, value, "");
}

std::string grow(Tree& tree, const std::string& at) {
  Json& list = *const_cast<Json*>(find(tree.root, at));
  list.push_back(Json());
  return at + base::pointer_token(list.size() - 1);
}

const Origin* Reporter::origin(std::string pointer) const {
  while (true) {
    const auto it = tree_.origins.find(pointer);
    if (it != tree_.origins.end()) return &it->second;
    if (pointer.empty()) return nullptr;
    pointer = parent(pointer);
  }
}

Position Reporter::position(const std::string& pointer, base::PointAt at) const {
  const Origin* from = origin(pointer);
  if (from == nullptr) return {};
  const base::JsonDocument& document = documents_[from->document];
  if (document.text.empty()) return {document.file, 0, 0};
  const bool exact = tree_.origins.contains(pointer);
  return base::locate(document, from->pointer, exact ? at : base::PointAt::value);
}

void Reporter::error(std::string_view code, const std::string& pointer, std::string message,
                     std::string hint, base::PointAt at) {
  out_.add({Severity::error, std::string(code), pointer, position(pointer, at), std::move(message),
            std::move(hint)});
}

void Reporter::warn(std::string_view code, const std::string& pointer, std::string message,
                    std::string hint, base::PointAt at) {
  out_.add({Severity::warning, std::string(code), pointer, position(pointer, at),
            std::move(message), std::move(hint)});
}

void Reporter::option_error(std::string_view code, const std::string& option, std::string message,
                            std::string hint) {
  out_.add({Severity::error,
            std::string(code),
            "",
            {option, 0, 0},
            std::move(message),
            std::move(hint)});
}

std::string Reporter::where(const std::string& pointer) const {
  return base::place_text(position(pointer, base::PointAt::value));
}

bool Reporter::has(std::string_view code, const std::string& pointer) const {
  return std::any_of(out_.items().begin(), out_.items().end(),
                     [&](const Diagnostic& d) { return d.code == code && d.pointer == pointer; });
}

bool Reporter::from_option(const std::string& pointer) const {
  const Origin* from = origin(pointer);
  return from != nullptr && documents_.is_option(from->document);
}

}  // namespace stallcast::scenarios
