#include "ui/app/doubled.hpp"

#include "engine/decide/plan/advice.hpp"

namespace stallcast::client {

std::optional<ScenarioChange> doubled(const Design& design, const Prediction& prediction,
                                      const std::string& resource) {
  const std::optional<plan::Change> change = plan::doubled(design, prediction, resource);
  if (!change) return std::nullopt;
  return ScenarioChange{change->text, parse_change(change->set).value()};
}

}  // namespace stallcast::client
