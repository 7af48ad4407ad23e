#include <algorithm>
#include <cmath>
#include <utility>

#include "models/job/job.hpp"
#include "stallcast/metric.hpp"

/// A job whose data set is brought while it reads it. docs/models/stages.md.
namespace stallcast::models {

void TrainingJob::read_behind(std::vector<StageSupply*> supplies) { behind_ = std::move(supplies); }

// Before a step all that its loader may then have asked for is there: (i + 1 + ahead) / n, and
// everything from the second epoch on.           [docs/models/stages.md, eq. 3]
sim::Task<void> TrainingJob::await_input() {
  const LoaderRuntime* loader = classes_.front().loader.get();
  if (behind_.empty() || loader == nullptr) co_return;
  const double steps = loader->steps_per_epoch();
  const double asked = static_cast<double>(epoch_.done + 1 + loader->read_ahead());
  const double share = epochs_ > 0            ? 1.0
                       : std::isfinite(steps) ? std::min(1.0, asked / steps)
                                              : 0.0;
  const Seconds since = context_.now();
  co_await reach_all(behind_, share);
  const Seconds waited = context_.now() - since;
  starved_ += waited;
  once_ += waited;
  if (waited > Seconds{})
    waited_.add(Phase::data, waited, plant_.resources().index(metric::of_job(id_, "input")));
}

}  // namespace stallcast::models
