#include <catch2/catch.hpp>
#include <string>

#include "engine/decide/plan/advice.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/values.hpp"

/// Which changes are tried, and which of them meet targets.
namespace tried_changes_test {

using namespace stallcast;

TEST_CASE("a change that moves nothing of a target that lacks confidence does not meet it") {
  // 357 of at most 380 kUSD, in 67 of 100 draws: more threads cost as much.
  Prediction base;
  base.verdict = Verdict::fail;
  AssertionOutcome cost{"cap", "cost.capex <= 380 kUSD", 357e3, "USD", "fail", "error", "", ""};
  cost.metric = "cost.capex", cost.confidence = 0.8, cost.probability = 0.67;
  base.assertions = {cost};
  const auto with = [&](double value) {
    plan::Tried tried{{"threads 1 -> 2", {}}, base};
    tried.prediction.verdict = Verdict::pass;  // by its figure, without draws
    AssertionOutcome& judged = tried.prediction.assertions[0];
    judged.value = value, judged.status = "pass", judged.probability.reset();
    return plan::in_short(tried, base);
  };
  const Alternative same = with(357e3), less = with(300e3);
  CHECK(same.verdict == Verdict::fail);
  REQUIRE(same.missed.size() == 1);
  CHECK(same.missed[0].id == "cap");
  CHECK(less.verdict == Verdict::pass);
  CHECK(less.missed.empty());
}

TEST_CASE("what reads at a time is not tried for saves, nor what writes for reads") {
  const auto tried = [](bool reads, bool saves) {
    Design d = testing::small_design();
    d.storage[0].kind = "s3";
    d.storage[0].values["get.parallel"] = testing::number(1, Dimension::count);
    d.storage[0].values["put.parallel"] = testing::number(4, Dimension::count);
    Value on;
    on.dimension = Dimension::text;
    on.text = "scratch";
    d.jobs[0].dataset.emplace();
    d.jobs[0].checkpoint.emplace();
    if (reads) d.jobs[0].dataset->values["on"] = on;
    if (saves) d.jobs[0].checkpoint->values["to"] = on;
    Prediction p;
    p.bottlenecks = {{"storage.scratch.connection", 0.9, 0.5, ""}};
    p.breakdown["train"] = {{"checkpoint", 0.2}, {"data", 0.2}};
    std::string out;
    for (const plan::Proposal& change : plan::candidate_changes(d, p, 8)) out += change.text + "; ";
    return out;
  };
  const std::string read = tried(true, false), saved = tried(false, true), both = tried(true, true);
  CHECK(read.find("get.parallel 1 -> 2") != std::string::npos);
  CHECK(read.find("put.parallel") == std::string::npos);
  CHECK(saved.find("get.parallel") == std::string::npos);
  CHECK(saved.find("put.parallel 4 -> 8") != std::string::npos);
  CHECK(both.find("get.parallel") != std::string::npos);
  CHECK(both.find("put.parallel") != std::string::npos);
}

TEST_CASE("of what there is none of, a first one is tried, or what is usual") {
  Design d = testing::small_design();
  d.jobs[0].loader = testing::component(models::Role::loader, "pytorch", "", {{"workers", "0"}});
  d.jobs[0].recovery = testing::component(models::Role::recovery, "restart", "", {{"spares", "0"}});
  Prediction p;
  p.bottlenecks = {{"job.train.loader", 0.9, 0.5, ""}, {"job.train.spares", 0.9, 0.5, ""}};
  p.breakdown["train"] = {{"data", 0.4}};
  const auto changes = plan::candidate_changes(d, p, 8);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].text == "job.train.loader.workers 0 -> 4");
  CHECK(changes[1].text == "job.train.recovery.spares 0 -> 1");
  REQUIRE(changes[1].count.has_value());
  CHECK(changes[1].relative_cost == 1.0);
  const plan::Proposal three = plan::with_count(changes[1], 3.0);
  CHECK(three.relative_cost == 3.0);
  CHECK(three.count->to == 3.0);
}

}  // namespace tried_changes_test
