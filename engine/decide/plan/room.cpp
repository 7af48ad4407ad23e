#include "engine/decide/plan/room.hpp"

#include <algorithm>
#include <string>

#include "models/bounds/coming.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

/// Room at which a figure of `space`, of which so much is `needed`, is `value`.
Bytes room_at(const models::Room& space, Bytes needed, const std::string& figure, double value) {
  if (figure == "used") return value > 0.0 ? needed / value : Bytes{};
  if (figure == "headroom") return needed + Bytes::from(value, unit::B);
  const Bytes comes = models::come_by(space.coming, Seconds::from(value, unit::s));
  return needed + std::max(Bytes{}, comes - space.less);
}

}  // namespace

Bytes asked_beyond(const models::Room& space, const Prediction& prediction) {
  const std::string stem = metric::of_storage(space.storage, "capacity.");
  // A run also saw what waited to be drained.
  const auto seen = prediction.metrics.find(stem + "needed");
  const Bytes needed = std::max(space.needed(), seen == prediction.metrics.end()
                                                    ? Bytes{}
                                                    : Bytes::from(seen->second.value, unit::B));
  Bytes most;
  for (const AssertionOutcome& outcome : prediction.assertions) {
    if (outcome.status == "pass" || outcome.level == "warn" || !outcome.limit ||
        !outcome.metric.starts_with(stem))
      continue;
    const std::string figure = outcome.metric.substr(stem.size());
    if (figure != "used" && figure != "headroom" && figure != "full_after") continue;
    Bytes asked = room_at(space, needed, figure, metric::to_base(*outcome.limit, outcome.unit));
    const auto known = prediction.metrics.find(outcome.metric);
    if (outcome.confidence && known != prediction.metrics.end() && known->second.ci90) {
      const auto& [low, high] = *known->second.ci90;
      const Bytes least =
          room_at(space, needed, figure,
                  metric::to_base(figure == "used" ? high : low, known->second.unit));
      if (least > Bytes{}) asked = asked * std::max(1.0, space.usable / least);
    }
    most = std::max(most, asked - space.needed());
  }
  return most;
}

}  // namespace stallcast::plan
