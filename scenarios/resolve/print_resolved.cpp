#include "scenarios/resolve/print_resolved.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/resolve/ranges.hpp"

namespace stallcast::scenarios {
namespace {

using models::Role;

// What a profile says is in no text: in the unit that the field is usually written in.
std::string usual_text(const base::FieldInfo& field, const Value& value) {
  const bool has_unit = base::unit_of_text(field.fallback, value.dimension).has_value();
  const std::string_view like =
      has_unit ? field.fallback : base::dimension_example(value.dimension);
  return base::exact_quantity_like(value.number, value.dimension, like);
}

// Rates whose default is written in bits are printed in bits, if they read back to the same number.
std::string quantity_text(const base::FieldInfo& field, const Value& value) {
  if (field.fallback.ends_with(" Gb/s")) {
    const std::string bits =
        base::shortest(Rate::from(value.number, unit::Bps).in(unit::Gbps)) + " Gb/s";
    if (base::parse_quantity(bits, value.dimension).value == value.number) return bits;
  }
  return value.source.kind == Source::Kind::profile
             ? usual_text(field, value)
             : base::exact_quantity(value.number, value.dimension);
}

// Whether the value is printed with what it may be in truth. Of what a fit says its draws tell;
// what observed runs leave of a range is as much of one as it was before.
bool has_own_range(const Value& value) {
  return value.range &&
         (value.source.kind != Source::Kind::profile || value.source.citation == kObservedRuns);
}

Json exact_json(const base::FieldInfo& field, const Value& value) {
  const Dimension takes = value.dimension;
  if (takes == Dimension::count || takes == Dimension::number) return number_node(value.number);
  if (takes == Dimension::boolean) return Json(value.number != 0.0);
  if (takes == Dimension::text) return Json(value.text);
  if (takes == Dimension::text_list) return Json(value.list);
  return Json(quantity_text(field, value));
}

Value with_number(Value value, double number) {
  value.number = number;
  return value;
}

Json value_json(const base::FieldInfo& field, const Value& value) {
  if (!has_own_range(value)) return exact_json(field, value);
  Json out = {{"value", exact_json(field, value)},
              {"low", exact_json(field, with_number(value, value.range->low))},
              {"high", exact_json(field, with_number(value, value.range->high))}};
  if (!value.range->why.empty()) out["why"] = value.range->why;
  return out;
}

// Whether the product has a figure for the field.
bool given(std::string_view product, std::string_view key) {
  const models::CatalogueEntry* entry = product.empty() ? nullptr : models::find_product(product);
  return entry != nullptr &&
         std::any_of(entry->values.begin(), entry->values.end(),
                     [&](const models::CatalogueValue& v) { return v.key == key; });
}

class Printer {
 public:
  explicit Printer(bool provenance) : provenance_(provenance) {}

  std::string print(const Design& design) {
    write(json(design), 0, "");
    return out_ + "\n";
  }

  Json json(const Design& design) {
    Json root = Json::object();
    root["id"] = design.id;
    for (const Component& host : design.hosts)
      root["cluster"]["hosts"].push_back(component(Role::host, host, true));
    root["cluster"]["fabric"] = component(Role::fabric, design.fabric, false);
    for (const Component& storage : design.storage)
      root["storage"].push_back(component(Role::storage, storage, true));
    for (const JobDesign& job : design.jobs) root["jobs"].push_back(job_json(job));
    for (const Component& tenant : design.tenants)
      root["tenants"].push_back(component(Role::tenant, tenant, true));
    for (const Component& stage : design.stages)
      root["stages"].push_back(component(Role::stage, stage, true));
    for (const Component& failure : design.failures)
      root["failures"].push_back(component(Role::failure, failure, true));
    root["run"] = component(Role::run, design.run, false);
    for (const Expectation& e : design.expect) {
      if (e.implied()) continue;
      Json item = {{"id", e.id}, {"that", e.that}, {"level", e.level}};
      for (const auto& [key, text] :
           {std::pair{"why", &e.why}, {"waive", &e.waive}, {"until", &e.until}})
        if (!text->empty()) item[key] = *text;
      if (e.confidence) item["confidence"] = base::exact_quantity(*e.confidence, Dimension::ratio);
      root["expect"].push_back(std::move(item));
    }
    return root;
  }

 private:
  // Comments are found again by pointer; a component of a job is in the job's object.
  Json component(Role role, const Component& c, bool with_id) {
    Json node = Json::object();
    if (with_id) node["id"] = c.id;
    if (!c.product.empty()) node["use"] = c.product;
    const std::string selector(models::role_info(role).selector);
    if (!selector.empty()) node[selector] = c.kind;
    const models::KindInfo* kind = models::find_kind(role, c.kind);
    if (kind == nullptr) return node;
    for (const base::FieldInfo* field : models::fields_of(*kind)) {
      const Value* value = c.find(field->key);
      // A product's value that was taken back must stay out.
      if (value == nullptr && !given(c.product, field->key)) continue;
      // Beside a date it does not count, and must not be given.
      if (role == Role::failure && field->key == "mtbf" && c.find("at") != nullptr) continue;
      Json* place = &node;
      std::string at = c.pointer;
      for (const std::string& part : base::split(field->key, '.')) {
        place = &(*place)[part];
        at += base::pointer_token(part);
      }
      if (value == nullptr) continue;  // stays null
      *place = value_json(*field, *value);
      comments_[at] = source_text(value->source);
    }
    return node;
  }

  Json job_json(const JobDesign& job) {
    Json node = component(Role::job, job.job, true);
    node["model"] = component(Role::model, job.model, false);
    node["step"] = component(Role::step, job.step, false);
    if (job.dataset) node["dataset"] = component(Role::dataset, *job.dataset, false);
    if (job.loader) node["loader"] = component(Role::loader, *job.loader, false);
    if (job.checkpoint) node["checkpoint"] = component(Role::checkpoint, *job.checkpoint, false);
    if (job.communication)
      node["communication"] = component(Role::communication, *job.communication, false);
    if (job.recovery) node["recovery"] = component(Role::recovery, *job.recovery, false);
    if (job.elastic) node["elastic"] = component(Role::elastic, *job.elastic, false);
    return node;
  }

  static bool is_leaf(const Json& node) {
    if (node.is_array()) return node.empty() || !node.front().is_object();
    return !node.is_object() || node.empty();
  }

  void write(const Json& node, std::size_t depth, const std::string& at) {
    if (is_leaf(node)) {
      out_ += base::one_line(node);
      return;
    }
    if (is_ranged(node)) {
      const char* before = "{ ";
      for (const auto& [key, child] : node.items()) {
        out_ += before + base::json_text(key) + ": " + base::one_line(child);
        before = ", ";
      }
      out_ += " }";
      return;
    }
    out_ += node.is_array() ? "[" : "{";
    std::size_t left = node.size();
    std::size_t index = 0;
    for (const auto& [key, child] : node.items()) {
      out_ += "\n" + std::string(2 * (depth + 1), ' ');
      std::string inner = at;
      if (node.is_object()) {
        out_ += base::json_text(key) + ": ";
        inner += base::pointer_token(key);
      } else {
        inner += base::pointer_token(index++);
      }
      write(child, depth + 1, inner);
      if (--left > 0) out_ += ",";
      const auto comment = comments_.find(inner);
      if (provenance_ && comment != comments_.end()) out_ += "  // " + comment->second;
    }
    out_ += "\n" + std::string(2 * depth, ' ') + (node.is_array() ? "]" : "}");
  }

  bool provenance_;
  std::map<std::string, std::string> comments_;
  std::string out_;
};

}  // namespace

std::string source_text(const Source& source) {
  std::string out = source.kind == Source::Kind::default_value ? "default" : source.where;
  if (source.kind == Source::Kind::expression) out += " (expression)";
  if (!source.citation.empty()) out += ": " + source.citation;
  if (source.assumption) out += " [assumption]";
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return out;
}

std::string print_resolved(const Design& design, bool provenance) {
  return Printer(provenance).print(design);
}

Json resolved_json(const Design& design) { return Printer(false).json(design); }

}  // namespace stallcast::scenarios
