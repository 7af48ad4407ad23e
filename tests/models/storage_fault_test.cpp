#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/designs.hpp"

namespace storage_fault_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

// Parts of a storage system that fail at a date, against what is left by hand.
namespace {

// 32 ranks that read 100 MB each in a step, far more than the 32 GB/s of 8 OSTs behind 4 OSS of
// 8 GB/s: for 60 s the storage is all that limits.
Design reader() {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "oss.count", "4");
  set(design.storage[0], Role::storage, "oss.nic", "64 Gb/s");
  set(design.storage[0], Role::storage, "mdt.count", "2");
  set(design.jobs[0].step, Role::step, "compute", "1 ms");
  design.jobs[0].dataset =
      component(Role::dataset, "raw", "dataset",
                {{"on", "scratch"}, {"sample", "100 MB"}, {"samples", "1000000"}});
  design.jobs[0].loader =
      component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "2"}});
  return design;
}

using Extra = std::vector<std::pair<const char*, const char*>>;
// From 20 s to 30 s nothing, until 50 s what is left.
void break_at_20_s(Design& design, const char* part, const Extra& extra = {}) {
  Component fault = component(Role::failure, "storage", "fault",
                              {{"on", "scratch"},
                               {"at", "20 s"},
                               {"failover", "10 s"},
                               {"repair", "20 s"},
                               {"part", part}});
  for (const auto& [key, text] : extra) set(fault, Role::failure, key, text);
  design.failures.push_back(fault);
}

double bytes(const Design& design) { return metric(run(design), "job.train.throughput.bytes"); }

double left_with(const char* part, const Extra& extra = {}, const char* ost = "4 GB/s") {
  Design design = reader();
  set(design.storage[0], Role::storage, "ost.read", ost);
  const double before = bytes(design);
  break_at_20_s(design, part, extra);
  return bytes(design) / before;
}

}  // namespace

TEST_CASE("storage fault: the partner of a server carries two shares") {
  // OSTs that do not limit: 30 s whole, 10 s nothing, 20 s half: 40 of 60
  CHECK(left_with("server", {}, "16 GB/s") == Approx(40.0 / 60.0).epsilon(0.01));
}

TEST_CASE("storage fault: servers that share the load carry an equal part each") {
  // 3 of 4 OSS for 20 s: 45 of 60
  CHECK(left_with("server", {{"takeover", "spread"}}, "16 GB/s") ==
        Approx(45.0 / 60.0).epsilon(0.01));
}

TEST_CASE("storage fault: a rebuild takes its share of the media") {
  // 30 + 20 x 0.7 of 60
  CHECK(left_with("target", {{"rebuild", "30 %"}}) == Approx(44.0 / 60.0).epsilon(0.01));
}

TEST_CASE("storage fault: a rebuild takes nothing of what bounds the media") {
  SECTION("a ceiling of the system") {
    // OSTs give 32 GB/s, 16 while one rebuilds: 8 GB/s are the limit for 50 of 60 s
    Design design = reader();
    set(design.storage[0], Role::storage, "read", "8 GB/s");
    set(design.storage[0], Role::storage, "stripe.count", "0");
    const double before = bytes(design);
    break_at_20_s(design, "target", {{"rebuild", "50 %"}});
    CHECK(bytes(design) / before == Approx(50.0 / 60.0).epsilon(0.01));
    // 30 + 20 x 6.4 / 8
    set(design.failures[0], Role::failure, "rebuild", "80 %");
    CHECK(bytes(design) / before == Approx(46.0 / 60.0).epsilon(0.01));
  }
  SECTION("controllers in front of shelves") {
    // Shelves of 40 or 3 GB/s behind controllers of 2 GB/s: 20 or 1.5 GB/s while one rebuilds
    for (const auto& [shelf, left] : {std::pair("10 GB/s", 20.0), {"0.75 GB/s", 15.0}}) {
      Design design = reader();
      design.storage[0] = component(Role::storage, "nfs", "scratch",
                                    {{"head.count", "2"},
                                     {"head.read", "1 GB/s"},
                                     {"head.write", "1 GB/s"},
                                     {"shelf.count", "4"},
                                     {"shelf.read", shelf},
                                     {"client.connection", "100 GB/s"},
                                     {"client.read_ahead", "1 GB"}});
      const double before = bytes(design);
      break_at_20_s(design, "target", {{"rebuild", "50 %"}});
      CHECK(bytes(design) / before == Approx((30.0 + left) / 60.0).epsilon(0.01));
    }
  }
}

TEST_CASE("storage fault: opens wait for the metadata server") {
  // 2 MDTs of 1,000 opens a second, 32 opens a step: half of them for 20 s, none for 10 s
  Design design = reader();
  set(design.storage[0], Role::storage, "mdt.open", "1 kops/s");
  set(design.jobs[0].dataset.value(), Role::dataset, "sample", "1 kB");
  const double before = bytes(design);
  break_at_20_s(design, "metadata");
  CHECK(bytes(design) / before == Approx(40.0 / 60.0).epsilon(0.02));
}

TEST_CASE("storage fault: one metadata server with a standby is whole after the failover") {
  Design design = reader();
  set(design.storage[0], Role::storage, "mdt.count", "1");
  set(design.storage[0], Role::storage, "mdt.open", "1 kops/s");
  set(design.jobs[0].dataset.value(), Role::dataset, "sample", "1 kB");
  const double before = bytes(design);
  break_at_20_s(design, "metadata");
  CHECK(bytes(design) / before == Approx(50.0 / 60.0).epsilon(0.02));
}

TEST_CASE("storage fault: a save under way waits for the failover") {
  // a save of 32 GB takes 1 s, and 0.027 s of snapshot, every 60 steps of 100 ms; the one at 18 to
  // 20 s is hit by a fault of 10 s
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  design.jobs[0].checkpoint = component(
      Role::checkpoint, "sync", "checkpoint",
      {{"to", "scratch"}, {"every_steps", "60"}, {"size", "32 GB"}, {"serializer", "none"}});
  const RunResult whole = run(design);
  Component fault = component(Role::failure, "storage", "fault",
                              {{"on", "scratch"},
                               {"at", "6.5 s"},
                               {"failover", "10 s"},
                               {"part", "target"},
                               {"rebuild", "0 %"},
                               {"repair", "1 s"}});
  design.failures.push_back(fault);
  const RunResult broken = run(design);
  CHECK(metric(broken, "job.train.checkpoint.stall.max") ==
        Approx(metric(whole, "job.train.checkpoint.stall.max") + 10.0).epsilon(1e-3));
  CHECK(metric(broken, "job.train.checkpoint.stall.p50") ==
        Approx(metric(whole, "job.train.checkpoint.stall.p50")).epsilon(1e-9));
  // 11 s, of which the GPUs compute in the 0.46 s after the save
  CHECK(metric(broken, "failure.fault.lasted") == Approx(11.0).epsilon(1e-9));
  CHECK(metric(broken, "failure.fault.stall") == Approx(10.5).margin(0.2));
}

// 20 steps of 10 s, and 32 GB saved in 1.03 s after each two of them.
TEST_CASE("storage fault: GPUs compute in the parts of steps that lie within it") {
  Design design = small_design();
  design.run.values.erase("duration");
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  set(design.jobs[0].job, Role::job, "steps", "20");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  set(design.jobs[0].step, Role::step, "compute", "10 s");
  const auto out_at = [&](const char* mode, const char* at) {
    Design out = design;
    out.jobs[0].checkpoint = component(
        Role::checkpoint, mode, "checkpoint",
        {{"to", "scratch"}, {"every_steps", "2"}, {"size", "32 GB"}, {"serializer", "none"}});
    out.failures.push_back(component(Role::failure, "storage", "fault",
                                     {{"on", "scratch"},
                                      {"at", at},
                                      {"part", "service"},
                                      {"failover", "9 s"},
                                      {"repair", "1 us"}}));
    return out;
  };
  const auto stall = [](const RunResult& result) { return metric(result, "failure.fault.stall"); };
  const auto used = [](const RunResult& result) {
    return metric(result, "failure.fault.gpu.utilization");
  };
  SECTION("a save begins 1 s after its begin and ends after its end") {
    Design out = out_at("sync", "19 s");
    CHECK(stall(run(out)) == Approx(8.0).epsilon(1e-6));
    CHECK(used(run(out)) == Approx(1.0 / 9.0).epsilon(1e-6));
    // A job that has not begun by then is none of those that it held up.
    JobDesign next = out.jobs[0];
    next.job.id = "next";
    set(next.job, Role::job, "after", "train");
    out.jobs.push_back(next);
    CHECK(stall(run(out)) == Approx(8.0).epsilon(1e-6));
    CHECK(used(run(out)) == Approx(1.0 / 9.0).epsilon(1e-6));
  }
  SECTION("all of it inside one step") {
    CHECK(stall(run(out_at("sync", "0.5 s"))) == Approx(0.0).margin(1e-6));
    CHECK(used(run(out_at("sync", "0.5 s"))) == Approx(1.0).epsilon(1e-6));
  }
  SECTION("a flush waits, and training does not") {
    // but for the snapshot of 0.03 s
    CHECK(stall(run(out_at("async", "19 s"))) == Approx(0.03).margin(0.01));
  }
}

TEST_CASE("storage fault: the restore after the run is no time of training") {
  // 600 steps of 100 ms, ten saves of about a second, then 32 GB are read back in as long.
  Design design = small_design();
  set(design.run, Role::run, "fast_forward", "false");
  set(design.run, Role::run, "duration", "1 h");  // not when it ends
  set(design.jobs[0].job, Role::job, "epochs", "1");
  set(design.jobs[0].job, Role::job, "steps", "600");
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "scratch"},
                                         {"every_steps", "60"},
                                         {"size", "32 GB"},
                                         {"serializer", "none"},
                                         {"restore.read", "all"}});
  const RunResult whole = run(design);
  const double end = metric(whole, "job.train.time.wall");
  const double restore = metric(whole, "job.train.restore.duration");
  REQUIRE(restore > 0.5);
  const auto broken_at = [&](const std::string& date) {
    Design broken = design;
    broken.failures.push_back(component(Role::failure, "storage", "fault",
                                        {{"on", "scratch"},
                                         {"at", date.c_str()},
                                         {"failover", "10 s"},
                                         {"repair", "1 h"},
                                         {"part", "service"},
                                         {"left", "50 %"}}));
    return run(broken);
  };
  // It lasts until the last step, and the restore finds a storage that is whole.
  const RunResult during = broken_at("20.5 s");
  const double lasted = metric(during, "job.train.time.wall") - 20.5;
  CHECK(lasted > 39.0);
  CHECK(metric(during, "failure.fault.lasted") == Approx(lasted).epsilon(1e-9));
  CHECK(metric(during, "failure.fault.stall") ==
        Approx(lasted * (1.0 - metric(during, "failure.fault.gpu.utilization"))).epsilon(1e-9));
  CHECK(metric(during, "job.train.restore.duration") == Approx(restore).epsilon(1e-9));
  // One that comes while the state is read back is none of the run, which says so.
  const RunResult after = broken_at(std::to_string(end + restore / 2.0) + " s");
  CHECK(metric(after, "failure.fault.count") == 0.0);
  CHECK(metric(after, "failure.fault.stall") == 0.0);
  CHECK(metric(after, "job.train.restore.duration") == restore);
  REQUIRE(after.warnings.size() == whole.warnings.size() + 1);
  CHECK_THAT(after.warnings.back(), Catch::Contains("before this failure"));
}

TEST_CASE("storage fault: a drive inside the hosts rebuilds") {
  // 8 ranks of each host read 100 MB from its two drives of 1 GB/s: 30 + 20 x 0.7 of 60
  Design design = reader();
  design.storage[0] = component(Role::storage, "local", "scratch",
                                {{"drive.count", "2"},
                                 {"drive.read", "1 GB/s"},
                                 {"raid.level", "10"},
                                 {"depth", "64"},
                                 {"client.stream", "1000 GB/s"}});
  const double before = bytes(design);
  break_at_20_s(design, "target", {{"rebuild", "30 %"}});
  CHECK(bytes(design) / before == Approx(44.0 / 60.0).epsilon(0.02));
}

TEST_CASE("storage fault: targets of a volume on the fabric share what one carried") {
  // three of four targets for 20 s: 30 + 15 of 60; their networks or their drives limit
  for (const char* nic : {"8 Gb/s", "100 Gb/s"}) {
    Design design = reader();
    design.storage[0] = component(Role::storage, "nvmeof", "scratch",
                                  {{"drive.count", "1"},
                                   {"drive.read", "2 GB/s"},
                                   {"target.count", "4"},
                                   {"target.nic", nic},
                                   {"raid.level", "5"},
                                   {"depth", "64"},
                                   {"client.stream", "1000 GB/s"}});
    const double before = bytes(design);
    break_at_20_s(design, "server", {{"takeover", "spread"}});
    CHECK(bytes(design) / before == Approx(45.0 / 60.0).epsilon(0.02));
  }
}

TEST_CASE("storage fault: a service that is out refuses requests, then some of them") {
  // 32 objects a step at 400 requests a second: 10 s none, 20 s half of them, retried every ms
  Design design = reader();
  design.storage[0] = component(Role::storage, "s3", "scratch",
                                {{"get.rate", "400 ops/s"},
                                 {"first_byte", "1 ms"},
                                 {"first_byte_spread", "1"},
                                 {"connection.rate", "10 GB/s"},
                                 {"retry.base", "1 ms"},
                                 {"retry.cap", "1 ms"}});
  set(design.jobs[0].dataset.value(), Role::dataset, "sample", "100 kB");
  const double before = bytes(design);
  break_at_20_s(design, "service", {{"left", "50 %"}});
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.throughput.bytes") / before == Approx(40.0 / 60.0).epsilon(0.02));
  CHECK(metric(result, "storage.scratch.tries.most") > 5000.0);
}

TEST_CASE("storage fault: a whole file system can be out") {
  // data and metadata: 10 s nothing, 20 s a quarter: 35 of 60
  CHECK(left_with("service", {{"left", "25 %"}}) == Approx(35.0 / 60.0).epsilon(0.01));
}

TEST_CASE("storage fault: the shares of time follow from the rates") {
  // 8 OSTs of 8 h: 1 h whole, then 60 s down and 59 min degraded: 1/120 and 59/120
  Design design = small_design();
  design.failures.push_back(component(Role::failure, "storage", "fault",
                                      {{"on", "scratch"},
                                       {"mtbf", "8 h"},
                                       {"part", "target"},
                                       {"failover", "1 min"},
                                       {"repair", "59 min"}}));
  const RunResult result = run(design);
  CHECK(metric(result, "failure.fault.down.share") == Approx(1.0 / 120.0).epsilon(1e-12));
  CHECK(metric(result, "failure.fault.degraded.share") == Approx(59.0 / 120.0).epsilon(1e-12));
  // An object store is one service: 119 h whole, then as long as before.
  design.storage.push_back(component(Role::storage, "s3", "objects", {}));
  set(design.failures[0], Role::failure, "on", "objects");
  set(design.failures[0], Role::failure, "part", "service");
  set(design.failures[0], Role::failure, "mtbf", "119 h");
  CHECK(metric(run(design), "failure.fault.degraded.share") ==
        Approx(59.0 / 7200.0).epsilon(1e-12));
}

TEST_CASE("storage fault: one after the end changes nothing") {
  Design design = reader();
  set(design.run, Role::run, "fast_forward", "false");  // as it is with faults: to the bit
  const double before = bytes(design);
  break_at_20_s(design, "server", {{"at", "1 h"}});
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.throughput.bytes") == before);
  CHECK(metric(result, "failure.fault.count") == 0.0);
  CHECK(metric(result, "failure.fault.lasted") == 0.0);
  CHECK(metric(result, "failure.fault.stall") == 0.0);
}

TEST_CASE("storage fault: two at one time both count") {
  // the OSS of one pair and a rebuild: after the failovers the servers' half is the lesser
  Design design = reader();
  set(design.storage[0], Role::storage, "ost.read", "16 GB/s");
  const double before = bytes(design);
  break_at_20_s(design, "server");
  break_at_20_s(design, "target", {{"rebuild", "10 %"}});
  design.failures[1].id = "other";
  CHECK(bytes(design) / before == Approx(40.0 / 60.0).epsilon(0.01));
}

TEST_CASE("storage fault: parts fail as often as there are of them") {
  // 8 OSTs of 80 s: one every 10 s; about 60 in 600 s, each over in 2 s before the next is drawn
  Design design = small_design();
  set(design.run, Role::run, "duration", "12000 s");
  design.failures.push_back(component(Role::failure, "storage", "fault",
                                      {{"on", "scratch"},
                                       {"mtbf", "80 s"},
                                       {"part", "target"},
                                       {"failover", "1 s"},
                                       {"repair", "1 s"}}));
  CHECK(metric(run(design), "failure.fault.count") == Approx(1000.0).epsilon(0.1));
}

TEST_CASE("storage fault: one request of each process waits for the end of an outage") {
  const auto small_reads = [](const char* processes, const char* part) {
    Design design = small_design();
    design.jobs.clear();
    set(design.run, Role::run, "duration", "60 s");
    design.tenants.push_back(component(Role::tenant, "fio", "x",
                                       {{"on", "scratch"},
                                        {"hosts", "gpu"},
                                        {"bs", "4 KiB"},
                                        {"numjobs", processes},
                                        {"direct", "true"}}));
    if (part != nullptr) break_at_20_s(design, part);
    return run(design);
  };
  const std::string latency = "tenant.x.latency";
  // One by one, or far more than the storage takes.
  for (const char* processes : {"1", "2000"}) {
    INFO(processes << " processes on each host");
    const RunResult whole = small_reads(processes, nullptr), out = small_reads(processes, "server");
    CHECK(metric(whole, latency + ".max") < 1.1 * metric(whole, latency));
    CHECK(metric(out, latency + ".max") == Approx(10.0).epsilon(0.05));
    CHECK(metric(out, latency + ".p50") == Approx(metric(whole, latency + ".p50")).epsilon(0.05));
    // Mean and count go on to fill the time of all processes.
    const double busy = metric(out, latency) * metric(out, "tenant.x.operations") * 60.0;
    CHECK(busy / (4.0 * std::stod(processes)) == Approx(60.0).epsilon(0.05));
    // Open files do not wait for the metadata.
    CHECK(metric(small_reads(processes, "metadata"), latency + ".max") ==
          Approx(metric(whole, latency + ".max")).epsilon(0.01));
  }
}

}  // namespace storage_fault_test
