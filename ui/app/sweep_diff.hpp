#pragma once

#include <optional>
#include <string>

#include "stallcast/client.hpp"

namespace stallcast::client {

/// What became of the sweep in the file `base`: the points that both have, with the inputs and
/// metrics that differ. Simulates nothing: of `question`, only what is compared counts. nullopt
/// when no metric matches; failures have bad_input.
[[nodiscard]] Result<std::optional<SweepDiff>> diff_sweeps(const std::string& base,
                                                           const std::string& head,
                                                           const DiffQuestion& question);

}  // namespace stallcast::client
