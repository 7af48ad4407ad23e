#include "engine/runtime/run/simulate.hpp"

#include <algorithm>
#include <optional>

#include "engine/base/sha256.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/run/session.hpp"
#include "engine/runtime/run/warm_worker.hpp"

namespace stallcast::run {
namespace {

std::vector<Outcome> run_all(const std::vector<SimulationRequest>& requests,
                             const SimulateOptions& options, WarmWorker& worker) {
  if (requests.empty()) return {};
  if (const auto started = worker.start(options); !started)
    return std::vector<Outcome>(requests.size(), started.failure());
  WorkerSession session(requests, options, worker);
  session.run();
  return session.take();
}

/// Simulates those that are not known already.
std::vector<Outcome> run_new(const std::vector<SimulationRequest>& requests,
                             const SimulateOptions& options) {
  WarmWorker& warm = *options.warm;
  if (const auto opened = warm.open_kept(options); !opened)
    return std::vector<Outcome>(requests.size(), opened.failure());
  std::vector<std::optional<Outcome>> all(requests.size());
  std::vector<SimulationRequest> rest;
  std::vector<std::size_t> places;  // of `rest` in `requests`
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (auto known = warm.known(requests[i])) {
      all[i] = *std::move(known);
      if (options.on_outcome) options.on_outcome(i, *all[i]);
    } else {
      rest.push_back(requests[i]);
      places.push_back(i);
    }
  }
  SimulateOptions of_rest = options;
  of_rest.on_outcome = [&](std::size_t i, Outcome& outcome) {
    if (outcome) warm.keep(*rest[i].design, *outcome);
    if (options.on_outcome) options.on_outcome(places[i], outcome);
  };
  std::vector<Outcome> simulated = run_all(rest, of_rest, warm);
  for (std::size_t next = 0; next < rest.size(); ++next)
    all[places[next]] = std::move(simulated[next]);
  std::vector<Outcome> out;
  out.reserve(all.size());
  for (std::optional<Outcome>& outcome : all) out.push_back(*std::move(outcome));
  return out;
}

}  // namespace

EncodedDesign::EncodedDesign(const Design& design)
    : text(codec::encode_identity(design)),
      hash(base::sha256(text)),
      reads_files(codec::reads_files(design)) {}

std::vector<Outcome> simulate(const std::vector<SimulationRequest>& requests,
                              const SimulateOptions& options) {
  if (options.warm != nullptr) return run_new(requests, options);
  WarmWorker only(0);
  SimulateOptions with_one = options;
  with_one.warm = &only;
  return run_new(requests, with_one);
}

// The one piece of state a signal handler can reach; constant-initialised, so safe to touch there.
int& interrupt_flag() {
  static constinit int flag = 0;
  return flag;
}

}  // namespace stallcast::run
