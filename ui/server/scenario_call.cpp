#include "ui/server/scenario_call.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "ui/app/root.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/html/export.hpp"

namespace stallcast::server {
namespace {

constexpr std::ptrdiff_t kMostObjects = 2000;

std::optional<Response> wrong_parameter(const Call& call) {
  const Match found = match(call.request.method, call.request.path);
  for (const auto& [name, value] : call.request.query) {
    std::string known;
    bool is_known = false, repeats = false;
    for (const RequestParameter& p : found.route->parameters) {
      is_known = is_known || p.name == name;
      repeats = repeats || (p.name == name && p.type == "array");
      known += (known.empty() ? "" : ", ") + std::string(p.name);
    }
    if (!is_known) return problem(400, "unknown parameter \"" + name + "\"", "use " + known);
    if (!repeats && call.request.parameters(name).size() > 1)
      return problem(400, name + " is given twice", "leave one of them out");
  }
  return std::nullopt;
}

/// What messages may call a scenario: a name, never a path.
bool is_file_name(const std::string& name) {
  constexpr std::size_t kLongest = 200;
  return name.size() <= kLongest && std::none_of(name.begin(), name.end(), [](char c) {
           return c == '/' || static_cast<unsigned char>(c) < ' ';
         });
}

/// What the body of a request is to be.
std::string hint_of_body(const Call& call) {
  const Body body = match(call.request.method, call.request.path).route->body;
  return body == Body::pair      ? "send {\"base\": ..., \"head\": ...} as the body"
         : body == Body::designs ? "send {\"designs\": {\"one\": ..., \"two\": ...}} as the body"
                                 : "send a scenario as the body";
}

}  // namespace

bool read_number(const Call& call, std::string_view name, std::int64_t& value) {
  const std::string& text = call.request.parameter(name);
  if (text.empty()) return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

bool read_flag(const Call& call, std::string_view name, bool& value) {
  const std::string& text = call.request.parameter(name);
  if (text == "true" || text == "false") value = text == "true";
  return text.empty() || text == "true" || text == "false";
}

Response no_flag(std::string_view name) {
  return problem(400, std::string(name) + " is true or false");
}

std::string folder_of(const ServerSettings& settings) {
  return settings.root.empty() ? "" : settings.root + "/";
}

Asked<ScenarioFile> source_of(const Call& call) {
  if (auto fault = wrong_parameter(call)) return *std::move(fault);
  if (call.request.body.empty()) return problem(400, "the body is empty", hint_of_body(call));
  // What is checked pairwise is cheap for hundreds of parts, not for tens of thousands.
  const auto objects = std::count(call.request.body.begin(), call.request.body.end(), '{');
  if (objects > kMostObjects)
    return problem(422,
                   "the scenario has " + std::to_string(objects) + " objects, and at most " +
                       std::to_string(kMostObjects) + " are read here",
                   "run it with the command line");
  const std::string& name = call.request.parameter("name");
  if (!is_file_name(name)) return problem(400, "name takes the name of a file", "write mine.json");
  ScenarioFile source;
  source.file =
      folder_of(call.service.settings) + (name.empty() ? std::string(kScenarioName) : name);
  source.text = call.request.body;
  source.sets = call.request.parameters("set");
  source.variant = call.request.parameter("variant");
  source.extend_files = !call.service.settings.root.empty();
  source.extend_root = call.service.settings.root;
  return source;
}

Asked<Scenario> read(const Call& call, const ScenarioFile& source) {
  client::Reading reading = call.session.read(source);
  if (reading.scenario) return *std::move(reading.scenario);
  return problem(for_client(call.service.settings, std::move(reading.diagnostics)));
}

Asked<client::Question> question_of(const Call& call) {
  client::Question out;
  std::int64_t seed = -1, replicas = 0, limit = 0;
  for (const auto& [name, value] : {std::pair{"seed", &seed}, std::pair{"replicas", &replicas},
                                    std::pair{"time_limit_s", &limit}})
    if (!read_number(call, name, *value))
      return problem(400, std::string(name) + " takes a whole number");
  if (seed >= 0) out.seed = static_cast<std::uint64_t>(seed);
  for (const auto& [name, value, other] :
       {std::tuple{"replicas", replicas, "scenario"}, std::tuple{"time_limit_s", limit, "server"}})
    if (value == 0 && !call.request.parameter(name).empty())
      return problem(400, std::string(name) + " takes a whole number from 1",
                     "leave it out for that of the " + std::string(other));
  if (replicas > call.service.settings.replicas)
    return problem(400, "at most " + std::to_string(call.service.settings.replicas) +
                            " replicas can be asked for");
  out.replicas = static_cast<int>(replicas);
  out.time_limit_s = call.service.settings.time_limit_s;
  if (limit > 0) out.time_limit_s = std::min(out.time_limit_s, static_cast<double>(limit));
  return out;
}

Diagnostics for_client(const ServerSettings& settings, Diagnostics diagnostics) {
  for (Diagnostic& d : diagnostics.items())
    for (std::string* text : {&d.position.file, &d.message, &d.hint})
      client::strip_root(settings.root, *text);
  return diagnostics;
}

report::ReportContext context_of(std::string_view verb, const Design& design,
                                 const ScenarioFile& source, const client::Question& question,
                                 const std::vector<std::string>& words) {
  report::ReportContext out = report::context_of(design, client::version());
  out.command = report::command_of(verb, source.file.substr(source.file.rfind('/') + 1), source,
                                   question, "", words);
  return out;
}

Response page_response(std::string page) {
  return {200,
          "text/html; charset=utf-8",
          std::move(page),
          {{"Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src " +
                report::script_source() +
                "; frame-ancestors 'self'; sandbox allow-scripts allow-downloads"}}};
}

}  // namespace stallcast::server
