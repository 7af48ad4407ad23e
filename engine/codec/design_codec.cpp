#include <array>
#include <cstddef>
#include <utility>

#include "engine/codec/codec.hpp"
#include "engine/codec/json_parts.hpp"

namespace stallcast::codec {
namespace {

using detail::Json;
using detail::Malformed;
using detail::member;
using detail::member_array;
using detail::member_number;
using detail::member_object;
using detail::member_text;
using detail::member_text_or_empty;

constexpr const char* kSchema = "stallcast.design/1";

/// In the order of the enumerations; the names are part of the format.
constexpr std::array<const char*, 14> kDimensions = {
    "count", "number",  "boolean", "text",  "text_list", "bytes", "time",
    "rate",  "op_rate", "ratio",   "flops", "flop_rate", "money", "money_rate"};
constexpr std::array<const char*, 6> kSourceKinds = {"scenario",  "set_option",    "expression",
                                                     "catalogue", "default_value", "profile"};

template <class Enum, std::size_t N>
const char* name_of(Enum value, const std::array<const char*, N>& names) {
  return names.at(static_cast<std::size_t>(value));
}

template <class Enum, std::size_t N>
Enum enum_of(const std::string& name, const std::array<const char*, N>& names) {
  for (std::size_t i = 0; i < N; ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  throw Malformed("unknown name \"" + name + "\"");
}

void put(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

/// Writes all of a design, or only what decides its prediction.
class Writer {
 public:
  explicit Writer(bool identity_only) : identity_only_(identity_only) {}

  [[nodiscard]] Json design(const Design& d) const {
    Json out = {{"schema", kSchema},
                {"id", d.id},
                {"hosts", components(d.hosts)},
                {"fabric", component(d.fabric)},
                {"storage", components(d.storage)},
                {"jobs", Json::array()},
                {"run", component(d.run)},
                {"expect", Json::array()}};
    if (!d.tenants.empty()) out["tenants"] = components(d.tenants);
    if (!d.failures.empty()) out["failures"] = components(d.failures);
    if (!identity_only_) put(out, "file", d.file);
    for (const JobDesign& j : d.jobs) out["jobs"].push_back(job(j));
    for (const Expectation& e : d.expect) out["expect"].push_back(expectation(e));
    return out;
  }

 private:
  [[nodiscard]] Json components(const std::vector<Component>& list) const {
    Json out = Json::array();
    for (const Component& c : list) out.push_back(component(c));
    return out;
  }

  [[nodiscard]] Json component(const Component& c) const {
    Json out = {{"id", c.id}, {"kind", c.kind}, {"values", Json::object()}};
    if (!identity_only_) {
      put(out, "pointer", c.pointer);
      put(out, "product", c.product);
    }
    for (const auto& [key, v] : c.values) out["values"][key] = value(v);
    return out;
  }

  [[nodiscard]] Json value(const Value& v) const {
    Json out = {{"dimension", name_of(v.dimension, kDimensions)},
                {"number", detail::number_json(v.number)}};
    put(out, "text", v.text);
    if (!v.list.empty()) out["list"] = v.list;
    if (!identity_only_) out["source"] = source(v.source);
    return out;
  }

  [[nodiscard]] static Json source(const Source& s) {
    Json out = {{"kind", name_of(s.kind, kSourceKinds)}};
    put(out, "where", s.where);
    put(out, "citation", s.citation);
    if (s.assumption) out["assumption"] = true;
    return out;
  }

  [[nodiscard]] Json job(const JobDesign& j) const {
    Json out = {
        {"job", component(j.job)}, {"model", component(j.model)}, {"step", component(j.step)}};
    if (j.dataset) out["dataset"] = component(*j.dataset);
    if (j.loader) out["loader"] = component(*j.loader);
    if (j.checkpoint) out["checkpoint"] = component(*j.checkpoint);
    if (j.communication) out["communication"] = component(*j.communication);
    if (j.recovery) out["recovery"] = component(*j.recovery);
    if (j.elastic) out["elastic"] = component(*j.elastic);
    return out;
  }

  [[nodiscard]] Json expectation(const Expectation& e) const {
    Json out = {{"id", e.id}, {"that", e.that}, {"level", e.level}};
    if (!identity_only_) {
      put(out, "why", e.why);
      put(out, "pointer", e.pointer);
      put(out, "waive", e.waive);
      put(out, "until", e.until);
      put(out, "where", e.where);
    }
    return out;
  }

  bool identity_only_;
};

Source read_source(const Json& json) {
  Source out;
  out.kind = enum_of<Source::Kind>(member_text(json, "kind"), kSourceKinds);
  out.where = member_text_or_empty(json, "where");
  out.citation = member_text_or_empty(json, "citation");
  if (json.contains("assumption")) {
    if (!json["assumption"].is_boolean()) throw Malformed("\"assumption\" is not a boolean");
    out.assumption = json["assumption"].get<bool>();
  }
  return out;
}

Value read_value(const Json& json) {
  Value out;
  out.dimension = enum_of<Dimension>(member_text(json, "dimension"), kDimensions);
  out.number = member_number(json, "number");
  out.text = member_text_or_empty(json, "text");
  if (json.contains("list")) out.list = detail::member_texts(json, "list");
  if (json.contains("source")) out.source = read_source(json["source"]);
  return out;
}

Component read_component(const Json& json) {
  Component out;
  out.id = member_text(json, "id");
  out.kind = member_text(json, "kind");
  out.pointer = member_text_or_empty(json, "pointer");
  out.product = member_text_or_empty(json, "product");
  for (const auto& [key, v] : member_object(json, "values").items())
    out.values.emplace(key, read_value(v));
  return out;
}

std::optional<Component> read_optional(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  return read_component(json[key]);
}

JobDesign read_job(const Json& json) {
  return {read_component(member(json, "job")),  read_component(member(json, "model")),
          read_component(member(json, "step")), read_optional(json, "dataset"),
          read_optional(json, "loader"),        read_optional(json, "checkpoint"),
          read_optional(json, "communication"), read_optional(json, "recovery"),
          read_optional(json, "elastic")};
}

Expectation read_expectation(const Json& json) {
  return {member_text(json, "id"),
          member_text(json, "that"),
          member_text(json, "level"),
          member_text_or_empty(json, "why"),
          member_text_or_empty(json, "pointer"),
          member_text_or_empty(json, "waive"),
          member_text_or_empty(json, "until"),
          member_text_or_empty(json, "where")};
}

Design read_design(const Json& json) {
  Design out;
  out.id = member_text(json, "id");
  out.file = member_text_or_empty(json, "file");
  for (const Json& c : member_array(json, "hosts")) out.hosts.push_back(read_component(c));
  out.fabric = read_component(member(json, "fabric"));
  for (const Json& c : member_array(json, "storage")) out.storage.push_back(read_component(c));
  for (const Json& j : member_array(json, "jobs")) out.jobs.push_back(read_job(j));
  for (const auto& [key, list] : {std::pair{"tenants", &out.tenants}, {"failures", &out.failures}})
    if (json.contains(key))
      for (const Json& c : member_array(json, key)) list->push_back(read_component(c));
  out.run = read_component(member(json, "run"));
  for (const Json& e : member_array(json, "expect")) out.expect.push_back(read_expectation(e));
  return out;
}

}  // namespace

std::string encode(const Design& design) { return detail::dump(Writer(false).design(design)); }

Result<Design> detail::design_of(const Json& json) {
  try {
    check_schema(json, kSchema);
    return read_design(json);
  } catch (const Malformed& error) {
    return malformed("design", error);
  }
}

Result<Design> decode_design(std::string_view json) {
  return detail::design_of(detail::parse(json));
}

std::string encode_identity(const Design& design) {
  return detail::dump(Writer(true).design(design));
}

}  // namespace stallcast::codec
