#include <nlohmann/json.hpp>
#include <string>

#include "ui/server/problem.hpp"
#include "ui/server/routes.hpp"

namespace stallcast::server {
namespace {

using Json = nlohmann::ordered_json;

Json of_type(const char* type) { return {{"type", type}}; }

Json object(Json properties, std::initializer_list<const char*> required) {
  Json out = {{"type", "object"}, {"properties", std::move(properties)}};
  out["required"] = Json::array();
  for (const char* name : required) out["required"].push_back(name);
  return out;
}

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json reference(std::string_view schema) {
  return {{"$ref", "#/components/schemas/" + std::string(schema)}};
}

Json schemas() {
  const Json text = of_type("string"), number = of_type("number"), whole = of_type("integer");
  const Json diagnostic = object({{"severity", {{"enum", {"error", "warning"}}}},
                                  {"code", text},
                                  {"pointer", text},
                                  {"file", text},
                                  {"line", whole},
                                  {"column", whole},
                                  {"message", text},
                                  {"hint", text}},
                                 {"severity", "code", "pointer", "line", "column", "message"});
  Json out;
  out["Diagnostic"] = diagnostic;
  out["Problem"] = object({{"type", text},
                           {"title", text},
                           {"status", whole},
                           {"detail", text},
                           {"hint", text},
                           {"errors", list_of(reference("Diagnostic"))}},
                          {"type", "title", "status", "detail"});
  out["Scenario"] = {{"type", "object"},
                     {"description",
                      "a scenario; /v1/schema has its JSON Schema, and comments and "
                      "trailing commas are accepted"}};
  const Json either = {{"type", {"object", "string"}}};
  out["Pair"] = object({{"base", either}, {"head", either}}, {"base", "head"});
  out["Designs"] = object(
      {{"designs", {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", either}}}},
      {"designs"});
  out["Judged"] = {
      {"description", "a scenario, or a scenario and what `check --update-baseline` wrote"},
      {"anyOf",
       {reference("Scenario"),
        object({{"scenario", either}, {"baseline", either}}, {"scenario", "baseline"})}}};
  out["Lint"] =
      object({{"valid", of_type("boolean")}, {"diagnostics", list_of(reference("Diagnostic"))}},
             {"valid", "diagnostics"});
  out["Resolved"] = of_type("object");
  out["Object"] = of_type("object");
  out["Catalog"] = list_of(object({{"id", text}, {"what", text}}, {"id", "what"}));
  out["Run"] =
      object({{"id", {{"type", "string"}, {"pattern", "^[0-9a-f]{32}$"}}},
              {"kind",
               {{"enum", {"run", "plan", "explain", "grow", "compare", "check", "diff", "sweep"}}}},
              {"state", {{"enum", {"queued", "running", "done", "failed", "cancelled"}}}},
              {"progress", {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}},
              {"problem", reference("Problem")},
              {"links", {{"type", "object"}, {"additionalProperties", text}}}},
             {"id", "kind", "state", "progress", "links"});
  const Json metric =
      object({{"value", number}, {"unit", text}, {"ci95", list_of(number)}}, {"value", "unit"});
  out["Result"] = object({{"schema", {{"const", "stallcast.result/1"}}},
                          {"method", {{"enum", {"estimate"}}}},
                          {"tool", of_type("object")},
                          {"scenario", of_type("object")},
                          {"verdict", {{"enum", {"pass", "fail", "inconclusive", "none"}}}},
                          {"assertions", list_of(of_type("object"))},
                          {"metrics", {{"type", "object"}, {"additionalProperties", metric}}},
                          {"breakdown", of_type("object")},
                          {"bottlenecks", list_of(of_type("object"))},
                          {"warnings", list_of(text)},
                          {"elapsed", of_type("object")}},
                         {"schema", "tool", "scenario", "verdict", "assertions", "metrics",
                          "breakdown", "bottlenecks", "warnings", "elapsed"});
  out["Answer"] = {{"type", "object"}, {"properties", {{"schema", text}}}};
  return out;
}

Json parameter(const RequestParameter& p, std::int64_t simulations) {
  Json schema =
      p.type == "array" ? list_of(of_type("string")) : of_type(std::string(p.type).c_str());
  if (p.type == "integer") schema["minimum"] = p.least;
  if (p.simulations) schema["maximum"] = simulations;
  Json out = {{"name", p.name}, {"in", "query"}, {"description", p.doc}, {"schema", schema}};
  if (p.example.empty()) return out;
  if (p.type == "array")
    out["example"] = Json::array({p.example});
  else if (p.type == "integer")
    out["example"] = std::stoi(std::string(p.example));
  else
    out["example"] = p.example;
  return out;
}

Json content(std::string_view type, std::string_view schema) {
  Json body =
      schema.empty() ? Json{{"schema", of_type("string")}} : Json{{"schema", reference(schema)}};
  return {{std::string(type), std::move(body)}};
}

/// A small one that can be sent as it is.
Json example_scenario() {
  return Json::parse(R"({
    "id": "example",
    "cluster": { "hosts": [ { "id": "gpu", "count": 8, "use": "host/dgx-h100" } ] },
    "storage": [ { "id": "scratch", "type": "lustre",
                   "ost": { "count": 8, "read": "4 GB/s", "write": "4 GB/s" },
                   "oss": { "count": 2, "nic": "400 Gb/s" } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "300 ms" },
                "dataset": { "on": "scratch", "format": "webdataset",
                             "shard": "1 GiB", "sample": "100 kB", "size": "1 TB" },
                "loader": { "type": "pytorch", "workers": 8, "prefetch": 4 } } ],
    "run": { "duration": "2 min" },
    "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 90 %" } ]
  })");
}

Json request_body(Body body) {
  if (body == Body::pair)
    return {{"required", true},
            {"content",
             {{"application/json",
               {{"schema", reference("Pair")},
                {"example", {{"base", example_scenario()}, {"head", example_scenario()}}}}}}}};
  if (body == Body::designs)
    return {{"required", true},
            {"content",
             {{"application/json",
               {{"schema", reference("Designs")},
                {"example",
                 {{"designs", {{"one", example_scenario()}, {"two", example_scenario()}}}}}}}}}};
  return {{"required", true},
          {"description", "a scenario file as it is; lines and columns of problems are its own"},
          {"content",
           {{"application/json",
             {{"schema", reference(body == Body::judged ? "Judged" : "Scenario")},
              {"example", example_scenario()}}}}}};
}

Json operation(const Route& route, std::int64_t simulations) {
  Json out = {{"operationId", route.name}, {"tags", {route.tag}}, {"summary", route.summary}};
  out["parameters"] = Json::array();
  const bool whole = route.path.find("{+id}") != route.path.npos;
  if (whole || route.path.find("{id}") != route.path.npos)
    out["parameters"].push_back(
        {{"name", "id"},
         {"in", "path"},
         {"required", true},
         {"schema", {{"type", "string"}}},
         {"example", whole ? "host/dgx-h100" : "00000000000000000000000000000000"}});
  for (const RequestParameter& p : route.parameters)
    out["parameters"].push_back(parameter(p, simulations));
  const bool makes_run = !route.replies.empty() && route.replies.front().status == 202;
  if (makes_run)
    out["parameters"].push_back({{"name", "Idempotency-Key"},
                                 {"in", "header"},
                                 {"description", "asking again with it leads to the same run"},
                                 {"schema", {{"type", "string"}, {"maxLength", 255}}}});
  if (route.body != Body::none) out["requestBody"] = request_body(route.body);
  Json& responses = out["responses"];
  for (const Reply2xx& reply : route.replies) {
    Json response = {{"description", reply.doc}};
    if (!reply.type.empty()) response["content"] = content(reply.type, reply.schema);
    if (makes_run) response["headers"]["Location"] = {{"schema", {{"type", "string"}}}};
    if (reply.status == 202)
      response["headers"]["Retry-After"] = {{"schema", {{"type", "integer"}}}};
    responses[std::to_string(reply.status)] = std::move(response);
  }
  for (const int status : route.problems)
    responses[std::to_string(status)] = {
        {"description", status_phrase(status)},
        {"content", content("application/problem+json", "Problem")}};
  responses["default"] = {{"description", "any other problem"},
                          {"content", content("application/problem+json", "Problem")}};
  if (route.open) out["security"] = Json::array();
  return out;
}

}  // namespace

std::string openapi(const std::string& version, std::int64_t simulations) {
  Json out = {{"openapi", "3.1.0"},
              {"info",
               {{"title", "Stallcast"},
                {"version", version},
                {"summary", "predicts how storage limits GPU training"}}},
              {"paths", Json::object()}};
  for (const Route& route : routes()) {
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    // OpenAPI has no word for a parameter of several parts: its "/" stays as it is.
    std::string path(route.path);
    if (const std::size_t at = path.find("{+id}"); at != path.npos) path.replace(at, 5, "{id}");
    out["paths"][path][method] = operation(route, simulations);
  }
  out["components"]["schemas"] = schemas();
  out["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  out["security"] = {{{"token", Json::array()}}, Json::object()};
  return out.dump(2) + "\n";
}

}  // namespace stallcast::server
