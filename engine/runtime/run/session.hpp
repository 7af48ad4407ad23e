#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/codec/protocol.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "engine/runtime/run/warm_worker.hpp"

namespace stallcast::run {

/// One call of `simulate` on one worker: hands out the requests and takes in what is said of them.
/// The id of a request is its place in the list. Leaves the worker idle, or ended.
class WorkerSession {
 public:
  /// REQUIRES: `worker` was started, with the jobs of `options`.
  WorkerSession(const std::vector<SimulationRequest>& requests, const SimulateOptions& options,
                WarmWorker& worker);
  /// Each is to be recorded so: its outcome is a result of no figures, and a timeline.
  void record(codec::Recording what) { record_ = std::move(what); }

  /// Returns once every request has its outcome.
  void run();
  /// REQUIRES: `run` returned.
  [[nodiscard]] std::vector<Outcome> take();
  /// Of one that was to be recorded, and whose outcome is good.
  [[nodiscard]] Timeline take_timeline(std::size_t id) { return std::move(timelines_[id]); }

 private:
  void feed();
  /// False when the worker does not keep to the protocol.
  [[nodiscard]] bool hear(const std::string& line);
  [[nodiscard]] bool hear_of(codec::WorkerMessage message);
  void take_in(std::size_t id, Result<Timeline> timeline);
  /// A simulation ended.
  void settle(std::size_t id, Outcome outcome);
  /// A request has its outcome, simulated or not.
  void conclude(std::size_t id, Outcome outcome);
  void report_progress();
  /// Gives every request without an outcome this failure.
  void fail_rest(const Failure& failure);
  void fail_rest_after_death();
  [[nodiscard]] bool stopped_from_outside();
  [[nodiscard]] Failure crash(std::size_t id, const std::string& what, const std::string& log);
  [[nodiscard]] std::string line_of(std::size_t id) const;
  [[nodiscard]] std::string done_text() const;

  const std::vector<SimulationRequest>& requests_;
  const SimulateOptions& options_;
  WorkerProcess& worker_;
  bool& greeted_;
  std::size_t fed_ = 0;
  std::size_t settled_ = 0;
  std::vector<double> fractions_;
  double reported_ = -1.0;
  std::vector<std::optional<Outcome>> outcomes_;
  std::optional<codec::Recording> record_;
  std::map<std::size_t, Timeline> timelines_;  ///< by request
};

}  // namespace stallcast::run
