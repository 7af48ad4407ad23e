#include "models/storage/request_lines.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {

Seconds RequestLines::admit(double requests, std::uint64_t first, Seconds service) {
  const double count = static_cast<double>(lines_.size());
  const double each = std::floor(requests / count);
  Seconds last;
  double rest = requests - each * count;
  for (std::uint64_t i = 0; i < lines_.size(); ++i, rest -= 1.0) {
    const double here = each + std::clamp(rest, 0.0, 1.0);
    if (here <= 0.0) break;
    last = std::max(last, lines_[(first + i) % lines_.size()].admit(here, service));
  }
  return last;
}

Seconds RequestLines::busy() const {
  Seconds all;
  for (const sim::ServerQueue& line : lines_) all += line.busy();
  return all;
}

Seconds RequestLines::waited() const {
  Seconds all;
  for (const sim::ServerQueue& line : lines_) all += line.waited();
  return all;
}

}  // namespace stallcast::models
