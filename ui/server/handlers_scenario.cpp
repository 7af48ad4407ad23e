#include "ui/app/lint.hpp"
#include "ui/app/reference.hpp"
#include "ui/app/values.hpp"
#include "ui/server/scenario_call.hpp"

/// Routes that answer at once: they read a scenario and simulate nothing.
namespace stallcast::server {

Response answer_lint(Call& call) {
  const Asked<ScenarioFile> source = source_of(call);
  if (!source.value) return source.problem;
  const Diagnostics found = client::lint(call.session, *source.value);
  return {.body = diagnostics_json(for_client(call.service.settings, found))};
}

Response answer_resolve(Call& call) {
  const Asked<ScenarioFile> source = source_of(call);
  if (!source.value) return source.problem;
  const Asked<Scenario> scenario = read(call, *source.value);
  if (!scenario.value) return scenario.problem;
  const std::vector<std::string> paths = call.request.parameters("get");
  if (paths.empty()) return {.body = client::resolved(scenario.value->design())};
  const auto found = client::values(*scenario.value, paths);
  if (!found.ok()) return problem(found.failure());
  return {.body = client::values_json(*found)};
}

Response answer_estimate(Call& call) {
  const Asked<ScenarioFile> source = source_of(call);
  if (!source.value) return source.problem;
  const Asked<Scenario> scenario = read(call, *source.value);
  if (!scenario.value) return scenario.problem;
  const std::string format = call.request.parameter("format");
  if (!format.empty() && format != "json" && format != "html")
    return problem(400, "format is json or html");
  const Design& design = scenario.value->design();
  const auto render = [&](report::Format as) {
    return report::render(call.session.estimate(design),
                          context_of("run", design, *source.value, {}), as, {});
  };
  if (format == "html") return page_response(render(report::Format::html));
  return {.body = render(report::Format::json)};
}

}  // namespace stallcast::server
