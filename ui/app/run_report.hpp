#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/client.hpp"

/// The use cases `run` and `explain`: what a report shows of one design.
namespace stallcast::client {

/// Changes that are tried where nobody says how many.
inline constexpr std::size_t kMostAlternatives = 4;

/// Fewer draws than this, but none, say nothing of an interval.
inline constexpr std::size_t kFewestDraws = 4;

struct RunReport {
  Prediction prediction;             ///< with its alternatives
  std::optional<Timeline> timeline;  ///< what happens when
};

struct RunQuestion {
  Question predict = {};  ///< time limit and progress are those of everything together
  std::optional<Prediction> known = std::nullopt;  ///< of the design: it is not simulated again
  std::optional<Design> design = std::nullopt;     ///< the scenario's, with other targets
  /// Simulations with inputs drawn from what they may be; none: as many as fit about a second.
  std::optional<std::size_t> draws = std::nullopt;
  bool gains = true;     ///< make parts twice as fast to see what limits
  bool advise = true;    ///< try changes
  bool timeline = true;  ///< record what happens when
  bool around = false;   ///< what a first page shows of designs around it
  /// Of `compare`: what bounds alone say of a design of which no simulation ended. Without it, that
  /// is a failure.
  bool bounds = false;
};

/// Predicts the design of `scenario`, then tries changes that help, then records what happens
/// when, each in what is left of the time limit, until an interrupt. Fails as the prediction does.
[[nodiscard]] Result<RunReport> run_report(Session& session, const Scenario& scenario,
                                           const RunQuestion& wanted);

/// What is known where no simulation of `design` ended, for the reason `why`: its estimate, which
/// decides nothing.
[[nodiscard]] Prediction bounds_alone(const Session& session, const Design& design,
                                      const Failure& why);

struct ExplainQuestion {
  Question predict = {};                  ///< its time limit is for everything together
  std::vector<std::string> metrics = {};  ///< to take apart; none: the headline ones
  bool simulate = true;                   ///< false: what closed forms say
  std::size_t what_ifs = 0;               ///< most changes to try
};

/// Explains the design of `scenario`, then tries changes in what is left of the time limit,
/// unless there was an interrupt. Fails as Session::explain does.
[[nodiscard]] Result<Explanation> explain_report(Session& session, const Scenario& scenario,
                                                 const ExplainQuestion& wanted);

}  // namespace stallcast::client
