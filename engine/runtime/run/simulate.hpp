#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/deadline.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// Simulations in worker processes: starts `stallcast-sim`, feeds it, watches it, collects.
namespace stallcast::run {

class WarmWorker;

/// What of a design decides its results, as it is sent, and the hash of that.
struct EncodedDesign {
  explicit EncodedDesign(const Design& design);
  std::string text;  ///< codec::encode_identity
  std::string hash;  ///< codec::design_hash
  bool reads_files;  ///< codec::reads_files
};

/// One simulation to make. Those of one design share its text.
struct SimulationRequest {
  SimulationRequest(std::shared_ptr<const EncodedDesign> encoded, std::uint64_t its_seed)
      : design(std::move(encoded)), seed(its_seed) {}
  SimulationRequest(const Design& plain, std::uint64_t its_seed)
      : SimulationRequest(std::make_shared<const EncodedDesign>(plain), its_seed) {}
  std::shared_ptr<const EncodedDesign> design;
  std::uint64_t seed;
};

/// What became of one request: its result, or why there is none (`exit` says inconclusive for the
/// time limit, internal for a crash; the message names the saved design).
using Outcome = Result<RunResult>;

/// Of several designs, in their order.
using EncodedDesigns = std::vector<std::shared_ptr<const EncodedDesign>>;

struct SimulateOptions {
  int jobs = 1;          ///< simulations at a time
  base::Deadline until;  ///< of this call and those that follow with these options
  std::string worker;    ///< path of stallcast-sim; empty: next to this program, or $STALLCAST_SIM
  double memory_mb = 0.0;  ///< that one simulation may take; 0: its part of the machine's
  int cpu_s = 0;           ///< time on a core that one may take; 0: any
  std::string crash_directory = ".";  ///< where the design of a crashed simulation is saved
  /// Fraction of all requests done, 0..1, called from this thread now and then. May be empty.
  std::function<void(double)> on_progress = {};
  /// A worker that several calls share, and its results; must outlive the call. None: one for this
  /// call alone.
  WarmWorker* warm = nullptr;
  /// Called from this thread when a simulation has ended, with its place in the list: results of
  /// thousands can be kept as they come, and taken out of what `simulate` returns. Not called for
  /// what was never begun or was cut off by the time limit, an interrupt or a dead worker. May be
  /// empty.
  std::function<void(std::size_t, Outcome&)> on_outcome = {};
  /// Ends the call early once it is true, as an interrupt does. May be null.
  const std::atomic<bool>* cancelled = nullptr;
};

/// Runs all `requests`, results in their order whatever the number of jobs. Leaves no process
/// behind but the one of `options.warm`. SIGINT and SIGTERM, where the caller has installed
/// `interrupt_flag`, end it early with failures whose exit is inconclusive.
[[nodiscard]] std::vector<Outcome> simulate(const std::vector<SimulationRequest>& requests,
                                            const SimulateOptions& options);

/// Set by signal handlers of programs; polled by `simulate`. 0 or the signal's number.
[[nodiscard]] int& interrupt_flag();

}  // namespace stallcast::run
