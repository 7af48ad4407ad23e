#include "engine/runtime/run/record.hpp"

#include <algorithm>
#include <vector>

#include "engine/runtime/run/session.hpp"
#include "engine/runtime/run/warm_worker.hpp"

namespace stallcast::run {

Result<Timeline> record(const SimulationRequest& request, const TimelineRequest& what,
                        const SimulateOptions& options) {
  WarmWorker only(0);
  WarmWorker& worker = options.warm != nullptr ? *options.warm : only;
  if (const auto opened = worker.open_kept(options); !opened) return opened.failure();
  if (const auto started = worker.start(options); !started) return started.failure();
  const std::vector<SimulationRequest> requests = {request};
  WorkerSession session(requests, options, worker);
  codec::Recording recording{.what = what};
  if (const auto known = worker.known(request)) recording.presumed = known->presumed;
  session.record(std::move(recording));
  session.run();
  const std::vector<Outcome> outcomes = session.take();
  if (!outcomes.front().ok()) return outcomes.front().failure();
  return session.take_timeline(0);
}

}  // namespace stallcast::run
