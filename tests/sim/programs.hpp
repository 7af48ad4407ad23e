#pragma once

#include <limits>
#include <vector>

#include "engine/sim/context.hpp"
#include "stallcast/units.hpp"

/// Small programs that the tests of both contexts run.
namespace stallcast::tests {

inline Seconds s(double value) { return Seconds::from(value, unit::s); }
inline Bytes b(double value) { return Bytes::from(value, unit::B); }
inline Rate bps(double value) { return Rate::from(value, unit::Bps); }

struct Transfer {
  std::vector<sim::LinkId> path;
  Bytes bytes{};
  double members = 1.0;
  Rate cap = Rate::infinity();
  Seconds start{};
  int repeats = 1;  ///< one after the other
};

/// Runs `what` and stores how its last repetition went in `into`, which outlives the run.
inline sim::Task<void> run_transfer(sim::Context& context, Transfer what, sim::FlowOutcome& into) {
  co_await context.sleep(what.start);
  for (int i = 0; i < what.repeats; ++i) {
    into = co_await context.transfer(
        {.path = what.path, .bytes = what.bytes, .members = what.members, .cap = what.cap});
  }
}

/// Runs all of `transfers` at once; their ends in s, in the order given.
inline std::vector<double> ends_of(sim::Context& context, const std::vector<Transfer>& transfers) {
  std::vector<sim::FlowOutcome> outcomes(transfers.size());
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    context.spawn(run_transfer(context, transfers[i], outcomes[i]));
  }
  context.run();
  std::vector<double> ends;
  for (const sim::FlowOutcome& outcome : outcomes) ends.push_back(outcome.ended.in(unit::s));
  return ends;
}

}  // namespace stallcast::tests
