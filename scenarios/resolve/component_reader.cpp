#include "scenarios/resolve/component_reader.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/catalogue/ceilings.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/resolve/field_example.hpp"
#include "scenarios/resolve/kind_meant.hpp"
#include "scenarios/resolve/prices.hpp"
#include "scenarios/resolve/profile_values.hpp"
#include "scenarios/resolve/ranges.hpp"

namespace stallcast::scenarios {
namespace {

using base::FieldInfo;
using Fields = std::vector<const FieldInfo*>;

const Json kNothing;

class ComponentReader {
 public:
  ComponentReader(ReadContext& context, const ComponentSpec& spec)
      : context_(context), spec_(spec), role_(models::role_info(spec.role)) {}

  /// REQUIRES: called once.
  Component read() {
    out_.id = spec_.id;
    out_.pointer = spec_.pointer;
    const Json* found = find(context_.tree.root, spec_.pointer);
    const Json& node = found == nullptr ? kNothing : *found;
    if (!node.is_object() && !node.is_null()) {
      report().error("type", spec_.pointer,
                     spec_.what + " is an object, not " + std::string(type_name(node)),
                     "put its fields in braces: { ... }");
      return std::move(out_);
    }
    const models::CatalogueEntry* product = read_use(node);
    const models::KindInfo* kind = read_kind(node, product);
    if (kind == nullptr) return std::move(out_);
    out_.kind = kind->id;
    kind_ = kind;
    fields_ = models::fields_of(*kind);
    if (product != nullptr && product->kind == kind->id) take_product(*product);
    if (context_.profile != nullptr) take_measured(*context_.profile, role_.id, fields_, out_);
    if (node.is_object()) walk(node, spec_.pointer, "");
    take_defaults(node);
    if (context_.profile != nullptr) end_with_profile(*context_.profile, role_.id, report(), out_);
    return std::move(out_);
  }

 private:
  Reporter& report() { return context_.report; }

  const models::CatalogueEntry* read_use(const Json& node) {
    if (!node.is_object() || !node.contains("use") || node["use"].is_null()) return nullptr;
    const std::string at = spec_.pointer + "/use";
    const auto id = read_text(context_, at, node["use"], "use");
    if (!id) return nullptr;
    const models::CatalogueEntry* product = models::find_product(*id);
    if (product != nullptr && product->role == spec_.role) {
      out_.product = *id;
      return product;
    }
    std::vector<std::string> names;
    for (const models::CatalogueEntry& entry : models::catalogue())
      if (entry.role == spec_.role) names.push_back(entry.id);
    const std::string role(role_.id);
    if (product != nullptr)
      report().error("product", at,
                     "\"" + *id + "\" is a " + std::string(models::role_info(product->role).id) +
                         ", and " + spec_.what + " is a " + role,
                     allowed_hint(*id, names));
    else
      report().error("product", at, "no product \"" + *id + "\" in the catalogue",
                     names.empty() ? "the catalogue has no " + role
                                   : allowed_hint(without_catalogue(*id), names));
    return nullptr;
  }

  /// As `extends` and where values come from have it: "catalog:host/dgx-h100".
  static std::string without_catalogue(const std::string& id) {
    return id.starts_with(kCatalog) ? id.substr(kCatalog.size()) : id;
  }

  const models::KindInfo* read_kind(const Json& node, const models::CatalogueEntry* product) {
    const std::string key(role_.selector);
    if (!key.empty() && node.is_object() && node.contains(key) && !node[key].is_null()) {
      const std::string at = spec_.pointer + base::pointer_token(key);
      // Of two that are given either may be meant: the rest is not judged by the one or the other.
      if (report().has("duplicate-key", at)) return nullptr;
      const auto id = read_text(context_, at, node[key], key);
      if (!id) return nullptr;
      const models::KindInfo* kind = models::find_kind(spec_.role, *id);
      if (kind == nullptr) {
        const KindMeant meant = kind_meant(spec_.role, *id);
        const std::string list = "allowed: " + base::join(kind_names(), ", ");
        report().error(
            "kind", at, "\"" + *id + "\" is not a " + key + " of " + spec_.what,
            meant.id.empty() ? list : "did you mean \"" + meant.id + "\"" + meant.as + "? " + list);
        // The rest is read as what was probably misspelled, so that its faults are reported, too.
        return models::find_kind(spec_.role, base::nearest(*id, kind_names()));
      }
      if (product != nullptr && product->kind != *id)
        report().error("kind", at,
                       "\"" + product->id + "\" is of " + key + " \"" + product->kind +
                           "\", not \"" + *id + "\"",
                       "remove \"" + key + "\" or \"use\"");
      return kind;
    }
    if (product != nullptr) return models::find_kind(spec_.role, product->kind);
    if (!role_.fallback.empty()) return models::find_kind(spec_.role, role_.fallback);
    report().error("missing", spec_.pointer, spec_.what + " has no \"" + key + "\"",
                   "add \"" + key + "\": one of " + base::join(kind_names(), ", "));
    return nullptr;
  }

  std::vector<std::string> kind_names() const {
    std::vector<std::string> names;
    for (const models::KindInfo& kind : models::kinds(spec_.role)) names.emplace_back(kind.id);
    return names;
  }

  void take_product(const models::CatalogueEntry& product) {
    for (const models::CatalogueValue& v : product.values)
      for (const FieldInfo* field : fields_) {
        if (field->key != v.key) continue;
        std::optional<Value> value = value_of_text(*field, v.text);
        assert(value && "catalogue_test.cpp reads every text");
        value->source = {Source::Kind::catalogue, std::string(kCatalog) + product.id,
                         v.date.empty() ? v.source : v.source + " (read " + v.date + ")",
                         v.assumption};
        value->range = range_of(*field, *value);
        out_.values.insert_or_assign(v.key, std::move(*value));
      }
  }

  // Keys of `node`, whose own dotted key is `prefix` without the last dot.
  void walk(const Json& node, const std::string& pointer, const std::string& prefix) {
    for (const auto& [key, value] : node.items()) {
      if (key.starts_with("x-") || (prefix.empty() && is_reserved(key))) continue;
      const std::string path = prefix + key;
      const std::string at = pointer + base::pointer_token(key);
      const std::string within = path + ".";
      const auto leaf = std::find_if(fields_.begin(), fields_.end(),
                                     [&](const FieldInfo* f) { return f->key == path; });
      const bool inner = std::any_of(fields_.begin(), fields_.end(), [&](const FieldInfo* f) {
        return f->key.starts_with(within);
      });
      if (key.find('.') != std::string::npos || (leaf == fields_.end() && !inner)) {
        // a variant that switches the kind leaves out what only the old kind had
        if (!(value.is_null() && other_kind_has(path))) unknown(key, pointer, prefix);
      } else if (leaf != fields_.end() && !(inner && value.is_object() && !is_ranged(value))) {
        take(**leaf, at, value);
      } else if (value.is_object()) {
        walk(value, at, within);
      } else if (!value.is_null()) {
        report().error("type", at,
                       "\"" + path + "\" is an object, not " + std::string(type_name(value)),
                       "its keys are " + base::join(keys_below(within), ", "));
      } else {
        drop_below(within);
      }
    }
  }

  bool is_reserved(const std::string& key) const {
    if (key == "use" || key == role_.selector || (spec_.has_id && key == "id")) return true;
    return std::find(spec_.parts.begin(), spec_.parts.end(), key) != spec_.parts.end();
  }

  bool other_kind_has(std::string_view path) const {
    for (const models::KindInfo& kind : models::kinds(role_.role))
      for (const FieldInfo* field : models::fields_of(kind))
        if (field->key.substr(0, field->key.find('.')) == path) return true;
    return false;
  }

  std::vector<std::string> keys_below(const std::string& prefix) const {
    std::vector<std::string> out;
    for (const FieldInfo* field : fields_) {
      if (!field->key.starts_with(prefix)) continue;
      const std::string_view rest = field->key.substr(prefix.size());
      std::string key(rest.substr(0, rest.find('.')));
      if (std::find(out.begin(), out.end(), key) == out.end()) out.push_back(std::move(key));
    }
    return out;
  }

  void unknown(const std::string& key, const std::string& pointer, const std::string& prefix) {
    std::vector<std::string> names = keys_below(prefix);
    if (prefix.empty()) {
      if (spec_.has_id) names.emplace_back("id");
      names.emplace_back("use");
      if (!role_.selector.empty()) names.emplace_back(role_.selector);
      for (const std::string_view part : spec_.parts) names.emplace_back(part);
    }
    const std::string what =
        prefix.empty() ? spec_.what
                       : "\"" + prefix.substr(0, prefix.size() - 1) + "\" of " + spec_.what;
    unknown_key(key, pointer, what, names, report());
    if (const std::string near = base::nearest(key, names); !near.empty())
      misspelled_.push_back(prefix + near);
  }

  void take(const FieldInfo& field, const std::string& at, const Json& value) {
    if (value.is_null()) {  // left out on purpose, also where the product has a value
      out_.values.erase(std::string(field.key));
      return;
    }
    const std::optional<PriceOf> of = price_of(*kind_, field);
    const auto exact = [&](const std::string& pointer, const Json& node) {
      return of && names_price(node)
                 ? read_price(context_, field, pointer, node.get_ref<const std::string&>(), *of)
                 : read_value(context_, field, pointer, node);
    };
    std::optional<Value> read = read_ranged(context_, field, at, value, exact,
                                            models::ceiling_of(spec_.role, kind_->id, field));
    if (read)
      out_.values.insert_or_assign(std::string(field.key), std::move(*read));
    else
      faulty_.push_back(&field);
  }

  void drop_below(const std::string& prefix) {
    out_.values.erase_if([&](const auto& v) { return v.first.starts_with(prefix); });
  }

  void take_defaults(const Json& node) {
    for (const FieldInfo* field : fields_) {
      if (field->optional()) continue;
      const auto at = out_.values.lower_bound(field->key);
      if (at != out_.values.end() && at->first == field->key) continue;
      if (!models::counts(*kind_, out_, *field)) continue;
      if (std::find(faulty_.begin(), faulty_.end(), field) != faulty_.end()) continue;
      if (field->required()) {
        missing(*field, node);
        continue;
      }
      out_.values.emplace_hint(at, field->key, *default_value(*field));
    }
  }

  /// Of a product's figure: a stated rate is a ceiling, one that nobody looked up is rough. How
  /// many there are of a thing is part of what the product is.
  std::optional<Range> range_of(const FieldInfo& field, const Value& value) const {
    constexpr double kRough = 1.5;
    const double n = value.number;
    if (const models::Ceiling* ceiling = models::ceiling_of(role_.role, kind_->id, field))
      return Range{n * ceiling->low, n * std::max(ceiling->high, 1.0),
                   std::string(ceiling->source)};
    if (!value.source.assumption || !(n > 0.0)) return std::nullopt;
    constexpr const char* kWhy = "assumed of the product: within a factor of 1.5";
    switch (field.dimension) {
      case Dimension::rate:
      case Dimension::op_rate:
      case Dimension::time:
        return Range{n / kRough, n * kRough, kWhy};
      case Dimension::ratio: {  // of its odds
        if (n >= 1.0) return std::nullopt;
        const double odds = n / (1.0 - n);
        return Range{odds / (odds + kRough), odds * kRough / (odds * kRough + 1.0), kWhy};
      }
      default:
        return std::nullopt;
    }
  }

  // The fault stands at the nearest object the user wrote.
  void missing(const FieldInfo& field, const Json& node) {
    const std::string key(field.key);
    for (const std::string& path : misspelled_)
      if (key == path || key.starts_with(path + ".")) return;  // it is there, under another name
    std::string at = spec_.pointer;
    if (node.is_object())
      for (std::size_t dot = key.find('.'); dot != std::string::npos;
           dot = key.find('.', dot + 1)) {
        std::string inner = spec_.pointer;
        for (const std::string& part : base::split(std::string_view(key).substr(0, dot), '.'))
          inner += base::pointer_token(part);
        if (find(context_.tree.root, inner) != nullptr) at = inner;
      }
    // What a profile was thought to set is not told to take one.
    const bool thought =
        context_.profile != nullptr && field.doc.find("--profile") != std::string_view::npos;
    report().error(
        "missing", at,
        spec_.what + " has no \"" + key + "\": " + std::string(field.doc) +
            (thought ? ", and the profile \"" + context_.profile->id + "\" has no value for it"
                     : ""),
        "add it, for example " + example_of(field));
  }

  ReadContext& context_;
  const ComponentSpec& spec_;
  const models::RoleInfo& role_;
  const models::KindInfo* kind_ = nullptr;
  Component out_;
  Fields fields_;
  Fields faulty_;
  std::vector<std::string> misspelled_;  // fields that unknown keys were probably meant for
};

}  // namespace

Component read_anew(ReadContext& context, const ComponentSpec& spec) {
  return ComponentReader(context, spec).read();
}

}  // namespace stallcast::scenarios
