#include "models/saving/retention.hpp"

#include <algorithm>

namespace stallcast::models {

double Retention::saved(Bytes bytes, double files, bool whole) {
  if (overwrites_) held_.clear();
  held_.push_back({++count_, bytes, files, whole});
  most_held_ = std::max(most_held_, held());
  if (!last_) return 0.0;
  // From the newest to the oldest: an increment needs everything back to its whole save.
  std::vector<Saved> kept;
  double deleted = 0.0;
  bool needed = false;
  for (auto s = held_.rbegin(); s != held_.rend(); ++s) {
    const bool wanted = count_ - s->number < *last_ || (every_ > 0 && s->number % every_ == 0);
    if (wanted || needed) {
      kept.push_back(*s);
      needed = !s->whole;
    } else {
      deleted += s->files;
    }
  }
  held_.assign(kept.rbegin(), kept.rend());
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
  if (!last_ && !overwrites_) {  // all are kept, and nothing depends on them before the end
    ledger.repeat(held_);
    most_held_ = std::max(most_held_, held());
    return;
  }
  if (every_ > 0) ledger.never();  // what is kept grows, and is gone through at every save
  ledger.state(held_.size());
  for (Saved& s : held_) {
    s.number += more;
    ledger.state(count_ - s.number);
    ledger.state(s.bytes);
    ledger.state(s.whole);
  }
}

double Retention::chain() const {
  double out = 0.0;
  for (auto s = held_.rbegin(); s != held_.rend(); ++s) {
    out += 1.0;
    if (s->whole) break;
  }
  return std::max(out, 1.0);
}

}  // namespace stallcast::models
