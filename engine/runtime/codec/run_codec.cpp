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
  if (json.contains("ci95")) {
    const Json& ends = member_array(json, "ci95");
    if (ends.size() != 2) throw Malformed("\"ci95\" does not have two ends");
    out.ci95 = {number_of(ends[0], "ci95"), number_of(ends[1], "ci95")};
  }
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

RunResult read_run(const Json& json) {
  RunResult out;
  out.seed = member_unsigned(json, "seed");
  for (const auto& [name, m] : member_object(json, "metrics").items())
    out.metrics.emplace(name, read_metric(m));
  for (const auto& [job, shares] : member_object(json, "breakdown").items()) {
    if (!shares.is_object()) throw Malformed("\"breakdown\" holds something that is not an object");
    auto& causes = out.breakdown[job];
    for (const auto& [cause, share] : shares.items())
      causes.emplace(cause, number_of(share, cause));
  }
  for (const Json& r : member_array(json, "resources")) out.resources.push_back(read_resource(r));
  for (const auto& [metric, resource] : member_object(json, "limited_by").items()) {
    if (!resource.is_string()) throw Malformed("\"limited_by\" holds something that is not a text");
    out.limited_by.emplace(metric, resource.get<std::string>());
  }
  out.warnings = member_texts(json, "warnings");
  if (json.contains("presumed")) out.presumed = member_texts(json, "presumed");
  const auto extrapolated = json.find("extrapolated");
  out.extrapolated =
      extrapolated != json.end() && extrapolated->is_boolean() && extrapolated->get<bool>();
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
  object("limited_by", result.limited_by, [&out](const std::string& name) { out.text(name); });
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
  try {
    check_schema(json, kRunSchema);
    return read_run(json);
  } catch (const Malformed& error) {
    return malformed("run result", error);
  }
}

Result<RunResult> decode_run_result(std::string_view json) {
  return detail::run_result_of(detail::parse(json));
}

}  // namespace stallcast::codec
