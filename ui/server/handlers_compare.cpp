#include <array>
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

constexpr int kDeepest = 100;                 ///< nesting of what is not a scenario
constexpr std::size_t kPrediction = 100'000;  ///< bytes of one, roughly

report::ReportContext tool() {
  return {client::version().program, client::version().models, {}, {}};
}

/// The two members of an object: texts, or what is printed to texts.
Asked<std::array<std::string, 2>> members_of(const std::string& body,
                                             const std::array<std::string, 2>& names) {
  using Json = nlohmann::ordered_json;
  const auto fault = [&](std::string_view detail) {
    return Asked<std::array<std::string, 2>>{
        std::nullopt, problem(422, detail,
                              "send {\"" + names[0] + "\": ..., \"" + names[1] +
                                  "\": ...}, each as an object or as its text")};
  };
  try {
    const Json both = Json::parse(body, [](int depth, Json::parse_event_t, const Json&) {
      if (depth > kDeepest) throw std::length_error("too deep");
      return true;
    });
    if (!both.is_object()) return fault("the body is not an object");
    for (const auto& [name, value] : both.items())
      if (name != names[0] && name != names[1]) return fault("the body has an unknown key");
    if (!both.contains(names[0]) || !both.contains(names[1]))
      return fault("one of the two is missing");
    const auto text_of = [](const Json& side) {
      return side.is_string() ? side.get<std::string>() : side.dump(2);
    };
    return {{{text_of(both[names[0]]), text_of(both[names[1]])}}, {}};
  } catch (const std::exception&) {  // its message quotes bytes that may be no text
    return fault("the body is not valid JSON");
  }
}

struct CheckTexts {
  std::string scenario, baseline;
};

/// A scenario, or {"scenario": ..., "baseline": ...}, which no scenario looks like.
Asked<CheckTexts> check_of(const std::string& body) {
  if (body.find("\"baseline\"") == std::string::npos) return {{{body, ""}}, {}};
  const auto both = members_of(body, {"scenario", "baseline"});
  if (both.value) return {{{both.value->at(0), both.value->at(1)}}, {}};
  return {std::nullopt, both.problem};
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
  const std::shared_ptr<Task> task = *asked.value;
  CheckRequest wanted;
  if (Asked<CheckTexts> texts = check_of(call.request.body); !texts.value) {
    return texts.problem;
  } else {
    task->source.text = std::move(texts.value->scenario);
    wanted.baseline = std::move(texts.value->baseline);
  }
  wanted.asserts = call.request.parameters("assert");
  wanted.tolerances = call.request.parameters("tolerance");
  wanted.path = call.request.parameter("path");
  wanted.new_only = call.request.parameter("new_only") == "true";
  wanted.allow_skew = call.request.parameter("allow_skew") == "true";
  Asked<Scenario> scenario = read(call, task->source);
  if (!scenario.value) return scenario.problem;
  wanted.scenario = task->scenario = std::move(scenario.value);
  Diagnostics faults;
  if (const auto fine = task->tools.check(call.session, wanted, nullptr, faults); !fine.ok())
    return task->refused(fine.failure(), std::move(faults)).result;
  // Assertions are judged for each who asks; the prediction does not depend on them.
  const auto design = std::make_shared<Design>(task->scenario->design());
  design->expect.clear();
  return submit<Prediction>(
      call, "check", content_of("check", *design, task->question), task,
      [design](Asking& asking) {
        Result<Prediction> found = asking.session.predict(*design, asking.question);
        asking.partial = found.ok() && found->verdict == Verdict::inconclusive;
        asking.bytes = kPrediction;
        return found;
      },
      [task, wanted](client::Session& session, const Prediction& found) {
        Diagnostics wrong;
        const Result<CheckReport> judged = task->tools.check(session, wanted, &found, wrong);
        if (!judged.ok()) {
          task->scenario->locate(wrong);
          return task->refused(judged.failure(), std::move(wrong));
        }
        const report::CheckContext context{tool(), {}, "check"};
        return RunAnswer{{.body = report::check_json(*judged, context)},
                         report::check_html(*judged, context)};
      });
}

Response answer_diff(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  const auto texts = members_of(call.request.body, {"base", "head"});
  if (!texts.value) return texts.problem;
  const Asked<Attribution> attribute = attribution_of(call.request.parameter("attribute"));
  if (!attribute.value) return attribute.problem;
  client::DiffInput base, head;
  for (auto [input, name, text] : {std::tuple{&base, "base.json", &texts.value->at(0)},
                                   std::tuple{&head, "head.json", &texts.value->at(1)}}) {
    client::Source source = task->source;
    source.file = folder_of(call.service.settings) + name;
    source.text = *text;
    input->name = name;
    Asked<Scenario> scenario = read(call, source);
    if (!scenario.value) return scenario.problem;
    input->scenario = std::move(scenario.value);
  }
  return submit<Diff>(
      call, "diff", text_of(call), task,
      [base, head, method = *attribute.value](Asking& asking) {
        client::DiffQuestion question;
        question.predict = asking.question;
        question.attribute = method;
        Result<Diff> found = asking.session.diff(base, head, question);
        asking.partial = found.ok() && found->exit == ExitCode::inconclusive;
        return found;
      },
      [](client::Session&, const Diff& found) {
        const report::DiffContext context{tool(), {}};
        return RunAnswer{{.body = report::diff_json(found, context)},
                         report::diff_html(found, context)};
      });
}

Response answer_sweep(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  SweepCall request;
  request.source = task->source;
  request.varied = call.request.parameters("vary");
  request.mode = call.request.parameter("mode");
  request.metrics = call.request.parameters("metric");
  request.session = call.service.settings.session;
  request.time_limit_s = task->question.time_limit_s;
  request.most_points = call.service.settings.points;
  return submit<SweepReport>(
      call, "sweep", text_of(call), task,
      [task, request](Asking& asking) {
        SweepCall own = request;
        own.progress = asking.watch.progress;
        own.unwanted = asking.watch.unwanted;
        own.faults = asking.question.faults;
        Result<SweepReport> found = task->tools.sweep(own);
        asking.partial = found.ok() && found->counts().missing > 0;
        return found;
      },
      [](client::Session&, const SweepReport& found) {
        return RunAnswer{{.body = report::render(found, {{}, report::Format::json, false})},
                         report::render(found, {{}, report::Format::html, false})};
      });
}

}  // namespace stallcast::server
