#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "engine/base/quantity_text.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/codec/json_parts.hpp"
#include "engine/runtime/codec/json_text.hpp"

namespace stallcast::codec {
namespace {

using namespace detail;

constexpr const char* kDesignSchema = "stallcast.design/1";

/// In the order of the enumeration; the names are part of the format.
constexpr std::array<std::string_view, 6> kSourceKinds = {
    "scenario", "set_option", "expression", "catalogue", "default_value", "profile"};

template <class Enum, std::size_t N>
std::string_view name_of(Enum value, const std::array<std::string_view, N>& names) {
  return names.at(static_cast<std::size_t>(value));
}

template <class Enum, std::size_t N>
Enum enum_of(std::string_view name, const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < N; ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  throw Malformed("unknown name \"" + std::string(name) + "\"");
}

/// Writes all of a design, or only what decides its prediction.
class Writer {
 public:
  explicit Writer(bool identity_only) : identity_only_(identity_only) {}

  [[nodiscard]] std::string design(const Design& d) {
    out_.reserve(identity_only_ ? 1 << 14 : 1 << 15);
    out_.begin_object();
    out_.key("expect");
    out_.begin_array();
    for (const Expectation& e : d.expect) expectation(e);
    out_.end_array();
    part("fabric", d.fabric);
    if (!d.failures.empty()) parts("failures", d.failures);
    if (!identity_only_) out_.optional_member("file", d.file);
    parts("hosts", d.hosts);
    out_.member("id", d.id);
    out_.key("jobs");
    out_.begin_array();
    for (const JobDesign& j : d.jobs) job(j);
    out_.end_array();
    part("run", d.run);
    out_.member("schema", kDesignSchema);
    if (!d.stages.empty()) parts("stages", d.stages);
    parts("storage", d.storage);
    if (!d.tenants.empty()) parts("tenants", d.tenants);
    out_.end_object();
    return out_.take();
  }

  [[nodiscard]] std::string one(const Value& v) {
    value(v);
    return out_.take();
  }

 private:
  void parts(const char* key, const std::vector<Component>& list) {
    out_.key(key);
    out_.begin_array();
    for (const Component& c : list) component(c);
    out_.end_array();
  }

  void part(const char* key, const Component& c) {
    out_.key(key);
    component(c);
  }

  void part(const char* key, const std::optional<Component>& c) {
    if (c) part(key, *c);
  }

  void component(const Component& c) {
    out_.begin_object();
    out_.member("id", c.id);
    out_.member("kind", c.kind);
    if (!identity_only_) {
      out_.optional_member("pointer", c.pointer);
      out_.optional_member("product", c.product);
    }
    out_.key("values");
    out_.begin_object();
    for (const auto& [key, v] : c.values) {
      out_.key(key);
      value(v);
    }
    out_.end_object();
    out_.end_object();
  }

  void value(const Value& v) {
    out_.begin_object();
    out_.member("dimension", name_of(v.dimension, base::kDimensionIds));
    if (!v.list.empty()) out_.member("list", v.list);
    out_.member_number("number", v.number);
    if (!identity_only_) {
      if (v.range) range(*v.range);
      source(v.source);
    }
    out_.optional_member("text", v.text);
    out_.end_object();
  }

  void range(const Range& r) {
    out_.key("range");
    out_.begin_object();
    out_.member_number("high", r.high);
    out_.member_number("low", r.low);
    out_.optional_member("why", r.why);
    out_.end_object();
  }

  void source(const Source& s) {
    out_.key("source");
    out_.begin_object();
    if (s.assumption) {
      out_.key("assumption");
      out_.boolean(true);
    }
    out_.optional_member("citation", s.citation);
    out_.member("kind", name_of(s.kind, kSourceKinds));
    out_.optional_member("where", s.where);
    out_.end_object();
  }

  void job(const JobDesign& j) {
    out_.begin_object();
    part("checkpoint", j.checkpoint);
    part("communication", j.communication);
    part("dataset", j.dataset);
    part("elastic", j.elastic);
    part("job", j.job);
    part("loader", j.loader);
    part("model", j.model);
    part("recovery", j.recovery);
    part("step", j.step);
    out_.end_object();
  }

  void expectation(const Expectation& e) {
    out_.begin_object();
    out_.member("id", e.id);
    out_.member("level", e.level);
    if (!identity_only_) out_.optional_member("pointer", e.pointer);
    out_.member("that", e.that);
    if (e.confidence) out_.member_number("confidence", *e.confidence);
    if (!identity_only_) {
      out_.optional_member("until", e.until);
      out_.optional_member("waive", e.waive);
      out_.optional_member("where", e.where);
      out_.optional_member("why", e.why);
    }
    out_.end_object();
  }

  bool identity_only_;
  JsonText out_;
};

Source read_source(const Json& json) {
  Source out;
  out.kind = enum_of<Source::Kind>(member_view(json, "kind"), kSourceKinds);
  out.where = member_text_or_empty(json, "where");
  out.citation = member_text_or_empty(json, "citation");
  if (const Json* assumption = json.find("assumption")) {
    if (!assumption->is_boolean()) throw Malformed("\"assumption\" is not a boolean");
    out.assumption = assumption->boolean();
  }
  return out;
}

Value read_value(const Json& json) {
  Value out;
  out.dimension = enum_of<Dimension>(member_view(json, "dimension"), base::kDimensionIds);
  out.number = member_number(json, "number");
  if (json.size() == 2) return out;  // as most are where sources are left out
  out.text = member_text_or_empty(json, "text");
  if (json.find("list") != nullptr) out.list = member_texts(json, "list");
  if (const Json* source = json.find("source")) out.source = read_source(*source);
  if (const Json* range = json.find("range"))
    out.range = {member_number(*range, "low"), member_number(*range, "high"),
                 member_text_or_empty(*range, "why")};
  return out;
}

Component read_component(const Json& json) {
  Component out;
  out.id = member_text(json, "id");
  out.kind = member_text(json, "kind");
  out.pointer = member_text_or_empty(json, "pointer");
  out.product = member_text_or_empty(json, "product");
  ValueTable::Map values;
  member_object(json, "values").each_member([&values](std::string_view key, const Json& value) {
    values.emplace_hint(values.end(), key, read_value(value));  // they are sorted
  });
  out.values = ValueTable(std::move(values));
  return out;
}

std::optional<Component> read_optional(const Json& json, const char* key) {
  const Json* component = json.find(key);
  if (component == nullptr) return std::nullopt;
  return read_component(*component);
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
          member_text_or_empty(json, "where"),
          json.find("confidence") != nullptr ? std::optional(member_number(json, "confidence"))
                                             : std::nullopt};
}

Design read_design(const Json& json) {
  Design out;
  out.id = member_text(json, "id");
  out.file = member_text_or_empty(json, "file");
  for (const Json& c : member_array(json, "hosts")) out.hosts.push_back(read_component(c));
  out.fabric = read_component(member(json, "fabric"));
  for (const Json& c : member_array(json, "storage")) out.storage.push_back(read_component(c));
  for (const Json& j : member_array(json, "jobs")) out.jobs.push_back(read_job(j));
  for (const auto& [key, list] :
       {std::pair{"tenants", &out.tenants}, {"stages", &out.stages}, {"failures", &out.failures}})
    if (json.find(key) != nullptr)
      for (const Json& c : member_array(json, key)) list->push_back(read_component(c));
  out.run = read_component(member(json, "run"));
  for (const Json& e : member_array(json, "expect")) out.expect.push_back(read_expectation(e));
  return out;
}

}  // namespace

std::string encode(const Design& design) { return Writer(false).design(design); }

Result<Design> detail::design_of(const Json& json) {
  return read_as("design", json, kDesignSchema, read_design);
}

Result<Value> detail::value_of(const Json& json) { return read_as("value", json, "", read_value); }

Result<Design> decode_design(std::string_view json) {
  return read_text_as("design", json, detail::design_of);
}

bool reads_files(const Design& design) {
  return std::any_of(design.tenants.begin(), design.tenants.end(),
                     [](const Component& tenant) { return tenant.kind == "replay"; });
}

std::string encode_identity(const Design& design) { return Writer(true).design(design); }

std::string encode_identity(const Value& value) { return Writer(true).one(value); }

}  // namespace stallcast::codec
