#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallcast/explanation.hpp"
#include "stallcast/prediction.hpp"

/// What reports print below "What limits it", as what can be asked for.
namespace stallcast::explain {

/// Something that limits, with the resources that it is.
struct Printed {
  std::string name;                ///< "fabric and host.gpu.nic"
  std::vector<std::string> parts;  ///< in `Prediction::resources`: "host.gpu.nic.read"
};

/// What is called `asked` there or in the headline ("OSTs of scratch"), or by its path
/// ("storage.scratch.ost"); nullopt where nothing is.
[[nodiscard]] std::optional<Printed> printed_as(const std::string& asked,
                                                const Prediction& prediction);

/// The share of the time that it was waited for, of several the sum. docs/models/blame.md.
[[nodiscard]] ExplainNode waited_for(const Printed& printed, const Prediction& prediction);

}  // namespace stallcast::explain
