#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/assertion.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/text.hpp"
#include "stallcast/client.hpp"

namespace stallcast::client {
namespace {

using base::Json;

constexpr std::string_view kSchema = "stallcast.result/1";

/// What is wrong with a text, at a pointer.
struct Fault {
  std::string pointer;
  std::string what;
};

const Json& member(const Json& object, const std::string& at, const std::string& key) {
  if (!object.is_object() || !object.contains(key))
    throw Fault{at, "there is no \"" + key + "\": no result of \"stallcast run --format json\""};
  return object[key];
}

template <class T>
T as(const Json& node, const std::string& at, std::string_view what) {
  const bool fits = std::is_same_v<T, double>        ? node.is_number()
                    : std::is_same_v<T, std::string> ? node.is_string()
                                                     : node.is_number_unsigned();
  if (!fits) throw Fault{at, "this is not a " + std::string(what)};
  return node.get<T>();
}

double number(const Json& object, const std::string& at, const std::string& key) {
  return as<double>(member(object, at, key), at + base::pointer_token(key), "number");
}

std::string text(const Json& object, const std::string& at, const std::string& key) {
  return as<std::string>(member(object, at, key), at + base::pointer_token(key), "text");
}

std::string text_or_empty(const Json& object, const std::string& at, const std::string& key) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return "";
  return text(object, at, key);
}

/// The elements of an array that may be missing, with their pointers.
template <class Visit>
void for_each_in(const Json& root, const std::string& key, const Visit& visit) {
  if (!root.contains(key)) return;
  const std::string at = base::pointer_token(key);
  if (!root[key].is_array()) throw Fault{at, "this is not a list"};
  for (std::size_t i = 0; i < root[key].size(); ++i)
    visit(root[key][i], at + base::pointer_token(i));
}

std::optional<double> number_if(const Json& object, const std::string& at, const std::string& key) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return std::nullopt;
  return number(object, at, key);
}

std::optional<std::pair<double, double>> pair_if(const Json& object, const std::string& at,
                                                 const std::string& key) {
  if (!object.is_object() || !object.contains(key)) return std::nullopt;
  const Json& ends = object[key];
  const std::string here = at + base::pointer_token(key);
  if (!ends.is_array() || ends.size() != 2) throw Fault{here, "this is not a pair of numbers"};
  return std::pair{as<double>(ends[0], here + "/0", "number"),
                   as<double>(ends[1], here + "/1", "number")};
}

Metric metric_of(const Json& node, const std::string& at) {
  Metric out;
  out.value = number(node, at, "value");
  out.unit = text(node, at, "unit");
  out.ci95 = pair_if(node, at, "ci95");
  out.ci90 = pair_if(node, at, "ci90");
  out.median = number_if(node, at, "median");
  return out;
}

AssertionOutcome outcome_of(const Json& node, const std::string& at) {
  AssertionOutcome out;
  out.id = text(node, at, "id");
  out.that = text(node, at, "that");
  out.value = number_if(node, at, "value").value_or(0.0);
  out.unit = text(node, at, "unit");
  out.status = text(node, at, "status");
  out.level = text(node, at, "level");
  out.limited_by = text_or_empty(node, at, "most_waited_for");
  out.waited = !out.limited_by.empty();
  if (!out.waited) out.limited_by = text_or_empty(node, at, "limited_by");
  out.why = text_or_empty(node, at, "why");
  out.change = number_if(node, at, "change");
  out.goodput = number_if(node, at, "goodput");
  out.probability = number_if(node, at, "probability");
  out.confidence = number_if(node, at, "confidence");
  const auto said = base::parse_assertion(out.that);
  if (!said.ok() || !said->relative.empty()) return out;
  if (const auto limit = base::limit_in(*said, out.unit); limit.ok()) out.limit = *limit;
  return out;
}

Gain gain_of(const Json& node, const std::string& at) {
  Gain out{number(node, at, "time"), number(node, at, "utilization"),
           text_or_empty(node, at, "part"), text_or_empty(node, at, "by")};
  out.goodput = number_if(node, at, "goodput");
  if (node.contains("parts"))
    for_each_in(node, "parts", [&](const Json& part, const std::string& place) {
      out.parts.push_back(as<std::string>(part, at + place, "text"));
    });
  if (node.contains("each"))
    for (const auto& [id, time] : node["each"].items())
      out.each[id] = as<double>(time, at + "/each/" + id, "number");
  out.noise = number_if(node, at, "noise").value_or(0.0);
  if (node.contains("each_noise"))
    for (const auto& [id, noise] : node["each_noise"].items())
      out.each_noise[id] = as<double>(noise, at + "/each_noise/" + id, "number");
  return out;
}

Gains gains_of(const Json& node, const std::string& at) {
  Gains out;
  out.simulated = as<std::uint64_t>(member(node, at, "simulated"), at + "/simulated", "number");
  out.left_out = as<std::uint64_t>(member(node, at, "left_out"), at + "/left_out", "number");
  out.noise = number(node, at, "noise");
  const Json& all = member(node, at, "all");
  if (!all.is_null()) out.all = gain_of(all, at + "/all");
  const Json& together = member(node, at, "together");
  if (together.is_null()) return out;
  out.together = gain_of(together, at + "/together");
  for_each_in(together, "parts", [&](const Json& part, const std::string& place) {
    out.pair.push_back(as<std::string>(part, at + "/together" + place, "text"));
  });
  return out;
}

Verdict verdict_of(const std::string& name) {
  constexpr std::array kNames = {std::pair{"pass", Verdict::pass}, std::pair{"fail", Verdict::fail},
                                 std::pair{"inconclusive", Verdict::inconclusive},
                                 std::pair{"none", Verdict::none}};
  for (const auto& [known, verdict] : kNames)
    if (name == known) return verdict;
  throw Fault{"/verdict", "no verdict is named \"" + name + "\""};
}

/// Only a result that is made of bounds says how it was predicted.
std::string method_of(const Json& root) {
  const std::string method = text_or_empty(root, "", "method");
  if (method.empty()) return Prediction().method;
  if (method != "estimate") throw Fault{"/method", "no method is named \"" + method + "\""};
  return method;
}

void check_schema(const Json& root) {
  const std::string schema = text(root, "", "schema");
  if (schema == kSchema) return;
  const std::string kind = schema.substr(0, schema.rfind('/'));
  if (kind == "stallcast.result")
    throw Fault{"/schema", "a result of another version, \"" + schema +
                               "\"; this program reads \"" + std::string(kSchema) + "\""};
  if (kind == "stallcast.sweep")
    throw Fault{"/schema",
                "a report of a sweep: what is compared is the file of \"stallcast sweep "
                "SCENARIO --store sweep.db\""};
  throw Fault{"/schema", "\"" + schema + "\" is not a result of \"stallcast run --format json\""};
}

DiffSide side_of(const Json& root) {
  check_schema(root);
  DiffSide out;
  out.recorded = true;
  Prediction& p = out.prediction;
  const Json& tool = member(root, "", "tool");
  out.model = text(tool, "/tool", "model");
  p.profile_sha256 = text_or_empty(tool, "/tool", "profile");
  const Json& scenario = member(root, "", "scenario");
  p.scenario_id = text(scenario, "/scenario", "id");
  p.design_sha256 = text(scenario, "/scenario", "sha256");
  p.method = method_of(root);
  p.verdict = verdict_of(text(root, "", "verdict"));
  const Json& metrics = member(root, "", "metrics");
  if (!metrics.is_object()) throw Fault{"/metrics", "these are not metrics"};
  for (const auto& [name, node] : metrics.items())
    p.metrics[name] = metric_of(node, "/metrics" + base::pointer_token(name));
  for_each_in(root, "assertions", [&](const Json& a, const std::string& at) {
    p.assertions.push_back(outcome_of(a, at));
  });
  for_each_in(root, "bottlenecks", [&](const Json& b, const std::string& at) {
    p.bottlenecks.push_back({text(b, at, "resource"), number(b, at, "utilization"),
                             number(b, at, "blamed_share"), text_or_empty(b, at, "headroom")});
    if (b.contains("gain")) p.bottlenecks.back().gain = gain_of(b["gain"], at + "/gain");
  });
  if (root.contains("gains")) p.gains = gains_of(root["gains"], "/gains");
  for_each_in(root, "warnings", [&](const Json& w, const std::string& at) {
    p.warnings.push_back(as<std::string>(w, at, "text"));
  });
  for_each_in(root, "seeds", [&](const Json& s, const std::string& at) {
    p.seeds.push_back(as<std::uint64_t>(s, at, "seed"));
  });
  const Json& breakdown = member(root, "", "breakdown");
  if (!breakdown.is_object()) throw Fault{"/breakdown", "this is not a breakdown"};
  for (const auto& [job, shares] : breakdown.items()) {
    const std::string at = "/breakdown" + base::pointer_token(job);
    if (!shares.is_object()) throw Fault{at, "this is not a breakdown"};
    for (const auto& [cause, share] : shares.items())
      p.breakdown[job][cause] = as<double>(share, at + base::pointer_token(cause), "number");
  }
  return out;
}

}  // namespace

Result<DiffSide> read_result(const std::string& json, const std::string& name) {
  Diagnostics faults;
  const base::JsonDocument document = base::parse_jsonc(json, name, faults);
  if (faults.has_errors())
    return Failure{ExitCode::bad_input, line_of(faults.items().front()),
                   faults.items().front().hint};
  try {
    DiffSide out = side_of(document.root);
    out.name = name;
    return out;
  } catch (const Fault& fault) {
    Diagnostic d;
    d.pointer = fault.pointer;
    d.position = base::locate(document, fault.pointer);
    d.message = fault.what;
    return Failure{
        ExitCode::bad_input, line_of(d),
        "give a scenario, a result of \"stallcast run --format json\", or the file of a sweep"};
  }
}

}  // namespace stallcast::client
