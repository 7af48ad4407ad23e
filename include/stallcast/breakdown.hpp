#pragma once

#include "stallcast/prediction.hpp"

namespace stallcast {

/// Share of the time that goes to waiting for something that could be faster, mean over jobs: all
/// but compute, barriers and restarts.
[[nodiscard]] inline double waiting_share(const Prediction& prediction) {
  double sum = 0.0;
  for (const auto& [job, shares] : prediction.breakdown)
    for (const char* cause : {"communication", "data", "metadata", "cpu", "checkpoint"})
      if (const auto it = shares.find(cause); it != shares.end()) sum += it->second;
  return prediction.breakdown.empty() ? 0.0
                                      : sum / static_cast<double>(prediction.breakdown.size());
}

}  // namespace stallcast
