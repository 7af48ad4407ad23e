#include "ui/app/meaning.hpp"
#include "ui/app/run_report.hpp"
#include "ui/cli/prediction_verb.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/explain_tree.hpp"

namespace stallcast::cli {
int explain_verb(const Verb& verb, std::span<const std::string> args) {
  std::vector<std::string> metrics;
  std::optional<std::int64_t> depth, what_ifs;
  bool no_simulation = false;
  PredictionVerb common(verb, PredictionVerb::Advice::optional, report::Pages::page,
                        "scenario file; - reads standard input; or a key (storage.ost.read) or a "
                        "metric (gpu.utilization), to say what it means");
  common.line().positionals("METRIC", metrics,
                            "numbers to take apart, or what their names begin with; none: the "
                            "headline ones",
                            false);
  common.line().integer("--depth", depth, 0,
                        "levels below each number (2; all when metrics are named)");
  common.line().integer("--what-if", what_ifs, 0,
                        "most changes to try by simulation (8; 0 when metrics are named)");
  common.line().flag("--no-simulation", no_simulation, "what closed forms say, and nothing else");
  common.explains(client::meaning_of);
  if (const auto exit = common.begin(args)) return *exit;
  std::optional<Explanation> explanation;
  client::ExplainQuestion wanted;
  wanted.metrics = metrics;
  wanted.simulate = !no_simulation;
  if (common.advised())
    wanted.what_ifs =
        static_cast<std::size_t>(what_ifs.value_or(metrics.empty() ? report::kExplainWhatIfs : 0));
  if (const auto exit =
          common.answer(explanation, [&](client::Session& session, const client::Question& asked) {
            wanted.predict = asked;
            Result<Explanation> found = client::explain_report(session, common.scenario(), wanted);
            if (common.cut_off(found))
              found = session.explain(common.design(), metrics, false, asked);
            return found;
          }))
    return *exit;
  report::Style style = common.style();
  style.depth = depth ? static_cast<int>(*depth) : metrics.empty() ? report::kExplainLevels : -1;
  std::vector<std::string> words = metrics;
  if (depth) words.insert(words.end(), {"--depth", std::to_string(*depth)});
  if (what_ifs) words.insert(words.end(), {"--what-if", std::to_string(*what_ifs)});
  if (no_simulation) words.emplace_back("--no-simulation");
  common.repeat_with(std::move(words));
  // To explain is not to judge: a missed target is not a failure of this verb.
  return common.deliver(*explanation, common.cut_off() ? ExitCode::inconclusive : ExitCode::ok,
                        style);
}

}  // namespace stallcast::cli
