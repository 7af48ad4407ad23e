#include "ui/cli/prediction_verb.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int run_verb(const Verb& verb, std::span<const std::string> args) {
  PredictionVerb common(verb, PredictionVerb::Advice::optional);
  if (const auto exit = common.begin(args)) return *exit;
  int exit = 0;
  std::optional<Prediction> prediction =
      predict_design(common.input(), common.design(), common.options(), exit);
  if (!prediction.has_value()) return exit;
  if (common.wants_advice())
    add_alternatives(common.input(), common.design(), common.options(), *prediction);
  return common.deliver(*prediction, exit_of(prediction->verdict));
}

}  // namespace stallcast::cli
