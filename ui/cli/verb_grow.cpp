#include "ui/app/months.hpp"
#include "ui/cli/prediction_verb.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/design_context.hpp"

namespace stallcast::cli {
namespace {

/// 1 where something runs out that must not; 3 where a target is undecided in some month, or asks
/// for draws, which there are none.
ExitCode growth_exit(const GrowthResult& growth) {
  for (const GrowthCeiling& ceiling : growth.ceilings) {
    if (ceiling.kind == GrowthCeiling::Kind::space) return ExitCode::answer_no;
    if (ceiling.kind != GrowthCeiling::Kind::target) continue;
    if (!growth.judges(ceiling.name)) continue;
    for (const GrowthTarget& target : growth.targets)
      if (target.id == ceiling.name && target.level == "error") return ExitCode::answer_no;
  }
  const bool decided = growth.undrawn.empty() && growth.unsure.empty();
  return decided ? ExitCode::ok : ExitCode::inconclusive;
}

}  // namespace

int grow_verb(const Verb& verb, std::span<const std::string> args) {
  client::GrowthQuestion wanted;
  PredictionVerb common(verb, PredictionVerb::Advice::none, report::Pages::page);
  CommandLine& line = common.line();
  line.texts("--of", wanted.of, "PATH=TREND",
             "let this value grow, too: \"4 %/month\", \"x2/year\", \"+8/month\"; repeatable");
  std::string until;
  std::optional<std::int64_t> every;
  line.text("--until", until, "MONTHS", "look so far: 24mo, 2y (default: the scenario's, or 36)");
  line.integer("--every", every, 1, "months between simulations (default: the scenario's, or 3)");
  if (const auto exit = common.begin(args)) return *exit;
  if (!until.empty()) {
    const Result<int> months = client::months_of("--until", until);
    if (!months.ok()) return report_failure(months.failure());
    wanted.months = *months;
  }
  if (every) wanted.every = static_cast<int>(*every);
  common.repeat_with(report::words_of(wanted));
  std::optional<GrowthResult> result;
  if (const auto exit =
          common.answer(result, [&](client::Session& session, const client::Question& question) {
            Result<GrowthResult> found = session.grow(common.scenario(), wanted, question);
            (void)common.cut_off(found);
            return found;
          }))
    return *exit;
  return common.deliver(*result, growth_exit(*result));
}

}  // namespace stallcast::cli
