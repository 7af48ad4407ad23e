#include <catch2/catch.hpp>

#include "tests/ui/report_samples.hpp"
#include "ui/report/diff/kinds.hpp"
#include "ui/report/diff/words.hpp"
#include "ui/report/report.hpp"

/// How differences are put into words.
namespace diff_words_test {

using namespace stallcast;
using namespace stallcast::report;

TEST_CASE("a change by many times is a plain number") {
  MetricChange m{"job.train.stall", "s", 0.00109, 2.13, Effect::worse};
  CHECK(delta_text(m) == "x 1950");
  m.before = 0.1;
  CHECK(delta_text(m) == "x 21.3");
  m.before = 1e-9;
  CHECK(delta_text(m) == "> x 10000");
}

TEST_CASE("a line of differences keeps its columns apart") {
  Diff diff;
  diff.base.prediction = diff.head.prediction = report::testing::missed_target();
  diff.metrics = {{"job.train.checkpoint.stall", "s", 0.00109, 2.13, Effect::worse}};
  const std::string text = diff_text(diff, {});
  INFO(text);
  CHECK(text.find("2.13 s      x 1950 worse") != std::string::npos);
}

TEST_CASE("what is said once of a job is said of each job") {
  Diff diff;
  diff.base.prediction = diff.head.prediction = report::testing::missed_target();
  for (const char* name : {"job.a.gpu.utilization", "job.a.goodput", "job.b.gpu.utilization"})
    diff.metrics.push_back({name, "ratio", 0.9, 0.45, Effect::worse});
  const auto headlines = headline_metrics(diff, 3);
  REQUIRE(headlines.size() == 2);
  CHECK(headlines[0]->metric == "job.a.gpu.utilization");
  CHECK(headlines[1]->metric == "job.b.gpu.utilization");
}

TEST_CASE("how long all stages take is said first") {
  Diff diff;
  diff.base.prediction = diff.head.prediction = report::testing::missed_target();
  for (const char* name : {"job.a.gpu.utilization", "pipeline.time", "stage.in.time"})
    diff.metrics.push_back({name, "s", 0.9, name[0] == 'j' ? 0.09 : 0.8, Effect::worse});
  CHECK(moved_metrics(diff)[0]->metric == "pipeline.time");
  CHECK(headline_metrics(diff, 3)[0]->metric == "pipeline.time");
}

TEST_CASE("what moves a figure the other way is no cause of it") {
  Diff diff;
  diff.metrics = {{"storage.s.ost.count", "count", 10.0, 14.0, Effect::changed}};
  diff.inputs = {{"a", "1", "2", "", "", {}}, {"b", "1", "2", "", "", {}}};
  diff.attributed.method = Attribution::one_at_a_time;
  diff.attributed.changes = {0, 1};
  diff.attributed.metrics[diff.metrics[0].metric] = {{-2.0, 6.0}, {-2.0, 6.0}, 0.0};
  const std::string text = sentence(diff, diff.metrics[0]);
  INFO(text);
  CHECK(text.find("because b 1 -> 2") != std::string::npos);
  CHECK(text.find("a 1 -> 2") == std::string::npos);
}

TEST_CASE("designs whose ids differ have no metric in common") {
  Diff diff;
  diff.base.prediction.design_sha256 = "a", diff.head.prediction.design_sha256 = "b";
  diff.gone["job.a.gpu.utilization"] = diff.come["job.b.gpu.utilization"] = {0.9, "ratio", {}};
  CHECK(diff_headline(diff).find("no metric in common") != std::string::npos);
  diff.metrics = {{"cost.capex", "USD", 1.0, 1.0, Effect::none}};
  CHECK(diff_headline(diff).find("no metric moved") != std::string::npos);
}

TEST_CASE("what a job waits for at one resource is not said before its shares") {
  Diff diff;
  diff.base.prediction = diff.head.prediction = report::testing::missed_target();
  diff.metrics = {{"job.a.waited.storage.s.ost.read", "s", 0.02, 0.05, Effect::worse},
                  {"job.a.share.data", "ratio", 0.002, 0.003, Effect::worse}};
  CHECK(moved_metrics(diff)[0]->metric == "job.a.share.data");
}

}  // namespace diff_words_test
