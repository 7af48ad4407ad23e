#include "models/checkpoint/retention.hpp"

#include <algorithm>

namespace stallcast::models {

double Retention::saved(Bytes bytes, double files, bool whole) {
  held_.push_back({++count_, bytes, files, whole});
  Bytes held;
  for (const Saved& s : held_) held += s.bytes;
  most_held_ = std::max(most_held_, held);
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

double Retention::chain() const {
  double out = 0.0;
  for (auto s = held_.rbegin(); s != held_.rend(); ++s) {
    out += 1.0;
    if (s->whole) break;
  }
  return std::max(out, 1.0);
}

}  // namespace stallcast::models
