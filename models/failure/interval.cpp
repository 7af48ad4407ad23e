#include "models/failure/interval.hpp"

#include <cmath>

namespace stallcast::models {

Seconds young_interval(Seconds stall, Seconds mtbf) {
  // tau = sqrt(2 delta M)    [docs/models/failures.md, eq. 2]
  return mtbf * std::sqrt(2.0 * (stall / mtbf));
}

Seconds daly_interval(Seconds stall, Seconds mtbf) {
  const double x = stall / (2.0 * mtbf);
  if (x >= 1.0) return mtbf;
  // tau = sqrt(2 delta M) (1 + sqrt(x) / 3 + x / 9) - delta, x = delta / 2M    [failures.md, eq. 3]
  return young_interval(stall, mtbf) * (1.0 + std::sqrt(x) / 3.0 + x / 9.0) - stall;
}

}  // namespace stallcast::models
