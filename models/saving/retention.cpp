#include "models/saving/retention.hpp"

#include <algorithm>

namespace stallcast::models {

double Retention::saved(std::int64_t number, Bytes bytes, double files, bool whole, bool goes_on) {
  if (overwrites_) held_.clear();
  newest_ = std::max(newest_, number);
  held_.push_back({++count_, number, bytes, files, whole, goes_on});
  most_held_ = std::max(most_held_, held());
  return prune();
}

double Retention::drained(std::int64_t number) {
  abandon(number);
  return prune();
}

void Retention::abandon(std::int64_t number) {
  for (Saved& s : held_)
    if (s.number == number) s.waits = false;
}

double Retention::prune() {
  if (!last_) return 0.0;
  // From the newest to the oldest: an increment needs everything back to its whole save.
  std::vector<Saved> kept;
  double deleted = 0.0;
  Bytes waiting;
  bool needed = false;
  for (auto s = held_.rbegin(); s != held_.rend(); ++s) {
    const bool wanted = count_ - s->turn < *last_ || (every_ > 0 && s->turn % every_ == 0);
    if (wanted || needed) {
      kept.push_back(*s);
      needed = !s->whole;
    } else if (s->waits) {
      kept.push_back(*s);
      waiting += s->bytes;
    } else {
      deleted += s->files;
    }
  }
  held_.assign(kept.rbegin(), kept.rend());
  most_waiting_ = std::max(most_waiting_, waiting);
  return deleted;
}

Bytes Retention::held() const {
  Bytes all;
  for (const Saved& s : held_) all += s.bytes;
  return all;
}

void Retention::describe(sim::Ledger& ledger) {
  const std::int64_t more = ledger.growth(count_);
  count_ += more;
  const std::int64_t later = ledger.growth(newest_);
  newest_ += later;
  if (!last_ && !overwrites_) {  // all are kept, and nothing depends on them before the end
    const std::size_t before = held_.size();
    ledger.repeat(held_);
    const auto added = static_cast<std::int64_t>(held_.size() - before);
    for (std::size_t s = before; s < held_.size(); ++s)  // they come at equal distances
      held_[s].number = held_[s - 1].number + later / added;
    most_held_ = std::max(most_held_, held());
    return;
  }
  if (every_ > 0) ledger.never();  // what is kept grows, and is gone through at every save
  ledger.state(held_.size());
  for (Saved& s : held_) {
    s.turn += more;
    ledger.state(count_ - s.turn);
    ledger.count(s.number);
    ledger.state(s.bytes);
    ledger.state(s.whole);
    ledger.state(s.waits);
  }
}

bool Retention::holds(std::int64_t from, std::int64_t to) const {
  std::int64_t found = 0;
  for (auto s = held_.rbegin(); s != held_.rend() && found <= to - from; ++s)
    if (s->number >= from && s->number <= to) ++found;
  return found > to - from;
}

}  // namespace stallcast::models
