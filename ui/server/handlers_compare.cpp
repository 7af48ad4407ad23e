#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ui/app/check.hpp"
#include "ui/app/compare.hpp"
#include "ui/app/root.hpp"
#include "ui/app/sweep_file.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/diff/kinds.hpp"
#include "ui/report/sweep.hpp"
#include "ui/server/run_task.hpp"

/// Routes that judge a scenario, compare two, or simulate many that differ in a few values.
namespace stallcast::server {
namespace {

constexpr int kDeepest = 100;                 ///< nesting of what is not a scenario
constexpr std::size_t kPrediction = 100'000;  ///< bytes of one, roughly

/// A body as JSON; nullopt where it is none, or nested deeper than anybody writes.
std::optional<nlohmann::ordered_json> parsed(const std::string& body) {
  using Json = nlohmann::ordered_json;
  try {
    return Json::parse(body, [](int depth, Json::parse_event_t, const Json&) {
      if (depth > kDeepest) throw std::length_error("too deep");
      return true;
    });
  } catch (const std::exception&) {  // its message quotes bytes that may be no text
    return std::nullopt;
  }
}

/// A scenario as text, or what is printed to one; nullopt for bytes that are no text.
std::optional<std::string> scenario_text(const nlohmann::ordered_json& scenario) {
  try {
    return scenario.is_string() ? scenario.get<std::string>() : scenario.dump(2);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The two members of an object: texts, or what is printed to texts.
Asked<std::array<std::string, 2>> members_of(const std::string& body,
                                             const std::array<std::string, 2>& names) {
  const auto fault = [&](std::string_view detail) {
    return Asked<std::array<std::string, 2>>(
        problem(422, detail,
                "send {\"" + names[0] + "\": ..., \"" + names[1] +
                    "\": ...}, each as an object or as its text"));
  };
  const auto both = parsed(body);
  if (!both) return fault("the body is not valid JSON");
  if (!both->is_object()) return fault("the body is not an object");
  for (const auto& [name, value] : both->items())
    if (name != names[0] && name != names[1]) return fault("the body has another key than these");
  if (!both->contains(names[0]) || !both->contains(names[1]))
    return fault("one of the two is missing");
  const auto one = scenario_text((*both)[names[0]]), other = scenario_text((*both)[names[1]]);
  if (!one || !other) return fault("the body is not valid JSON");
  return std::array{*one, *other};
}

constexpr std::size_t kMostDesigns = 8;

/// The members of "designs", by name: texts, or what is printed to texts.
Asked<std::vector<std::pair<std::string, std::string>>> designs_of(const std::string& body) {
  using Designs = std::vector<std::pair<std::string, std::string>>;
  const auto fault = [](std::string_view detail) {
    return Asked<Designs>(problem(422, detail,
                                  "send {\"designs\": {\"one\": ..., \"two\": ...}}, each as an "
                                  "object or as its text"));
  };
  const auto root = parsed(body);
  if (!root) return fault("the body is not valid JSON");
  if (!root->is_object() || root->size() != 1 || !root->contains("designs") ||
      !(*root)["designs"].is_object() || (*root)["designs"].empty())
    return fault("the body is not an object of designs");
  const auto& designs = (*root)["designs"];
  if (designs.size() > kMostDesigns)
    return fault("at most " + std::to_string(kMostDesigns) + " designs are compared");
  Designs out;
  for (const auto& [name, design] : designs.items()) {
    const auto text = scenario_text(design);
    if (!text) return fault("the body is not valid JSON");
    out.emplace_back(name, *text);
  }
  return out;
}

/// A scenario, or {"scenario": ..., "baseline": ...}. Scenarios may use these words as well, as the
/// name of something, and have comments.
Asked<std::array<std::string, 2>> check_of(const std::string& body) {
  const std::array<std::string, 2> members{"scenario", "baseline"};
  const auto root = parsed(body);
  const auto has = [&](const std::string& name) {
    return root ? root->is_object() && root->contains(name)
                : body.find('"' + name + '"') != std::string::npos;
  };
  const bool wrapped = root ? std::ranges::any_of(members, has) : std::ranges::all_of(members, has);
  if (!wrapped) return std::array<std::string, 2>{body, ""};
  return members_of(body, members);
}

/// The values of a parameter that a route has, or its default.
Asked<Attribution> attribution_of(const std::string& word) {
  if (word.empty() || word == "auto") return Attribution::automatic;
  if (word == "shapley") return Attribution::shapley;
  if (word == "oat") return Attribution::one_at_a_time;
  if (word == "none") return Attribution::none;
  return problem(400, "attribute is auto, shapley, oat or none");
}

/// What is asked for besides the scenario, which came as text and is in no repository.
Asked<client::CheckRequest> check_request_of(const Call& call, const Inquiry& task,
                                             std::string baseline) {
  client::CheckRequest out;
  out.advise = out.in_repository = false;
  const auto refused = [](const Failure& failure) {
    return Asked<client::CheckRequest>(problem(failure));
  };
  for (const std::string& that : call.request.parameters("assert")) {
    const auto assertion = client::read_assert(that, "assert");
    if (!assertion.ok()) return refused(assertion.failure());
    out.asserts.push_back(*assertion);
  }
  for (const std::string& text : call.request.parameters("tolerance")) {
    const auto tolerance = client::read_tolerance(text);
    if (!tolerance.ok()) return refused(tolerance.failure());
    out.rules.tolerances.push_back(*tolerance);
  }
  for (const auto& [name, flag] :
       {std::pair{"new_only", &out.rules.new_only}, std::pair{"allow_skew", &out.rules.allow_skew},
        std::pair{"advice", &out.advise}})
    if (!read_flag(call, name, *flag)) return no_flag(name);
  if (out.rules.new_only && baseline.empty())
    return refused({ExitCode::bad_input, "new_only needs a baseline to know what is new",
                    "send {\"scenario\": ..., \"baseline\": ...}"});
  out.baseline.text = std::move(baseline);
  out.baseline.path = call.request.parameter("path");
  if (!out.baseline.path.empty() && out.baseline.text.empty())
    return refused({ExitCode::bad_input, "path needs a baseline, which knows the scenario by it",
                    "send {\"scenario\": ..., \"baseline\": ...}; name=mine.json is what messages "
                    "call the scenario"});
  const std::string& file = task.source.file;
  out.scenarios = {{file.substr(file.rfind('/') + 1), task.source, task.scenario}};
  return out;
}

/// The check of one scenario, at the places of the own text.
RunAnswer checked(const Inquiry& task, const CheckReport& report) {
  Diagnostics wrong;
  for (const Diagnostic& d : report.scenarios.front().faults) {
    wrong.add(d);
    wrong.items().back().position = {};
  }
  if (wrong.has_errors()) {
    task.scenario->locate(wrong);
    return task.refused({}, std::move(wrong));
  }
  const report::CheckContext context{report::tool_context(client::version()), {}, "check"};
  return {{.body = report::check_json(report, context)}, report::check_html(report, context)};
}

/// The same as far as `found` says.
RunAnswer judged(client::Session& session, const Inquiry& task, const client::CheckRequest& wanted,
                 const Prediction& found) {
  const Result<CheckReport> report = client::check(
      session, wanted, {},
      [&](std::span<const Design>) { return std::vector<Result<Prediction>>{found}; });
  return report.ok() ? checked(task, *report) : task.refused(report.failure(), {});
}

/// Whether targets ask for simulations, too: draws judge one, or changes are tried to meet it.
bool simulates_for_targets(const Scenario& scenario, const client::CheckRequest& wanted) {
  const auto asks = [](const Expectation& e) { return e.confidence.has_value(); };
  return wanted.advise || std::ranges::any_of(scenario.design().expect, asks) ||
         std::ranges::any_of(wanted.asserts, asks);
}

/// All of it, for one who asks.
Result<CheckReport> check_all(Asking& asking, client::CheckRequest wanted) {
  wanted.question = asking.question;
  Result<CheckReport> found = client::check(asking.session, wanted, {});
  if (!found.ok()) return found;
  const CheckedScenario& scenario = found->scenarios.front();
  if (!scenario.prediction && scenario.exit != ExitCode::bad_input)
    return Failure{scenario.exit, scenario.failure, scenario.hint};
  asking.partial = found->exit == ExitCode::inconclusive;
  asking.bytes = kPrediction;
  return found;
}

/// All points in memory; what was simulated in the time limit is a result.
Result<SweepReport> sweep(Asking& asking, const ServerSettings& settings,
                          const client::SweepRequest& request,
                          const std::vector<std::string>& metrics) {
  Result<client::SweepFile> file = client::SweepFile::create("", request, *asking.question.faults);
  if (!file.ok()) return file.failure();
  if (const auto fault = client::refused_columns(*file, metrics))
    return Failure{fault->exit, fault->message, "metric=* lists all"};
  client::SweepFile::Run how;
  how.settings = settings.session;
  how.time_limit_s = asking.question.time_limit_s;
  how.unwanted = asking.watch.unwanted;
  how.on_progress = [&asking](std::size_t done, std::size_t all) {
    asking.watch.progress(all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all));
  };
  const std::optional<Failure> ended = file->run(how);
  Result<SweepReport> found = file->report();
  if (!found.ok()) return found;
  if (ended && found->counts().done + found->counts().failed == 0) return *ended;
  if (const auto fault = client::choose_columns(*found, metrics))
    return Failure{ExitCode::bad_input, *fault, ""};
  asking.partial = found->counts().missing > 0;
  client::strip_root(settings.root, found->scenario_file);
  // Messages of crashes name files of the server.
  for (SweepRow& row : found->rows)
    if (row.outcome && row.outcome->failed && row.outcome->exit == ExitCode::internal)
      row.outcome->message = "the simulation crashed";
  return found;
}

/// What is varied and cannot be: 400 for what the request says, 422 for the scenario.
Response refused(const ServerSettings& settings, Diagnostics faults) {
  for (const Diagnostic& d : faults.items())
    if (d.severity == Severity::error && d.position.file.starts_with("--"))
      return problem(400, d.position.file.substr(2) + ": " + d.message, d.hint);
  return problem(for_client(settings, std::move(faults)));
}

}  // namespace

Response answer_check(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const std::shared_ptr<Inquiry> task = *asked.value;
  auto texts = check_of(call.request.body);
  if (!texts.value) return texts.problem;
  task->source.text = std::move(texts.value->at(0));
  Asked<Scenario> scenario = read(call, task->source);
  if (!scenario.value) return scenario.problem;
  task->scenario = std::move(scenario.value);
  const Asked<client::CheckRequest> wanted =
      check_request_of(call, *task, std::move(texts.value->at(1)));
  if (!wanted.value) return wanted.problem;
  if (const auto failure = client::check_request(call.session, *wanted.value))
    return task->refused(*failure, {}).result;
  if (simulates_for_targets(*task->scenario, *wanted.value))
    return submit<CheckReport>(
        call, "check", text_of(call, std::array{&std::as_const(*task->scenario)}), task,
        [wanted = *wanted.value](Asking& asking) { return check_all(asking, wanted); },
        [task](client::Session&, const CheckReport& found) { return checked(*task, found); });
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
      [task, wanted = *wanted.value](client::Session& session, const Prediction& found) {
        return judged(session, *task, wanted, found);
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
    ScenarioFile source = task->source;
    source.file = folder_of(call.service.settings) + name;
    source.text = *text;
    input->name = name;
    Asked<Scenario> scenario = read(call, source);
    if (!scenario.value) return scenario.problem;
    input->scenario = std::move(scenario.value);
  }
  return submit<Diff>(
      call, "diff", text_of(call, std::array{&*base.scenario, &*head.scenario}), task,
      [base, head, method = *attribute.value](Asking& asking) {
        client::DiffQuestion question;
        question.predict = asking.question;
        question.attribute = method;
        Result<Diff> found = asking.session.diff(base, head, question);
        asking.partial = found.ok() && found->exit == ExitCode::inconclusive;
        return found;
      },
      [](client::Session&, const Diff& found) {
        const report::DiffContext context{report::tool_context(client::version()), {}};
        return RunAnswer{{.body = report::diff_json(found, context)},
                         report::diff_html(found, context)};
      });
}

Response answer_compare(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  const auto designs = designs_of(call.request.body);
  if (!designs.value) return designs.problem;
  const auto draws = draws_of(call);
  if (!draws.value) return draws.problem;
  std::vector<client::DiffInput> inputs;
  for (const auto& [name, text] : *designs.value) {
    ScenarioFile source = task->source;
    source.file = folder_of(call.service.settings) + name;
    source.text = text;
    Asked<Scenario> scenario = read(call, source);
    if (!scenario.value) return scenario.problem;
    inputs.push_back({.name = name, .scenario = std::move(scenario.value)});
  }
  std::vector<const Scenario*> scenarios;
  for (const client::DiffInput& input : inputs) scenarios.push_back(&*input.scenario);
  return submit<SideBySide>(
      call, "compare", text_of(call, scenarios), task,
      [inputs, draws = *draws.value](Asking& asking) {
        client::RunQuestion question;
        question.predict = asking.question;
        question.advise = question.timeline = false;
        question.draws = draws;
        std::size_t failed = 0;
        Result<SideBySide> found = client::compare(asking.session, inputs, question, failed);
        asking.bytes = kPrediction * inputs.size();
        if (found.ok())
          for (const ComparedDesign& d : found->designs)
            asking.partial = asking.partial || d.prediction.verdict == Verdict::inconclusive;
        return found;
      },
      [](client::Session&, const SideBySide& found) {
        return rendered(found, report::tool_context(client::version()));
      });
}

Response answer_sweep(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  client::SweepRequest request;
  request.source = task->source;
  request.varied = call.request.parameters("vary");
  request.mode = call.request.parameter("mode");
  request.profile = call.service.settings.session.profile;
  request.version = client::version().program;
  request.most_points = call.service.settings.points;
  Diagnostics faults;
  client::check_sweep(request, faults);
  if (faults.has_errors()) return refused(call.service.settings, std::move(faults));
  // What is varied may mend a scenario that is wrong without it.
  const client::Reading now = call.session.read(task->source);
  std::vector<const Scenario*> scenarios;
  if (now.scenario) scenarios.push_back(&*now.scenario);
  return submit<SweepReport>(
      call, "sweep", text_of(call, scenarios), task,
      [task, request, metrics = call.request.parameters("metric")](Asking& asking) {
        return sweep(asking, task->settings, request, metrics);
      },
      [](client::Session&, const SweepReport& found) {
        return RunAnswer{{.body = report::render(found, {{}, report::Format::json, false})},
                         report::render(found, {{}, report::Format::html, false})};
      });
}

}  // namespace stallcast::server
