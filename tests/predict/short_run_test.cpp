#include <catch2/catch.hpp>

#include "engine/decide/predict/predict.hpp"
#include "engine/decide/predict/short_run.hpp"

/// What the start of a short run decides: docs/models/training.md, eq. 9.
namespace short_run_test {

using namespace stallcast;

namespace {

// One job that waited `first` seconds of 240 for its first batch; where `that` is a target.
struct Case {
  double first = 16.0, use = 0.92;
  const char* that = "";
  bool epochs = false;
};
std::vector<std::string> said(const Case& c) {
  Design design;
  design.jobs.emplace_back();
  design.jobs[0].job.id = "mm";
  if (c.epochs) design.jobs[0].job.values["epochs"] = Value{};
  if (*c.that != '\0') design.expect.push_back({"busy", c.that, "error", "", "/expect/0"});
  Prediction p;
  p.metrics["job.mm.time.wall"] = {240.0, "s", {}};
  p.metrics["job.mm.first_batch.waited"] = {c.first, "s", {}};
  p.metrics["job.mm.gpu.utilization"] = {c.use, "ratio", {}};
  p.metrics["job.mm.stall.data"] = {0.01, "ratio", {}};
  Diagnostics faults;
  p.assertions = predict::check(design, p, faults);
  REQUIRE_FALSE(faults.has_errors());
  return predict::start_warnings(design, p);
}

}  // namespace

TEST_CASE("a target that the start of a short run decides is told so, with what a long run has") {
  // 16 s of 240 are a fifteenth: without them 92 % are 98.6.
  const auto missed = said({.that = "job.mm.gpu.utilization >= 96 %"});
  REQUIRE(missed.size() == 1);
  for (const char* part : {"6.7 % of the run", "16 s of 4 min", "\"busy\" is missed by", "7.1 %",
                           "54 min", "job.mm.steady.au"}) {
    INFO(part << " in " << missed[0]);
    CHECK(missed[0].find(part) != std::string::npos);
  }
  // Met by less than that: fewer may do.
  CHECK(said({.that = "job.mm.gpu.utilization >= 91 %"}).size() == 1);
}

TEST_CASE("a target that the start does not decide is no matter of it") {
  CHECK(said({.that = "job.mm.gpu.utilization >= 80 %"}).empty());
  CHECK(said({.that = "job.mm.gpu.utilization >= 99 %"}).empty());
  CHECK(said({.first = 2.0, .that = "job.mm.gpu.utilization >= 92.5 %"}).empty());
  // Also where another figure is asked for and the start is a twentieth of the time.
  CHECK(said({.that = "job.mm.stall.data <= 2 %"}).size() == 1);
}

TEST_CASE("without a target the start is told where it is much of the run") {
  CHECK(said({.first = 16.0}).size() == 1);
  CHECK(said({.first = 8.0}).empty());
  CHECK(said({.first = 240.0}).empty());  // nothing else was simulated
}

TEST_CASE("the start of a job that ends with its work is part of it") {
  CHECK(said({.that = "job.mm.gpu.utilization >= 96 %", .epochs = true}).empty());
}

TEST_CASE("a run that ends before a save is due says what a long run has") {
  // 1,199 steps of 15.87 ms with a save of 7 s after 300: of the fourth save 299 / 300 are owed.
  const auto said = [](double steps, double saves, const char* by) {
    Design design;
    design.jobs.emplace_back();
    design.jobs[0].job.id = "mm";
    design.jobs[0].checkpoint.emplace();
    design.jobs[0].checkpoint->values[by].number = 300.0;
    design.run.values["duration"].number = 40.0;
    const double wall = steps * 0.01587 + saves * 7.0;
    Prediction p;
    p.metrics["job.mm.time.wall"] = {wall, "s", {}};
    p.metrics["job.mm.steps"] = {steps, "count", {}};
    p.metrics["job.mm.gpu.utilization"] = {steps * 0.00997 / wall, "ratio", {}};
    p.metrics["job.mm.checkpoint.count"] = {saves, "count", {}};
    p.metrics["job.mm.checkpoint.stall"] = {7.0, "s", {}};
    if (const double owed = 7.0 * (steps / 300.0 - saves); owed > 0.0)
      p.metrics["job.mm.checkpoint.owed"] = {owed, "s", {}};
    return predict::interval_warnings(design, p);
  };
  const auto ends = said(1199, 3, "every_steps");
  REQUIRE(ends.size() == 1);
  // 9.97 ms of 15.87 + 7 s / 300; a save that is missing is half a point of 29.9 % x 7 s x 200
  for (const char* part : {"299 of 300 steps after its last save", "25.4 %, not 29.9 %", "7 min"}) {
    INFO(part << " in " << ends[0]);
    CHECK(ends[0].find(part) != std::string::npos);
  }
  CHECK(said(1200, 4, "every_steps").empty());  // whole intervals
  CHECK(said(1203, 4, "every_steps").empty());  // less than a point
  CHECK(said(119900, 399, "every_steps").empty());
  CHECK(said(1199, 3, "every").empty());  // told before it runs
}

}  // namespace short_run_test
