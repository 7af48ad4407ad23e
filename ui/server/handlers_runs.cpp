#include <chrono>
#include <memory>

#include "ui/server/run_task.hpp"

/// Routes that simulate one scenario, and those that tell what came of it.
namespace stallcast::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostAlternatives = 4;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

}  // namespace

Response answer_run(Call& call) {
  const auto asked = task_of(call);
  if (!asked.value) return asked.problem;
  const auto task = *asked.value;
  Asked<Design> design = design_of(call, task->source);
  if (!design.value) return design.problem;
  const bool advise = call.request.parameter("advice") != "false";
  return submit(call, "run",
                [task, design = *std::move(design.value), advise](client::Session& session,
                                                                  const Watch& watch) {
                  const auto began = Clock::now();
                  report::Context context = context_of("run", design, task->source, task->question);
                  return task->answer(
                      session, watch,
                      [&](client::Session& s, client::Question& question) {
                        Result<Prediction> found = s.predict(design, question);
                        if (!found.ok()) return found;
                        const double limit = question.time_limit_s;
                        const auto is_time_left = [&] {
                          question.time_limit_s = limit - seconds_since(began);
                          return question.time_limit_s > 0.0;
                        };
                        if (advise && is_time_left())
                          found->alternatives = s.alternatives(task->source, design, *found,
                                                               kMostAlternatives, question);
                        if (is_time_left()) context.timeline = s.overview(design, *found, question);
                        return found;
                      },
                      [&](const Prediction& found) {
                        RunResult out = task->rendered(found, context);
                        out.partial = found.verdict == Verdict::inconclusive;
                        return out;
                      });
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
  return submit(call, "plan",
                [task, design = *std::move(design.value), wanted](client::Session& session,
                                                                  const Watch& watch) {
                  return task->answer(
                      session, watch,
                      [&](client::Session& s, client::Question& question) {
                        return s.plan(task->source, wanted, question);
                      },
                      [&](const PlanResult& found) {
                        return task->rendered(
                            found, context_of("plan", design, task->source, task->question));
                      });
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
