#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/codec/json_parts.hpp"
#include "engine/runtime/codec/json_text.hpp"

namespace stallcast::codec {
namespace {

using namespace detail;

constexpr const char* kRunSchema = "stallcast.run/1";

void write_metric(JsonText& out, const Metric& m) {
  out.begin_object();
  if (m.ci95) {
    out.key("ci95");
    out.begin_array();
    out.number(m.ci95->first);
    out.number(m.ci95->second);
    out.end_array();
  }
  out.member("unit", m.unit);
  out.member_number("value", m.value);
  out.end_object();
}

Metric read_metric(const Json& json) {
  Metric out{member_number(json, "value"), member_text(json, "unit"), {}};
  if (const Json* ends = json.find("ci95")) out.ci95 = pair_of(*ends, "ci95");
  return out;
}

void write_resource(JsonText& out, const ResourceUse& r) {
  out.begin_object();
  out.member_number("blamed_share", r.blamed_share);
  out.member_number("capacity", r.capacity);
  out.member_number("in_use", r.in_use);
  out.member("name", r.name);
  out.member_number("throughput", r.throughput);
  out.member("unit", r.unit);
  out.end_object();
}

ResourceUse read_resource(const Json& json) {
  return {member_text(json, "name"),       member_text(json, "unit"),
          member_number(json, "capacity"), member_number(json, "throughput"),
          member_number(json, "in_use"),   member_number(json, "blamed_share")};
}

std::map<std::string, double> read_shares(const Json& json) {
  if (!json.is_object()) throw Malformed("\"breakdown\" holds something that is not an object");
  std::map<std::string, double> out;
  json.each_member([&out](std::string_view cause, const Json& share) {
    out.emplace_hint(out.end(), cause, number_of(share, cause));
  });
  return out;
}

std::vector<double> read_numbers(const Json& json, std::string_view key) {
  if (!json.is_array())
    throw Malformed("\"" + std::string(key) + "\" holds something that is not an array");
  std::vector<double> out;
  for (const Json& each : json) out.push_back(number_of(each, key));
  return out;
}

RunResult read_run(const Json& json) {
  RunResult out;
  out.seed = member_unsigned(json, "seed");
  // Members are sorted: each goes to the end.
  const auto read_each = [&json](const char* key, auto& into, const auto& read) {
    member_object(json, key).each_member([&](std::string_view name, const Json& value) {
      into.emplace_hint(into.end(), name, read(value));
    });
  };
  read_each("metrics", out.metrics, read_metric);
  read_each("breakdown", out.breakdown, read_shares);
  const Json& resources = member_array(json, "resources");
  out.resources.reserve(resources.size());
  for (const Json& r : resources) out.resources.push_back(read_resource(r));
  read_each("limited_by", out.limited_by, [](const Json& resource) {
    if (!resource.is_text()) throw Malformed("\"limited_by\" holds something that is not a text");
    return resource.text();
  });
  const auto read_lists = [&](const char* key, auto& into) {
    if (json.find(key) != nullptr)
      read_each(key, into, [key](const Json& list) { return read_numbers(list, key); });
  };
  read_lists("histories", out.histories);
  read_lists("luck", out.luck);
  out.warnings = member_texts(json, "warnings");
  if (json.find("presumed") != nullptr) out.presumed = member_texts(json, "presumed");
  const Json* extrapolated = json.find("extrapolated");
  out.extrapolated =
      extrapolated != nullptr && extrapolated->is_boolean() && extrapolated->boolean();
  out.simulated_s = member_number(json, "simulated_s");
  out.skipped_s = member_number(json, "skipped_s");
  out.events = member_unsigned(json, "events");
  return out;
}

}  // namespace

std::string encode(const RunResult& result) {
  JsonText out;
  const auto object = [&out](const char* key, const auto& members, const auto& write) {
    out.key(key);
    out.begin_object();
    for (const auto& [name, value] : members) {
      out.key(name);
      write(value);
    }
    out.end_object();
  };
  out.begin_object();
  out.key("breakdown");
  out.begin_object();
  for (const auto& [job, shares] : result.breakdown)
    object(job.c_str(), shares, [&out](double share) { out.number(share); });
  out.end_object();
  out.key("events");
  out.whole(result.events);
  out.key("extrapolated");
  out.boolean(result.extrapolated);
  const auto lists = [&](const char* key, const auto& members) {
    if (members.empty()) return;
    object(key, members, [&out](const std::vector<double>& numbers) {
      out.begin_array();
      for (const double each : numbers) out.number(each);
      out.end_array();
    });
  };
  lists("histories", result.histories);
  object("limited_by", result.limited_by, [&out](const std::string& name) { out.text(name); });
  lists("luck", result.luck);
  object("metrics", result.metrics, [&out](const Metric& m) { write_metric(out, m); });
  out.member("presumed", result.presumed);
  out.key("resources");
  out.begin_array();
  for (const ResourceUse& r : result.resources) write_resource(out, r);
  out.end_array();
  out.member("schema", kRunSchema);
  out.key("seed");
  out.whole(result.seed);
  out.member_number("simulated_s", result.simulated_s);
  out.member_number("skipped_s", result.skipped_s);
  out.member("warnings", result.warnings);
  out.end_object();
  return out.take();
}

Result<RunResult> detail::run_result_of(const Json& json) {
  return read_as("run result", json, kRunSchema, read_run);
}

Result<RunResult> decode_run_result(std::string_view json) {
  return read_text_as("run result", json, detail::run_result_of);
}

}  // namespace stallcast::codec
