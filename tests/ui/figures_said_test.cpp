#include <catch2/catch.hpp>

#include "tests/ui/report_samples.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"
#include "ui/report/waterfall.hpp"

/// What is said beside a figure, so that two of them do not seem to contradict each other.
namespace figures_said_test {

using namespace stallcast;
using namespace stallcast::report;

TEST_CASE("a figure outside of its own interval says why") {
  Prediction p = report::testing::drawn();
  const std::string busy = "job.train.gpu.utilization";
  Spread& spread = p.uncertainty->metrics.at(busy);
  p.metrics.at(busy).value = 0.5 * (spread.all.low + spread.all.high);
  CHECK(parts_phrase(p, busy).starts_with("middle"));
  p.metrics.at(busy).value = spread.all.high + 0.01;
  CHECK(parts_phrase(p, busy).starts_with("outside, as most inputs are stated at one end"));
}

TEST_CASE("a limit has the unit of what is predicted beside it") {
  AssertionOutcome a;
  a.metric = "job.train.throughput.samples", a.unit = "ops/s";
  a.that = a.metric + " >= 230 kops/s";
  CHECK(asked_phrase(a) == ">= 230 ksamples/s");
  a.metric = "job.train.gpu.utilization", a.that = a.metric + " >= 90 %", a.unit = "ratio";
  CHECK(asked_phrase(a) == ">= 90 %");
}

TEST_CASE("limits of hours are told as times of their size are, with all they are") {
  CHECK(print_limit(216000.0, "s") == "2 d 12 h");
  CHECK(print_limit(129600.0, "s") == "1 d 12 h");
  CHECK(print_limit(5400.0, "s") == "1 h 30 min");
  CHECK(print_limit(65.9 * 3600.0, "s") == "65.9 h");
  CHECK(print_beside(216072.0, 216000.0, "s") == "60.02 h");
  CHECK(print_beside(237013.0, 65.9 * 3600.0, "s") == "65.84 h");
}

TEST_CASE("compute that failures undid is named where GPUs were busy for longer than what counts") {
  Prediction p = report::testing::drawn();
  const std::string busy = "job.train.gpu.utilization";
  p.breakdown["train"] = {{"compute", 0.684}, {"restart", 0.308}, {"data", 0.008}};
  p.metrics[busy].value = 0.767;
  CHECK(undone_phrase(p, "train") ==
        "GPUs were busy 76.7 % of it: 8.3 points are compute that failures undid");
  p.metrics[busy].value = 0.684;
  CHECK(undone_phrase(p, "train").empty());
}

}  // namespace figures_said_test
