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

TEST_CASE("dlio-output: ranks whose files are missing are named") {
  const auto noted = [](const std::vector<std::int64_t>& ranks, const std::string& accelerators) {
    ObservationBuilder builder(false);
    for (const std::int64_t rank : ranks) {
      Diagnostics faults;
      Result<TraceFile> file = TraceFile::open(
          trace_file("{" + accelerators +
                     R"("1": {"load": {"block1": [0.1]}, "proc": {"block1": [0.2]}}})"),
          faults);
      REQUIRE(file.ok());
      find_trace_format("dlio-output")->read(*file, rank, builder);
    }
    const Observation o = builder.finish();
    return std::pair(o.ranks, o.notes.empty() ? "" : o.notes.front());
  };
  const std::string longer =
      "; a step ends with the slowest of all ranks, so those that one of these ended lasted longer "
      "than is said here";
  const std::string four = R"("num_accelerators": 4, )";
  CHECK(noted({0}, four).second ==
        "the job had 4 ranks, and steps of 1 are here: the files of ranks 1 to 3 are missing" +
            longer);
  CHECK(noted({0, 2, 3}, four).second ==
        "the job had 4 ranks, and steps of 3 are here: the file of rank 1 is missing" + longer);
  CHECK(noted({0, 1, 2, 3}, four).second.empty());
  // Without summary.json the highest number tells how many there were at least.
  const auto [ranks, note] = noted({1, 2, 5}, "");
  CHECK(ranks == 6);
  CHECK(note ==
        "the job had 6 ranks or more, and steps of 3 are here: the files of ranks 0, 3 to 4 are "
        "missing" +
            longer);
  CHECK(noted({0, 1}, "").second.empty());
}

}  // namespace stallcast::calibration
