#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/runtime/run/kept_results.hpp"
#include "engine/runtime/run/result_cache.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "engine/runtime/run/worker_process.hpp"
#include "stallcast/result.hpp"

namespace stallcast::run {

/// What keeps the simulations of this worker to themselves, as it says itself: "seccomp", or "none"
/// with the reason. `path` as for `find_worker`.
[[nodiscard]] Result<std::string> sandbox_of(const std::string& path);

/// A `stallcast-sim` that serves several calls of `simulate`, and what it has answered. It is
/// started by the first call that needs it, or ahead of that by `start`, and again after a call
/// that had to stop it. For one thread.
class WarmWorker {
 public:
  static constexpr std::size_t kResultsKept = 1000;

  /// `results_kept`: how many results are kept for the next time they are asked for.
  explicit WarmWorker(std::size_t results_kept = kResultsKept) : results_(results_kept) {}
  WarmWorker(const WarmWorker&) = delete;
  WarmWorker& operator=(const WarmWorker&) = delete;
  ~WarmWorker();

  /// Starts the worker that `options` ask for, so that it loads its libraries while the caller does
  /// something else. Does nothing when such a worker runs. A failure is one of the next call, too.
  Result<bool> start(const SimulateOptions& options);

  [[nodiscard]] ResultCache& results() { return results_; }

  /// Opens the folder that $STALLCAST_RESULTS names, if any, for the worker that `options` ask for.
  Result<bool> open_kept(const SimulateOptions& options);
  /// The result of a request that was answered before: by this worker, or by one like it.
  [[nodiscard]] std::optional<RunResult> known(const SimulationRequest& request);
  void keep(const EncodedDesign& design, const RunResult& result);

 private:
  friend class WorkerSession;
  std::optional<WorkerProcess> process_;
  bool greeted_ = false;  ///< it has said which protocol it speaks
  std::string path_;
  std::vector<std::string> words_;  ///< its options
  ResultCache results_;
  std::optional<KeptResults> kept_;
  std::string kept_for_;  ///< path of the worker that `kept_` was opened for
};

}  // namespace stallcast::run
