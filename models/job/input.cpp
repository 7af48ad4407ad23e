#include <algorithm>
#include <cmath>
#include <utility>

#include "models/job/job.hpp"
#include "stallcast/metric.hpp"

/// A job whose data set is brought while it reads it. docs/models/stages.md.
namespace stallcast::models {
namespace {

sim::Task<void> then_set(sim::Task<void> what, std::shared_ptr<sim::Signal> signal) {
  co_await what;
  signal->set();
}

}  // namespace

void TrainingJob::read_behind(std::vector<StageSupply*> supplies) { behind_ = std::move(supplies); }

// Before a step all that its loader may then have asked for is there: (i + 1 + ahead) / n, and
// everything from the second epoch on. A failure ends the wait.    [docs/models/stages.md, eq. 3]
sim::Task<void> TrainingJob::await_input() {
  const LoaderRuntime* loader = classes_.front().loader.get();
  if (behind_.empty() || loader == nullptr) co_return;
  const double steps = loader->steps_per_epoch();
  const double asked = static_cast<double>(epoch_.done + 1 + loader->read_ahead());
  const double share = epochs_ > 0            ? 1.0
                       : std::isfinite(steps) ? std::min(1.0, asked / steps)
                                              : 0.0;
  const auto there = [&] {
    return std::ranges::all_of(behind_, [&](const auto* each) { return each->share() >= share; });
  };
  if (there()) co_return;
  const Seconds since = context_.now();
  if (restarts_.next().finite()) {
    const auto either = std::make_shared<sim::Signal>(context_);
    context_.spawn(then_set(reach_all(behind_, share), either));
    context_.spawn(then_set(pass(std::max(Seconds{}, restarts_.next() - since)), either));
    co_await either->wait();
    if (!there()) restarts_.strike();
  } else {
    co_await reach_all(behind_, share);
  }
  const Seconds waited = context_.now() - since;
  starved_ += waited;
  once_ += waited;
  if (waited > Seconds{})
    waited_.add(Phase::data, waited, plant_.resources().index(metric::of_job(id_, "input")));
}

}  // namespace stallcast::models
