#include "engine/run/simulate.hpp"

#include <algorithm>

#include "engine/run/find_worker.hpp"
#include "engine/run/session.hpp"
#include "engine/run/worker_process.hpp"

namespace stallcast::run {

std::vector<Outcome> simulate(const std::vector<Request>& requests, const Options& options) {
  if (requests.empty()) return {};
  const auto all_fail = [&requests](const Failure& failure) {
    return std::vector<Outcome>(requests.size(), failure);
  };
  const Result<std::string> path = find_worker(options.worker);
  if (!path) return all_fail(path.failure());
  const auto jobs = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(options.jobs, 1)), 1,
                                            requests.size());
  Result<WorkerProcess> worker = WorkerProcess::start(*path, static_cast<int>(jobs));
  if (!worker) return all_fail(worker.failure());
  Session session(requests, options, *worker);
  session.run();
  return session.take();
}

// The one piece of state a signal handler can reach; constant-initialised, so safe to touch there.
int& interrupt_flag() {
  static constinit int flag = 0;
  return flag;
}

}  // namespace stallcast::run
