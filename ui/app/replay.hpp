#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/replay.hpp"
#include "stallcast/result.hpp"

/// A trace replayed on the storage of a scenario. docs/models/replay.md.
namespace stallcast::client {

/// How a program is replayed.
struct ReplayQuestion {
  std::string program;  ///< file
  ReplayHeader header;
  std::string storage, hosts;  ///< ids; "": the only one there is
  std::vector<std::pair<std::string, std::string>>
      maps;  ///< files under a path, on another storage
  std::optional<std::int64_t> per_host;
  std::string speed = "keep";
  bool direct = false;
  bool with_jobs = false;  ///< and other traffic and failures of the scenario
};

/// The design that replays, and where. Fails with bad_input where the scenario has not what is
/// asked for, or several and none is chosen.
struct ReplayDesign {
  Design design;
  std::string storage, hosts;
  std::vector<std::string> also;  ///< storage systems of places 1, 2, ... of the program
  std::uint64_t hosts_used = 1;
};
[[nodiscard]] Result<ReplayDesign> replay_design(const Design& scenario,
                                                 const ReplayQuestion& question);

/// Puts what `prediction` of such a design says beside the trace.
void add_replayed(const ReplayDesign& design, Prediction prediction, Replay& out);

}  // namespace stallcast::client
