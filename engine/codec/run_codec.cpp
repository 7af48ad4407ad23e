#include "engine/codec/codec.hpp"
#include "engine/codec/json_parts.hpp"

namespace stallcast::codec {
namespace {

using detail::Json;
using detail::Malformed;
using detail::member_array;
using detail::member_number;
using detail::member_object;
using detail::member_text;
using detail::number_json;

constexpr const char* kSchema = "stallcast.run/1";

Json metric_json(const Metric& m) {
  Json out = {{"value", number_json(m.value)}, {"unit", m.unit}};
  if (m.ci95) out["ci95"] = Json::array({number_json(m.ci95->first), number_json(m.ci95->second)});
  return out;
}

Metric read_metric(const Json& json) {
  Metric out{member_number(json, "value"), member_text(json, "unit"), {}};
  if (json.contains("ci95")) {
    const Json& ends = member_array(json, "ci95");
    if (ends.size() != 2) throw Malformed("\"ci95\" has not two ends");
    out.ci95 = {detail::number_of(ends[0], "ci95"), detail::number_of(ends[1], "ci95")};
  }
  return out;
}

Json resource_json(const ResourceUse& r) {
  return {{"name", r.name},
          {"unit", r.unit},
          {"capacity", number_json(r.capacity)},
          {"throughput", number_json(r.throughput)},
          {"peak", number_json(r.peak)},
          {"blamed_share", number_json(r.blamed_share)}};
}

ResourceUse read_resource(const Json& json) {
  return {member_text(json, "name"),       member_text(json, "unit"),
          member_number(json, "capacity"), member_number(json, "throughput"),
          member_number(json, "peak"),     member_number(json, "blamed_share")};
}

RunResult read_run(const Json& json) {
  RunResult out;
  out.seed = detail::member_unsigned(json, "seed");
  for (const auto& [name, m] : member_object(json, "metrics").items())
    out.metrics.emplace(name, read_metric(m));
  for (const auto& [job, shares] : member_object(json, "breakdown").items()) {
    if (!shares.is_object()) throw Malformed("\"breakdown\" holds what is not an object");
    auto& causes = out.breakdown[job];
    for (const auto& [cause, share] : shares.items())
      causes.emplace(cause, detail::number_of(share, cause));
  }
  for (const Json& r : member_array(json, "resources")) out.resources.push_back(read_resource(r));
  for (const auto& [metric, resource] : member_object(json, "limited_by").items()) {
    if (!resource.is_string()) throw Malformed("\"limited_by\" holds what is not a text");
    out.limited_by.emplace(metric, resource.get<std::string>());
  }
  out.warnings = detail::member_texts(json, "warnings");
  const auto extrapolated = json.find("extrapolated");
  out.extrapolated =
      extrapolated != json.end() && extrapolated->is_boolean() && extrapolated->get<bool>();
  out.simulated_s = member_number(json, "simulated_s");
  out.skipped_s = member_number(json, "skipped_s");
  out.events = detail::member_unsigned(json, "events");
  return out;
}

}  // namespace

std::string encode(const RunResult& result) {
  Json out = {{"schema", kSchema},
              {"seed", result.seed},
              {"metrics", Json::object()},
              {"breakdown", Json::object()},
              {"resources", Json::array()},
              {"limited_by", result.limited_by},
              {"warnings", result.warnings},
              {"extrapolated", result.extrapolated},
              {"simulated_s", number_json(result.simulated_s)},
              {"skipped_s", number_json(result.skipped_s)},
              {"events", result.events}};
  for (const auto& [name, m] : result.metrics) out["metrics"][name] = metric_json(m);
  for (const auto& [job, shares] : result.breakdown) {
    Json& causes = out["breakdown"][job] = Json::object();
    for (const auto& [cause, share] : shares) causes[cause] = number_json(share);
  }
  for (const ResourceUse& r : result.resources) out["resources"].push_back(resource_json(r));
  return detail::dump(out);
}

Result<RunResult> detail::run_result_of(const Json& json) {
  try {
    check_schema(json, kSchema);
    return read_run(json);
  } catch (const Malformed& error) {
    return malformed("run result", error);
  }
}

Result<RunResult> decode_run_result(std::string_view json) {
  return detail::run_result_of(detail::parse(json));
}

}  // namespace stallcast::codec
