#include "ui/server/run_task.hpp"

#include <nlohmann/json.hpp>

#include "ui/app/content.hpp"

namespace stallcast::server {
namespace {

using Json = nlohmann::ordered_json;

std::string path_of(const RunStatus& run) {
  return (run.kind == "sweep" ? "/v1/sweeps/" : "/v1/runs/") + run.id;
}

}  // namespace

Asked<std::optional<std::size_t>> draws_of(const Call& call) {
  using Draws = std::optional<std::size_t>;
  std::int64_t most = -1;
  if (!read_number(call, "draws", most))
    return problem(400, "draws takes a whole number", "use 0 for none");
  if (most > call.service.settings.replicas)
    return problem(400, "at most " + std::to_string(call.service.settings.replicas) +
                            " draws can be asked for");
  if (most > 0 && most < static_cast<std::int64_t>(client::kFewestDraws))
    return problem(400, std::to_string(most) + " draws say nothing of an interval",
                   "take " + std::to_string(client::kFewestDraws) + " or more, or 0 for none");
  return most < 0 ? Draws() : Draws(static_cast<std::size_t>(most));
}

Response described(const RunStatus& run, int status) {
  Json links = {{"self", path_of(run)},
                {"result", path_of(run) + "/result"},
                {"report", path_of(run) + "/report.html"}};
  if (run.kind == "run") links["slide"] = path_of(run) + "/slide.html";
  Json out = {{"id", run.id},
              {"kind", run.kind},
              {"state", name_of(run.state)},
              {"progress", run.progress},
              {"links", std::move(links)}};
  if (!run.problem.empty()) out["problem"] = Json::parse(run.problem, nullptr, false);
  Response response{status, "application/json", out.dump(2) + "\n", {}};
  response.headers.emplace_back("Location", path_of(run));
  const bool open = run.state == RunState::queued || run.state == RunState::running;
  return open ? retry_after(std::move(response), 1) : response;
}

std::string text_of(const Call& call) {
  std::string out = call.request.path + "\n";
  for (const auto& [name, value] : call.request.query) out += name + "=" + value + "\n";
  return client::text_hash(out + "\n" + call.request.body);
}

std::string text_of(const Call& call, std::span<const Scenario* const> scenarios) {
  std::string out = text_of(call);
  if (call.service.settings.root.empty()) return out;  // there are no files
  for (const Scenario* scenario : scenarios) out += "\n" + client::read_hash(*scenario);
  return out;
}

std::string content_of(std::string_view kind, const Design& design,
                       const client::Question& question) {
  return std::string(kind) + "\n" + client::content_hash(design) + "\n" +
         (question.seed ? std::to_string(*question.seed) : "") + "\n" +
         std::to_string(question.replicas) + "\n" + std::to_string(question.time_limit_s);
}

Response submit(Call& call, std::string kind, std::string content, std::string text, RunTask task,
                View view) {
  const std::string& key = call.request.idempotency_key;
  if (key.size() > 255) return problem(400, "the Idempotency-Key is too long");
  const auto answer =
      call.service.runs.submit({std::move(kind), std::move(content), std::move(text), text_of(call),
                                call.request.client, key, std::move(task), std::move(view)},
                               call.session);
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
  return retry_after(problem(503, "the server is shutting down"), 30);
}

RunAnswer Inquiry::refused(const Failure& failure, Diagnostics faults) const {
  if (faults.has_errors()) return {problem(for_client(settings, std::move(faults)))};
  if (failure.exit == ExitCode::internal) settings.log(failure.message);
  return {problem(failure)};
}

report::ReportContext context_of(std::string_view verb, const Inquiry& task,
                                 const std::vector<std::string>& words) {
  return context_of(verb, task.scenario->design(), task.source, task.question, words);
}

Asked<std::shared_ptr<Inquiry>> task_of(const Call& call) {
  Asked<ScenarioFile> source = source_of(call);
  if (!source.value) return source.problem;
  Asked<client::Question> question = question_of(call);
  if (!question.value) return question.problem;
  auto task = std::make_shared<Inquiry>(call);
  task->source = *std::move(source.value);
  task->question = *std::move(question.value);
  return task;
}

}  // namespace stallcast::server
