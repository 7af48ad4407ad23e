#include <catch2/catch.hpp>
#include <string>

#include "tests/scenarios/support.hpp"

namespace stage_rules_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

namespace {

// Two stages and a job; the text of the list of stages is on line 5.
std::string scenario(const std::string& stages, const std::string& job = "") {
  return R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
  "storage": [ { "id": "lake", "type": "s3", "server": { "count": 4 } },
               { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
  "stages": [ )" +
         stages + R"( ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" }, "epochs": 1,
              "dataset": { "on": "scratch", "format": "raw", "sample": "1 MB", "samples": 1000 } )" +
         job + R"( } ]
})";
}

std::string stage(const std::string& id, const std::string& more) {
  return R"({ "id": ")" + id +
         R"(", "type": "copy", "from": "lake", "to": "scratch", "hosts": "gpu", )" + more + " }";
}

std::string fault(const std::string& text) {
  const Scenario loaded = load_text(text, "test.json");
  if (!loaded.diagnostics().items().empty())
    CHECK(loaded.diagnostics().items()[0].position.line >= 5);
  return only_fault(loaded);
}

}  // namespace

TEST_CASE("stages that wait for each other are an error with the way round") {
  const std::string two = stage("a", R"("size": "1 TB", "after": ["b"])") + ", " +
                          stage("b", R"("size": "1 TB", "after": ["a"])");
  CHECK_THAT(fault(scenario(two)), Contains("stages wait for each other: a, after b, after a") &&
                                       Contains("take one of them out of \"after\""));
  // by way of a job
  const std::string train = R"({ "id": "fit", "type": "train", "job": "train", "after": ["a"] })";
  CHECK_THAT(fault(scenario(stage("a", R"("size": "1 TB", "after": ["fit"])") + ", " + train)),
             Contains("wait for each other"));
  CHECK_THAT(fault(scenario(stage("a", R"("size": "1 TB", "after": ["a"])"))),
             Contains("a, after a"));
}

TEST_CASE("what stages bring and what a job reads there are compared") {
  // The job reads 1 GB.
  const auto warned = [](const std::string& stages) {
    const Scenario loaded = load_text(scenario(stages), "test.json");
    CHECK(loaded.ok());
    std::string out;
    for (const Diagnostic& d : loaded.diagnostics().items())
      if (d.message.find("bring") != std::string::npos) out += d.message + "; " + d.hint;
    return out;
  };
  CHECK(warned(stage("in", R"("size": "1 GB")")).empty());
  CHECK(warned(stage("in", R"("size": "1.05 GB")")).empty());
  CHECK(
      warned(stage("a", R"("size": "0.5 GB")") + ", " + stage("b", R"("size": "0.5 GB")")).empty());
  CHECK_THAT(
      warned(stage("in", R"("size": "100 MB")")),
      Contains("stage \"in\" brings 100 MB to \"scratch\", where \"train\" behind it reads a "
               "data set of 1 GB") &&
          Contains("taken to be there already"));
  CHECK_THAT(warned(stage("in", R"("size": "1 TB")")), Contains("all that is brought takes room"));
}

TEST_CASE("a job takes the GPUs of those it follows, with stages or without") {
  // 4 hosts of 8 GPUs; "train" has all of them.
  const auto with = [](const std::string& more) {
    std::string text = scenario("", more);
    text.erase(text.find("  \"stages\""), text.find("  \"jobs\"") - text.find("  \"stages\""));
    return load_text(text, "test.json");
  };
  const auto job = [](const std::string& id, int gpus, const std::string& after) {
    return R"( }, { "id": ")" + id + R"(", "hosts": "gpu", "step": { "compute": "100 ms" },
              "accelerators": )" +
           std::to_string(gpus) + R"(, "after": [")" + after + "\"]";
  };
  CHECK(with(job("next", 32, "train")).ok());
  CHECK(with(job("next", 32, "train") + job("last", 32, "next")).ok());
  CHECK(with(job("one", 16, "train") + job("other", 16, "train") + job("last", 32, "one")).ok() ==
        false);
  CHECK(with(job("one", 16, "train") + job("other", 16, "train") + job("last", 16, "one")).ok());
  CHECK_THAT(only_fault(with(job("one", 16, "train") + job("other", 24, "train"))),
             Contains("\"one\" and \"other\" together use more accelerators than the 32") &&
                 Contains("let one begin \"after\" the other"));
  CHECK_THAT(only_fault(with(job("next", 8, "trian"))),
             Contains("no stage or job \"trian\" | it has train"));
}

TEST_CASE("a stage says what it reads, or follows one that brings it") {
  CHECK_THAT(fault(scenario(stage("a", R"("workers": 4)"))),
             Contains("nothing says what stage \"a\" reads") && Contains("add \"size\""));
  CHECK(load_text(scenario(stage("a", R"("size": "0 B")")), "test.json").ok());
}

TEST_CASE("names of stages, jobs and storage systems are looked up") {
  CHECK_THAT(fault(scenario(stage("a", R"("size": "1 TB", "after": ["b"])"))),
             Contains("no stage or job \"b\"") && Contains("it has train"));
  CHECK_THAT(fault(scenario(R"({ "id": "fit", "type": "train", "job": "tune" })")),
             Contains("no job \"tune\"") && Contains("it has train"));
  CHECK_THAT(fault(scenario(R"({ "id": "a", "type": "copy", "from": "lak", "to": "scratch",
                                 "hosts": "gpu", "size": "1 TB" })")),
             Contains("\"lak\""));
  CHECK_THAT(fault(scenario(stage("a", R"("size": "1 TB")"), R"(, "after": ["b"])")),
             Contains("no stage or job \"b\""));
  CHECK_THAT(fault(scenario(stage("train", R"("size": "1 TB")"))), Contains("rename one of them"));
}

TEST_CASE("a job is one stage, and nothing streams behind it") {
  const std::string fit = R"({ "id": "fit", "type": "train", "job": "train" })";
  const std::string again = R"({ "id": "again", "type": "train", "job": "train" })";
  CHECK_THAT(fault(scenario(fit + ", " + again)), Contains("job \"train\" is two stages"));
  CHECK_THAT(
      fault(scenario(stage("a", R"("size": "1 TB", "after": ["train"], "when": "streaming")"))),
      Contains("brings nothing before it ends") && Contains("write \"when\": \"done\""));
  // A job has no such field.
  const std::string next = R"( }, { "id": "next", "hosts": "gpu", "step": { "compute": "1 s" },
                                    "after": ["train"], "after_share": "50 %")";
  CHECK_THAT(fault(scenario("", next)), Contains("brings nothing before it ends") &&
                                            Contains("leave \"after_share\" of the job out"));
}

TEST_CASE("stages alone are a scenario, and an empty list of what a job follows is kept") {
  const std::string text = R"({
    "cluster": { "hosts": [ { "id": "cpu", "count": 2, "gpus": 0 } ] },
    "storage": [ { "id": "lake", "type": "s3", "server": { "count": 4 } } ],
    "stages": [ { "id": "check", "type": "verify", "from": "lake", "hosts": "cpu", "size": "1 TB" } ]
  })";
  CHECK(design_of(load_text(text, "test.json")).stages.size() == 1);
  const Design free =
      design_of(load_text(scenario(stage("a", R"("size": "1 TB")"), R"(, "after": [])"), "t.json"));
  REQUIRE(free.jobs[0].job.find("after") != nullptr);
  CHECK(free.jobs[0].job.find("after")->list.empty());
}

TEST_CASE("a stage at drives inside hosts runs on those that read them") {
  std::string text = scenario(
      R"({ "id": "a", "type": "copy", "from": "lake", "to": "scratch", "hosts": "cpu", "size": "1 TB" })");
  const auto replace = [&](const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
  };
  replace(R"({ "id": "gpu", "count": 4 })",
          R"({ "id": "gpu", "count": 4 }, { "id": "cpu", "count": 2, "gpus": 0 })");
  replace(R"("lustre", "ost": { "count": 8 })", R"("local", "drive": { "count": 4 })");
  CHECK_THAT(only_fault(load_text(text, "test.json")),
             Contains("\"a\" is at the drives of other hosts than \"train\"") &&
                 Contains("run it on \"gpu\""));
  replace(R"("hosts": "cpu", "size")", R"("hosts": "gpu", "size")");
  CHECK(load_text(text, "test.json").ok());
}

TEST_CASE("tenants beside stages say when they stop") {
  const auto beside = [](const std::string& more) {
    std::string text = scenario(stage("a", R"("size": "1 GB")"));
    text.replace(text.rfind('}'), 1,
                 R"(, "tenants": [ { "id": "in", "type": "ingest", "on": "lake", "hosts": "gpu",
                                     "rate": "1 GB/s")" +
                     more + " } ] }");
    return remarks(load_text(text, "test.json").diagnostics());
  };
  CHECK(beside(R"(, "stop": "1 h")") == "");
  CHECK_THAT(beside(""),
             Contains("rule /tenants/0 tenant \"in\" goes on as long as the stages do") &&
                 Contains("| give it a \"stop\" where the stages last for more"));
  // Whole runs of jobs in a row, too, where they last.
  const auto rows = [](const std::string& run) {
    const std::string job = R"("hosts": "gpu", "step": { "compute": "1 s" }, "steps": 10)" + run;
    return remarks(
        load_text(R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 2, "gpus": 8 } ] },
      "storage": [ { "id": "lake", "type": "s3", "server": { "count": 4 } } ],
      "jobs": [ { "id": "a", )" +
                      job + R"( }, { "id": "b", "after": ["a"], )" + job + R"( } ],
      "tenants": [ { "id": "in", "type": "ingest", "on": "lake", "hosts": "gpu",
                     "rate": "1 GB/s" } ] })",
                  "test.json")
            .diagnostics());
  };
  CHECK(rows("") == "");
  CHECK_THAT(rows(R"(, "run": { "steps": 4000 })"),
             Contains("tenant \"in\" goes on as long as the jobs do"));
}

TEST_CASE("a stage alone that follows another, or a job, is told that there is none") {
  const auto alone = [](const std::string& stage) {
    return only_fault(load_text(R"({ "cluster": { "hosts": [ { "id": "cpu", "count": 2 } ] },
      "storage": [ { "id": "lake", "type": "s3", "server": { "count": 4 } } ],
      "stages": [ )" + stage + " ] }",
                                "test.json"));
  };
  CHECK_THAT(alone(R"({ "id": "check", "type": "verify", "from": "lake", "hosts": "cpu",
                        "size": "1 TB", "after": ["b"] })"),
             Contains("no stage or job \"b\" | name one, or leave \"after\" out"));
  CHECK_THAT(alone(R"({ "id": "fit", "type": "train", "job": "tune" })"),
             Contains("no job \"tune\" | the scenario has no job"));
}

TEST_CASE("targets of stages that are not there are refused") {
  std::string text = scenario(stage("a", R"("size": "1 GB")"));
  text.replace(text.rfind('}'), 1,
               R"(, "expect": [ { "id": "t", "that": "stage.b.time < 1 h" } ] })");
  CHECK_THAT(only_fault(load_text(text, "test.json")), Contains("no stage \"b\""));
}

}  // namespace stage_rules_test
