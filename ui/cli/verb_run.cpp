#include "ui/cli/prediction_verb.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int run_verb(const Verb& verb, std::span<const std::string> args) {
  PredictionVerb common(verb, PredictionVerb::Advice::optional, report::Pages::slide);
  TraceOptions trace;
  common.draws_option();
  common.line().trace_options(trace);
  if (const auto exit = common.begin(args)) return *exit;
  std::optional<Prediction> prediction;
  if (const auto exit = common.predict(prediction)) return *exit;
  if (!common.cut_off()) {
    if (const auto exit = common.trace(trace, *prediction)) return *exit;
    common.complete(*prediction);
  }
  return common.deliver(*prediction, exit_of(prediction->verdict));
}

}  // namespace stallcast::cli
