#include "engine/decide/uncertain/discrepancy.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/designs.hpp"

namespace discrepancy_test {

using namespace stallcast;
using uncertain::discrepancy_of;

TEST_CASE("a job's own discrepancy takes the place of that of all jobs, by class of figure") {
  Design design = testing::small_design();
  for (const char* metric : {"job.train.first_batch", "job.train.checkpoint.stall",
                             "job.train.step.time", "job.train.stall.data"})
    CHECK(discrepancy_of(metric, design, {}) == discrepancy_of(metric));
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.step", "3 %");
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.utilization", "0.04");
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.first_batch", "20 %");
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.checkpoint", "5 %");
  CHECK(discrepancy_of("job.train.step.time", design, {}) == Approx(std::log(1.03)));
  CHECK(discrepancy_of("job.train.steady.step.time", design, {}) == Approx(std::log(1.03)));
  CHECK(discrepancy_of("job.train.throughput.samples", design, {}) == Approx(std::log(1.03)));
  CHECK(discrepancy_of("job.train.au", design, {}) == Approx(0.04));
  CHECK(discrepancy_of("job.train.first_batch", design, {}) == Approx(std::log(1.2)));
  CHECK(discrepancy_of("job.train.checkpoint.stall", design, {}) == Approx(std::log(1.05)));
  // Of another job, and of no class.
  CHECK(discrepancy_of("job.other.au", design, {}) == discrepancy_of("job.other.au"));
  CHECK(discrepancy_of("job.train.stall.data", design, {}) == 0.0);
}

TEST_CASE("utilization is known by who reads, and better where probes measured that") {
  Design design = testing::small_design();
  std::vector<Prediction> waits(2);
  waits[1].metrics["job.train.stall.data"] = {0.001, "ratio", std::nullopt};
  waits[1].metrics["job.train.stall.cpu"] = {0.001, "ratio", std::nullopt};
  JobDesign& job = design.jobs[0];
  const auto of_au = [&] { return discrepancy_of("job.train.au", design, waits); };
  const double measured = discrepancy_of("job.train.au");
  job.loader.emplace();
  job.loader->kind = "pytorch";
  CHECK(of_au() == Approx(0.75));
  CHECK(discrepancy_of("job.train.goodput", design, waits) == of_au());
  CHECK(uncertain::probed_discrepancy_of("job.train.au", design) == measured);
  CHECK(discrepancy_of("job.train.au", design, std::span(waits).first(1)) == measured);
  job.loader->kind = "tensorflow";
  CHECK(of_au() == Approx(0.15));
  job.loader->kind = "dali";
  CHECK(of_au() == Approx(0.5));

  job.loader->kind = "pytorch";
  Value& cost = job.loader->values["sending"];
  cost.source = {Source::Kind::profile, "profile:run", "observed runs", false};
  CHECK(of_au() == Approx(0.75));
  cost.source = {Source::Kind::profile, "profile:probes", "fit io.read.random", false};
  CHECK(of_au() == Approx(0.75));
  cost.source = {Source::Kind::profile, "profile:probes", "fit loader.make", false};
  CHECK(of_au() == measured);
  job.loader.reset();
  CHECK(of_au() == measured);
}

}  // namespace discrepancy_test
