#pragma once

#include <cstdint>
#include <span>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// GPUs that a job lends to inference by a schedule. docs/models/elastic.md.
namespace stallcast::models {

struct ElasticParams {
  std::int64_t gpus = 1;  ///< lent, of those of the job
  Seconds period;         ///< from one time they are lent to the next
  Seconds busy;           ///< of it, how long inference has them
  Seconds stop;           ///< from a durable save until the processes have ended

  /// Share of its `ranks` GPUs that the job keeps all the time.
  [[nodiscard]] double stays(double ranks) const { return 1.0 - static_cast<double>(gpus) / ranks; }
  /// Share of the job's GPU time that stays its own: the rest is inference's.
  ///     1 - (g / N) b / T    [docs/models/elastic.md, eq. 1]
  [[nodiscard]] double own(double ranks) const {
    return 1.0 - (1.0 - stays(ranks)) * (busy / period);
  }
};

[[nodiscard]] ElasticParams elastic_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> elastic_fields();

}  // namespace stallcast::models
