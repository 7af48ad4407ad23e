#include "scenarios/document/overrides.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"

namespace stallcast::scenarios {
namespace {

struct Segment {
  std::string word;
  bool in_brackets = false;  // names an element, never a key
};

// "/jobs/0/loader/workers", as faults have it.
std::optional<std::vector<Segment>> segments_of_pointer(std::string_view pointer) {
  std::vector<Segment> out;
  for (const std::string& word : base::split(pointer.substr(1), '/')) {
    if (word.empty()) return std::nullopt;
    out.push_back({base::pointer_key(word), false});
  }
  return out;
}

// "jobs[train].loader.workers" as jobs, [train], loader, workers; nullopt when malformed.
std::optional<std::vector<Segment>> segments(std::string_view path) {
  if (path.starts_with('/')) return segments_of_pointer(path);
  std::vector<Segment> out;
  std::string word;
  bool ended = false;  // the last segment stood in brackets
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '.') {
      if (word.empty() && !ended) return std::nullopt;
      if (!word.empty()) out.push_back({std::exchange(word, {}), false});
      ended = false;
    } else if (path[i] == '[') {
      if (!word.empty()) out.push_back({std::exchange(word, {}), false});
      const std::size_t close = path.find(']', i);
      if (close == std::string_view::npos || close == i + 1) return std::nullopt;
      out.push_back({std::string(path.substr(i + 1, close - i - 1)), true});
      i = close;
      ended = true;
    } else {
      if (ended) return std::nullopt;
      word += path[i];
    }
  }
  if (word.empty() && !ended) return std::nullopt;
  if (!word.empty()) out.push_back({word, false});
  return out;
}

// Reports call things as metrics do: "host.gpu.nic.rate" is "cluster.hosts.gpu.nic.rate".
void as_scenario(std::vector<Segment>& path) {
  struct Name {
    const char *said, *under, *key;
  };
  constexpr Name kNames[] = {{"job", "", "jobs"},
                             {"tenant", "", "tenants"},
                             {"stage", "", "stages"},
                             {"host", "cluster", "hosts"},
                             {"fabric", "cluster", "fabric"}};
  if (path.empty() || path.front().in_brackets) return;
  for (const Name& name : kNames) {
    if (path.front().word != name.said) continue;
    path.front().word = name.key;
    if (*name.under != '\0') path.insert(path.begin(), Segment{name.under, false});
    return;
  }
}

// The element of `list` that `word` names: an id, or a place.
std::optional<std::size_t> element(const Json& list, const std::string& word) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].is_object() && list[i].value("id", Json()) == Json(word)) return i;
  if (word.empty() || word.size() > 6) return std::nullopt;
  std::size_t index = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index < list.size() ? std::optional(index) : std::nullopt;
}

std::vector<std::string> ids(const Json& list) {
  std::vector<std::string> out;
  for (const Json& item : list)
    if (item.is_object() && item.value("id", Json()).is_string())
      out.push_back(item["id"].get<std::string>());
  return out;
}

struct NodeOf {
  Json operator()(const Amount& amount) const {
    return amount.unit.empty() ? number_node(amount.number) : Json(text_of(amount));
  }
  Json operator()(const std::string& words) const { return words; }
  Json operator()(const JsonLiteral& literal) const {
    Json value = Json::parse(literal.json, nullptr, false);
    return value.is_discarded() ? Json(literal.json) : value;
  }
};

class Setter {
 public:
  /// `option`: as the user would write it behind "--set".
  Setter(Tree& tree, Documents& documents, Reporter& report, const std::string& option)
      : tree_(tree), report_(report), option_("--set " + option) {
    document_ = documents.add_option(option_);
  }

  void apply(const std::string& option) {
    const Result<Change> change = parse_change(option);
    if (!change.ok()) return fault(change.failure().message, change.failure().hint);
    apply(*change);
  }

  void apply(const Change& change) {
    const std::string at = walk(change.path);
    if (!failed_) put(tree_, at, std::visit(NodeOf{}, change.value), document_);
  }

  /// The pointer that `text` means; what is wrong is reported.
  std::string walk(const std::string& text) {
    auto path = segments(base::trim(text));
    if (path) {
      // A parameter may be called "host".
      if (!names_parameter(*path)) as_scenario(*path);
      if (may_be_parameter(*path)) path->insert(path->begin(), Segment{"params", false});
      return walk(*path);
    }
    fault("\"" + text + "\" is not a path",
          "write storage.ost.count or jobs[train].loader.workers");
    return "";
  }

 private:
  void fault(std::string message, std::string hint) {
    failed_ = true;
    report_.option_error("set", option_, std::move(message), std::move(hint));
  }

  [[nodiscard]] std::vector<std::string> parameters() const {
    std::vector<std::string> out;
    if (const Json* params = find(tree_.root, "/params"); params != nullptr && params->is_object())
      for (const auto& [key, value] : params->items()) out.push_back(key);
    return out;
  }

  [[nodiscard]] bool names_parameter(const std::vector<Segment>& path) const {
    const std::vector<std::string> names = parameters();
    return path.size() == 1 && !path[0].in_brackets &&
           std::find(names.begin(), names.end(), path[0].word) != names.end();
  }

  /// "n_ost" is "params.n_ost", as `sweep --vary` has it, or was meant for it: no section is near.
  [[nodiscard]] bool may_be_parameter(const std::vector<Segment>& path) const {
    if (path.size() != 1 || path[0].in_brackets || path[0].word.starts_with("x-")) return false;
    const std::string& word = path[0].word;
    const std::vector<std::string> sections(std::begin(kScenarioKeys), std::end(kScenarioKeys));
    const std::vector<std::string> names = parameters();
    if (std::find(sections.begin(), sections.end(), word) != sections.end()) return false;
    return std::find(names.begin(), names.end(), word) != names.end() ||
           (!names.empty() && base::nearest(word, sections).empty());
  }

  std::string walk(const std::vector<Segment>& path) {
    std::string at;
    bool by_id = false;  // the node was chosen by its id: the next word is a key of it
    for (std::size_t i = 0; i < path.size(); ++i) {
      const std::string& word = path[i].word;
      const Json* node = find(tree_.root, at);
      if (path[i].in_brackets && word == "+" && !at.empty()) {  // one more at the end of a list
        if (node == nullptr || node->is_null()) put(tree_, at, Json::array(), document_);
        node = find(tree_.root, at);
        if (!node->is_array()) {
          fault(at.substr(1) + " is " + std::string(type_name(*node)) + ", not a list",
                "[+] adds to a list");
          return at;
        }
        at = grow(tree_, at);
        continue;
      }
      if (node != nullptr && node->is_array()) {
        if (const auto index = element(*node, word)) {
          at += base::pointer_token(*index);
          by_id = true;
        } else if (node->size() == 1 && !path[i].in_brackets) {
          at += base::pointer_token(std::size_t{0});
          --i;  // the only element need not be named: look the word up inside it
        } else {
          fault("no element \"" + word + "\" in " + at.substr(1), allowed_hint(word, ids(*node)));
          return at;
        }
        continue;
      }
      if (path[i].in_brackets) {
        fault("no element \"" + word + "\" in " + (at.empty() ? "the scenario" : at.substr(1)),
              at.empty() ? "write jobs[train].loader.workers"
                         : at.substr(1) + " is not a list of things with ids");
        return at;
      }
      if (node != nullptr && !node->is_object() && !node->is_null()) {
        fault("\"" + word + "\" cannot be set: " + at.substr(1) + " is " +
                  std::string(type_name(*node)),
              "set " + at.substr(1) + " itself");
        return at;
      }
      const bool names_object = !by_id && node != nullptr && node->is_object() &&
                                !node->contains(word) && node->value("id", Json()) == Json(word) &&
                                i + 1 < path.size();
      by_id = names_object;
      if (!names_object) at += base::pointer_token(word);
    }
    // "params.n=48" sets the value of a parameter that also has a range.
    if (path.size() == 2 && path[0].word == "params") {
      const Json* node = find(tree_.root, at);
      if (node == nullptr) {
        const std::vector<std::string> names = parameters();
        fault("no parameter \"" + path[1].word + "\"",
              names.empty() ? "the scenario has no \"params\"; set the value itself, as in "
                              "storage.ost.count=48"
                            : allowed_hint(path[1].word, names));
      } else if (node->is_object()) {
        keep_unit_of_bounds(at);
        at += "/value";
      }
    }
    return at;
  }

  /// Bounds without a unit are in that of the value beside them, and stay so beside another.
  void keep_unit_of_bounds(const std::string& at) {
    const Json node = *find(tree_.root, at);
    const Json value = node.value("value", Json());
    if (!value.is_string()) return;
    const auto read = base::leading_number(value.get_ref<const std::string&>());
    if (!read || read->second.empty()) return;
    const std::string unit = " " + std::string(read->second);
    for (const char* key : {"min", "max", "step"})
      if (const Json bound = node.value(key, Json()); bound.is_number())
        put(tree_, at + "/" + key, Json(base::shortest(bound.get<double>()) + unit), document_);
  }

  Tree& tree_;
  Reporter& report_;
  std::string option_;
  std::size_t document_ = 0;
  bool failed_ = false;
};

}  // namespace

void choose_variant(Tree& tree, const std::string& name, Reporter& report) {
  if (name.empty()) return;
  const std::string at = "/scenarios" + base::pointer_token(name);
  if (const Json* patch = find(tree.root, at); patch != nullptr && !patch->is_null()) {
    if (patch->is_object())
      for (const std::string& pointer : merge(tree, "", tree, at))
        report.error("duplicate-id", pointer, repeated_id_text(tree, pointer), kOwnId);
    return;  // what is not an object is reported with the form of the scenario
  }
  std::vector<std::string> names;
  if (const Json* all = find(tree.root, "/scenarios"); all != nullptr && all->is_object())
    for (const auto& [key, value] : all->items()) names.push_back(key);
  report.error("variant", "/scenarios", "no variant \"" + name + "\"",
               names.empty() ? "this scenario has no variants" : allowed_hint(name, names));
}

void apply_sets(Tree& tree, const std::vector<std::string>& sets, Documents& documents,
                Reporter& report) {
  for (const std::string& option : sets) Setter(tree, documents, report, option).apply(option);
}

void apply_changes(Tree& tree, std::span<const Change> changes, Documents& documents,
                   Reporter& report) {
  for (const Change& change : changes)
    Setter(tree, documents, report, text_of(change)).apply(change);
}

Result<std::string> pointer_of(const Json& root, const std::string& path) {
  Tree tree{root, {}};
  Documents documents;
  Diagnostics faults;
  Reporter report(documents, tree, faults);
  const std::string at = Setter(tree, documents, report, path).walk(path);
  if (faults.has_errors())
    return Failure{ExitCode::bad_input, faults.items().front().message,
                   faults.items().front().hint};
  if (find(root, at) != nullptr) return at;
  std::vector<std::string> keys;
  std::string above = at;
  do above = parent(above);
  while (find(root, above) == nullptr);
  for (const auto& [key, value] : find(root, above)->items()) keys.push_back(key);
  const std::string word =
      at.substr(above.size() + 1, at.find('/', above.size() + 1) - above.size() - 1);
  return Failure{
      ExitCode::bad_input,
      "there is no \"" + word + "\" in " + (above.empty() ? "the scenario" : above.substr(1)),
      allowed_hint(word, keys)};
}

}  // namespace stallcast::scenarios
