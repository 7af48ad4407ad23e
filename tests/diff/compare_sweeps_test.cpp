#include <catch2/catch.hpp>

#include "engine/decide/diff/compare_sides.hpp"

namespace compare_sweeps_test {

using namespace stallcast;
using namespace stallcast::diff;

namespace {

constexpr const char* kMetric = "job.train.gpu.utilization";

SweepRow row(const char* text, SweepFigure number, double utilization,
             Verdict verdict = Verdict::none) {
  SweepRow out;
  out.values = {text};
  out.numbers = {number};
  out.key = std::string(text) + std::to_string(utilization);
  out.outcome.emplace();
  out.outcome->verdict = verdict;
  out.outcome->metrics[kMetric] = {utilization, "ratio", std::nullopt};
  return out;
}

SweepReport sweep(std::vector<SweepRow> rows) {
  SweepReport out;
  out.axes = {"storage.ost.read"};
  out.rows = std::move(rows);
  return out;
}

}  // namespace

TEST_CASE("points are the same however their values are written") {
  const SweepDiff found =
      compare(sweep({row("4 GB/s", {4e9, "B/s"}, 0.9), row("1 GB/s", {1e9, "B/s"}, 0.4)}),
              sweep({row("2 GB/s", {2e9, "B/s"}, 0.6), row("4000 MB/s", {4e9, "B/s"}, 0.8)}), {});
  REQUIRE(found.pairs.size() == 1);
  CHECK(found.pairs[0].point == "storage.ost.read=4000 MB/s");
  CHECK(found.only_base == std::vector<std::string>{"storage.ost.read=1 GB/s"});
  CHECK(found.only_head == std::vector<std::string>{"storage.ost.read=2 GB/s"});
  REQUIRE(found.metrics.size() == 1);
  CHECK(found.metrics[0].worse == 1);
  CHECK(found.metrics[0].most.difference() == Approx(-0.1));
}

TEST_CASE("the point where a metric moved most is named, verdicts are counted") {
  const SweepDiff found = compare(sweep({row("1 GB/s", {1e9, "B/s"}, 0.4, Verdict::fail),
                                         row("4 GB/s", {4e9, "B/s"}, 0.9, Verdict::pass)}),
                                  sweep({row("1 GB/s", {1e9, "B/s"}, 0.45, Verdict::pass),
                                         row("4 GB/s", {4e9, "B/s"}, 0.8, Verdict::fail)}),
                                  {});
  CHECK(found.metrics[0].better == 1);
  CHECK(found.metrics[0].worse == 1);
  CHECK(found.metrics[0].point == "storage.ost.read=4 GB/s");
  CHECK(found.now_meet == 1);
  CHECK(found.now_miss == 1);
}

TEST_CASE("a point without a result is counted and moves nothing") {
  SweepReport head = sweep({row("4 GB/s", {4e9, "B/s"}, 0.8)});
  head.rows[0].outcome.reset();
  const SweepDiff found = compare(sweep({row("4 GB/s", {4e9, "B/s"}, 0.9)}), head, {});
  CHECK(found.unfinished == 1);
  CHECK_FALSE(found.changed());
  CHECK(found.warnings.size() == 1);
}

}  // namespace compare_sweeps_test
