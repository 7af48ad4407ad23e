#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stallcast/prediction.hpp"

/// Architectures side by side.
namespace stallcast {

/// One of them.
struct ComparedDesign {
  std::string name;  ///< as the user named it
  /// What it is made of, {what, of which}: {"hosts", "8 x dgx-h100"}, {"scratch", "lustre: 48
  /// OSTs"}. Empty of a recorded result.
  std::vector<std::pair<std::string, std::string>> plant;
  Prediction prediction;
  std::map<std::string, double> gpus = {};  ///< by job; empty of a recorded result
};

struct SideBySide {
  std::vector<ComparedDesign> designs;  ///< in the order they were named; at least one
  std::vector<std::string> notes;       ///< where they do not do the same work
  std::vector<std::string> warnings;    ///< of their simulations, each once: "a.json: no price ..."
};

}  // namespace stallcast
