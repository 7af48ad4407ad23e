#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/designs.hpp"

namespace checkpoint_options_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// As in checkpoint_test.cpp: 32 ranks on 4 hosts, 320 GB every 10 s of compute to 32 GB/s. A host
// copies 80 GB at 300 GB/s of DRAM; rank and host move 10 GB and 80 GB.
Design saver(const char* mode, Settings more = {}) {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  set(design.storage[0], Role::storage, "client.stream_direct", "100 GB/s");
  design.jobs[0].checkpoint = component(
      Role::checkpoint, mode, "checkpoint",
      {{"to", "scratch"}, {"every_steps", "100"}, {"size", "320 GB"}, {"serializer", "none"}});
  for (const auto& [key, text] : more)
    set(design.jobs[0].checkpoint.value(), Role::checkpoint, key, text);
  return design;
}
constexpr double kSnapshot = 80e9 / 300e9;
constexpr double kWrite = 320e9 / 32e9;
constexpr double kNic = 400e9 / 8 * 0.95;  // of one host, GB/s

double save_metric(const Design& design, const char* name) {
  return metric(run(design), std::string("job.train.checkpoint.") + name);
}
std::string save_limit(const Design& design) {
  return run(design).limited_by.at("job.train.checkpoint.duration");
}
double restore_metric(const Design& design, const char* name) {
  return metric(run(design), std::string("job.train.restore.") + name);
}

}  // namespace

TEST_CASE("each pass over the bytes takes its time on one core") {
  // 10 GB a rank: 2 s of torch.save at 5 GB/s, 1 s of CRC32C, 2 s of AES: all in turn.
  const Design design = saver("sync", {{"serializer", "torch"},
                                       {"serialize", "5 GB/s"},
                                       {"checksum", "10 GB/s"},
                                       {"encrypt", "5 GB/s"}});
  CHECK(save_metric(design, "stall") == Approx(kSnapshot + 5.0 + kWrite).epsilon(1e-3));
  // two threads halve all of them
  Design two = design;
  set(two.jobs[0].checkpoint.value(), Role::checkpoint, "threads", "2");
  CHECK(save_metric(two, "stall") == Approx(kSnapshot + 2.5 + kWrite).epsilon(1e-3));
}

TEST_CASE("compression by cores shrinks the write, by GPUs the copy too") {
  // Ratio 2. CPU: 10 GB a rank at 10 GB/s = 1 s after the copy, then half the write.
  const Design cpu = saver("sync", {{"compress.ratio", "2"}, {"compress.rate", "10 GB/s"}});
  CHECK(save_metric(cpu, "stall") == Approx(kSnapshot + 1.0 + kWrite / 2).epsilon(1e-3));
  const Design gpu = saver(
      "sync", {{"compress.ratio", "2"}, {"compress.rate", "100 GB/s"}, {"compress.on", "gpu"}});
  CHECK(save_metric(gpu, "stall") == Approx(0.1 + kSnapshot / 2 + kWrite / 2).epsilon(1e-3));
  // 5 saves in 60 s: what is kept is what is stored
  CHECK(save_metric(gpu, "held") == Approx(160e9 * save_metric(gpu, "count")));
}

TEST_CASE("an incremental save writes its part, every k-th the whole") {
  // Whole, 10 %, 10 %, 10 %, whole ...: stalls of 10.27 and 1.27 s.
  const Design design =
      saver("sync", {{"incremental.fraction", "10 %"}, {"incremental.full_every", "4"}});
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.stall.max") ==
        Approx(kSnapshot + kWrite).epsilon(1e-3));
  CHECK(metric(result, "job.train.checkpoint.stall.p50") ==
        Approx(kSnapshot + 0.1 * kWrite).epsilon(1e-2));
  // The bandwidth is of what was moved: of n saves every fourth is whole.
  const double saves = save_metric(design, "count"), whole = std::ceil(saves / 4.0);
  CHECK(save_metric(design, "bandwidth") ==
        Approx(320e9 * (whole + 0.1 * (saves - whole)) / (saves * save_metric(design, "duration")))
            .epsilon(1e-9));
}

TEST_CASE("flushes after the last step use the storage, and no more of it than there is") {
  // 320 GB every 2 s of compute are more than 32 GB/s: two saves are under way at the end.
  const Design design = saver("async", {{"every_steps", "20"}, {"buffers", "2"}});
  const RunResult result = run(design);
  const double used = metric(result, "resource.storage.scratch.ost.utilization");
  CHECK(used <= 1.0 + 1e-9);
  CHECK(used == Approx(1.0).epsilon(0.05));  // all but the first 2 s
  // To the byte: all that was saved over the time until the last save ended.
  CHECK(metric(result, "resource.storage.scratch.ost.throughput") * result.simulated_s ==
        Approx(320e9 * save_metric(design, "count")).epsilon(1e-4));
}

TEST_CASE("a restore of an increment reads everything back to the whole save") {
  // 60 s hold 5 saves (20.3 + 3 x 11.3 s, then the next): the last is whole again, read alone.
  Design design = saver("sync", {{"incremental.fraction", "10 %"},
                                 {"incremental.full_every", "10"},
                                 {"restore.read", "own"}});
  const RunResult result = run(design);
  const double saves = metric(result, "job.train.checkpoint.count");
  REQUIRE(saves > 2.0);
  CHECK(metric(result, "job.train.restore.read") ==
        Approx(320e9 * (1.0 + 0.1 * (saves - 1.0))).epsilon(1e-9));
}

TEST_CASE("retention holds the last k in addition to the new one, and deletes the rest") {
  const auto held = [](Settings more) {
    Design design = saver("sync", more);
    set(design.run, Role::run, "duration", "200 s");
    return save_metric(design, "held") / 320e9;
  };
  CHECK(held({{"keep.last", "2"}}) == Approx(3.0));
  // Of about 10 saves the 3rd, 6th and 9th stay: two at the end and one new make 5 or 6.
  CHECK(held({{"keep.last", "2"}, {"keep.every", "3"}}) >= 5.0);
  CHECK(held({}) >= 9.0);
}

TEST_CASE("a renamed commit adds a metadata operation a file and a marker") {
  Design design = saver("sync", {{"files", "100"}});
  set(design.storage[0], Role::storage, "mdt.open", "1 kops/s");
  set(design.storage[0], Role::storage, "mdt.service", "1 ms");
  const double plain = save_metric(design, "stall");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "commit", "rename");
  // 3200 renames on one MDT of 1000 a second
  CHECK(save_metric(design, "stall") == Approx(plain + 3.2).epsilon(5e-3));
}

TEST_CASE("a coordinator's time is added to every save") {
  const double plain = save_metric(saver("sync"), "stall");
  CHECK(save_metric(saver("sync", {{"coordinate", "2 s"}}), "stall") ==
        Approx(plain + 2.0).epsilon(1e-6));
}

TEST_CASE("a flush by a thread slows training down while it lasts") {
  // 10 s steps apart, 10 s flushes of 160 GB = 5 s: half of all steps take 20 % longer.
  const Design process = saver("async", {{"size", "160 GB"}});
  const Design thread =
      saver("async", {{"size", "160 GB"}, {"flush", "thread"}, {"slowdown", "20 %"}});
  const RunResult a = run(process), b = run(thread);
  CHECK(metric(b, "job.train.gpu.utilization") < metric(a, "job.train.gpu.utilization"));
  // Steps of 0.1 s; while 5.0 s of flush last, each takes 0.12 s: 42 steps lose 20 ms = 0.83 s a
  // save of about 10 s.
  const double lost =
      b.breakdown.at("train").at("checkpoint") - a.breakdown.at("train").at("checkpoint");
  CHECK(lost == Approx(0.83 / 10.9 * 5.0 / 5.5).epsilon(0.15));
  double sum = 0.0;
  for (const auto& [cause, share] : b.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("copies in peers' memory cross the network once each and can be what counts") {
  // 80 GB a host x 2 copies at 47.5 GB/s = 3.37 s; then 10 s to the OSTs.
  const Design design = saver("async", {{"tiers", "host-memory,peer-memory,scratch"},
                                        {"peers", "2"},
                                        {"durable", "peer-memory"},
                                        {"every_steps", "200"}});
  const RunResult result = run(design);
  const double copies = 2 * 80e9 / kNic;
  CHECK(metric(result, "job.train.checkpoint.duration") ==
        Approx(kSnapshot + copies).epsilon(1e-3));
  CHECK(metric(result, "job.train.checkpoint.settled") ==
        Approx(kSnapshot + copies + kWrite).epsilon(1e-3));
}

TEST_CASE("pageable snapshots are slower, and state in host memory needs none") {
  // 10 GB at 8 GB/s; DRAM gives 37.5 GB/s a rank.
  CHECK(save_metric(saver("sync", {{"snapshot", "pageable"}}), "stall") ==
        Approx(10.0 / 8.0 + kWrite).epsilon(1e-3));
  CHECK(save_metric(saver("sync", {{"snapshot", "none"}}), "stall") ==
        Approx(kWrite).epsilon(1e-3));
}

TEST_CASE("rank 0's own time is that of its own files") {
  // zero1 of 320 GB, 32 ranks, one replica of 8: optimizer 274.3 GB / 32 = 8.57 GB each; weights
  // 45.7 GB / 8 = 5.71 GB more on the first 8 ranks. All share 32 GB/s: 1 GB/s a rank until the 24
  // have written 8.57 GB at 8.57 s; the 8 then have 4 GB/s each: 5.71 / 4 = 1.43 s more.
  Design design = saver("sync", {{"layout", "zero1"}, {"snapshot", "none"}});
  set(design.jobs[0].job, Role::job, "parallel.tensor", "8");
  CHECK(save_metric(design, "rank0") == Approx(8.571 + 1.429).epsilon(2e-3));
  CHECK(save_metric(design, "stall") == Approx(10.0).epsilon(2e-3));
  // Tensor 1 x pipeline 8 puts the weights on the same ranks; zero3 makes all alike.
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "layout", "zero3");
  CHECK(save_metric(design, "rank0") == Approx(10.0).epsilon(2e-3));
}

TEST_CASE("who writes most has its OST alone when the others are done") {
  // zero1 of 320 GB, 32 ranks: rank 0 the weights, 45.7 GB, and all 8.57 GB of optimizer. Of 16
  // OSTs of 1 GB/s each has two files until 2 x 8.57 s; rank 0's then moves its other 45.7 GB at 1
  // GB/s, not at a half.
  Design design = saver("sync", {{"layout", "zero1"}, {"snapshot", "none"}});
  set(design.storage[0], Role::storage, "stripe.count", "1");
  set(design.storage[0], Role::storage, "ost.count", "16");
  set(design.storage[0], Role::storage, "ost.write", "1 GB/s");
  set(design.storage[0], Role::storage, "placement", "round-robin");
  CHECK(save_metric(design, "stall") == Approx(2 * 8.571 + 45.71).epsilon(0.01));
}

TEST_CASE("one replica that writes is held to the network of its hosts") {
  // zero0, tensor 8: 8 ranks of one host write 320 GB over one NIC.
  Design design = saver("sync", {{"layout", "zero0"}, {"snapshot", "none"}});
  set(design.jobs[0].job, Role::job, "parallel.tensor", "8");
  set(design.storage[0], Role::storage, "ost.count", "64");
  CHECK(save_metric(design, "stall") == Approx(320e9 / kNic).epsilon(2e-3));
}

TEST_CASE("a restore reads, unpacks and copies back") {
  // Every rank its own 10 GB: 10 s from the OSTs, 5 s of torch.load at 2 GB/s, 0.27 s to the GPUs.
  Design design = saver("sync", {{"serializer", "torch"},
                                 {"serialize", "100 GB/s"},
                                 {"restore.read", "own"},
                                 {"restore.deserialize", "2 GB/s"}});
  CHECK(restore_metric(design, "duration") == Approx(kWrite + 5.0 + kSnapshot).epsilon(1e-3));
  CHECK(restore_metric(design, "rank0") ==
        Approx(restore_metric(design, "duration")).epsilon(1e-9));
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "stream", "true");
  CHECK(restore_metric(design, "duration") == Approx(kWrite + kSnapshot).epsilon(1e-3));
}

TEST_CASE("a restore after the run is none of what resources carried") {
  // 320 GB are read back, in 10 s.
  const Design design = saver("sync"), restored = saver("sync", {{"restore.read", "own"}});
  const RunResult without = run(design), with = run(restored);
  for (const auto& [name, figure] : without.metrics)
    if (name.starts_with("resource.")) CHECK(metric(with, name) == figure.value);
}

TEST_CASE("a restore undoes all that the save did") {
  // 10 GB of a rank are 5 GB stored: 1 s of AES, 0.5 s of CRC32C, 1 s to unpack, 5 s of torch.load.
  const Design design = saver("sync", {{"serializer", "torch"},
                                       {"restore.deserialize", "2 GB/s"},
                                       {"encrypt", "5 GB/s"},
                                       {"checksum", "10 GB/s"},
                                       {"compress.ratio", "2"},
                                       {"compress.rate", "10 GB/s"}});
  const auto passes = [](const Design& of) {
    return models::restore_passes(models::checkpoint_params(*of.jobs[0].checkpoint),
                                  Bytes::from(10, unit::GB));
  };
  CHECK(passes(design).total.in(unit::s) == Approx(7.5));
  CHECK(passes(design).worst == "serialize");
  // A GPU unpacks beside the CPU, and two threads take half the time.
  Design gpu = design;
  set(gpu.jobs[0].checkpoint.value(), Role::checkpoint, "compress.on", "gpu");
  set(gpu.jobs[0].checkpoint.value(), Role::checkpoint, "threads", "2");
  CHECK(passes(gpu).total.in(unit::s) == Approx((1.0 + 0.5 + 2.5) / 2));
}

TEST_CASE("a read storm reads a copy per replica; one reader broadcasts instead") {
  // zero0, 8 ranks a replica, 4 replicas: 4 x 320 GB at 32 GB/s = 40 s. Or 320 GB through one
  // host's 47.5 GB/s = 6.74 s (64 OSTs do not limit), then 40 GB on to each rank of the 3 other
  // hosts: 8 x 40 GB / 47.5 GB/s at the rate of a host = 6.74 s.
  Design storm =
      saver("sync", {{"layout", "zero0"}, {"snapshot", "none"}, {"restore.read", "all"}});
  set(storm.jobs[0].job, Role::job, "parallel.tensor", "8");
  CHECK(restore_metric(storm, "duration") == Approx(4 * kWrite).epsilon(2e-3));
  CHECK(restore_metric(storm, "read") == Approx(4 * 320e9));
  set(storm.jobs[0].checkpoint.value(), Role::checkpoint, "restore.read", "once");
  set(storm.storage[0], Role::storage, "ost.count", "64");
  CHECK(restore_metric(storm, "read") == Approx(320e9));
  CHECK(restore_metric(storm, "duration") == Approx(320e9 / kNic * 2).epsilon(2e-3));
}

TEST_CASE("a host takes a broadcast in once and passes it on over NVLink") {
  // zero0, one rank a replica: 31 ranks lack all 320 GB. Each rank by its host's ports: 8 x 320 GB
  // / 47.5 GB/s; once per host: an eighth, and alongside it 320 GB / (0.85 x 450 GB/s) into each of
  // the 7 others.
  Design design =
      saver("sync", {{"layout", "zero0"}, {"snapshot", "none"}, {"restore.read", "once"}});
  const double nvlink = restore_metric(design, "duration");
  const auto slower = [&] { return restore_metric(design, "duration") - nvlink; };
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "restore.broadcast", "nics");
  CHECK(slower() == Approx(7 * 320e9 / kNic).epsilon(2e-3));
  // GPUs on 10 GB/s: 320 / 8.5 s, longer than from host to host
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "restore.broadcast", "nvlink");
  set(design.hosts[0], Role::host, "nvlink.rate", "10 GB/s");
  CHECK(slower() == Approx(320 / 8.5 - 320e9 / kNic).epsilon(2e-3));
}

TEST_CASE("another number of ranks reads across file borders") {
  // 64 ranks wrote, 32 read: each opens 64 / 32 + 1 = 3 files, two round trips each.
  Design design = saver("sync", {{"restore.read", "own"}, {"snapshot", "none"}});
  set(design.fabric, Role::fabric, "rtt", "100 ms");
  const double own = restore_metric(design, "duration");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "restore.saved_by", "64");
  // Opens 3 instead of 1; 6 dependent requests instead of 1, each with 0.25 ms on the OST.
  CHECK(restore_metric(design, "duration") - own == Approx(2 * 0.1 + 5 * 0.10025).epsilon(0.02));
}

TEST_CASE("the nearest tier is restored from unless another is named") {
  Design design =
      saver("async", {{"tiers", "host-memory,local-nvme,scratch"}, {"restore.read", "own"}});
  set(design.hosts[0], Role::host, "nvme.read", "20 GB/s");
  set(design.hosts[0], Role::host, "nvme.write", "20 GB/s");
  CHECK(restore_metric(design, "duration") == Approx(kSnapshot).epsilon(1e-3));
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "restore.from", "local-nvme");
  CHECK(restore_metric(design, "duration") == Approx(4.0 + kSnapshot).epsilon(1e-3));
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "restore.from", "scratch");
  CHECK(restore_metric(design, "duration") == Approx(kWrite + kSnapshot).epsilon(1e-3));
}

TEST_CASE("many small objects cost a create and a commit each, threads overlap them") {
  // 10 GB in 64 MiB objects: 150 a rank; a commit of 1 ms each, one after the other, or 16 at once.
  Design design = saver("sync", {{"serializer", "tensorstore"}, {"chunk", "64 MiB"}});
  set(design.storage[0], Role::storage, "commit", "10 ms");
  const double one = save_metric(design, "stall");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "threads", "16");
  const double many = save_metric(design, "stall");
  // 150 x 10 ms = 1.5 s against 9.4 x 10 ms
  CHECK(one - many == Approx(1.5 - 0.094).epsilon(0.05));
}

TEST_CASE("a lazy snapshot hides behind the next step") {
  // 0.267 s of copy alongside a step of 0.1 s: its update waits 0.167 s.
  const Design design =
      saver("async", {{"size", "320 GB"}, {"every_steps", "200"}, {"lazy", "true"}});
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.stall") == Approx(kSnapshot - 0.1).epsilon(1e-6));
  CHECK(metric(result, "job.train.checkpoint.duration") ==
        Approx(kSnapshot + kWrite).epsilon(1e-3));
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-9));
  // A step of a second hides all of it.
  Design longer = design;
  set(longer.jobs[0].step, Role::step, "compute", "1 s");
  set(longer.jobs[0].checkpoint.value(), Role::checkpoint, "every_steps", "20");
  CHECK(save_metric(longer, "stall.max") == Approx(0.0).margin(1e-9));
}

TEST_CASE("a held flush writes at its rate and no faster") {
  const Design design =
      saver("async", {{"size", "160 GB"}, {"every_steps", "200"}, {"flush_rate", "10 GB/s"}});
  CHECK(save_metric(design, "duration") == Approx(kSnapshot / 2 + 16.0).epsilon(1e-3));
  CHECK(save_limit(design) == "job.train.checkpoint.flush_rate");
  Design quick = design;  // the OSTs move 32 GB/s
  set(quick.jobs[0].checkpoint.value(), Role::checkpoint, "flush_rate", "100 GB/s");
  CHECK(save_limit(quick) == "storage.scratch.ost");
}

TEST_CASE("one file on one target is as fast as the target, or as the stream of its writer") {
  // 320 GB at 2 GB/s: whose those are decides what is to be changed.
  const auto one_file = [](const char* ost, const char* stream) {
    Design design = saver("sync", {{"layout", "rank0"}});
    set(design.storage[0], Role::storage, "stripe.count", "1");
    set(design.storage[0], Role::storage, "ost.write", ost);
    set(design.storage[0], Role::storage, "client.stream", stream);
    CHECK(save_metric(design, "rank0") > 160.0);
    return save_limit(design);
  };
  CHECK(one_file("2 GB/s", "2.5 GB/s") == "storage.scratch.ost");
  CHECK(one_file("4 GB/s", "2 GB/s") == "storage.scratch.client.stream");
}

TEST_CASE("of the saves in memory every n-th goes on to the storage") {
  // Saves every 10 s; copies for peers take 1.68 s. Only the first and the fourth are written.
  const Design design = saver("async", {{"tiers", "host-memory,peer-memory,scratch"},
                                        {"durable", "peer-memory"},
                                        {"drain_every", "3"}});
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.count") == 5.0);
  CHECK(metric(result, "job.train.checkpoint.duration") ==
        Approx(kSnapshot + 80e9 / kNic).epsilon(0.5));
  CHECK(metric(result, "resource.storage.scratch.ost.throughput") * 60.0 ==
        Approx(2 * 320e9).epsilon(0.02));
}

TEST_CASE("DCP streams, and its coordinator adds what the ranks do not see") {
  // CPU pass of 5 s under a write of 10 s; 3 s of planning and the metadata file.
  const Design design =
      saver("sync", {{"serializer", "dcp"}, {"serialize", "2 GB/s"}, {"coordinate", "3 s"}});
  CHECK(save_metric(design, "rank0") == Approx(kWrite).epsilon(1e-3));
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.stall") == Approx(kWrite + 3.0).epsilon(1e-3));
  // of 13 s, 10 wait for the OSTs and none for the pass that ran alongside them
  for (const ResourceUse& use : result.resources) {
    if (use.name == "storage.scratch.ost")
      CHECK(use.blamed_share == Approx(10.0 / 13.0).epsilon(0.01));
    if (use.name == "job.train.checkpoint.serialize") CHECK(use.blamed_share == 0.0);
  }
}

TEST_CASE("a snapshot that is made first overlaps the wait for the flush before") {
  // A save every 5 s of compute, 10 s to write it: the second waits 5 s for the first, then copies;
  // or copies while it waits.
  const auto stall = [](const char* first) {
    return save_metric(saver("async", {{"every_steps", "50"}, {"snapshot_first", first}}),
                       "stall.p95");
  };
  CHECK(stall("false") == Approx(kWrite - 5.0 + kSnapshot).epsilon(1e-3));
  CHECK(stall("true") == Approx(kWrite - 5.0).epsilon(1e-3));
}

}  // namespace checkpoint_options_test
