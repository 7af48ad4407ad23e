#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>
#include <utility>

#include "models/contract/access.hpp"
#include "models/contract/rows.hpp"
#include "tests/support/designs.hpp"

namespace loading_test {

/// Pools that read ahead, blocks of client libraries, listings before the first batch.
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

double metric(const Design& design, const std::string& name) {
  return testing::metric(run(design), "job.train." + name);
}

/// 16 ranks read files of 100 kB.
Design small_files(const char* compute, const char* workers, const char* steps) {
  Design design = small_design();
  set(design.hosts[0], Role::host, "gpus", "4");
  JobDesign& job = design.jobs[0];
  set(job.job, Role::job, "steps", steps);
  set(job.step, Role::step, "compute", compute);
  set(job.step, Role::step, "jitter", "1 %");
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "100 kB"}, {"samples", "1000000"}});
  job.loader = component(Role::loader, "pytorch", "loader",
                         {{"batch", "16"}, {"workers", workers}, {"start", "0 s"}});
  design.run.values.erase("duration");
  return design;
}

}  // namespace

TEST_CASE("a pool of Petastorm reads row groups alongside whoever takes their rows") {
  // A group of 100 rows takes 200 ms to read and 100 ms to decode. Without workers one process
  // takes its rows, 1 ms each; 3 of the pool bring 3 groups every 300 ms. All 3 of the first arrive
  // together.
  const Settings data{{"sample", "1 MB"},  {"row_group", "100 MB"}, {"pool.workers", "3"},
                      {"pool.queue", "3"}, {"parse", "1 GB/s"},     {"samples", "100000"}};
  Design design = one_reader("petastorm", data, "1 ms");
  set(*design.jobs[0].loader, Role::loader, "workers", "0");
  CHECK(metric(design, "first_batch") == Approx(0.3).epsilon(1e-6));
  CHECK(metric(design, "step.time.p50") == Approx(0.001).epsilon(1e-6));
  CHECK(metric(design, "step.time") == Approx(0.001 * (1.0 + 0.3 / 60.0)).epsilon(1e-3));
  // Plain Parquet in the same process reads a group when the last is used: 100 + 300 ms for 100.
  Design plain = one_reader(
      "parquet", {{"sample", "1 MB"}, {"row_group", "100 MB"}, {"parse", "1 GB/s"}}, "1 ms");
  set(*plain.jobs[0].loader, Role::loader, "workers", "0");
  CHECK(metric(plain, "step.time") == Approx(0.004).epsilon(0.01));
  // One of the pool brings a group in 300 ms: a step takes 3 ms on average, in bursts.
  set(*design.jobs[0].dataset, Role::dataset, "pool.workers", "1");
  CHECK(metric(design, "step.time") == Approx(0.003).epsilon(0.01));
  CHECK(metric(design, "step.time.p50") == Approx(0.001).epsilon(1e-6));
}

TEST_CASE("rows that a pool decodes cost their reader nothing") {
  // Decoding of 100 rows takes 1 s more of one of the pool, and none of the reader.
  Design design = one_reader("petastorm",
                             {{"sample", "1 MB"},
                              {"row_group", "100 MB"},
                              {"decode", "10 ms"},
                              {"parse", "1 GB/s"},
                              {"pool.workers", "30"}},
                             "100 ms");
  CHECK(metric(design, "first_batch") == Approx(1.3).epsilon(1e-6));
  CHECK(metric(design, "step.time.p50") == Approx(0.1).epsilon(1e-6));
  // Processes of a pool pass rows on: 1 MB at 10 MB/s are 100 ms of the worker
  set(*design.jobs[0].dataset, Role::dataset, "pool.transfer", "10 MB/s");
  CHECK(metric(design, "first_batch") == Approx(1.4).epsilon(1e-6));
}

TEST_CASE("columns that are not read are neither checked nor passed on") {
  // 10 MB of a group in 20 ms; of a row 100 kB, in 1 ms at 100 MB/s and 10 ms at 10 MB/s
  const auto first_batch = [](const char* format, const char* key, const char* rate) {
    return metric(
        one_reader(format,
                   {{"sample", "1 MB"}, {"row_group", "100 MB"}, {"columns", "10 %"}, {key, rate}},
                   "100 ms"),
        "first_batch");
  };
  CHECK(first_batch("parquet", "checksum", "0.1 GB/s") == Approx(0.021).epsilon(1e-6));
  CHECK(first_batch("petastorm", "pool.transfer", "10 MB/s") == Approx(0.03).epsilon(1e-6));
}

TEST_CASE("a library that reads files in blocks waits for each of them") {
  // 12 MB in blocks of 5 MiB are 3 requests of 10 ms and 2 ms of CPU, besides 24 ms for the bytes
  // and 10 ms to open
  Design design =
      one_reader("raw", {{"sample", "12 MB"}, {"request.block", "5 MiB"}, {"request.cpu", "2 ms"}},
                 "100 ms", "10 ms");
  CHECK(metric(design, "first_batch") == Approx(0.01 + 3 * (0.01 + 0.002) + 0.024).epsilon(1e-6));
}

TEST_CASE("who fetches units makes their requests") {
  // 3 requests for 100 rows, 100 ms of CPU each, 200 ms to read: the first row waits for all.
  const Settings groups{{"sample", "1 MB"}, {"row_group", "100 MB"}, {"request.cpu", "100 ms"}};
  Design design = one_reader("parquet", groups, "1 ms");
  CHECK(metric(design, "first_batch") == Approx(0.5).epsilon(1e-6));
  CHECK(metric(design, "step.time.p50") == Approx(0.001).epsilon(1e-6));
  // 3 of a pool bring 300 rows in that time, whoever takes them.
  design = one_reader("petastorm", groups, "1 ms");
  set(*design.jobs[0].loader, Role::loader, "workers", "0");
  set(*design.jobs[0].dataset, Role::dataset, "pool.workers", "3");
  CHECK(metric(design, "first_batch") == Approx(0.5).epsilon(1e-6));
  CHECK(metric(design, "step.time") == Approx(0.5 / 300).epsilon(0.02));
  // A shard is 100 requests of 1 MB, in 200 ms and 1 ms of CPU each.
  const Settings shards{{"sample", "1 MB"},
                        {"shard", "100 MB"},
                        {"predownload", "100"},
                        {"request.block", "1 MB"},
                        {"request.cpu", "1 ms"}};
  design = one_reader("mds", shards, "1 ms");
  CHECK(metric(design, "step.time") == Approx(0.3 / 100).epsilon(0.02));
}

TEST_CASE("a piece of a file costs a block more with read-ahead, and whole pages when mapped") {
  models::SampleAccess piece;
  piece.files = 0.01;
  const Bytes sample = Bytes::from(1.0, unit::MB), block = Bytes::from(4.0, unit::MB);
  const auto ahead = models::in_blocks(piece, sample, block, models::Blocks::read_ahead);
  CHECK(ahead.amplification == Approx(5.0));
  CHECK(ahead.round_trips == 1.0);
  const auto fault =
      models::in_blocks(piece, sample, Bytes::from(0.3, unit::MB), models::Blocks::faults);
  CHECK(fault.amplification == Approx(1.2));
  CHECK(fault.round_trips == 4.0);
}

TEST_CASE("names are listed and files asked for before the first batch") {
  // 10,000 names in 10 replies of 1 ms, then 10,000 stats one after the other, or 32 at one time:
  // 313 of 1 ms in the longest chain. Then the open and one request of the sample, 1 ms each, and
  // 2 ms for its bytes.
  const auto first = [](const char* scan, const char* ahead) {
    const Settings files{
        {"sample", "1 MB"}, {"samples", "10000"}, {"scan", scan}, {"scan_ahead", ahead}};
    return metric(one_reader("raw", files, "100 ms", "1 ms"), "first_batch");
  };
  // the epoch is repeated, and listed once: the mean over epochs tells
  CHECK(first("none", "1") == Approx(0.004).epsilon(1e-3));
  CHECK(first("list", "1") == Approx(0.014).epsilon(1e-3));
  CHECK(first("stat", "1") == Approx(10.014).epsilon(1e-3));
  CHECK(first("stat", "32") == Approx(0.014 + 10000.0 / 32 * 0.001).epsilon(1e-3));
}

TEST_CASE("files are looked for once in a whole run") {
  Design design = one_reader("raw", {{"sample", "1 MB"}, {"samples", "10000"}, {"scan", "stat"}},
                             "100 ms", "1 ms");
  set(*design.jobs[0].dataset, Role::dataset, "scan_ahead", "1");
  set(design.jobs[0].job, Role::job, "run.steps", "1000000");
  const double once = metric(design, "start.once"), each = metric(design, "epoch.begin");
  CHECK(once == Approx(10.01).epsilon(1e-3));
  CHECK(each == Approx(0.004).epsilon(1e-2));  // what the first batch takes
  const double step = (metric(design, "time.wall") - once) / metric(design, "steps");
  const double epochs = 100.0 - metric(design, "epoch.begun");  // not simulated
  CHECK(metric(design, "run.time") == Approx(once + 1e6 * step + epochs * each).epsilon(1e-7));
}

TEST_CASE("samples shuffled over the shards of a block need many of them at once") {
  // Blocks of 10 shards of 100 samples, 200 ms a shard. Of 20 samples in order the first shard is
  // enough; drawn from the whole block they lie in 10 (1 - 0.9^20) = 8.8 shards, so 9 are fetched.
  const auto first = [](const char* block) {
    Design design =
        one_reader("mds", {{"sample", "1 MB"}, {"shard", "100 MB"}, {"predownload", "0"}});
    if (block != nullptr) set(*design.jobs[0].dataset, Role::dataset, "shuffle_block", block);
    set(*design.jobs[0].loader, Role::loader, "batch", "20");
    return metric(design, "first_batch");
  };
  CHECK(first(nullptr) == Approx(0.2).epsilon(1e-3));
  CHECK(first("1000") == Approx(9 * 0.2).epsilon(1e-3));
}

TEST_CASE("workers that begin together do not read and decode in step") {
  // 32 workers of a host share 24 cores, which samples of 5 ms keep busy; how fast files are read
  // does not matter, nor that all are of one size.
  const auto utilization = [](const char* servers, const char* stdev) {
    Design design = small_design();
    for (const auto& [key, text] : Settings{{"cpu.cores", "24"}, {"nic.rate", "200 Gb/s"}})
      set(design.hosts[0], Role::host, key, text);
    design.storage[0] = component(Role::storage, "gpfs", "scratch", {{"server.count", servers}});
    JobDesign& job = design.jobs[0];
    set(job.step, Role::step, "compute", "200 ms");
    set(job.step, Role::step, "jitter", "1 %");
    job.dataset = component(Role::dataset, "raw", "dataset",
                            {{"on", "scratch"},
                             {"sample", "110 kB"},
                             {"sample_stdev", stdev},
                             {"samples", "1281167"},
                             {"decode", "5 ms"}});
    job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "128"}, {"workers", "4"}});
    return metric(design, "gpu.utilization");
  };
  const double differ = utilization("4", "1 kB");
  for (const char* servers : {"1", "4", "16"}) {
    INFO(servers);
    CHECK(utilization(servers, "0 B") == Approx(differ).margin(0.04));
  }
}

TEST_CASE("a faster metadata server never makes a job slower that waits for bandwidth") {
  // 16 ranks of 4 workers read files of 100 kB through an OSS of 6.25 GB/s; compute is nothing.
  // 25.6 MB a step take 4.1 ms. Opens of an idle server take no more than 0.3 ms of each file, so
  // that 20 of 64 readers would fill the OSS, however fast or many the servers.
  const auto takes = [](const char* mdts, const char* workers, bool fold) {
    Design design = small_files("1 ms", workers, "120");
    for (const auto& [key, value] : {std::pair{"mdt.count", mdts},
                                     {"ost.count", "4"},
                                     {"ost.read", "20 GB/s"},
                                     {"oss.count", "1"},
                                     {"oss.nic", "50 Gb/s"},
                                     {"client.read", "80 GB/s"}})
      set(design.storage[0], Role::storage, key, value);
    if (!fold) set(design.run, Role::run, "fold", "false");
    return metric(design, "steady.step.time");
  };
  for (const char* workers : {"2", "4"}) {
    INFO(workers);
    const double each = takes("1", workers, false);
    double before = HUGE_VAL;
    for (const char* mdts : {"1", "4", "16"}) {
      INFO(mdts);
      const double folded = takes(mdts, workers, true);
      CHECK(folded == Approx(each).epsilon(0.06));
      CHECK(folded < 1.02 * before);
      before = folded;
    }
  }
}

TEST_CASE("readers are told apart only where somebody waits for them") {
  const auto with_one_mdt = [](const char* compute, const char* workers) {
    Design design = small_files(compute, workers, "60");
    set(design.storage[0], Role::storage, "mdt.count", "1");
    return design;
  };
  const models::Presumed keep_up{.loaders_keep_up = true};
  for (const char* workers : {"1", "2", "4"}) {
    INFO(workers);
    const Design design = with_one_mdt("1 s", workers);
    const RunResult apart = run(design), as_one = run(design, 1, keep_up);
    CHECK(2 * as_one.events < apart.events);
    for (const char* figure : {"step.time", "gpu.utilization", "steady.step.time"}) {
      INFO(figure);
      const std::string name = std::string("job.train.") + figure;
      CHECK(testing::metric(as_one, name) == Approx(testing::metric(apart, name)).epsilon(2e-3));
    }
  }
  // Later batches are waited for, those of a second epoch, too, and those of a loader without
  // workers, which is not presumed to keep up.
  CHECK_THROWS_AS(run(with_one_mdt("1 ms", "2"), 1, keep_up), models::Refuted);
  Design again = with_one_mdt("1 s", "2");
  set(again.jobs[0].job, Role::job, "epochs", "2");
  set(*again.jobs[0].dataset, Role::dataset, "samples", "3200");
  CHECK_THROWS_AS(run(again, 1, keep_up), models::Refuted);
  CHECK_NOTHROW(run(with_one_mdt("1 s", "0"), 1, keep_up));
}

TEST_CASE("readers are told apart where others use the storage, too") {
  const models::Presumed keep_up{.loaders_keep_up = true};
  const auto apart_beside = [&](const auto& add) {
    Design design = small_files("1 s", "2", "20");
    add(design);
    CHECK(run(design, 1, keep_up).events == run(design).events);
  };
  apart_beside([](Design& design) {
    design.tenants.push_back(
        component(Role::tenant, "fio", "x",
                  {{"on", "scratch"}, {"hosts", "gpu"}, {"rw", "read"}, {"bs", "64 KiB"}}));
  });
  // Ranks that would wait and not say so: without workers, and of samples that differ.
  for (const auto& [role, key, value] :
       {std::tuple{Role::loader, "workers", "0"}, {Role::dataset, "sample_stdev", "10 kB"}})
    apart_beside([&, role = role, key = key, value = value](Design& design) {
      design.jobs.push_back(design.jobs[0]);
      design.jobs[1].job.id = "other";
      set(role == Role::loader ? *design.jobs[1].loader : *design.jobs[1].dataset, role, key,
          value);
    });
}

TEST_CASE("ranks of many workers are told apart, too: some come later than others") {
  // Reads take nearly all of the targets; as one class, nobody would wait at the barrier.
  const auto takes = [](const char* key, const char* value) {
    Design design = small_files("150 ms", "20", "150");
    JobDesign& job = design.jobs[0];
    job.dataset = component(Role::dataset, "webdataset", "dataset",
                            {{"on", "scratch"},
                             {"sample", "300 kB"},
                             {"samples", "4000000"},
                             {"decode", "2 ms"},
                             {"shard", "256 MB"}});
    set(*job.loader, Role::loader, "batch", "64");
    set(design.hosts[0], Role::host, "cpu.cores", "300");
    set(design.storage[0], Role::storage, "ost.read", "450 MB/s");
    set(design.storage[0], Role::storage, "ost.count", "4");
    set(design.run, Role::run, key, value);
    return metric(design, "steady.step.time");
  };
  CHECK(takes("detail", "16") == Approx(takes("fold", "false")).epsilon(4e-3));
}

TEST_CASE("threads and units of ranks that are waited for do not read in step, either") {
  // 32 ranks, 614 MB a step of 150 ms from OSTs of 4 GB/s: of one class they would ask for it all
  // at one moment, with the OSTs idle while they decode, and take up to a tenth longer.
  for (const auto& [loader, format, ost] : {std::tuple{"tensorflow", "webdataset", "500 MB/s"},
                                            {"dali", "raw", "500 MB/s"},
                                            {"pytorch", "parquet", "520 MB/s"}}) {
    INFO(loader);
    Design design = small_design();
    for (const auto& [key, text] :
         Settings{{"count", "4"}, {"gpus", "8"}, {"cpu.cores", "64"}, {"nic.rate", "400 Gb/s"}})
      set(design.hosts[0], Role::host, key, text);
    for (const auto& [key, text] : Settings{{"ost.count", "8"},
                                            {"ost.read", ost},
                                            {"oss.count", "4"},
                                            {"oss.nic", "200 Gb/s"},
                                            {"mdt.count", "2"}})
      set(design.storage[0], Role::storage, key, text);
    JobDesign& job = design.jobs[0];
    set(job.step, Role::step, "compute", "150 ms");
    set(job.step, Role::step, "jitter", "1 %");
    job.dataset = component(
        Role::dataset, format, "dataset",
        {{"on", "scratch"}, {"sample", "300 kB"}, {"samples", "4000000"}, {"decode", "2 ms"}});
    if (job.dataset->kind == "parquet") set(*job.dataset, Role::dataset, "row_group", "16 MB");
    job.loader = component(Role::loader, loader, "loader", {{"batch", "64"}, {"workers", "4"}});
    set(design.run, Role::run, "duration", "20 s");
    const auto takes = [&](const char* fold) {
      set(design.run, Role::run, "fold", fold);
      return testing::metric(run(design), "job.train.step.time");
    };
    CHECK(takes("true") == Approx(takes("false")).epsilon(0.02));
  }
}

TEST_CASE("workers of a job without jitter are in step, so that steps repeat themselves") {
  // What a skipped step is told to have waited for is what simulated ones do.
  Design design = small_design();
  for (const auto& [key, text] : Settings{{"count", "2"}, {"gpus", "4"}, {"cpu.cores", "256"}})
    set(design.hosts[0], Role::host, key, text);
  design.storage[0] = component(Role::storage, "gpfs", "scratch", {{"server.count", "4"}});
  JobDesign& job = design.jobs[0];
  set(job.step, Role::step, "compute", "20 ms");
  job.dataset = component(
      Role::dataset, "raw", "dataset",
      {{"on", "scratch"}, {"sample", "110 kB"}, {"samples", "10000000"}, {"decode", "1 ms"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "64"}, {"workers", "3"}});
  const RunResult skipped = run(design);
  set(design.run, Role::run, "fast_forward", "false");
  const RunResult all = run(design);
  CHECK(skipped.skipped_s > 0.0);
  for (const char* figure : {"step.time", "stall.metadata", "stall.cpu", "stall.data"}) {
    INFO(figure);
    const std::string name = std::string("job.train.") + figure;
    CHECK(testing::metric(skipped, name) == Approx(testing::metric(all, name)).epsilon(1e-6));
  }
}

TEST_CASE("a batch that is there comes at the same time, whoever else might want its cores") {
  // Saves that never come could take 64 cores beside those of 8 workers, a process and their
  // client, so that with 64 cores each part of a hand-over asks for one; of 1,000 none can be
  // waited for, and time just passes. Loaders that keep up, nearly do, and do not; workers that are
  // idle when a batch is taken or not; hand-overs that are drawn in the order of batches.
  for (const char* compute : {"300 ms", "60 ms", "20 ms"})
    for (const char* prefetch : {"1", "4"})
      for (const auto& [pin, spread] :
           {std::pair{"false", "0 %"}, std::pair{"false", "40 %"}, std::pair{"true", "0 %"}}) {
        INFO(compute << ", prefetch " << prefetch << ", pin " << pin << ", spread " << spread);
        Design design = one_reader("raw", {{"sample", "64 MB"}, {"decode", "40 ms"}}, compute);
        for (const auto& [key, text] : Settings{{"workers", "8"},
                                                {"prefetch", prefetch},
                                                {"handover", "3 ms"},
                                                {"receive.delivery", "40 %"},
                                                {"receive.spread", spread},
                                                {"copy", "pinned"},
                                                {"pin_memory", pin}})
          set(*design.jobs[0].loader, Role::loader, key, text);
        const Settings never{{"to", "scratch"}, {"every", "1000 h"}, {"threads", "64"}};
        design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint", never);
        set(design.hosts[0], Role::host, "cpu.cores", "1000");
        const RunResult free = run(design);
        set(design.hosts[0], Role::host, "cpu.cores", "64");
        const RunResult shared = run(design);
        for (const char* figure : {"step.time", "step.time.p99", "stall.data", "time.cpu",
                                   "time.data", "gpu.utilization", "first_batch"}) {
          INFO(figure);
          const std::string name = std::string("job.train.") + figure;
          CHECK(testing::metric(free, name) ==
                Approx(testing::metric(shared, name)).epsilon(1e-9).margin(1e-9));
        }
      }
}

}  // namespace loading_test
