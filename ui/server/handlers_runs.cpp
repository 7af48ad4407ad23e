#include <memory>
#include <nlohmann/json.hpp>

#include "ui/server/scenario_call.hpp"

/// Routes that simulate: they answer with a run to look at later.
namespace stallcast::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostAlternatives = 4;

std::string path_of(const RunStatus& run) {
  return (run.kind == "sweep" ? "/v1/sweeps/" : "/v1/runs/") + run.id;
}

Response described(const RunStatus& run, int status) {
  Json out = {{"id", run.id},
              {"kind", run.kind},
              {"state", name_of(run.state)},
              {"progress", run.progress},
              {"links", {{"self", path_of(run)}, {"result", path_of(run) + "/result"}}}};
  if (run.kind != "sweep") out["links"]["report"] = path_of(run) + "/report.html";
  Response response{status, "application/json", out.dump(2) + "\n", {}};
  response.headers.emplace_back("Location", path_of(run));
  const bool open = run.state == RunState::queued || run.state == RunState::running;
  return open ? retry_after(std::move(response), 1) : response;
}

/// All that decides the answer, byte for byte: nobody sees a result that is not of the own request.
std::string content_of(const Call& call) {
  std::string out = call.request.path + "\n";
  for (const auto& [name, value] : call.request.query) out += name + "=" + value + "\n";
  return out + "\n" + call.request.body;
}

Response submit(Call& call, const std::string& kind, RunTask task) {
  const std::string& key = call.request.idempotency_key;
  if (key.size() > 255) return problem(400, "the Idempotency-Key is too long");
  const auto answer =
      call.service.runs.submit(kind, content_of(call), call.request.client, key, std::move(task));
  if (const auto* run = std::get_if<RunStatus>(&answer)) {
    const bool over = run->state != RunState::queued && run->state != RunState::running;
    return described(*run, over ? 200 : 202);
  }
  switch (std::get<Runs::Refusal>(answer)) {
    case Runs::Refusal::key_taken:
      return problem(422, "this Idempotency-Key was given with another request");
    case Runs::Refusal::too_many_of_client:
      return retry_after(problem(429, "too many of your runs wait or run"), 5);
    case Runs::Refusal::queue_full:
      return retry_after(problem(503, "too many runs wait"), 5);
    case Runs::Refusal::closing:
      break;
  }
  return retry_after(problem(503, "the server is about to end"), 30);
}

/// What a task needs of the request when that is long gone.
struct Task {
  explicit Task(const Call& call) : settings(call.service.settings), tools(call.service.tools) {}
  const Settings& settings;
  const Tools& tools;
  client::Source source;
  client::Question question;

  /// The result `ask` has, rendered; else the problem.
  template <class Ask, class Show>
  RunResult answer(client::Session& session, const std::function<void(double)>& progress,
                   const Ask& ask, const Show& show) {
    Diagnostics faults;
    question.on_progress = progress;
    question.faults = &faults;
    auto found = ask(session, question);
    if (found.ok()) return show(*found);
    if (faults.has_errors()) {
      session.locate(source, faults);
      return {problem(for_client(settings, std::move(faults)))};
    }
    if (found.failure().exit == ExitCode::internal) tools.log(found.failure().message);
    return {problem(found.failure())};
  }

  /// As JSON and as a page.
  template <class Found>
  RunResult rendered(const Found& found, const Design& design, std::string_view verb) const {
    report::Context context = tools.context(design);
    context.command = command_of(verb, source);
    return {{.body = report::render(found, context, report::Format::json, {})},
            report::render(found, context, report::Format::html, {})};
  }
};

Asked<std::shared_ptr<Task>> task_of(const Call& call) {
  Asked<client::Source> source = source_of(call);
  if (!source.value) return {std::nullopt, source.problem};
  Asked<client::Question> question = question_of(call);
  if (!question.value) return {std::nullopt, question.problem};
  auto task = std::make_shared<Task>(call);
  task->source = *std::move(source.value);
  task->question = *std::move(question.value);
  return {std::move(task), {}};
}

}  // namespace

Response answer_run(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  Asked<Design> design = design_of(call, task->source);
  if (!design.value) return design.problem;
  const bool advise = call.request.parameter("advice") != "false";
  return submit(
      call, "run",
      [task, design = *std::move(design.value), advise](
          client::Session& session, const std::function<void(double)>& progress) {
        return task->answer(
            session, progress,
            [&](client::Session& s, client::Question& question) {
              Result<Prediction> found = s.predict(design, question);
              if (!found.ok() || !advise) return found;
              question.time_limit_s -= found->wall_s;
              if (question.time_limit_s > 0.0)
                found->alternatives =
                    s.alternatives(task->source, design, *found, kMostAlternatives, question);
              return found;
            },
            [&](const Prediction& found) { return task->rendered(found, design, "run"); });
      });
}

Response answer_plan(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  Asked<Design> design = design_of(call, task->source);
  if (!design.value) return design.problem;
  client::PlanQuestion wanted;
  wanted.over = call.request.parameters("over");
  wanted.unit = call.request.parameters("unit");
  wanted.spec.storage = call.request.parameter("storage");
  wanted.spec.minimize = call.request.parameter("minimize");
  wanted.spec.maximize = call.request.parameter("maximize");
  wanted.spec.survive = call.request.parameters("survive");
  return submit(
      call, "plan",
      [task, design = *std::move(design.value), wanted](
          client::Session& session, const std::function<void(double)>& progress) {
        return task->answer(
            session, progress,
            [&](client::Session& s, client::Question& question) {
              return s.plan(task->source, wanted, question);
            },
            [&](const PlanResult& found) { return task->rendered(found, design, "plan"); });
      });
}

Response answer_status(Call& call) {
  const std::optional<RunStatus> run = call.service.runs.status(call.id);
  return run ? described(*run, 200) : problem(404, "there is no run with this id (any more)");
}

namespace {

/// What came of a run, or why there is nothing (yet).
std::variant<std::shared_ptr<const RunResult>, Response> outcome_of(Call& call) {
  const std::optional<RunStatus> run = call.service.runs.status(call.id);
  if (!run) return problem(404, "there is no run with this id (any more)");
  if (run->state == RunState::queued || run->state == RunState::running)
    return retry_after(problem(409, "the run has not ended yet"), 1);
  auto result = call.service.runs.result(call.id);
  if (!result) return problem(410, "the run was cancelled");
  return result;
}

}  // namespace

Response answer_result(Call& call) {
  const auto outcome = outcome_of(call);
  if (const Response* none = std::get_if<Response>(&outcome)) return *none;
  return std::get<0>(outcome)->result;
}

Response answer_report(Call& call) {
  const auto outcome = outcome_of(call);
  if (const Response* none = std::get_if<Response>(&outcome)) return *none;
  const RunResult& result = *std::get<0>(outcome);
  if (result.result.status != 200) return result.result;
  if (result.page.empty()) return problem(404, "there is no page of this kind of run");
  return {200,
          "text/html; charset=utf-8",
          result.page,
          {{"Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
            "frame-ancestors 'self'; sandbox"}}};
}

Response answer_cancel(Call& call) {
  if (!call.service.runs.cancel(call.id))
    return problem(404, "there is no run with this id (any more)");
  return {.status = 204};
}

}  // namespace stallcast::server
