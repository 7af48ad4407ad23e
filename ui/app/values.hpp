#pragma once

#include <span>
#include <string>
#include <vector>

#include "stallcast/scenario.hpp"

namespace stallcast::client {

/// One value of a scenario, looked up by its path.
struct FoundValue {
  std::string path;  ///< as it was asked for
  std::string text;  ///< as `--set` takes it: "48", "4 GB/s"
  std::string json;  ///< the value, its unit, what it may be in truth, and where it is from
};

/// The values at `paths` ("storage.ost.count", "params.boxes", as in `--set`), of the design that
/// `scenario` resolves to. A path that leads nowhere is a failure with bad_input and the nearest.
/// REQUIRES: ok().
[[nodiscard]] Result<std::vector<FoundValue>> values(const Scenario& scenario,
                                                     std::span<const std::string> paths);
/// The same as JSON: "stallcast.values/1".
[[nodiscard]] std::string values_json(std::span<const FoundValue> values);

/// The file, all that it extends, its variant and its options as one scenario file, with
/// parameters, expressions and products as they are written. REQUIRES: ok().
[[nodiscard]] std::string merged(const Scenario& scenario);

}  // namespace stallcast::client
