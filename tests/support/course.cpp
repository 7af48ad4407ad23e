#include "tests/support/course.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "engine/sim/fluid_context.hpp"
#include "models/job/job.hpp"
#include "models/plant/plant.hpp"
#include "models/run/fast_forward.hpp"

namespace stallcast::testing {
namespace {

sim::Task<void> run_all(sim::Context& context, const models::FastForward::Jobs& jobs) {
  co_await jobs.front()->run();
  context.stop();
}

}  // namespace

Course course_of(const Design& design, bool skipping) {
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, 1);
  const models::Grains grains(design, plant.order());
  models::FastForward::Jobs jobs;
  for (const JobDesign& job : design.jobs)
    jobs.push_back(std::make_unique<models::TrainingJob>(design, job, grains, plant, *context, 1));
  models::FastForward fast_forward(*context, plant, jobs);
  if (skipping) jobs.front()->on_step = [&] { fast_forward.step_done(); };
  for (std::size_t j = 1; j < jobs.size(); ++j) context->spawn(jobs[j]->run());
  context->spawn(run_all(*context, jobs));
  context->run();
  Course out{
      .ends = {}, .wall = jobs.front()->wall(), .skipped = fast_forward.skipped(), .trained = {}};
  for (const auto& job : jobs) out.trained.push_back(job->trained());
  double end = 0.0;
  for (const double step : jobs.front()->measured().steps.values()) out.ends.push_back(end += step);
  return out;
}

double difference(const Course& a, const Course& b) {
  if (a.ends.size() != b.ends.size()) throw std::runtime_error("another number of steps");
  double worst = std::abs(a.wall / b.wall - 1.0);
  for (std::size_t i = 0; i < a.trained.size(); ++i)
    worst = std::max(worst, std::abs(a.trained[i] / b.trained[i] - 1.0));
  for (std::size_t i = 0; i < a.ends.size(); ++i)
    worst = std::max(worst, std::abs(a.ends[i] / b.ends[i] - 1.0));
  return worst;
}

}  // namespace stallcast::testing
