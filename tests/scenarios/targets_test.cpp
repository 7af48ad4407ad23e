#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "scenarios/questions/policy.hpp"
#include "tests/scenarios/support.hpp"

/// What a scenario, or a policy for many of them, expects.
namespace targets_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string fault(const std::string& key_and_value) {
  return remarks(load_beside(key_and_value).diagnostics());
}

}  // namespace

TEST_CASE("targets that are none say where, and what to write") {
  CHECK_THAT(fault(R"("expect": {})"),
             StartsWith("2:11 type /expect \"expect\" is a list, not an object | write [ {"));
  CHECK_THAT(fault(R"("expect": [ "au" ])"),
             StartsWith("2:13 type /expect/0 an \"expect\" entry is an object, not a text | "
                        "write { \"that\": \"au\" }"));
  const auto target = [](const std::string& fields) {
    return fault(R"("expect": [ { "that": "job.train.gpu.utilization >= 95 %", )" + fields + "} ]");
  };
  CHECK(target(R"("waive": "new disks in May", "until": "2027-05-31")") == "");
  CHECK(target(R"("waive": null, "until": null, "level": null, "confidence": null)") == "");
  CHECK(target(R"("confidence": "90 %")") == "");
  CHECK_THAT(target(R"("confidence": "100 %")"), Contains("/expect/0/confidence"));
  CHECK_THAT(target(R"("waive": "later")"),
             Contains("missing /expect/0/waive the waiver of \"expect-1\" has no \"until\" | add"));
  CHECK_THAT(target(R"("waive": " ", "until": "2027-05-31")"),
             Contains("/expect/0/waive the waiver of \"expect-1\" gives no reason | say why"));
  CHECK_THAT(target(R"("until": "2027-05-31")"),
             Contains("/expect/0/until \"until\" of \"expect-1\" belongs to a waiver | add"));
  for (const char* date : {"2027-02-30", "2027/02/03", "2027-2-3", "27-02-2003", "2027-0x-03",
                           "2027-13-01", "tomorrow"})
    CHECK_THAT(
        target(R"("waive": "later", "until": ")" + std::string(date) + "\""),
        Contains("date /expect/0/until \"" + std::string(date) + "\" is not a date | write"));
  CHECK_THAT(fault(R"("expect": [ { "that": "job.train.gpu.utilization >= many" } ])"),
             Contains("expect /expect/0/that"));
  CHECK_THAT(fault(R"("expect": [ { "that": "job.train.gpu.utilization in 9" } ])"),
             Contains("expect /expect/0/that"));
  CHECK_THAT(fault(R"("expect": [ { "that": 7 } ])"), Contains("/expect/0/that"));
  CHECK_THAT(fault(R"("expect": [ { "that": "job.train.gpu.use > 1", "scenarios": ["a"] } ])"),
             Contains("unknown key \"scenarios\""));
}

TEST_CASE("targets name figures that there are") {
  const auto that = [](const std::string& metric) {
    return fault(R"("expect": [ { "that": ")" + metric + R"( > 1" } ])");
  };
  CHECK(that("job.*.steps") == "");
  CHECK(that("job.train.*") == "");
  CHECK_THAT(that("job.train.gpus.utilization"),
             Contains("unknown-metric /expect/0/that no metric is named "
                      "\"job.train.gpus.utilization\" | did you mean "
                      "\"job.train.gpu.utilization\"?"));
  CHECK_THAT(that("job.train.happiness"), Contains("| it may be "));
  CHECK_THAT(
      that("job.trian.gpu.utilization"),
      Contains("reference /expect/0/that no job \"trian\"") && Contains("did you mean \"train\"?"));
  // As far as names are known before a run.
  CHECK_THAT(that("job.train.gpu.utilisation"),
             Contains("| did you mean \"job.train.gpu.utilization\"?"));
  CHECK_THAT(that("max(job.*.step.tim.p99)"), Contains("| did you mean \"job.*.step.time.p99\"?"));
  CHECK_THAT(that("cost.capx"), Contains("| did you mean \"cost.capex\"?"));
  CHECK_THAT(that("power.al"),
             Contains("unknown-metric") && Contains("| it may be power.total, power.mean, "));
  CHECK_THAT(that("foo.bar"), Contains("unknown-metric") && Contains("| names begin with job, "));
  CHECK_THAT(that("jobs.train.au"), Contains("| did you mean \"job.train.au\"?"));
  CHECK_THAT(that("resource.storage.scratc.ost.utilization"),
             Contains("no storage system \"scratc\"") && Contains("did you mean \"scratch\"?"));
  CHECK_THAT(that("resource.storage.scratch.ost.utilisation"),
             Contains("| did you mean \"resource.storage.scratch.ost.utilization\"?"));
  // Their names are known; 1 is no time and no rate.
  CHECK_THAT(that("job.train.step.time.mean"),
             !Contains("unknown-metric") && Contains("the limit must be a duration"));
  CHECK_THAT(that("job.train.throughput.dlio"),
             !Contains("unknown-metric") && Contains("the limit must be an operation rate"));
  CHECK(that("resource.*.queue") == "");
  CHECK(that("resource.storage.scratch.ost.throughput") == "");
  CHECK(that("resource.storage.*.throughput") == "");
  CHECK_THAT(that("tenant.other.rate"),
             Contains("no tenant \"other\"") && Contains("| the scenario has no tenant"));
}

TEST_CASE("targets are of what the design has, as far as that tells before a run") {
  const auto that = [](const std::string& text, const std::string& key_and_value = "") {
    return fault(R"("expect": [ { "that": ")" + text + R"(" } ])" + key_and_value);
  };
  CHECK_THAT(
      that("resource.fabric.throughput > 1"),
      Contains("unknown-metric /expect/0/that there is no \"resource.fabric.throughput\": the "
               "scenario has no resource of that name | it may be "));
  CHECK(that("resource.storage.scratch.ost.queue < 1").empty());
  CHECK_THAT(that("resource.storage.scratch.mds.queue < 1"),
             Contains("| did you mean \"resource.storage.scratch.mdt.queue\"?"));
  CHECK_THAT(that("job.train.checkpoint.stall < 1 s"),
             Contains("the scenario has no checkpoint |"));
  CHECK_THAT(that("job.*.checkpoint.stall.p99 < 1 s"),
             Contains("the scenario has no checkpoint |"));
  CHECK_THAT(that("job.train.restart.duration < 1 s"), Contains("no failure at a date |"));
  CHECK_THAT(that("job.train.goodput.p5 > 90 %"), Contains("no failures at random |"));
  const std::string fails = R"(, "failures": [ { "id": "f", "type": "host", "mtbf": "5 d" } ])";
  CHECK_THAT(that("job.train.restart.duration < 1 s", fails), Contains("no failure at a date |"));
  CHECK_THAT(that("job.train.goodput.p5 > 90 %", fails), !Contains("unknown-metric"));
  CHECK_THAT(that("failure.f.stall < 1 s", fails),
             Contains("no failure of storage of that name |"));
  // A price or a capacity may be what is varied.
  CHECK_THAT(that("cost.capex < 1 MUSD"), Contains("yet: the scenario has no price |"));
  CHECK_THAT(that("storage.scratch.capacity.used < 90 %"),
             Contains("yet: the scenario has no cap"));
}

TEST_CASE("the start of a metric is no metric") {
  const auto that = [](const std::string& metric) {
    return fault(R"("expect": [ { "that": ")" + metric + R"( > 1" } ])");
  };
  for (const char* start : {"job.train", "job.train.", "max(job.train)"})
    CHECK_THAT(that(start),
               Contains("unknown-metric") && Contains("| it may be job.train.accelerators, "));
  CHECK_THAT(that("resource.fabric"), Contains("| it may be resource.fabric.utilization, "));
  for (const char* start : {"job", "cost", "power"})
    CHECK_THAT(that(start),
               Contains("unknown-metric") && Contains("only the start of some | write "));
  CHECK_THAT(that("storage.scratch"), Contains("unknown-metric"));
  CHECK_THAT(that("storage.lost"), Contains("no storage system \"lost\" in \"storage.lost > 1\""));
  CHECK(that("job.*") == "");
  CHECK(that("max(job.*a*b)") == "");
}

TEST_CASE("limits are given in what their figures are counted in") {
  const auto that = [](const std::string& text) {
    return fault(R"("expect": [ { "that": ")" + text + R"(" } ])");
  };
  CHECK(that("job.train.gpu.utilization >= 85 %") == "");
  CHECK(that("max(job.*.step.time) < 2 s") == "");
  CHECK(that("job.train.step.time < base + 1 s") == "");
  CHECK_THAT(that("job.train.gpu.utilization >= 0.85"),
             Contains("expect /expect/0/that") && Contains("the limit must be a percentage | ") &&
                 Contains("job.train.gpu.utilization >= 85 %"));
  CHECK_THAT(that("job.train.step.time < 2 GB"), Contains("the limit must be a duration | "));
  CHECK_THAT(that("job.train.gpu.utilization => 95 %"), Contains("| did you mean \">=\"?"));
  CHECK_THAT(that("max(job.*.gpu.utilization) in [0.5, 0.9]"),
             Contains("\"max(job.*.gpu.utilization) in [50 %, 90 %]\""));
  // Any figure that is called so, of whatever the design has.
  CHECK_THAT(that("*.total < 30 s"), Contains("the scenario has no checkpoint |"));
  CHECK(that("*.step.time < 30 s") == "");
}

TEST_CASE("more than all of a share cannot be asked for") {
  const auto that = [](const std::string& text) {
    return fault(R"("expect": [ { "that": ")" + text + R"(" } ])");
  };
  CHECK_THAT(that("job.train.gpu.utilization >= 850 %"),
             Contains("/expect/0/that") && Contains("GPU utilization is a share, at most 100 %"));
  CHECK_THAT(that("min(job.*.goodput) >= 101 %"), Contains("goodput is a share"));
  CHECK_THAT(that("job.train.gpu.utilization > 100 %"),
             Contains("this can never hold | ask for \">= 100 %\""));
  CHECK_THAT(that("job.train.gpu.utilization in [101 %, 120 %]"), Contains("can never hold"));
  CHECK_THAT(that("job.train.gpu.utilization <= 120 %"), Contains("this always holds"));
  CHECK(that("job.train.gpu.utilization >= 100 %") == "");
  CHECK_THAT(that("storage.scratch.capacity.used <= 120 %"),
             !Contains("is a share"));  // a full system may be asked more
}

TEST_CASE("a policy is targets for many scenarios") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "stallcast-policy-test.json";
  const auto load = [&](const std::string& text) {
    std::ofstream(file) << text;
    scenarios::LoadedPolicy out = scenarios::load_policy(file.string());
    std::filesystem::remove(file);
    return out;
  };
  const auto two = load(R"({ "id": "ours", "expect": [
    { "id": "au", "that": "job.*.gpu.utilization >= 90 %", "scenarios": ["llm-*", "big/*.json"] },
    { "id": "any", "that": "job.*.gpu.utilization >= 50 %", "scenarios": null } ] })");
  CHECK(remarks(two.diagnostics) == "");
  REQUIRE(two.rules.size() == 2);
  CHECK(scenarios::applies(two.rules[0], "llm-70b", "a.json"));
  CHECK(scenarios::applies(two.rules[0], "unet", "big/unet.json"));
  CHECK_FALSE(scenarios::applies(two.rules[0], "unet", "unet.json"));
  CHECK(scenarios::applies(two.rules[1], "unet", "unet.json"));

  for (const char* selector : {"\"llm-*\"", "[]", "[1]"})
    CHECK_THAT(remarks(load(R"({ "expect": [ { "that": "job.*.au > 1", "scenarios": )" +
                            std::string(selector) + "} ] }")
                           .diagnostics),
               StartsWith("1:54 type /expect/0/scenarios \"scenarios\" is a list of ids or paths"));
  CHECK_THAT(remarks(load(R"({ "jobs": [] })").diagnostics),
             Contains("unknown key \"jobs\" in the policy"));
  CHECK_THAT(remarks(load("[]").diagnostics), Contains("a scenario is a JSON object"));
  const auto none = scenarios::load_policy("/nowhere/policy.json");
  CHECK_THAT(remarks(none.diagnostics), StartsWith("0:0 file ") && Contains("No such file"));
  CHECK_THAT(remarks(none.diagnostics), Contains("| a policy is { \"expect\": [ { \"that\": ... "));
}

}  // namespace targets_test
