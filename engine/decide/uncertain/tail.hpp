#pragma once

#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::uncertain {

/// `goodput.p5` of draws, which replay fewer histories than the design as it is.
///    [docs/models/uncertainty.md, eq. 15b]

/// Whether that is so.
[[nodiscard]] bool draws_replay_fewer(const Design& design, double runs);

/// Puts what more histories make of it, over its goodput, into `draws`: what they make of it in
/// `nominal`, where `fewer` is the same design as draws replay it.
void as_of_all_histories(const Prediction& nominal, const Prediction& fewer,
                         std::vector<Prediction>& draws);

/// Half width of what luck leaves of it, of 90 %, in its unit; 0 of other metrics, and where its
/// replicas say that.
[[nodiscard]] double tail_half(const std::string& metric, const Design& design,
                               const Prediction& nominal);

}  // namespace stallcast::uncertain
