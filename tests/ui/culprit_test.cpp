#include <catch2/catch.hpp>
#include <string>

#include "stallcast/client.hpp"
#include "ui/app/check.hpp"
#include "ui/app/check_culprit.hpp"

/// The line to look at is of what limits, or none.
namespace culprit_test {

using namespace stallcast;

namespace {

constexpr const char* kText = R"({
  "id": "small",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8,
      "cpu": { "cores": 64 } } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
      "ost": { "count": 8, "read": "4 GB/s", "write": "3 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "steps": 4, "epochs": 1, "step": { "compute": "200 ms" },
      "dataset": { "on": "scratch", "samples": 10000, "sample": "150 kB", "format": "raw" },
      "loader": { "workers": 8, "batch": 64 } } ],
  "expect": [ { "id": "busy", "that": "job.train.gpu.utilization >= 99.9 %" } ]
})";

client::Settings settings() { return {.jobs = 2, .worker = STALLCAST_SIM_PATH}; }

Scenario scenario(const client::Session& session) {
  client::Reading reading = session.read({.file = "small.json", .text = kText});
  REQUIRE(reading.scenario.has_value());
  return *std::move(reading.scenario);
}

}  // namespace

TEST_CASE("a finding points at an input of the part that limits, and at no other") {
  client::Session session(settings());
  const Design design = scenario(session).design();
  const auto culprit = [&](const char* resource) {
    const auto found = client::culprit_of(design, {}, resource);
    return found ? found->path + ":" + std::to_string(found->at.line) : "none";
  };
  CHECK(culprit("storage.scratch.ost.read") == "storage[scratch].ost.count:6");
  CHECK(culprit("host.gpu.cpu") == "cluster.hosts[gpu].cpu.cores:4");
  CHECK(culprit("storage.scratch") == "storage[scratch].ost.count:6");
  // Of several that limit together, at one of the first that it says something of.
  CHECK(culprit("storage.scratch.ost.read and host.gpu.cpu") == "storage[scratch].ost.count:6");
  CHECK(culprit("host.gpu.nic and host.gpu.cpu") == "cluster.hosts[gpu].cpu.cores:4");
  // The file says nothing of metadata servers, NICs or what makes ranks differ.
  CHECK(culprit("storage.scratch.mdt") == "none");
  CHECK(culprit("host.gpu.nic.read") == "none");
  CHECK(culprit("job.train.barrier") == "none");
}

TEST_CASE("a fix is placed at its key, or at the part that leaves it to a default") {
  client::Session session(settings());
  const Design design = scenario(session).design();
  const auto key = [&](const char* set) {
    const auto found = client::place_of_change(design, set);
    return found ? found->path + ":" + std::to_string(found->at.line) : "none";
  };
  CHECK(key("storage[scratch].ost.count=16") == "storage[scratch].ost.count:6");
  CHECK(key("jobs[train].loader.workers=16") == "jobs[train].loader.workers:9");
  // Not in the file: the first of the loader, of the job, of the storage system.
  CHECK(key("jobs[train].loader.prefetch=8") == "jobs[train].loader.prefetch:9");
  CHECK(key("storage[scratch].mdt.count=2") == "storage[scratch].mdt.count:6");
  CHECK(key("n_ost=16") == "none");
}

TEST_CASE("a text that comes without a file has the same culprit") {
  client::Session session(settings());
  client::CheckRequest request;
  request.scenarios.push_back({"small.json", {.file = "small.json", .text = kText}, {}});
  request.question.replicas = 1;
  const auto at = [&](bool in_repository) {
    request.in_repository = in_repository;
    const Result<CheckReport> report = client::check(session, request);
    REQUIRE(report.ok());
    const CheckedAssertion& busy = report->scenarios.at(0).assertions.at(0);
    REQUIRE(busy.status == CheckStatus::fail);
    return busy.culprit_path + ":" + std::to_string(busy.culprit.line);
  };
  CHECK(at(false) == at(true));
  CHECK(at(true) == "cluster.hosts[gpu].cpu.cores:4");
}

}  // namespace culprit_test
