#include "ui/app/months.hpp"
#include "ui/cli/prediction_verb.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/plan_parts.hpp"

namespace stallcast::cli {
namespace {

ExitCode plan_exit(const PlanResult& plan) {
  const PlanStatus status = report::asked_status(plan);
  if (status == PlanStatus::infeasible) return ExitCode::answer_no;
  if (status == PlanStatus::inconclusive) return ExitCode::inconclusive;
  return exit_of(plan.prediction.verdict);
}

}  // namespace

int plan_verb(const Verb& verb, std::span<const std::string> args) {
  client::PlanQuestion wanted;
  PlanSpec& spec = wanted.spec;
  PredictionVerb common(verb, PredictionVerb::Advice::none, report::Pages::page);
  common.searches_parts();
  CommandLine& line = common.line();
  line.text("--storage", spec.storage, "ID", "count what this storage system is made of");
  line.texts("--over", wanted.over, "WHAT",
             "search this: osts, mdts, oss, drives, nics, cache, workers, ..., or "
             "PATH=from..to, PATH=from..to:N, PATH=a,b,c; repeatable");
  line.texts("--unit", wanted.unit, "WHAT=N", "in multiples of N: HA pairs, enclosures");
  line.text("--minimize", spec.minimize, "WHAT",
            "find the design with the least of this: something searched, an input, a metric");
  line.text("--maximize", spec.maximize, "WHAT",
            "with the most of it; accelerators: how many the rest supports");
  line.texts("--survive", spec.survive, "PART",
             "the targets hold with one down, too: oss, ost, mdt, ...");
  line.integer("--checks", spec.checks, 0,
               "designs simulated to test that more always helps (default: 8)");
  line.integer("--tornado", spec.tornado, 0,
               "assumed inputs to list, varied at the answer (default: 4)");
  std::string confidence;
  line.text("--confidence", confidence, "SHARE",
            "also find the best design for so many of all cases, by draws of what uncertain inputs "
            "may be: 90%");
  line.integer("--draws", spec.draws, 4,
               "so many draws for it (default: as many as suit the design)");
  std::string until;
  line.text("--until", until, "MONTHS",
            "for the design as \"growth\" of the scenario says it will be: 24mo");
  if (const auto exit = common.begin(args)) return *exit;
  if (!until.empty()) {
    const Result<int> months = client::months_of("--until", until);
    if (!months.ok()) return report_failure(months.failure());
    wanted.until = *months;
  }
  if (!confidence.empty()) {
    const Result<double> share = client::confidence_of("--confidence", confidence);
    if (!share.ok()) return report_failure(share.failure());
    spec.confidence = *share;
  }
  common.repeat_with(report::words_of(wanted));
  std::optional<PlanResult> result;
  if (const auto exit =
          common.answer(result, [&](client::Session& session, const client::Question& question) {
            Result<PlanResult> found = session.plan(common.scenario(), wanted, question);
            (void)common.cut_off(found);
            return found;
          }))
    return *exit;
  return common.deliver(*result, plan_exit(*result));
}

}  // namespace stallcast::cli
