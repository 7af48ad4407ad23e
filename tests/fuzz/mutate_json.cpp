#include "fuzz/mutate_json.hpp"

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "models/contract/registry.hpp"

namespace stallcast::fuzz {
namespace {

using base::Json;

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  void change(Json& root, const Json& other) {
    std::vector<Json*> nodes;
    collect(root, nodes);
    std::vector<const Json*> donors;
    collect(other, donors);
    Json& node = *nodes[below(nodes.size())];
    switch (below(10)) {
      case 0:
        return leave_out(node);
      case 1:
        return double_one(node);
      case 2: {
        const Json copy = *donors[below(donors.size())];
        node = copy;
        return;
      }
      case 3: {
        Json& second = *nodes[below(nodes.size())];
        // One may hold the other.
        const Json a = node, b = second;
        if (a.is_primitive() && b.is_primitive()) node = b, second = a;
        return;
      }
      case 4:
        return add_member(node, other);
      case 5:
      case 6:
        return set_field(root);
      default:
        return change_leaf(leaf_below(node));
    }
  }

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

 private:
  template <class Node>
  void collect(Node& node, std::vector<Node*>& out) {
    out.push_back(&node);
    if (node.is_structured())
      for (auto& child : node) collect(child, out);
  }
  void collect(const Json& node, std::vector<const Json*>& out) {
    out.push_back(&node);
    if (node.is_structured())
      for (const auto& child : node) collect(child, out);
  }

  Json& leaf_below(Json& node) {
    Json* at = &node;
    while (at->is_structured() && !at->empty()) {
      auto child = at->begin();
      std::advance(child, static_cast<std::ptrdiff_t>(below(at->size())));
      at = &*child;
    }
    return *at;
  }

  void leave_out(Json& node) {
    if (!node.is_structured() || node.empty()) return;
    auto child = node.begin();
    std::advance(child, static_cast<std::ptrdiff_t>(below(node.size())));
    node.erase(child);
  }

  void double_one(Json& node) {
    if (!node.is_array() || node.empty()) return;
    Json copy = node[below(node.size())];
    if (copy.is_object() && copy.contains("id") && below(2) == 0)
      copy["id"] = "other" + std::to_string(below(9));
    node.push_back(std::move(copy));
  }

  void add_member(Json& node, const Json& other) {
    if (!node.is_object()) return;
    std::vector<const Json*> objects;
    collect(other, objects);
    std::erase_if(objects, [](const Json* o) { return !o->is_object() || o->empty(); });
    if (objects.empty()) return;
    const Json& from = *objects[below(objects.size())];
    auto member = from.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(below(from.size())));
    node[member.key()] = member.value();
  }

  /// A field of a kind that is there, by the tables of kinds.
  void set_field(Json& root) {
    std::vector<Json*> nodes;
    collect(root, nodes);
    std::vector<std::pair<Json*, const models::KindInfo*>> parts;
    for (Json* node : nodes) {
      if (!node->is_object()) continue;
      for (const models::RoleInfo& role : models::roles()) {
        const auto named = node->find(role.selector);
        if (named == node->end() || !named->is_string()) continue;
        if (const auto* kind = models::find_kind(role.role, named->get<std::string>()))
          parts.emplace_back(node, kind);
      }
    }
    if (parts.empty()) return;
    const auto& [node, kind] = parts[below(parts.size())];
    const std::vector<const base::FieldInfo*> fields = models::fields_of(*kind);
    if (fields.empty()) return;
    const base::FieldInfo& field = *fields[below(fields.size())];
    Json* at = node;
    std::string key(field.key);
    for (std::size_t dot = key.find('.'); dot != key.npos; dot = key.find('.')) {
      at = &(*at)[key.substr(0, dot)];
      key.erase(0, dot + 1);
      if (!at->is_object()) *at = Json::object();
    }
    (*at)[key] = value_of(field);
  }

  Json value_of(const base::FieldInfo& field) {
    const std::string usual(field.fallback.empty() ? base::dimension_example(field.dimension)
                                                   : field.fallback);
    switch (field.dimension) {
      case Dimension::boolean:
        return below(2) == 0;
      case Dimension::count:
      case Dimension::number:
        return std::round(std::strtod(usual.c_str(), nullptr) * factor());
      case Dimension::text:
      case Dimension::text_list:
        return usual;
      default:
        return other_text(usual);
    }
  }

  double factor() {
    static constexpr std::array kFactors = {0.0, -1.0, 1e-9, 1e-3, 0.1, 0.5, 0.9, 1.1,
                                            2.0, 3.0,  10.0, 100., 1e3, 1e6, 1e9, 1e15};
    return kFactors[below(kFactors.size())];
  }

  void change_leaf(Json& leaf) {
    static constexpr std::array kNumbers = {
        0.0, 1.0, 2.0, 3.0, 7.0, 64.0, 0.5, -1.0, 1e300, 1e-300, 9007199254740993.0};
    if (leaf.is_boolean()) {
      leaf = !leaf.get<bool>();
    } else if (leaf.is_number()) {
      const double value =
          below(3) == 0 ? kNumbers[below(kNumbers.size())] : leaf.get<double>() * factor();
      if (std::floor(value) == value && std::abs(value) < 1e15)
        leaf = static_cast<std::int64_t>(value);
      else
        leaf = value;
    } else if (leaf.is_string()) {
      leaf = other_text(leaf.get<std::string>());
    } else {
      leaf = static_cast<std::int64_t>(below(5));
    }
  }

  /// Of a quantity another number or another unit; of a kind another kind; else a word of a
  /// scenario.
  std::string other_text(const std::string& text) {
    const std::size_t digits = text.find_first_not_of("0123456789.");
    if (digits != 0 && digits != text.npos) {
      const double number = std::strtod(text.substr(0, digits).c_str(), nullptr);
      const std::string unit = text.substr(digits);
      if (below(4) > 0) return base::shortest(number * factor()) + unit;
      static constexpr std::array kDimensions = {Dimension::bytes, Dimension::time,
                                                 Dimension::rate,  Dimension::op_rate,
                                                 Dimension::ratio, Dimension::money};
      const auto units = base::unit_texts(kDimensions[below(kDimensions.size())]);
      return text.substr(0, digits) + " " + std::string(units[below(units.size())]);
    }
    const auto roles = models::roles();
    const auto kinds = models::kinds(roles[below(roles.size())].role);
    if (below(3) > 0) return std::string(kinds[below(kinds.size())].id);
    static constexpr std::array kWords = {"",       "=n",         "=1/0",     "0 s",   "1 s",
                                          "0 B",    "1 ns",       "1 PB",     "100 %", "0 %",
                                          "other1", "1 s .. 2 s", "10 +- 5 %"};
    return kWords[below(kWords.size())];
  }

  std::minstd_rand random_;
};

Json parsed(std::string_view text) {
  Diagnostics faults;
  return base::parse_jsonc(std::string(text), "", faults).root;
}

}  // namespace

std::string mutate_json(std::string_view text, std::string_view other, std::size_t longest,
                        std::uint32_t seed) {
  Json root = parsed(text);
  if (!root.is_object()) return std::string(text);
  const Json from = other.empty() ? root : parsed(other);
  Mutator mutator(seed);
  for (std::size_t n = 1 + mutator.below(4); n > 0; --n) mutator.change(root, from);
  std::string out = root.dump(-1, ' ', false, Json::error_handler_t::replace);
  return out.size() <= longest ? out : std::string(text);
}

}  // namespace stallcast::fuzz
