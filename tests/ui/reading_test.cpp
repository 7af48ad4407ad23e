#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "engine/base/jsonc.hpp"
#include "stallcast/client.hpp"
#include "ui/app/check.hpp"
#include "ui/app/form.hpp"
#include "ui/app/run_report.hpp"
#include "ui/app/sweep_file.hpp"
#include "ui/server/service.hpp"

/// Every use case parses a file once, however many designs it makes of it.
namespace reading_test {

using namespace stallcast;

namespace {

constexpr const char* kText = R"({
  "id": "small",
  "params": { "n": { "value": 4, "min": 2, "max": 64 } },
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": "=n", "read": "1 GB/s", "write": "1 GB/s" },
                 "oss": { "count": 4, "nic": "400 Gb/s" }, "mdt": { "count": 2 } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
    "dataset": { "on": "scratch", "format": "raw", "sample": "8 MiB", "size": "20 TB" },
    "loader": { "type": "pytorch", "workers": 8, "prefetch": 4, "batch": 4 }
  } ],
  "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 60 %" } ],
  "run": { "duration": "5 s" }
})";

client::Settings settings() { return {.jobs = 2, .worker = STALLCAST_SIM_PATH}; }

ScenarioFile file(const char* name = "small.json") { return {.file = name, .text = kText}; }

/// Texts parsed while `act` runs.
template <class Act>
std::uint64_t parses(const Act& act) {
  const std::uint64_t before = base::parsed_texts();
  act();
  return base::parsed_texts() - before;
}

Scenario read(client::Session& session) {
  client::Reading reading = session.read(file());
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  return *std::move(reading.scenario);
}

}  // namespace

TEST_CASE("run, plan and explain parse a scenario once, with all they try") {
  client::Session session(settings());
  CHECK(parses([&] {
          const auto found = client::run_report(session, read(session), {});
          REQUIRE(found.ok());
          CHECK_FALSE(found->prediction.alternatives.empty());
        }) == 1);
  CHECK(parses([&] {
          const auto found = session.plan(read(session));
          REQUIRE(found.ok());
          CHECK(found->points.size() > 2);
        }) == 1);
  CHECK(parses([&] {
          const auto found = client::explain_report(session, read(session), {.what_ifs = 8});
          REQUIRE(found.ok());
          CHECK_FALSE(found->what_ifs.empty());
        }) == 1);
}

TEST_CASE("what a file extends is parsed once, too") {
  client::Session session(settings());
  CHECK(parses([&] {
          const auto reading =
              session.read({.file = "tests/scenarios/fixtures/good/extends-file.json"});
          REQUIRE(reading.scenario.has_value());
          const Change change{"run.duration", Amount{7, "s"}};
          CHECK(reading.scenario->with({&change, 1}).design().run.find("duration")->number == 7.0);
        }) == 2);
}

TEST_CASE("a check parses each scenario once, and its baseline once") {
  client::Session session(settings());
  client::CheckRequest request;
  request.scenarios = {{"a.json", file("a.json")}, {"b.json", file("b.json")}};
  CHECK(parses([&] { REQUIRE(client::check(session, request).ok()); }) == 2);
}

TEST_CASE("a diff parses its two sides, and none of the designs between them") {
  client::Session session(settings());
  CHECK(parses([&] {
          ScenarioFile other = file("other.json");
          other.sets = {"params.n=8", "jobs.loader.workers=4"};
          const auto head = session.read(other);
          REQUIRE(head.scenario.has_value());
          const auto found = session.diff({.name = "base", .scenario = read(session)},
                                          {.name = "head", .scenario = head.scenario});
          REQUIRE(found.ok());
          CHECK(found->inputs.size() == 2);
          CHECK(found->patch.find("/storage/0/ost/count") != std::string::npos);
        }) == 2);
}

TEST_CASE("a sweep parses its scenario once for all points") {
  CHECK(parses([&] {
          Diagnostics faults;
          auto sweep = client::SweepFile::create(
              "", {.source = file(), .varied = {"n=2..64:32", "jobs.loader.workers=2,4"}}, faults);
          REQUIRE(sweep.ok());
          CHECK(sweep->report()->rows.size() == 64);
        }) == 1);
}

TEST_CASE("a request to the server parses each of its scenarios once") {
  server::ServerSettings its;
  its.session = settings();
  its.log = [](const std::string& line) { FAIL_CHECK(line); };
  server::Service service(its);
  client::Session session(settings());
  const auto ask = [&](const char* path, const std::string& body) {
    return parses([&] {
      server::Request request;
      request.method = "POST";
      request.path = path;
      request.body = body;
      const server::Response response = service.handle(request, session);
      INFO(response.body);
      REQUIRE(response.status < 300);
      const auto link = std::find_if(response.headers.begin(), response.headers.end(),
                                     [](const auto& header) { return header.first == "Location"; });
      if (link == response.headers.end()) return;
      server::Request result;
      result.method = "GET";
      result.path = link->second + "/result";
      for (int i = 0; i < 6000; ++i) {
        if (service.handle(result, session).status == 200) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      FAIL_CHECK("no result");
    });
  };
  const std::string text = kText;
  for (const char* path : {"/v1/lint", "/v1/resolve", "/v1/estimate", "/v1/runs", "/v1/plan",
                           "/v1/explain", "/v1/check"}) {
    INFO(path);
    CHECK(ask(path, text) == 1);
  }
  CHECK(ask("/v1/diff", R"({ "base": )" + text + R"(, "head": )" + text + "}") == 2);
}

TEST_CASE("what an editor asks of a scenario needs no further reading") {
  client::Session session(settings());
  const Scenario scenario = read(session);
  CHECK(parses([&] { CHECK(client::form(scenario).parameters.size() == 1); }) == 0);
}

}  // namespace reading_test
