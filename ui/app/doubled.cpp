#include "ui/app/doubled.hpp"

#include "engine/decide/plan/advice.hpp"

namespace stallcast::client {

std::optional<ScenarioChange> doubled(const Design& design, const Prediction& prediction,
                                      const std::string& resource) {
  const std::optional<plan::Proposal> twice = plan::doubled(design, prediction, resource);
  if (!twice) return std::nullopt;
  return ScenarioChange{twice->text, twice->change};
}

}  // namespace stallcast::client
