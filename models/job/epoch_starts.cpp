#include "models/job/epoch_starts.hpp"

#include <numeric>

namespace stallcast::models {

const EpochStarts::Mark* EpochStarts::mark() const {
  for (std::size_t i = open_.turned; i-- > 0;)
    if (open_.marks[i].steps > 0 && open_.done >= 2 * open_.marks[i].steps) return &open_.marks[i];
  return nullptr;
}

// t_m - m (t_n - t_m) / (n - m), from 0 to the wait for the first batch
//    [docs/models/whole-run.md, eq. 8]
Seconds EpochStarts::end() {
  const Seconds waited = std::accumulate(open_.waits.begin(), open_.waits.end(), Seconds{});
  Ended out{open_.again, open_.done, {}, {}};
  if (const Mark* m = mark(); m != nullptr && waited > Seconds{}) {
    const Seconds pace = (open_.time - m->time) / static_cast<double>(open_.done - m->steps);
    out.lost = std::clamp(m->time - pace * static_cast<double>(m->steps), Seconds{}, waited);
    for (std::size_t i = 0; i < kPhases; ++i) out.by[i] = open_.waits[i] * (out.lost / waited);
  }
  ended_.push_back(out);
  return out.lost;
}

EpochStarts::Requests EpochStarts::ahead(const Requests& asked, const Requests& before) const {
  Requests out;
  const Mark* m = mark();
  if (m == nullptr) return out;
  const double part = static_cast<double>(open_.done) / static_cast<double>(open_.done - m->steps);
  const auto of = [](const Requests& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? 0.0 : found->second;
  };
  for (const auto& [name, count] : asked)
    out[name] = std::max(0.0, count - of(before, name) - (count - of(m->asked, name)) * part);
  return out;
}

Seconds EpochStarts::lose(std::int64_t steps) {
  Seconds out;
  while (!ended_.empty() && steps >= ended_.back().steps) {
    steps -= ended_.back().steps;
    out += ended_.back().lost;
    ended_.pop_back();
  }
  if (!ended_.empty()) ended_.back().steps -= steps;
  return out;
}

Seconds EpochStarts::lost() const {
  Seconds out;
  for (const Ended& each : ended_) out += each.lost;
  return out;
}

EpochStarts::Phases EpochStarts::lost_by() const {
  Phases out{};
  for (const Ended& each : ended_)
    for (std::size_t i = 0; i < kPhases; ++i) out[i] += each.by[i];
  return out;
}

std::int64_t EpochStarts::begun() const {
  return std::count_if(ended_.begin(), ended_.end(), [](const Ended& e) { return !e.again; });
}

Seconds EpochStarts::another(Seconds once) const {
  Seconds sum, first;
  double later = 0.0;
  bool any = false;
  for (const Ended& each : ended_) {
    if (each.again) continue;
    if (any) sum += each.lost, ++later;
    if (!any) first = each.lost;
    any = true;
  }
  return later > 0.0 ? sum / later : std::max(Seconds{}, first - once);
}

}  // namespace stallcast::models
