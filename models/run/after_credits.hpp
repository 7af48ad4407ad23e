#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/bounds/cost.hpp"
#include "models/bounds/run_requests.hpp"
#include "models/contract/storage.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

/// How a whole run goes on when credits of its storage are gone: docs/models/burst-credits.md,
/// equation 3.
namespace stallcast::models {

/// By storage system.
using CreditLevels = std::map<std::string, std::vector<CreditLevel>>;

/// What was simulated of a design, before anything is made of it for whole runs.
struct Window {
  RunResult result;
  RequestPhases requests;
  RequestRates rates;
  CreditLevels credits{};  ///< when the last job had made its last step
};

/// Credits that end before a whole run does.
struct CreditsGone {
  std::string job;
  Seconds slowed{};                        ///< how much longer it takes than as long as they last
  std::map<std::string, Seconds> dates{};  ///< by storage system

  /// Adds "job.J.run.slowed", and sets "storage.S.credits.lasts".
  void add_to(std::map<std::string, Metric>& metrics) const;
};

/// Where the only whole run of `design`, of which `first` was simulated, takes longer than its
/// credits last. `simulate` is called once for each storage system whose credits end, with all
/// that have ended by then empty at the start. REQUIRES: follows_credits(design).
[[nodiscard]] CreditsGone after_credits(const Design& design, const Window& first,
                                        const std::function<Window(const Design&)>& simulate);

}  // namespace stallcast::models
