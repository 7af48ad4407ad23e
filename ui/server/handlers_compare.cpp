#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "ui/report/check/kinds.hpp"
#include "ui/report/diff/kinds.hpp"
#include "ui/report/sweep.hpp"
#include "ui/server/run_task.hpp"

/// Routes that judge a scenario, compare two, or simulate many that differ in a few values.
namespace stallcast::server {
namespace {

constexpr int kDeepest = 100;  ///< nesting of what is no scenario

report::Context tool() { return {client::version().program, client::version().models, {}, {}}; }

/// The two scenarios of a diff: texts, or objects that are printed to texts.
Asked<std::pair<std::string, std::string>> pair_of(const std::string& body) {
  using Json = nlohmann::ordered_json;
  const auto fault = [](std::string_view detail) {
    return Asked<std::pair<std::string, std::string>>{
        std::nullopt,
        problem(422, detail, "send {\"base\": ..., \"head\": ...}, each a scenario or its text")};
  };
  try {
    const Json both = Json::parse(body, [](int depth, Json::parse_event_t, const Json&) {
      if (depth > kDeepest) throw std::length_error("too deep");
      return true;
    });
    if (!both.is_object()) return fault("the body is no object");
    const auto text_of = [](const Json& side) {
      return side.is_string() ? side.get<std::string>() : side.dump(2);
    };
    for (const auto& [name, value] : both.items())
      if (name != "base" && name != "head") return fault("the body has another key than these");
    if (!both.contains("base") || !both.contains("head")) return fault("one of the two is missing");
    return {{{text_of(both["base"]), text_of(both["head"])}}, {}};
  } catch (const std::exception&) {  // its message quotes bytes that may be no text
    return fault("the body is no JSON");
  }
}

/// The values of a parameter that a route has, or its default.
Asked<Attribution> attribution_of(const std::string& word) {
  if (word.empty() || word == "auto") return {Attribution::automatic, {}};
  if (word == "shapley") return {Attribution::shapley, {}};
  if (word == "oat") return {Attribution::one_at_a_time, {}};
  if (word == "none") return {Attribution::none, {}};
  return {std::nullopt, problem(400, "attribute is auto, shapley, oat or none")};
}

}  // namespace

Response answer_check(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  if (Asked<Design> design = design_of(call, task->source); !design.value) return design.problem;
  return submit(call, "check",
                [task, asserts = call.request.parameters("assert")](client::Session& session,
                                                                    const Watch& watch) {
                  return task->answer(
                      session, watch,
                      [&](client::Session& s, client::Question& question) {
                        return task->tools.check(s, task->source, asserts, question);
                      },
                      [&](const CheckReport& found) {
                        const report::CheckContext context{tool(), {}, "check"};
                        return RunResult{{.body = report::check_json(found, context)},
                                         report::check_html(found, context)};
                      });
                });
}

Response answer_diff(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  Asked<std::pair<std::string, std::string>> texts = pair_of(call.request.body);
  if (!texts.value) return texts.problem;
  const Asked<Attribution> attribute = attribution_of(call.request.parameter("attribute"));
  if (!attribute.value) return attribute.problem;
  client::DiffInput base, head;
  for (auto [input, name, text] : {std::tuple{&base, "base.json", &texts.value->first},
                                   std::tuple{&head, "head.json", &texts.value->second}}) {
    input->scenario = task->source;
    input->scenario.file = folder_of(call.service.settings) + name;
    input->scenario.text = *text;
    input->name = name;
    if (Asked<Design> design = design_of(call, input->scenario); !design.value)
      return design.problem;
  }
  return submit(
      call, "diff",
      [task, base, head, method = *attribute.value](client::Session& session, const Watch& watch) {
        Diagnostics faults;
        client::DiffQuestion question;
        question.predict = task->question;
        question.predict.on_progress = watch.progress;
        question.predict.faults = &faults;
        question.attribute = method;
        const Result<Diff> found = session.diff(base, head, question);
        if (!found.ok()) return RunResult{task->refused(found.failure(), std::move(faults))};
        const report::DiffContext context{tool(), {}};
        return RunResult{{.body = report::diff_json(*found, context)},
                         report::diff_html(*found, context),
                         found->exit == ExitCode::inconclusive};
      });
}

Response answer_sweep(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  SweepRequest request;
  request.source = task->source;
  request.varied = call.request.parameters("vary");
  request.mode = call.request.parameter("mode");
  request.metrics = call.request.parameters("metric");
  request.session = call.service.settings.session;
  request.time_limit_s = task->question.time_limit_s;
  request.most_points = call.service.settings.points;
  return submit(call, "sweep", [task, request](client::Session&, const Watch& watch) {
    SweepRequest own = request;
    Diagnostics faults;
    own.progress = watch.progress;
    own.unwanted = watch.unwanted;
    own.faults = &faults;
    const Result<SweepReport> found = task->tools.sweep(own);
    if (!found.ok()) return RunResult{task->refused(found.failure(), std::move(faults))};
    return RunResult{{.body = report::render(*found, {{}, report::Format::json, false})},
                     "",
                     found->counts().missing > 0};
  });
}

}  // namespace stallcast::server
