#include "ui/cli/prediction_verb.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

ExitCode plan_exit(const PlanResult& plan) {
  switch (plan.status) {
    case PlanStatus::infeasible:
      return ExitCode::answer_no;
    case PlanStatus::inconclusive:
      return ExitCode::inconclusive;
    case PlanStatus::found:
      break;
  }
  return exit_of(plan.prediction.verdict);
}

}  // namespace

int plan_verb(const Verb& verb, std::span<const std::string> args) {
  std::string wanted;
  PredictionVerb common(verb, PredictionVerb::Advice::none);
  common.line().text("--storage", wanted, "ID", "size this storage system");
  if (const auto exit = common.begin(args)) return *exit;
  std::optional<PlanResult> result;
  if (const auto exit =
          common.answer(result, [&](client::Session& session, const client::Question& question) {
            return session.plan(common.source(), wanted, question);
          }))
    return *exit;
  return common.deliver(*result, plan_exit(*result));
}

}  // namespace stallcast::cli
