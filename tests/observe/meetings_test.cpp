#include <catch2/catch.hpp>

#include "observe/observe_support.hpp"

namespace stallcast::calibration {

TEST_CASE("dlio-output: ranks meet after their compute, so that the slowest of each step ends it") {
  // A barrier behind `proc`: both compute 1 s, and wait for data in turn.
  const auto of_ranks = [](const char* one, const char* two) {
    ObservationBuilder builder(false);
    for (const char* text : {one, two}) {
      Diagnostics faults;
      Result<TraceFile> file = TraceFile::open(trace_file(text), faults);
      REQUIRE(file.ok());
      find_trace_format("dlio-output")->read(*file, text == one ? 0 : 1, builder);
    }
    return builder.finish();
  };
  const Observation o = of_ranks(
      R"({"1": {"load": {"block1": [3.0, 0.5, 0.0]}, "proc": {"block1": [4.0, 1.5, 1.0]}}})",
      R"({"1": {"load": {"block1": [3.0, 0.0, 2.5]}, "proc": {"block1": [4.0, 1.0, 3.5]}}})");
  CHECK(o.steps->count == 6);
  CHECK(o.steps->duration->mean.in(unit::s) == Approx((4.0 + 1.5 + 3.5) / 3));
  CHECK(o.steps->compute->mean.in(unit::s) == Approx(1.0));
  CHECK(o.steps->wait->mean.in(unit::s) == Approx(9.0 / 6));
  CHECK(o.figures.at("step_others_s") == Approx((0.5 + 2.5) / 6));
  // A barrier within `proc`: what it waits is in the compute.
  const Observation before = of_ranks(
      R"({"1": {"load": {"block1": [3.0, 0.5, 0.0]}, "proc": {"block1": [4.0, 1.5, 3.5]}}})",
      R"({"1": {"load": {"block1": [3.0, 0.0, 2.5]}, "proc": {"block1": [4.0, 1.5, 3.5]}}})");
  CHECK(before.steps->duration->mean.in(unit::s) == Approx((4.0 + 1.5 + 3.5) / 3));
  CHECK(before.figures.count("step_others_s") == 0);
}

}  // namespace stallcast::calibration
