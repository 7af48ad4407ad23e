#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "stallcast/client.hpp"

/// Changes that cost nothing are tried up to what meets a target, as those that cost are.
namespace searched_settings_test {

using namespace stallcast;

namespace {

/// What is advised where a save to `storage` may take so long: 16 GB of four hosts of one rank.
std::vector<Alternative> advice(const std::string& storage, const std::string& checkpoint,
                                const std::string& most) {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  client::Reading reading = session.read({.file = "save.json", .text = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 1, "cpu": { "cores": 512 },
    "nic": { "rate": "8000 Gb/s" }, "memory": { "size": "2 TB", "bandwidth": "10 TB/s" } } ] },
  "storage": [ { "id": "fs", )" + storage + R"( } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
    "checkpoint": { "to": "fs", "every_steps": 10, "mode": "sync", "snapshot": "none",
      "serializer": "none", )" + checkpoint + R"( } } ],
  "run": { "duration": "25 s", "replicas": 1 },
  "expect": [ { "that": "job.train.checkpoint.duration <= )" + most + R"(" } ] })"});
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  Prediction base = session.predict(reading.scenario->design()).value();
  REQUIRE(base.verdict == Verdict::fail);
  session.rank_by_gain(reading.scenario->design(), base);
  return session.alternatives(*reading.scenario, reading.scenario->design(), base, 4);
}

/// The change of `field` and whether it meets the target.
std::string change_of(const std::vector<Alternative>& advice, const std::string& field) {
  for (const Alternative& a : advice)
    if (a.change.starts_with(field + " "))
      return a.change.substr(field.size() + 1) + (a.verdict == Verdict::pass ? ", meets" : "");
  return "not tried";
}

}  // namespace

// Rank 0 writes one file of 16 GB to OSTs of 1 GB/s: 16 s / stripes, of which 6 are the first
// below 3 s. As many threads write as many files.
TEST_CASE("stripes and threads are tried up to what meets a target") {
  const auto tried = advice(R"("type": "lustre", "ost": { "count": 8, "write": "1 GB/s" },
    "client": { "checksums": false, "stream": "100 GB/s" })",
                            R"("size": "16 GB", "layout": "rank0")", "3 s");
  CHECK(change_of(tried, "storage.fs.stripe.count") == "1 -> 6, meets");
  CHECK(change_of(tried, "job.train.checkpoint.threads") == "1 -> 6, meets");
  CHECK(tried.front().relative_cost == 0.0);
}

// Four hosts that write behind at 0.25 GB/s each take 16 s, and 4 s at four times that. The servers
// would write at 100 GB/s.
TEST_CASE("rates that are settings are tried in multiples") {
  const auto tried =
      advice(R"("type": "gpfs", "server": { "count": 10, "write": "10 GB/s", "nic": "800 Gb/s" },
    "client": { "prefetch": "250 MB/s" })",
             R"("size": "16 GB")", "4.5 s");
  CHECK(change_of(tried, "storage.fs.client.prefetch") == "250 MB/s -> 1 GB/s, meets");
}

// 1000 files in one directory that takes 100 of them a second.
TEST_CASE("directories of their own are tried where creates in one of them limit") {
  const auto tried = advice(R"("type": "weka", "backend": { "count": 6 },
    "directory": { "creates": "100 /s" })",
                            R"("size": "1 GB", "chunk": "1 MB")", "5 s");
  CHECK(change_of(tried, "job.train.checkpoint.directories") == "one -> own, meets");
}

// A router of 2 GB/s, of which 3 are below 3 s.
TEST_CASE("routers are bought where they limit") {
  const auto tried = advice(R"("type": "lustre", "ost": { "count": 8, "write": "1 GB/s" },
    "router": { "count": 1, "rate": "16 Gb/s" }, "stripe": { "count": 0 },
    "client": { "checksums": false, "stream": "100 GB/s" })",
                            R"("size": "16 GB")", "3 s");
  CHECK(change_of(tried, "storage.fs.router.count") == "1 -> 3, meets");
}

}  // namespace searched_settings_test
