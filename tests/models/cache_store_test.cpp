#include <catch2/catch.hpp>

#include "engine/sim/fluid_context.hpp"
#include "models/contract/storage.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace cache_store_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Role;

namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

// 10 cache servers of 100 GB and 2 GB/s, 1 ms away from nothing, in front of a Lustre of 4 OSTs of
// 1 GB/s; 2 TB of data, so half of it fits.
Design tiers(const Pairs& settings = {}) {
  Pairs all = {{"over", "origin"},
               {"server.count", "10"},
               {"server.size", "100 GB"},
               {"server.read", "2 GB/s"},
               {"server.write", "2 GB/s"},
               {"server.service", "0 s"},
               {"server.opens", "1 Gops/s"},
               {"server.open_service", "1 ns"},
               {"client.stream", "1000 GB/s"},
               {"commit", "0 s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  Design design = design_with_storage("cache", all);
  design.storage.push_back(component(Role::storage, "lustre", "origin",
                                     {{"ost.count", "4"},
                                      {"ost.read", "1 GB/s"},
                                      {"ost.write", "1 GB/s"},
                                      {"stripe.count", "4"},
                                      {"client.stream", "1000 GB/s"}}));
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "100 MB"}, {"samples", "20000"}});
  job.loader = component(Role::loader, "pytorch", "loader", {});
  return design;
}

double read_seconds(const Design& design, double passes) {
  return serve(design, {.bytes = 40_GB, .revisits = {.pattern = {}, .passes = passes}},
               {.bytes = 1_MiB})
      .read.in(unit::s);
}
double write_seconds(const Design& design, Bytes bytes) {
  return serve(design, {.bytes = 1_MiB}, {.bytes = bytes, .writers = 4}, 4.0).write.in(unit::s);
}

}  // namespace

TEST_CASE("cache: the first epoch is read from behind, later ones by the hit law") {
  // cold: 40 GB at 4 x 1 GB/s = 10 s. All 2 TB cached: 40 GB at 20 GB/s = 2 s.
  CHECK(read_seconds(tiers(), 0.0) == Approx(10.0).epsilon(1e-3));
  CHECK(read_seconds(tiers({{"server.size", "200 GB"}}), 1.0) == Approx(2.0).epsilon(1e-3));
  // half of it, LRU: 15.34 % found, 6.14 GB at 20 GB/s, then 33.86 GB at 4 GB/s
  CHECK(read_seconds(tiers(), 1.0) == Approx(0.1534 * 2 + 0.8466 * 10).epsilon(1e-3));
  // pinned: half
  CHECK(read_seconds(tiers({{"eviction", "none"}}), 1.0) == Approx(1.0 + 5.0).epsilon(1e-3));
}

TEST_CASE("cache: jobs that give one name read one data set") {
  // 2 TB of space: all of one of 2 TB, half of two.
  Design two = tiers({{"server.size", "200 GB"}});
  two.jobs.push_back(two.jobs[0]);
  two.jobs[1].job.id = "other";
  CHECK(read_seconds(two, 1.0) == Approx(0.1534 * 2 + 0.8466 * 10).epsilon(1e-3));
  for (JobDesign& job : two.jobs) set(*job.dataset, Role::dataset, "name", "imagenet");
  CHECK(read_seconds(two, 1.0) == Approx(2.0).epsilon(1e-3));
}

TEST_CASE("cache: a warm one finds in the first epoch what it finds in later ones") {
  const Design warm = tiers({{"warm", "true"}});
  CHECK(read_seconds(warm, 0.0) == Approx(read_seconds(tiers(), 1.0)).epsilon(1e-9));
}

TEST_CASE(
    "cache: the servers answer once for each file, found or not, and a share of it for a part") {
  const auto read = [](const char* service, double files, double passes) {
    const Design design = tiers({{"eviction", "none"}, {"server.service", service}});
    return serve(design,
                 {.bytes = 100_MB * files,
                  .files = files,
                  .revisits = {.pattern = {}, .passes = passes}},
                 {.bytes = 1_MiB})
        .read.in(unit::s);
  };
  for (const double files : {0.001, 1.0, 40.0})
    for (const double passes : {0.0, 1.0})  // all is missed; half is
      CHECK(read("1 s", files, passes) - read("0 s", files, passes) == Approx(files).epsilon(1e-6));
}

TEST_CASE("cache: shards that are missed take as long, however many samples a batch has") {
  const auto rate = [](const char* batch) {
    Design design = tiers({{"server.service", "1 ms"}});
    for (const char* key : {"count", "gpus"}) set(design.hosts[0], Role::host, key, "1");
    JobDesign& job = design.jobs[0];
    set(job.job, Role::job, "epochs", "1");
    set(job.step, Role::step, "compute", "1 us");
    job.dataset = component(
        Role::dataset, "webdataset", "dataset",
        {{"on", "scratch"}, {"sample", "20 kB"}, {"shard", "100 MB"}, {"samples", "20000"}});
    job.loader = component(Role::loader, "pytorch", "loader",
                           {{"batch", batch}, {"workers", "1"}, {"handover", "0 s"}});
    design.run.values.erase("duration");
    return metric(run(design), "job.train.throughput.samples");
  };
  const double one = rate("1");
  CHECK(rate("16") == Approx(one).epsilon(0.05));
  CHECK(rate("200") == Approx(one).epsilon(0.05));
}

TEST_CASE("cache: what is kept on the second read is found on the third") {
  const Design design = tiers({{"admit", "second-read"}, {"server.size", "200 GB"}});
  CHECK(read_seconds(design, 1.0) == Approx(10.0).epsilon(1e-3));
  CHECK(read_seconds(design, 2.0) == Approx(2.0).epsilon(1e-3));
}

TEST_CASE("cache: all who miss read from behind, whoever read before") {
  // One member, then eight of 1 GB each, nothing of which is there: 8 GB over four OSTs of 1 GB/s
  const auto context = sim::make_fluid_context();
  models::Plant plant(tiers());
  plant.attach(*context, 1);
  models::Client client = plant.client("gpu", 0, "scratch", 1.0);
  double took = 0.0;
  const auto reader = [&]() -> sim::Task<void> {
    const models::ReadRequest small{.bytes = 1_MB}, large{.bytes = 1_GB};
    co_await plant.storage("scratch").read(client, small);
    const Seconds began = context->now();
    client.members = 8.0;
    co_await plant.storage("scratch").read(client, large);
    took = (context->now() - began).in(unit::s);
  };
  context->spawn(reader());
  context->run();
  CHECK(took == Approx(2.0).epsilon(0.01));
}

TEST_CASE("cache: files above the limit pass through") {
  const Pairs all_fits = {{"server.size", "200 GB"}, {"largest", "39 GB"}};
  CHECK(read_seconds(tiers(all_fits), 1.0) == Approx(10.0).epsilon(1e-3));
  // One as large as the limit is kept, in whatever parts it is asked for.
  const Design exact = tiers({{"server.size", "200 GB"}, {"largest", "100 MB"}});
  for (const double files : {1.0, 0.7, 1.0 / 3.0, 0.0123456789})
    CHECK(serve(exact,
                {.bytes = 100_MB * files, .files = files, .revisits = {.pattern = {}, .passes = 1}},
                {.bytes = 1_MiB})
              .read.in(unit::s) == Approx(0.1 * files / 20.0).epsilon(0.01));
}

TEST_CASE("cache: filling is limited by what the servers write and by their network") {
  // 40 GB in at 10 x 0.2 GB/s; what is not kept does not pass the drives' write side
  CHECK(read_seconds(tiers({{"server.write", "0.2 GB/s"}}), 0.0) == Approx(20.0).epsilon(1e-3));
  CHECK(read_seconds(tiers({{"server.write", "0.2 GB/s"}, {"largest", "39 GB"}}), 0.0) ==
        Approx(10.0).epsilon(1e-3));
  CHECK(read_seconds(tiers({{"server.nic", "0.1 GB/s"}}), 0.0) == Approx(40.0).epsilon(1e-3));
}

TEST_CASE("cache: written through, a file is durable behind the cache") {
  // 4 x 10 GB at 4 GB/s
  CHECK(write_seconds(tiers(), 10_GB) == Approx(10.0).epsilon(0.01));
}

TEST_CASE("cache: written back, a file is in the cache until the dirty limit is reached") {
  // 4 x 10 GB under a limit of 200 GB at 20 GB/s; what leaves meanwhile takes of the drives
  const Design idle = tiers({{"writes", "back"}, {"drain", "1 MB/s"}});
  CHECK(write_seconds(idle, 10_GB) == Approx(2.0).epsilon(0.01));
  // 12.5 GB, the first piece, at 20 GB/s, the rest alongside 4 GB/s that leave
  CHECK(write_seconds(tiers({{"writes", "back"}}), 10_GB) ==
        Approx(12.5 / 20 + 27.5 / 16).epsilon(0.05));
  // 4 x 50 GB under a limit of 40 GB: 200 GB leave at 4 GB/s, the last 40 GB need not wait for it.
  const Design small = tiers({{"writes", "back"}, {"dirty", "40 GB"}});
  CHECK(write_seconds(small, 50_GB) == Approx((200.0 - 40.0) / 4.0).epsilon(0.02));
  // Hardly any may be dirty: as written through; no more may be than there is space.
  for (const char* dirty : {"3.2 GB", "1 GB", "1 MB"})
    CHECK(write_seconds(tiers({{"writes", "back"}, {"dirty", dirty}}), 50_GB) ==
          Approx(50.0).epsilon(0.03));
  CHECK(write_seconds(tiers({{"writes", "back"}, {"dirty", "1 MB"}, {"drain", "2 GB/s"}}), 50_GB) ==
        Approx(100.0).epsilon(0.03));
  CHECK(write_seconds(tiers({{"writes", "back"}, {"server.size", "4 GB"}, {"dirty", "1 TB"}}),
                      50_GB) == Approx((200.0 - 40.0) / 4.0).epsilon(0.02));
  // a background limit of 2 GB/s
  const Design slow = tiers({{"writes", "back"}, {"dirty", "40 GB"}, {"drain", "2 GB/s"}});
  CHECK(write_seconds(slow, 50_GB) == Approx((200.0 - 40.0) / 2.0).epsilon(0.02));
}

TEST_CASE("cache: who waits for room does not hold up what makes it") {
  // 64 x 1 GB to two servers in front of 4 GB/s, whose drives move 8 GB/s in all: once no more may
  // be dirty as much comes in as leaves. Two files that leave would have 2 / 66 of the drives
  // beside writers that hurry to the limit. Where drives read faster, 4 GB/s leave from the
  // beginning.
  const auto seconds = [](const char* dirty, const char* read) {
    const Design design = tiers({{"server.count", "2"},
                                 {"server.read", read},
                                 {"server.write", "4 GB/s"},
                                 {"writes", "back"},
                                 {"dirty", dirty}});
    return serve(design, {.bytes = 1_MiB}, {.bytes = 1_GB, .writers = 64}, 64.0).write.in(unit::s);
  };
  CHECK(seconds("2 GB", "4 GB/s") == Approx(2.0 / 8 + 62.0 / 4).epsilon(0.02));
  CHECK(seconds("4 GB", "4 GB/s") == Approx(4.0 / 8 + 60.0 / 4).epsilon(0.02));
  CHECK(seconds("16 GB", "4 GB/s") == Approx(16.0 / 8 + 48.0 / 4).epsilon(0.05));
  CHECK(seconds("4 GB", "20 GB/s") == Approx(60.0 / 4).epsilon(0.02));
  CHECK(seconds("16 GB", "20 GB/s") == Approx(48.0 / 4).epsilon(0.05));
}

TEST_CASE("cache: each server writes several files behind at one time") {
  // 4 GB in files of 1 MB, of which 1.6 GB may be dirty: 24 pieces of 100 files leave, each file
  // after two round trips of 100 ms, ten or a hundred at a time.
  const auto seconds = [](const char* files) {
    const Design design = tiers(
        {{"writes", "back"}, {"dirty", "1.6 GB"}, {"link.rtt", "100 ms"}, {"drain_files", files}});
    return serve(design, {.bytes = 1_MiB}, {.bytes = 1_GB, .files = 1000, .writers = 4}, 4.0)
        .write.in(unit::s);
  };
  CHECK(seconds("1") == Approx(24 * 2.0).epsilon(0.05));
  CHECK(seconds("10") == Approx(24 * 0.2).epsilon(0.2));
}

TEST_CASE("cache: parity that servers in front make does not cross the host's port") {
  // 2 + 2 doubles what DAOS gets, and a host of 1 GB/s sends 4 x 2.5 GB.
  const auto seconds = [](const char* parity, const char* port) {
    Design design = tiers({{"server.nic", "10 GB/s"}});
    design.storage[1] = component(Role::storage, "daos", "origin",
                                  {{"server.count", "10"},
                                   {"server.nic", "2 GB/s"},
                                   {"server.write", "2 GB/s"},
                                   {"object.data", "2"},
                                   {"object.parity", parity},
                                   {"client.write", "1000 GB/s"},
                                   {"client.stream", "1000 GB/s"}});
    set(design.hosts[0], Role::host, "count", "1");
    set(design.hosts[0], Role::host, "nic.count", "1");
    set(design.hosts[0], Role::host, "nic.efficiency", "100 %");
    set(design.hosts[0], Role::host, "nic.rate", port);
    return write_seconds(design, 2.5_GB);
  };
  CHECK(seconds("0", "8 Gb/s") == Approx(10.0).epsilon(0.02));
  CHECK(seconds("2", "8 Gb/s") == Approx(10.0).epsilon(0.02));
  CHECK(seconds("2", "800 Gb/s") == Approx(1.0).epsilon(0.02));  // 20 GB at 20 GB/s
}

TEST_CASE("cache: what a stage wrote is found in the first epoch, as far as it fits") {
  // 2 TB come in at 20 GB/s; behind are 4 GB/s. 20000 samples of 100 MB are 625 steps of 32 ranks.
  const auto staged = [](const Pairs& settings, const char* size = "2 TB") {
    Design design = tiers(settings);
    design.storage.push_back(
        component(Role::storage, "lustre", "lake", {{"ost.count", "100"}, {"stripe.count", "0"}}));
    design.stages.push_back(component(Role::stage, "copy", "bring",
                                      {{"from", "lake"},
                                       {"to", "scratch"},
                                       {"hosts", "gpu"},
                                       {"size", size},
                                       {"chunk", "1 GB"}}));
    set(design.jobs[0].job, Role::job, "epochs", "1");
    design.run.values.erase("duration");
    return metric(run(design), "storage.scratch.hit");
  };
  const Pairs fits = {{"server.size", "200 GB"}, {"writes", "back"}, {"dirty", "2 TB"}};
  CHECK(staged(fits) == Approx(1.0).epsilon(1e-9));
  CHECK(staged({{"server.size", "200 GB"}}) == Approx(1.0).epsilon(1e-9));  // through
  CHECK(staged({{"server.size", "200 GB"}}, "500 GB") == Approx(0.25).epsilon(1e-6));
  // half of it: as if it had been read once
  CHECK(staged({}) == Approx(0.1534).epsilon(1e-3));
  CHECK(staged({{"eviction", "none"}}) == Approx(0.5).epsilon(1e-6));
  CHECK(staged({{"largest", "50 MB"}}) == 0.0);
}

// Of two jobs as of one: 1 MB may be dirty, so what they save leaves at 2 GB/s, all together.
TEST_CASE("cache: what is written behind shares its drain, whoever writes") {
  const auto saves = [](const char* size, std::size_t jobs) {
    Design design = tiers({{"writes", "back"}, {"dirty", "1 MB"}, {"drain", "2 GB/s"}});
    set(design.hosts[0], Role::host, "nic.rate", "4000 Gb/s");
    JobDesign& job = design.jobs[0];
    job.dataset.reset();
    job.loader.reset();
    job.checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                               {{"to", "scratch"},
                                {"every_steps", "5"},
                                {"size", size},
                                {"serializer", "none"},
                                {"snapshot", "none"}});
    set(job.job, Role::job, "steps", "9");
    design.run.values.erase("duration");
    if (jobs > 1) {
      design.jobs.push_back(job);
      design.jobs.back().job.id = "other";
    }
    return metric(run(design), "job.train.checkpoint.duration");
  };
  CHECK(saves("320 GB", 1) == Approx(160.0).epsilon(0.02));
  CHECK(saves("160 GB", 2) == Approx(160.0).epsilon(0.02));
}

TEST_CASE("cache: a save is restored from where it was written, as far as it fits") {
  // 320 GB: 16 s into the cache, 16 s out of it; from behind it would be 80 s
  const auto restored = [](const Pairs& settings, const char* samples = "20000") {
    Design design = tiers(settings);
    set(*design.jobs[0].dataset, Role::dataset, "samples", samples);
    set(design.hosts[0], Role::host, "nic.rate", "4000 Gb/s");
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "scratch"},
                                           {"every_steps", "5"},
                                           {"size", "320 GB"},
                                           {"serializer", "none"},
                                           {"snapshot", "none"},
                                           {"restore.read", "own"}});
    design.run.values.erase("duration");
    set(design.jobs[0].job, Role::job, "steps", "5");
    return metric(run(design), "job.train.restore.duration");
  };
  CHECK(restored({{"writes", "back"}, {"dirty", "320 GB"}, {"drain", "1 MB/s"}}) ==
        Approx(16.0).epsilon(1e-2));
  CHECK(restored({}) == Approx(16.0).epsilon(1e-2));
  // 160 GB of space: half of it, also where all of the data set was there before the run
  CHECK(restored({{"server.size", "16 GB"}}) == Approx(8.0 + 40.0).epsilon(1e-2));
  CHECK(restored({{"server.size", "16 GB"}, {"warm", "true"}}, "1000") ==
        Approx(8.0 + 40.0).epsilon(1e-2));
}

TEST_CASE("cache: the share found is reported over all epochs") {
  Design design = tiers({{"server.size", "200 GB"}, {"writes", "back"}});
  set(design.jobs[0].job, Role::job, "epochs", "4");
  design.run.values.erase("duration");
  // 20000 samples over 32 GPUs x batch 1 are 625 steps an epoch: nothing of the first is found
  const RunResult result = run(design);
  CHECK(metric(result, "storage.scratch.hit") == Approx(0.75).epsilon(1e-9));
  CHECK(metric(result, "storage.scratch.dirty.peak") == 0.0);
}

TEST_CASE("cache: of Parquet it is to hold the columns that are read") {
  // A tenth of 2 TB in 1 TB of servers: three of four epochs are found.
  Design design = tiers();
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "parquet", "dataset",
                          {{"on", "scratch"},
                           {"sample", "100 MB"},
                           {"samples", "20000"},
                           {"row_group", "1 GB"},
                           {"columns", "10 %"}});
  set(job.job, Role::job, "epochs", "4");
  design.run.values.erase("duration");
  CHECK(metric(run(design), "storage.scratch.hit") == Approx(0.75).epsilon(0.02));
}

TEST_CASE("cache: a line to the store behind is shared by what is missed, each way") {
  // cold: 40 GB at 1 GB/s, the line; twice as wide, twice as fast.
  CHECK(read_seconds(tiers({{"link.rate", "1 GB/s"}}), 0.0) == Approx(40.0).epsilon(1e-3));
  CHECK(read_seconds(tiers({{"link.rate", "2 GB/s"}}), 0.0) == Approx(20.0).epsilon(1e-3));
  // a line wider than the store behind changes nothing
  CHECK(read_seconds(tiers({{"link.rate", "100 GB/s"}}), 0.0) ==
        Approx(read_seconds(tiers(), 0.0)).epsilon(1e-9));
  // what is cached does not cross it: all 2 TB fit
  CHECK(read_seconds(tiers({{"server.size", "200 GB"}, {"link.rate", "1 GB/s"}}), 1.0) ==
        Approx(2.0).epsilon(1e-3));
  // 4 writers of 2.5 GB, written through
  CHECK(write_seconds(tiers({{"link.rate", "1 GB/s"}}), 2.5_GB) == Approx(10.0).epsilon(1e-2));
}

TEST_CASE("cache: what waits for round trips over a line waits for the line") {
  // Files of 1 MB that are not kept: 200 ms of round trips, or 2 ms and 30 ms for each request.
  const auto limit = [](const char* rtt) {
    Design design = tiers({{"link.rate", "100 GB/s"}, {"link.rtt", rtt}, {"largest", "1 kB"}});
    set(design.storage[1], Role::storage, "ost.service", "30 ms");
    set(*design.jobs[0].dataset, Role::dataset, "sample", "1 MB");
    set(*design.jobs[0].dataset, Role::dataset, "samples", "2000");
    return run(design).limited_by.at("job.train");
  };
  CHECK(limit("100 ms") == "storage.scratch.link");
  CHECK(limit("1 ms") != "storage.scratch.link");
  // 8 files written through, 200 ms each
  Design design = tiers({{"link.rate", "100 GB/s"}, {"link.rtt", "100 ms"}});
  design.jobs[0].dataset.reset();
  design.jobs[0].loader.reset();
  design.jobs[0].checkpoint = component(
      Role::checkpoint, "sync", "checkpoint",
      {{"to", "scratch"}, {"every_steps", "10"}, {"size", "8 MB"}, {"serializer", "none"}});
  CHECK(run(design).limited_by.at("job.train") == "storage.scratch.link");
}

TEST_CASE("cache: one connection over a long line moves a window a round trip") {
  // 6 MiB / 100 ms = 62.9 MB/s: 40 GB take 635.8 s, and 0.2 s for the open and the first byte
  const double seconds =
      read_seconds(tiers({{"link.rate", "10 GB/s"}, {"link.rtt", "100 ms"}}), 0.0);
  CHECK(seconds == Approx(40e9 / (6.0 * 1048576.0 / 0.1) + 0.2).epsilon(1e-3));
  const double wider = read_seconds(
      tiers({{"link.rate", "10 GB/s"}, {"link.rtt", "100 ms"}, {"link.window", "12 MiB"}}), 0.0);
  CHECK(wider == Approx(seconds / 2).epsilon(1e-3));
}

}  // namespace cache_store_test
