#include <algorithm>
#include <array>
#include <memory>

#include "ui/app/content.hpp"
#include "ui/app/months.hpp"
#include "ui/app/plan_question.hpp"
#include "ui/app/run_report.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/explain_tree.hpp"
#include "ui/report/trace.hpp"
#include "ui/server/run_task.hpp"

/// Routes that simulate one scenario, and those that tell what came of it.
namespace stallcast::server {
namespace {

/// A request about one scenario, which is read. `few`: its parts are searched.
Asked<std::shared_ptr<const Inquiry>> wanted_of(Call& call, bool few = false) {
  const auto task = task_of(call);
  if (!task.value) return task.problem;
  (*task.value)->source.few = few;
  Asked<Scenario> scenario = read(call, (*task.value)->source);
  if (!scenario.value) return scenario.problem;
  (*task.value)->scenario = std::move(scenario.value);
  return {*task.value};
}

std::size_t bytes_of(const Timeline& t) {
  std::size_t out = t.spans.size() * sizeof(Timeline::Span);
  for (const Timeline::Counter& c : t.counters) out += c.values.size() * sizeof(double);
  return out;
}

/// A design predicted, with changes that would help and what happens when, as far as time goes.
Result<client::RunReport> run(Asking& asking, const Scenario& scenario, bool advise,
                              std::optional<std::size_t> draws) {
  constexpr std::size_t kPrediction = 100'000;  // some ten thousands of bytes each
  client::RunQuestion wanted;
  wanted.predict = asking.question;
  wanted.advise = wanted.gains = wanted.around = advise;
  wanted.draws = draws;
  Result<client::RunReport> found = client::run_report(asking.session, scenario, wanted);
  if (!found.ok()) return found;
  asking.partial = found->prediction.verdict == Verdict::inconclusive;
  asking.bytes = kPrediction + (found->timeline ? bytes_of(*found->timeline) : 0);
  return found;
}

/// What a plan is asked besides what to search.
std::optional<Response> read_plan(const Call& call, client::PlanQuestion& wanted) {
  const auto asked_draws = draws_of(call);
  if (!asked_draws.value) return asked_draws.problem;
  if (*asked_draws.value == std::size_t{0})
    return problem(400, "draws takes a whole number from " + std::to_string(client::kFewestDraws),
                   "leave out confidence for none");
  if (*asked_draws.value) wanted.spec.draws = static_cast<std::int64_t>(**asked_draws.value);
  for (const auto& [name, to] :
       {std::pair{"checks", &wanted.spec.checks}, std::pair{"tornado", &wanted.spec.tornado}}) {
    std::int64_t value = -1;
    if (!read_number(call, name, value))
      return problem(400, std::string(name) + " takes a whole number", "use 0 for none");
    if (value > call.service.settings.replicas)
      return problem(400, "at most " + std::to_string(call.service.settings.replicas) + " " + name +
                              " can be asked for");
    if (value >= 0) *to = value;
  }
  if (const std::string until = call.request.parameter("until"); !until.empty()) {
    const Result<int> months = client::months_of("until", until);
    if (!months.ok()) return problem(400, months.failure().message, months.failure().hint);
    wanted.until = *months;
  }
  if (const std::string confidence = call.request.parameter("confidence"); !confidence.empty()) {
    const Result<double> share = client::confidence_of("confidence", confidence);
    if (!share.ok()) return problem(400, share.failure().message, share.failure().hint);
    wanted.spec.confidence = *share;
  }
  return std::nullopt;
}

}  // namespace

Response answer_run(Call& call) {
  const Asked<std::shared_ptr<const Inquiry>> asked = wanted_of(call);
  if (!asked.value) return asked.problem;
  const std::shared_ptr<const Inquiry> task = *asked.value;
  bool advise = true;
  if (!read_flag(call, "advice", advise)) return no_flag("advice");
  const auto asked_draws = draws_of(call);
  if (!asked_draws.value) return asked_draws.problem;
  const std::optional<std::size_t> draws = *asked_draws.value;
  const std::string kind =
      advise ? "run " + client::counted_hash(*task->scenario) + " " : std::string("run alone ");
  return submit<client::RunReport>(
      call, "run",
      content_of(kind + (draws ? std::to_string(*draws) : "-1"), task->scenario->design(),
                 task->question),
      task,
      [task, advise, draws](Asking& asking) { return run(asking, *task->scenario, advise, draws); },
      [task](client::Session&, const client::RunReport& found) {
        report::ReportContext context = context_of("run", *task);
        context.timeline = found.timeline;
        Prediction own = found.prediction;  // of somebody else, perhaps, who called it otherwise
        own.scenario_file = task->scenario->design().file;
        for_requests(own.warnings);
        if (own.uncertainty) own.uncertainty->why_few = for_requests(own.uncertainty->why_few);
        return rendered(own, context);
      });
}

Response answer_plan(Call& call) {
  const Asked<std::shared_ptr<const Inquiry>> asked = wanted_of(call, true);
  if (!asked.value) return asked.problem;
  const std::shared_ptr<const Inquiry> task = *asked.value;
  client::PlanQuestion wanted;
  wanted.over = call.request.parameters("over");
  wanted.unit = call.request.parameters("unit");
  wanted.spec.storage = call.request.parameter("storage");
  wanted.spec.minimize = call.request.parameter("minimize");
  wanted.spec.maximize = call.request.parameter("maximize");
  wanted.spec.survive = call.request.parameters("survive");
  if (auto fault = read_plan(call, wanted)) return *std::move(fault);
  if (const auto fault = client::refused_plan(*task->scenario, wanted))
    return problem(400, fault->message, fault->hint);
  if (wanted.until)
    if (const auto fault = client::refused_growth(*task->scenario, {})) return problem(*fault);
  return submit<PlanResult>(
      call, "plan", text_of(call, std::array{&*task->scenario}), task,
      [task, wanted](Asking& asking) {
        return asking.session.plan(*task->scenario, wanted, asking.question);
      },
      [task, words = report::words_of(wanted)](client::Session&, const PlanResult& found) {
        PlanResult own = found;
        for_requests(own.notes);
        for_requests(own.prediction.warnings);
        return rendered(own, context_of("plan", *task, words));
      });
}

Response answer_grow(Call& call) {
  const Asked<std::shared_ptr<const Inquiry>> asked = wanted_of(call);
  if (!asked.value) return asked.problem;
  const std::shared_ptr<const Inquiry> task = *asked.value;
  client::GrowthQuestion wanted;
  wanted.of = call.request.parameters("of");
  if (const std::string until = call.request.parameter("until"); !until.empty()) {
    const Result<int> months = client::months_of("until", until);
    if (!months.ok()) return problem(400, months.failure().message, months.failure().hint);
    wanted.months = *months;
  }
  std::int64_t every = 0;
  if (!read_number(call, "every", every) ||
      (every == 0 && !call.request.parameter("every").empty()))
    return problem(400, "every takes a whole number of months from 1", "write 3");
  if (every > 0) wanted.every = static_cast<int>(std::min<std::int64_t>(every, 240));
  if (const auto failure = client::refused_growth(*task->scenario, wanted))
    return failure->message.starts_with("--of") ? problem(400, failure->message, failure->hint)
                                                : problem(*failure);
  return submit<GrowthResult>(
      call, "grow", text_of(call, std::array{&*task->scenario}), task,
      [task, wanted](Asking& asking) {
        return asking.session.grow(*task->scenario, wanted, asking.question);
      },
      [task, words = report::words_of(wanted)](client::Session&, const GrowthResult& found) {
        GrowthResult own = found;
        for_requests(own.notes);
        return rendered(own, context_of("grow", *task, words));
      });
}

Response answer_explain(Call& call) {
  const Asked<std::shared_ptr<const Inquiry>> asked = wanted_of(call);
  if (!asked.value) return asked.problem;
  const std::shared_ptr<const Inquiry> task = *asked.value;
  const std::vector<std::string> metrics = call.request.parameters("metric");
  std::int64_t most = metrics.empty() ? report::kExplainWhatIfs : 0;
  if (!read_number(call, "what_if", most))
    return problem(400, "what_if takes a whole number", "use 0 for none");
  std::vector<std::string> words = metrics;
  if (!call.request.parameter("what_if").empty())
    words.insert(words.end(), {"--what-if", std::to_string(most)});
  // Trees say where their inputs stand, so they are of one text.
  return submit<Explanation>(
      call, "explain", text_of(call, std::array{&*task->scenario}), task,
      [task, metrics, most](Asking& asking) {
        client::ExplainQuestion wanted{asking.question, metrics};
        wanted.what_ifs = static_cast<std::size_t>(most);
        Result<Explanation> found = client::explain_report(asking.session, *task->scenario, wanted);
        asking.partial =
            found.ok() && found->prediction && found->prediction->verdict == Verdict::inconclusive;
        return found;
      },
      [task, words, depth = metrics.empty() ? report::kExplainLevels : -1](
          client::Session&, const Explanation& found) {
        const report::ReportContext context = context_of("explain", *task, words);
        const report::Style style{.depth = depth};
        return RunAnswer{{.body = report::render(found, context, report::Format::json, style)},
                         report::render(found, context, report::Format::html, style)};
      });
}

Response answer_status(Call& call) {
  const std::optional<RunStatus> run = call.service.runs.status(call.id);
  return run ? described(*run, 200) : problem(404, "there is no run with this id (any more)");
}

namespace {

/// What came of a run, or why there is nothing (yet).
std::variant<std::shared_ptr<const RunAnswer>, Response> outcome_of(Call& call) {
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

namespace {

/// The slide of a simulation from its report, which begins with what is on it: kept once for both.
/// The data for programs is not on it. "" where `page` is no such report.
std::string slide_of(const std::string& page) {
  constexpr std::string_view kBody = "<body><main>\n", kSoft = "<p class=\"soft\">";
  const std::size_t body = page.find(kBody), appendix = page.find("<section>"),
                    made = page.rfind(kSoft), end = page.find("</p>", made),
                    script = page.rfind("<script>");
  if (body == page.npos || appendix == page.npos || made == page.npos || script == page.npos)
    return "";
  const std::size_t front = body + kBody.size(), words = made + kSoft.size();
  return page.substr(0, body) +
         "<body>\n<style>@page{size:1280px 720px;margin:0}</style>\n<main class=\"slide\">\n" +
         page.substr(front, appendix - front) + "<p class=\"soft made\">" +
         page.substr(words, end - words) + "</p></main>\n" + page.substr(script);
}

Response page_of(Call& call, std::string (*shown)(const std::string&)) {
  const auto outcome = outcome_of(call);
  if (const Response* none = std::get_if<Response>(&outcome)) return *none;
  const RunAnswer& result = *std::get<0>(outcome);
  if (result.result.status != 200) return result.result;
  std::string page = shown(result.page);
  if (page.empty()) return problem(404, "there is no such page of this kind of run");
  return page_response(std::move(page));
}

}  // namespace

Response answer_report(Call& call) {
  return page_of(call, [](const std::string& page) { return page; });
}

Response answer_slide(Call& call) {
  const std::optional<RunStatus> run = call.service.runs.status(call.id);
  if (run && run->kind != "run") return problem(404, "only simulations have a slide");
  return page_of(call, slide_of);
}

Response answer_trace(Call& call) {
  const auto outcome = outcome_of(call);
  if (const Response* none = std::get_if<Response>(&outcome)) return *none;
  const std::shared_ptr<const Outcome> found = call.service.runs.outcome(call.id);
  const auto* run = found ? std::get_if<client::RunReport>(&found->found) : nullptr;
  if (run == nullptr || !run->timeline)
    return problem(404, "there is no trace of this run",
                   "simulations (/v1/runs) have one, where their time was enough for it");
  return {.body = report::chrome_trace(*run->timeline,
                                       {.version = client::version().program,
                                        .model_version = client::version().models,
                                        .scenario = run->prediction.scenario_id,
                                        .design_sha256 = run->prediction.design_sha256})};
}

Response answer_cancel(Call& call) {
  if (!call.service.runs.cancel(call.id))
    return problem(404, "there is no run with this id (any more)");
  return {.status = 204};
}

}  // namespace stallcast::server
