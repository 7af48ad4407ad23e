#include <catch2/catch.hpp>

#include "calibration/observe/job_facts.hpp"
#include "calibration/observed_job/observed_job.hpp"

namespace merged_facts_test {

using namespace stallcast;
using namespace stallcast::calibration;

/// What `observe` sees on the machine `name`: itself, and two of the four ranks.
Observation of_machine(const std::string& name, std::int64_t first_rank) {
  Observation out;
  out.ranks = 4;
  out.host.emplace().hosts = 1;
  out.host->cores = 8;
  out.steps.emplace().count = 20;
  Distribution<Seconds>& step = out.steps->duration.emplace();
  step.count = 20;
  step.mean = step.minimum = step.maximum = Seconds::from(0.1, unit::s);
  for (std::int64_t rank = first_rank; rank < first_rank + 2; ++rank) {
    ObservedProcess& process = out.processes.emplace_back();
    process.rank = rank;
    process.host = name;
    process.steps = 10;
  }
  return out;
}

TEST_CASE("machines that were observed each for itself are the hosts of one job") {
  const JobFacts both = facts_of(merged({of_machine("h1", 0), of_machine("h2", 2)}));
  CHECK(both.hosts == 2);
  CHECK(both.ranks_per_host == 2);
  CHECK(both.steps == 10);
  // Two launches on one machine, and what a trace says of all.
  CHECK(facts_of(merged({of_machine("h1", 0), of_machine("h1", 2)})).hosts == 1);
  Observation told = of_machine("h1", 0);
  told.host->hosts = 4;
  CHECK(facts_of(merged({of_machine("h1", 2), told})).hosts == 4);
}

TEST_CASE("the first steps of ranks that were observed each for itself are taken out together") {
  // 10 steps of 0.2 s each, but for the first: 10 s of one rank, 5 s of the other.
  const auto of_rank = [](std::int64_t rank, double first) {
    Observation out = of_machine("h1", rank);
    out.processes.resize(1);
    out.ranks = 2;
    out.steps->count = 10;
    Distribution<Seconds>& compute = out.steps->compute.emplace();
    compute.sample.assign(10, Seconds::from(0.2, unit::s));
    compute.sample.front() = compute.maximum = Seconds::from(first, unit::s);
    compute.count = 10;
    compute.mean = Seconds::from((first + 9 * 0.2) / 10, unit::s);
    compute.minimum = Seconds::from(0.2, unit::s);
    out.figures["first_step_compute_s"] = first;
    out.figures["dataset_samples"] = 1000.0 + first;
    return out;
  };
  const Observation both = merged({of_rank(0, 10.0), of_rank(1, 5.0)});
  CHECK(both.figures.at("first_step_compute_s") == Approx(7.5));
  CHECK(both.figures.at("dataset_samples") == 1010.0);
  const JobFacts facts = facts_of(both);
  CHECK(facts.compute.mean == Approx(0.2));
  CHECK(facts.warm_up.in(unit::s) == Approx(7.3));
}

}  // namespace merged_facts_test
