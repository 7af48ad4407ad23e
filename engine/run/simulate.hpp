#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// Simulations in worker processes: starts `stallcast-sim`, feeds it, watches it, collects.
namespace stallcast::run {

/// One simulation to make.
struct Request {
  Design design;
  std::uint64_t seed = 1;
};

struct Options {
  int jobs = 1;                 ///< simulations at a time
  double time_limit_s = 600.0;  ///< wall clock for the whole call
  std::string worker;  ///< path of stallcast-sim; empty: beside this program, or $STALLCAST_SIM
  std::string crash_directory = ".";  ///< where the design of a crashed simulation is saved
  /// Fraction of all requests done, 0..1, called from this thread now and then. May be empty.
  std::function<void(double)> on_progress;
};

/// What became of one request: its result, or why there is none (`exit` says inconclusive for the
/// time limit, internal for a crash; the message names the saved design).
using Outcome = Result<RunResult>;

/// Runs all `requests`, results in their order whatever the number of jobs. Never leaves a process
/// behind. SIGINT and SIGTERM, where the caller has installed `interrupt_flag`, end it early with
/// failures whose exit is inconclusive.
[[nodiscard]] std::vector<Outcome> simulate(const std::vector<Request>& requests,
                                            const Options& options);

/// Set by signal handlers of programs; polled by `simulate`. 0 or the signal's number.
[[nodiscard]] int& interrupt_flag();

}  // namespace stallcast::run
