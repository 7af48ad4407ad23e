#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/decide/uncertain/scale.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::uncertain {

/// A job's own `limit` and `limit_operations` are no estimate of what hardware does: no outcome is
/// beyond them, however wrong the model is.    [docs/models/uncertainty.md, "Limits"]
class OwnLimits {
 public:
  /// Of all `designs`, what the most generous of them lets through.
  OwnLimits(const std::vector<Design>& designs, const Prediction& nominal);
  [[nodiscard]] Possible of(const std::string& metric) const;

 private:
  const Prediction& nominal_;
  std::map<std::string, double> utilization_;  ///< at most, by job
};

}  // namespace stallcast::uncertain
