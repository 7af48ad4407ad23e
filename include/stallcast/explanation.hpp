#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast {

/// One number and what it was made of. `children` with a symbol are in `equation`, which gives
/// `value` of theirs to 1e-9; those without one are next to it: what else is known about the
/// number.
struct ExplainNode {
  enum class Kind {
    simulated,  ///< measured in the simulation
    derived,    ///< by an equation, without simulating
    input,      ///< a value of the scenario, the catalogue, a profile or a default: `source`
    figure,     ///< put in by the models; `note` says what it is
    rest        ///< what is left of a simulated number when all that is known is taken off
  };
  std::string name;         ///< "job.train.gpu.utilization", "storage[scratch].ost.count"
  std::string symbol = {};  ///< in the equation of the parent; "" = next to it
  double value = 0.0;       ///< in `unit`
  std::string unit = {};    ///< as of a Metric
  std::string text = {};    ///< of inputs: as a scenario writes them
  Kind kind = Kind::simulated;
  std::string equation = {};   ///< "compute / wall"; "" = not made of others
  std::string reference = {};  ///< "docs/models/bounds.md, eq. 1"
  std::string note = {};
  std::optional<Source> source = std::nullopt;  ///< of inputs
  std::vector<ExplainNode> children = {};
};

/// A change of the design that was simulated, of whichever kind.
struct WhatIf : Alternative {
  enum class Kind {
    relieve,  ///< more of what limits, or used in another way
    save      ///< less of what does not: what could be left out
  };
  Kind kind = Kind::relieve;
};

/// The answer to "why".
struct Explanation {
  std::string scenario_id;
  std::vector<std::string> asked;        ///< metrics that were asked for; empty: the headline ones
  std::vector<ExplainNode> trees;        ///< one a metric
  std::string bound_by;                  ///< what sets the bound of GPU utilization
  double bound = 0.0;                    ///< of it, without simulating
  std::string bound_of;                  ///< job that it is of; "" where there is one alone
  std::optional<Prediction> prediction;  ///< none when only closed forms were asked for
  std::optional<Prediction> estimate = std::nullopt;  ///< what they say of the design, then
  std::vector<WhatIf> what_ifs;  ///< best first; those that save after those that relieve
};

}  // namespace stallcast
