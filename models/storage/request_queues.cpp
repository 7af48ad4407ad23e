#include "models/storage/request_queues.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {

Seconds RequestQueues::admit(double requests, std::uint64_t first, Seconds service) {
  const double count = static_cast<double>(queues_.size());
  const double each = std::floor(requests / count);
  Seconds last;
  double rest = requests - each * count;
  for (std::uint64_t i = 0; i < queues_.size(); ++i, rest -= 1.0) {
    const double here = each + std::clamp(rest, 0.0, 1.0);
    if (here <= 0.0) break;
    last = std::max(last, queues_[(first + i) % queues_.size()].admit(here, service));
  }
  return last;
}

Seconds RequestQueues::worked() const {
  Seconds all;
  for (const sim::ServerQueue& queue : queues_) all += queue.worked();
  return all;
}

Seconds RequestQueues::waited() const {
  Seconds all;
  for (const sim::ServerQueue& queue : queues_) all += queue.waited();
  return all;
}

Bytes RequestQueues::moved(bool writes) const {
  Seconds busy;
  for (const sim::ServerQueue& queue : queues_) busy += queue.busy();
  return served_bytes_.by_now(writes, busy - worked());
}

}  // namespace stallcast::models
