#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/gain/ranked.hpp"

namespace gain_test {

using namespace stallcast;
using testing::ranked;
using testing::two_stages;

namespace {

// Every minute 96 GB are saved while all wait. 4 hosts write; of `osts` OSTs each takes
// 1 GB/s, and the ports of the OSS take `ports` together. Nothing else costs time, but for `also`
// of the job.
ScenarioFile saving(const std::string& osts, const std::string& port,
                    const std::string& also = "") {
  return {.file = "saving.json",
          .text = R"({
  "id": "saving",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": )" +
                  osts + R"(, "read": "1 GB/s", "write": "1 GB/s", "service": "0 s" },
                 "oss": { "count": 1, "nic": ")" +
                  port + R"(" },
                 "stripe": { "count": 0 }, "commit": "0 s", "lock": "0 s", "raid": { "parity": 0 },
                 "client": { "stream": "100 GB/s", "stream_direct": "100 GB/s", "checksums": false } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", )" +
                  also + R"(
              "barrier": { "base": "0 s", "per_doubling": "0 s" },
              "step": { "compute": "1 s", "jitter": "0 %" },
              "checkpoint": { "to": "scratch", "size": "96 GB", "every": "60 s", "serializer": "none" } } ],
  "run": { "duration": "20 min", "replicas": 1 }
})"};
}

}  // namespace

TEST_CASE("what limits saves is what saves would gain from") {
  // 96 GB over 12 GB/s take 8 s, over twice that 4 s. One save is begun each minute: 19 of them in
  // 20 minutes.
  const Prediction p = ranked(saving("12", "800 Gb/s"));
  REQUIRE_FALSE(p.bottlenecks.empty());
  const Bottleneck& first = p.bottlenecks.front();
  CHECK(first.resource.starts_with("storage.scratch.ost"));
  REQUIRE(first.gain.has_value());
  const double wall = 1200.0, was = (wall - 19 * 8.0) / wall, is = (wall - 19 * 4.0) / wall;
  CHECK(first.gain->time == Approx(1.0 - was / is).epsilon(0.02));
  CHECK(first.gain->utilization == Approx(is - was).epsilon(0.02));
  CHECK(first.gain->part == "storage[scratch].ost");
  CHECK(first.gain->by == "storage[scratch].ost.write");
  CHECK(p.gains->pair.empty());
}

// The same in one file of pieces: 1 MiB holds its target for `hold`, and its data for 1.05 ms.
Prediction in_pieces(ScenarioFile file, const std::string& hold) {
  const std::string from = R"("serializer": "none")";
  file.text->replace(file.text->find(from), from.size(),
                     from + R"(, "shared": "interleaved", "piece": "1 MiB")");
  file.sets.push_back(hold);
  return ranked(file);
}

TEST_CASE(
    "locks of a shared file gain what shorter locks give, its targets what faster ones give") {
  // 12 targets move 1 MiB each in 1.05 ms + 2 ms, or + 1 ms: 23.3 s and 15.6 s for 96 GB.
  const auto seconds = [](double hold, double rate = 1e9) {
    return 96e9 / 12.0 / 1048576.0 * (hold + 1048576.0 / rate);
  };
  const auto gain = [](double was, double is) {
    return 1.0 - (1200.0 - 19 * was) / (1200.0 - 19 * is);
  };
  const Prediction locked = in_pieces(saving("12", "800 Gb/s"), "storage.scratch.lock=2 ms");
  const Bottleneck& first = locked.bottlenecks.front();
  CHECK(first.resource == "storage.scratch.ost.lock");
  REQUIRE(first.gain.has_value());
  CHECK(first.gain->part == "storage[scratch].lock");
  CHECK(first.gain->time == Approx(gain(seconds(2e-3), seconds(1e-3))).epsilon(0.03));
  // Of 1.05 ms + 0.1 ms the lock is little: OSTs are waited for, and gain.
  const Prediction data = in_pieces(saving("12", "800 Gb/s"), "storage.scratch.lock=0.1 ms");
  CHECK(data.bottlenecks.front().resource == "storage.scratch.ost");
  REQUIRE(data.bottlenecks.front().gain.has_value());
  CHECK(data.bottlenecks.front().gain->time ==
        Approx(gain(seconds(1e-4), seconds(1e-4, 2e9))).epsilon(0.03));
  CHECK(data.bottlenecks.front().blamed_share > 0.1);
}

TEST_CASE("pieces of one file of an NFS server gain what its shared.write gives") {
  // The file is one target of 12 GB/s: 1 MiB in 0.087 ms + 0.2 ms, 26.3 s for 96 GB; + 0.1 ms, 17.2
  // s.
  ScenarioFile file = saving("12", "800 Gb/s");
  const std::size_t from = file.text->find(R"("storage")"), to = file.text->find(R"("jobs")");
  file.text->replace(from, to - from, R"("storage": [ { "id": "scratch", "type": "nfs",
    "head": { "count": 1, "read": "12 GB/s", "write": "12 GB/s" }, "commit": "0 s",
    "client": { "nconnect": 16, "connection": "10 GB/s", "stream": "10 GB/s" } } ], )");
  const Prediction p = in_pieces(file, "storage.scratch.shared.write=0.2 ms");
  const Bottleneck& first = p.bottlenecks.front();
  CHECK(first.resource == "storage.scratch.shared_file");
  REQUIRE(first.gain.has_value());
  CHECK(first.gain->part == "storage[scratch].shared");
  const auto left = [](double hold) {
    return 1200.0 - 19 * 96e9 / 1048576.0 * (hold + 1048576.0 / 12e9);
  };
  CHECK(first.gain->time == Approx(1.0 - left(2e-4) / left(1e-4)).epsilon(0.03));
}

TEST_CASE("a job that has a limit of its own would gain from more of it") {
  // 96 GB at 6 GB/s take 16 s, at twice that 8 s; the 24 OSTs would take 24 GB/s.
  const Prediction p = ranked(saving("24", "800 Gb/s", R"("limit": "6 GB/s",)"));
  REQUIRE_FALSE(p.bottlenecks.empty());
  const Bottleneck& first = p.bottlenecks.front();
  CHECK(first.resource == "job.train.limit");
  REQUIRE(first.gain.has_value());
  const double wall = 1200.0, was = (wall - 19 * 16.0) / wall, is = (wall - 19 * 8.0) / wall;
  CHECK(first.gain->time == Approx(1.0 - was / is).epsilon(0.02));
  CHECK(first.gain->part == "jobs[train].limit");
}

TEST_CASE(
    "serialization gains no more than saves without it, and threads are a part of their own") {
  // Each of 32 ranks serializes 3 GB at 1.5 GB/s and writes them at 1 GB/s, one after the other:
  // 5 s. Twice as fast serialization saves 1 s of each save, two threads for one 2.5 s.
  ScenarioFile file = saving("96", "800 Gb/s");
  const auto change = [&](const std::string& from, const std::string& to) {
    file.text->replace(file.text->find(from), from.size(), to);
  };
  change(R"("serializer": "none")", R"("serialize": "1.5 GB/s")");
  change(R"("stream": "100 GB/s", "stream_direct": "100 GB/s")", R"("stream": "1 GB/s")");
  const Prediction p = ranked(file);
  const auto gain = [&](const std::string& resource) {
    for (const Bottleneck& b : p.bottlenecks)
      if (b.resource == resource && b.gain) return *b.gain;
    FAIL("no gain of " << resource);
    return Gain{};
  };
  const double wall = 1200.0, was = (wall - 19 * 5.0) / wall;
  const Gain work = gain("job.train.checkpoint.serialize"),
             threads = gain("job.train.checkpoint.threads");
  CHECK(work.time == Approx(1.0 - was / ((wall - 19 * 4.0) / wall)).epsilon(0.05));
  CHECK(work.part == "jobs[train].checkpoint.work");
  CHECK(threads.time == Approx(1.0 - was / ((wall - 19 * 2.5) / wall)).epsilon(0.05));
  CHECK(threads.part == "jobs[train].checkpoint.threads");
}

TEST_CASE("full links between switches are gained by faster links, not by faster ports") {
  // Four hosts of 8 ports on two leaves; 2 of 18 ports lead to spines: 2 x 47.5 GB/s for 400 of
  // hosts. As long as nobody says otherwise a link is as fast as a port.
  ScenarioFile file = saving("1000", "8000 Gb/s");
  file.sets = {R"(cluster.fabric={"type":"fat-tree","leaf":{"ports":18},"oversubscription":8})",
               "jobs.checkpoint.size=960 GB", "cluster.hosts.nic.rate=200 Gb/s"};
  const Prediction p = ranked(file);
  REQUIRE_FALSE(p.bottlenecks.empty());
  CHECK(p.bottlenecks.front().resource == "fabric.gpu.area.uplink.write");
  REQUIRE(p.bottlenecks.front().gain.has_value());
  CHECK(p.bottlenecks.front().gain->part == "cluster.fabric");
  CHECK(p.bottlenecks.front().gain->time > 0.05);
  for (const Bottleneck& b : p.bottlenecks)
    if (b.resource.starts_with("host.gpu.nic") && b.gain) CHECK(b.gain->time < p.gains->noise);
}

TEST_CASE(
    "slow ports of switches are what NICs gain from, and fast NICs come with ports to match") {
  // 19 saves of 4 hosts, 2 ports each: over 100 Gb/s 10.1 s, over 400 Gb/s 2.5 s.
  ScenarioFile file = saving("1000", "8000 Gb/s");
  for (const auto& [port, part] :
       {std::pair{100.0, "fabric.port"}, {400.0, "host.gpu.nic.write"}}) {
    file.sets = {"cluster.fabric.port.rate=" + std::to_string(port) + " Gb/s",
                 "jobs.checkpoint.size=960 GB"};
    const double save = 960.0 / (8 * port / 8 * 0.95), was = 1200 - 19 * save;
    const Prediction p = ranked(file);
    REQUIRE((!p.bottlenecks.empty() && p.bottlenecks.front().gain));
    CHECK(p.bottlenecks.front().resource == part);
    CHECK(p.bottlenecks.front().gain->time == Approx(1 - was / (was + 9.5 * save)).epsilon(0.03));
  }
}

TEST_CASE("what writes nobody waits for gain is not called by the reads of the same OSTs") {
  // Saves go out in the background while little is read. The host fails before the second save is
  // durable: faster writes are what gives lost work back, and reads are hardly waited for.
  ScenarioFile file = saving("12", "800 Gb/s");
  const auto change = [&](const std::string& from, const std::string& to) {
    file.text->replace(file.text->find(from), from.size(), to);
  };
  change(R"("every": "60 s")", R"("every": "100 s", "mode": "async")");
  change(R"("size": "96 GB")", R"("size": "480 GB")");
  change(R"("checkpoint")", R"("dataset": { "on": "scratch", "format": "tokens", "sample": "16 KiB",
    "samples": 100000000 }, "loader": { "batch": 4, "workers": 2 }, "checkpoint")");
  change(R"("run")", R"("failures": [ { "id": "x", "type": "host", "at": "230 s" } ], "run")");
  const Prediction p = ranked(file);
  const auto row = std::find_if(p.bottlenecks.begin(), p.bottlenecks.end(), [](const auto& b) {
    return b.gain && b.gain->part == "storage[scratch].ost";
  });
  REQUIRE(row != p.bottlenecks.end());
  CHECK(row->gain->time > 0.03);
  CHECK((row->resource == "storage.scratch.ost" || row->resource == "storage.scratch.ost.write"));
}

TEST_CASE("gains of saves do not hang on where a run of so many seconds ends") {
  // A save every 20 steps of 1 s takes 8 GB/s of OSTs 12 s; twice as fast is 6 s of 32 less. After
  // 50 s 20 steps are saved and 18 more made, after 63 s two saves are done.
  const auto gain_of_osts = [](const std::string& duration) {
    ScenarioFile file = saving("8", "1 TB/s");
    const auto put = [&](const std::string& what, const std::string& with) {
      file.text->replace(file.text->find(what), what.size(), with);
    };
    put(R"("every": "60 s")", R"("every_steps": 20)");
    put("20 min", duration);
    return ranked(file).bottlenecks.front().gain->time;
  };
  for (const char* duration : {"50 s", "63 s", "80 s", "1 h"}) {
    INFO(duration);
    CHECK(gain_of_osts(duration) == Approx(6.0 / 32.0).epsilon(0.02));
  }
}

TEST_CASE("what differs between two seeds is noise of gains") {
  // One host reads objects whose first bytes have a long tail: the slowest of 60 steps is luck.
  ScenarioFile file{.file = "tail.json", .text = R"({
  "id": "tail",
  "cluster": { "hosts": [ { "id": "gpu", "count": 1, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "bucket", "type": "s3", "use": "storage/s3-standard",
                 "first_byte": "30 ms", "first_byte_spread": 12 } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "steps": 60, "step": { "compute": "50 ms", "jitter": "0 %" },
              "dataset": { "on": "bucket", "format": "raw", "samples": 100000, "sample": "100 kB" },
              "loader": { "type": "pytorch", "batch": 1, "workers": 2 } } ],
  "run": { "replicas": 1 }
})"};
  const Prediction p = ranked(file);
  CHECK(p.gains->noise > 0.001);
  CHECK(p.bottlenecks.front().gain->time > p.gains->noise);
}

TEST_CASE("an outage of storage is blamed by what the design would gain without it") {
  // From second 61 on, a second into the first save, nothing is served for 30 s, then all is as
  // before: the save takes 38 s instead of 8. No speed of anything gives these 30 s back.
  ScenarioFile file = saving("12", "800 Gb/s");
  file.text->insert(file.text->find("\"run\""),
                    R"("failures": [ { "id": "power", "type": "storage", "on": "scratch",
                      "part": "service", "at": "61 s", "failover": "30 s", "repair": "1 s" } ], )");
  const Prediction p = ranked(file);
  const auto row = std::find_if(p.bottlenecks.begin(), p.bottlenecks.end(),
                                [](const Bottleneck& b) { return b.resource == "failure.power"; });
  REQUIRE(row != p.bottlenecks.end());
  REQUIRE(row->gain.has_value());
  const double wall = 1200.0, was = (wall - 19 * 8.0 - 30.0) / wall, is = (wall - 19 * 8.0) / wall;
  CHECK(row->gain->time == Approx(1.0 - was / is).epsilon(0.02));
  CHECK(row->gain->part == "failures[power]");
  // Everything twice as fast is with the outage: it is not made faster.
  CHECK(p.gains->all.time < 1.0 - was / ((wall - 30.0) / wall));
}

TEST_CASE("lost work and restarts are a part: what the design would gain without its failures") {
  // A process dies at 650 s, a minute and more is lost and made again; the outage lasts 2 s.
  ScenarioFile file = saving("12", "800 Gb/s", R"("recovery": { "detect": "60 s" },)");
  file.text->insert(file.text->find("\"run\""),
                    R"("failures": [ { "id": "crash", "type": "process", "at": "650 s" },
                      { "id": "power", "type": "storage", "on": "scratch",
                      "part": "service", "at": "61 s", "failover": "2 s", "repair": "1 s" } ],
                      "expect": [ { "id": "good", "that": "job.train.goodput >= 99 %" } ], )");
  const Prediction p = ranked(file);
  const auto row =
      std::find_if(p.bottlenecks.begin(), p.bottlenecks.end(),
                   [](const Bottleneck& b) { return b.resource == "job.train.failures"; });
  REQUIRE(row != p.bottlenecks.end());
  REQUIRE(row->gain.has_value());
  CHECK(row == p.bottlenecks.begin());
  CHECK(row->gain->part == "jobs[train].failures");
  CHECK(row->gain->time >= p.breakdown.at("train").at("restart"));
  CHECK(p.assertions.at(0).limited_by == "job.train.failures");
}

TEST_CASE("what one job gains at the cost of another is told of each, and names its own limit") {
  // Both could read all of 2 GB/s; b is held to 0.2 GB/s. With twice that, b takes half the time,
  // and a, which had 1.8 GB/s, has 1.6.
  const auto job = [](const std::string& id, const std::string& more) {
    return R"({ "id": ")" + id + R"(", "hosts": ")" + id + R"(", )" + more + R"(
      "step": { "compute": "1 ms", "jitter": "0 %" }, "barrier": { "base": "0 s", "per_doubling": "0 s" },
      "dataset": { "on": "filer", "format": "raw", "sample": "1 MB", "samples": 100000000 },
      "loader": { "batch": 1, "workers": 8, "prefetch": 2 } })";
  };
  const Prediction p = ranked({.file = "two.json",
                               .text = R"({
    "id": "two",
    "cluster": { "hosts": [ { "id": "a", "count": 2 }, { "id": "b", "count": 2 } ] },
    "storage": [ { "id": "filer", "type": "nfs",
                   "head": { "count": 1, "read": "2 GB/s", "write": "2 GB/s", "ops": "1000 kops/s", "service": "10 us" },
                   "client": { "connection": "10 GB/s", "stream": "10 GB/s", "read_ahead": "1 GiB", "nconnect": 16 } } ],
    "jobs": [ )" + job("a", "") + ", " +
                                       job("b", R"("limit": "200 MB/s",)") + R"( ],
    "run": { "duration": "30 s", "replicas": 1 },
    "expect": [ { "id": "a", "that": "job.a.gpu.utilization >= 99 %" },
                { "id": "b", "that": "job.b.gpu.utilization >= 99 %" } ] })"});
  const auto row = std::find_if(p.bottlenecks.begin(), p.bottlenecks.end(),
                                [](const Bottleneck& b) { return b.resource == "job.b.limit"; });
  REQUIRE(row != p.bottlenecks.end());
  REQUIRE(row->gain.has_value());
  CHECK(row->gain->each.at("b") == Approx(0.5).epsilon(0.05));
  CHECK(row->gain->each.at("a") == Approx(1.0 - 1.8 / 1.6).epsilon(0.1));
  CHECK(row->gain->time == Approx((row->gain->each.at("a") + row->gain->each.at("b")) / 2.0));
  REQUIRE(p.assertions.size() == 2);
  CHECK(p.assertions[0].limited_by.starts_with("storage.filer.head"));
  CHECK(p.assertions[1].limited_by == "job.b.limit");
}

TEST_CASE("what all of a host class loses is not said of each of its parts") {
  // Both read of 2 GB/s, `most` by three times as many workers but through ports of 0.6 GB/s. With
  // faster ports it takes half the time, and `a`, which had 1.4 GB/s, has 0.8.
  const auto job = [](const std::string& id, const std::string& workers) {
    return R"({ "id": ")" + id + R"(", "hosts": ")" + id + R"(",
      "step": { "compute": "1 ms", "jitter": "0 %" }, "barrier": { "base": "0 s", "per_doubling": "0 s" },
      "dataset": { "on": "filer", "format": "raw", "sample": "1 MB", "samples": 100000000 },
      "loader": { "batch": 1, "workers": )" +
           workers + R"(, "prefetch": 2 } })";
  };
  const Prediction p = ranked({.file = "two.json",
                               .text = R"({
    "id": "two",
    "cluster": { "hosts": [ { "id": "a", "count": 2 },
                            { "id": "most", "count": 2, "nic": { "rate": "2.4 Gb/s", "count": 1 } } ] },
    "storage": [ { "id": "filer", "type": "nfs",
                   "head": { "count": 1, "read": "2 GB/s", "write": "2 GB/s", "ops": "1000 kops/s", "service": "10 us" },
                   "client": { "connection": "10 GB/s", "stream": "10 GB/s", "read_ahead": "1 GiB", "nconnect": 16 } } ],
    "jobs": [ )" + job("a", "8") + ", " +
                                       job("most", "24") + R"( ],
    "run": { "duration": "10 s", "replicas": 1 } })"});
  const auto gain = [&](const std::string& part) {
    for (const Bottleneck& b : p.bottlenecks)
      if (b.gain && b.gain->part == part) return b.gain->time;
    FAIL("no gain of " << part);
    return 0.0;
  };
  CHECK(gain("cluster.hosts[most].nic") < -0.05);
  CHECK(gain("cluster.hosts[most].cpu") == Approx(0.0).margin(0.02));
  CHECK(gain("cluster.hosts[most].gpu") == Approx(0.0).margin(0.005));
}

TEST_CASE("two limits of the same height are named together, since neither alone gains") {
  // 12 OSTs take 12 GB/s, and so does the port.
  const Prediction p = ranked(saving("12", "96 Gb/s"));
  for (const Bottleneck& b : p.bottlenecks)
    if (b.gain && b.gain->part != "storage[scratch]")
      CHECK(b.gain->time < 0.25 * p.gains->all.time);
  REQUIRE(p.gains->pair.size() == 2);
  CHECK(p.gains->pair[0] == "storage.scratch.oss");
  CHECK(p.gains->pair[1] == "storage.scratch.ost");
  CHECK(p.gains->together.time == Approx(p.gains->all.time).epsilon(0.1));
}

TEST_CASE("a limit of each stream is blamed by what it would gain, not by who waits at it") {
  // 32 writers: each stream takes 0.4 GB/s, all together 12.8 GB/s, and the OSTs 12 GB/s. Without
  // one limit the other is left: streams twice as fast gain nothing, and OSTs twice as fast a
  // fifteenth of the save.
  ScenarioFile file = saving("12", "800 Gb/s");
  file.sets = {"storage.scratch.client.stream=0.4 GB/s"};
  const Prediction p = ranked(file);
  for (const Bottleneck& b : p.bottlenecks)
    if (b.gain && b.gain->part == "storage[scratch].client")
      CHECK(b.gain->time < 0.25 * p.gains->all.time);
  CHECK((!p.gains->pair.empty() ||
         p.bottlenecks.front().resource.starts_with("storage.scratch.ost")));
}

TEST_CASE("of a job that waits for nothing no part is tried") {
  ScenarioFile file = saving("12", "800 Gb/s");
  file.sets = {"jobs.train.checkpoint.every=1 h"};
  const Prediction p = ranked(file);
  CHECK(p.gains->simulated == 0);
  CHECK(p.gains->left_out == 0);
}

TEST_CASE("what limits stages is what the time of all of them would gain from") {
  // Cores twice as fast: 2,500 s less of 6,000 s.
  const Prediction p = ranked(two_stages());
  REQUIRE_FALSE(p.bottlenecks.empty());
  CHECK(p.bottlenecks.front().resource == "host.prep.cpu");
  REQUIRE(p.bottlenecks.front().gain.has_value());
  CHECK(p.bottlenecks.front().gain->time == Approx(2500.0 / 6000.0).epsilon(0.02));
  CHECK(p.bottlenecks.front().gain->utilization == 0.0);
  const auto rate =
      std::find_if(p.bottlenecks.begin(), p.bottlenecks.end(),
                   [](const Bottleneck& b) { return b.resource == "stage.load.rate"; });
  REQUIRE(rate != p.bottlenecks.end());
  REQUIRE(rate->gain.has_value());
  CHECK(rate->gain->time > 0.04);
}

}  // namespace gain_test
