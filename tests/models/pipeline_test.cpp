#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string_view>
#include <utility>

#include "models/bounds/bounds.hpp"
#include "models/contract/dataset.hpp"
#include "tests/support/designs.hpp"

namespace pipeline_test {

/// tf.data and DALI: threads that make up batches together.
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// One GPU that reads batches of 4 samples of 100 MB over streams of 0.5 GB/s, 200 ms each, from a
// storage that answers at once; a step computes 100 ms.
Design reader(const char* kind, const Settings& settings, const Settings& data = {}) {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", "1");
  set(design.hosts[0], Role::host, "gpus", "1");
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "ost.service", "0 s");
  set(design.storage[0], Role::storage, "mdt.service", "1 ns");
  set(design.storage[0], Role::storage, "mdt.open", "1000 Mops/s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "0.5 GB/s");
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "scratch"},
                                      {"sample", "100 MB"},
                                      {"samples", "1000000"},
                                      {"parse", "1000000 TB/s"},
                                      {"parse_fixed", "0 s"}});
  for (const auto& [key, text] : data) set(*design.jobs[0].dataset, Role::dataset, key, text);
  design.jobs[0].loader = component(Role::loader, kind, "loader",
                                    {{"workers", "4"},
                                     {"prefetch", "2"},
                                     {"start", "0 s"},
                                     {"handover", "0 s"},
                                     {"copy", "none"},
                                     {"batch", "4"}});
  if (std::string_view(kind) == "tensorflow")
    for (const char* key : {"iterator", "names"})
      set(*design.jobs[0].loader, Role::loader, key, "0 s");
  for (const auto& [key, text] : settings) set(*design.jobs[0].loader, Role::loader, key, text);
  return design;
}

double first(const Design& design) { return metric(run(design), "job.train.first_batch"); }
double step(const Design& design) { return metric(run(design), "job.train.step.time.p50"); }

double ceiling(const Design& design) {
  for (const models::Derivation& line : models::bounds(design).derivations)
    if (line.name == "job.train.loader.ceiling") return line.value;
  return 0.0;
}

}  // namespace

TEST_CASE("as many files are read at one time as the cycle of the interleave is long") {
  // 4 samples by 4 readers: 200 ms a batch; by 2: 400 ms; threads that decode do not read
  CHECK(step(reader("tensorflow", {})) == Approx(0.2).epsilon(1e-6));
  CHECK(step(reader("tensorflow", {{"cycle_length", "2"}})) == Approx(0.4).epsilon(1e-6));
  CHECK(step(reader("tensorflow", {{"cycle_length", "2"}, {"map.threads", "8"}})) ==
        Approx(0.4).epsilon(1e-6));
}

TEST_CASE("an interleave longer than a batch reads for the batches to come") {
  // sample s by reader s mod 4, whatever batch it is of: 200 ms x batch / 4 a step, where the
  // reader of every batch alone took 200 ms; batches of 3 by 4 readers: 4 batches in 3 x 200 ms
  const auto mean = [](const char* batch, const Settings& more = {}) {
    Design design = reader("tensorflow", {{"batch", batch}, {"prefetch", "4"}});
    for (const auto& [key, text] : more) set(*design.jobs[0].loader, Role::loader, key, text);
    set(design.jobs[0].step, Role::step, "compute", "1 ns");
    set(design.run, Role::run, "duration", "100 s");
    return metric(run(design), "job.train.step.time");
  };
  CHECK(mean("1") == Approx(0.05).epsilon(0.01));
  CHECK(mean("2") == Approx(0.1).epsilon(0.01));
  CHECK(mean("3") == Approx(0.15).epsilon(0.01));
  CHECK(mean("1", {{"cycle_length", "2"}}) == Approx(0.1).epsilon(0.01));
  CHECK(mean("1", {{"deterministic", "false"}}) == Approx(0.05).epsilon(0.01));
  // DALI's threads take one batch at a time: one of its samples by one thread
  Design dali = reader("dali", {{"batch", "1"}, {"window", "1 GB"}});
  set(dali.jobs[0].step, Role::step, "compute", "1 ns");
  CHECK(step(dali) == Approx(0.2).epsilon(1e-6));
}

TEST_CASE("readers with a sample more of some batches take them in their order") {
  // 10 samples by 8 readers, 11 by 6: 200 ms x batch / readers a step, or what the threads of DALI
  // take for their samples of one batch. Cuts between elements are drawn where steps are.
  const auto mean = [](const char* kind, const char* batch, const char* readers) {
    Design design = reader(kind, {{"batch", batch}, {"workers", readers}, {"prefetch", "4"}},
                           {{"decode", "1 us"}});
    set(design.hosts[0], Role::host, "cpu.cores", "64");
    set(design.jobs[0].step, Role::step, "compute", "1 ns");
    set(design.jobs[0].step, Role::step, "jitter", "1 %");
    set(design.run, Role::run, "duration", "100 s");
    return metric(run(design), "job.train.step.time");
  };
  CHECK(mean("tensorflow", "10", "8") == Approx(0.25).epsilon(0.01));
  CHECK(mean("tensorflow", "11", "6") == Approx(0.2 * 11 / 6).epsilon(0.01));
  CHECK(mean("tensorflow", "7", "5") == Approx(0.28).epsilon(0.01));
  CHECK(mean("tensorflow", "3", "4") == Approx(0.15).epsilon(0.01));
  CHECK(mean("dali", "10", "8") > 0.25);
}

TEST_CASE("threads that decode work alongside those that read") {
  // 200 ms to read and 300 ms to decode a sample, 4 of them a batch. By the same 4 threads 500 ms;
  // alongside them 4 threads decode a batch in 300 ms and 6 in 4 x 300 / 6 = 200 ms; the first
  // takes both.
  const Settings decode{{"decode", "300 ms"}};
  CHECK(step(reader("tensorflow", {}, decode)) == Approx(0.5).epsilon(1e-6));
  const Design apart = reader("tensorflow", {{"map.threads", "4"}}, decode);
  CHECK(step(apart) == Approx(0.3).epsilon(1e-6));
  CHECK(first(apart) == Approx(0.5).epsilon(1e-6));
  CHECK(metric(run(reader("tensorflow", {{"map.threads", "6"}}, decode)), "job.train.step.time") ==
        Approx(0.2).epsilon(0.02));
}

TEST_CASE("without order a batch is made of the samples that are there first") {
  // Sizes vary with CV 0.5 and nothing computes. Without order all threads always read: a batch
  // every 4 x 200 / 4 ms. In order, with one batch ahead and what readers have in hand, sample j of
  // a reader waits for batch j - 2, which waits for its slowest reader.
  const auto mean = [](const char* deterministic) {
    Design design = reader("tensorflow", {{"deterministic", deterministic}, {"prefetch", "1"}},
                           {{"sample_stdev", "50 MB"}});
    set(design.jobs[0].step, Role::step, "compute", "1 ns");
    set(design.run, Role::run, "duration", "400 s");
    return metric(run(design), "job.train.step.time");
  };
  models::DatasetParams sizes;
  sizes.sample = Bytes::from(100, unit::MB);
  sizes.sample_stdev = Bytes::from(50, unit::MB);
  base::RandomStream random(7, "pipeline", "sizes");
  std::array<double, 4> readers{};
  double last = 0.0, before = 0.0;
  constexpr int kBatches = 100000;
  for (int j = 0; j < kBatches; ++j) {
    double slowest = last;
    for (double& done : readers) {
      done = std::max(done, before) + sizes.draw(random).in(unit::GB) / 0.5;
      slowest = std::max(slowest, done);
    }
    before = std::exchange(last, slowest);
  }
  CHECK(mean("true") == Approx(last / kBatches).epsilon(0.02));
  CHECK(mean("true") > 1.15 * 0.2);
  Design free = reader("tensorflow", {{"deterministic", "false"}, {"prefetch", "4"}},
                       {{"sample_stdev", "50 MB"}});
  set(free.jobs[0].step, Role::step, "compute", "1 ns");
  set(free.run, Role::run, "duration", "400 s");
  CHECK(metric(run(free), "job.train.step.time") == Approx(0.2).epsilon(0.03));
}

TEST_CASE("tf.data fills its shuffle buffer before the first batch") {
  // 40 samples in the buffer and 3 more for the first batch of 4: 4 readers read 10 each, and all
  // but one sample of the batch makes room for another: 10.75 -> by whole samples 10 + 0 a reader
  const Design design = reader("tensorflow", {{"shuffle.buffer", "40"}});
  CHECK(first(design) == Approx(10 * 0.2).epsilon(1e-6));
  CHECK(step(design) == Approx(0.2).epsilon(1e-6));
  // One reader reads all of it.
  const Design one = reader("tensorflow", {{"shuffle.buffer", "40"}, {"cycle_length", "1"}});
  CHECK(first(one) == Approx(43 * 0.2).epsilon(1e-6));
}

TEST_CASE("a shuffle buffer is no larger than the data set") {
  // 40 samples by 4 readers, whoever takes which
  for (const char* deterministic : {"true", "false"}) {
    const Design design =
        reader("tensorflow", {{"shuffle.buffer", "1000"}, {"deterministic", deterministic}},
               {{"samples", "40"}});
    CHECK(first(design) == Approx(10 * 0.2).epsilon(1e-6));
  }
}

TEST_CASE("records are parsed while the next of their file arrive") {
  // 200 ms to read a sample, `parse` ms for it, 10 of them a file; 4 by 4 readers are a batch
  const auto seconds = [](const char* parse, const char* ahead, const char* direct = "false") {
    Design design = reader("tensorflow", {});
    set(design.storage[0], Role::storage, "client.stream_direct", "62.5 MB/s");  // 8 OSTs
    design.jobs[0].dataset = as_kind(*design.jobs[0].dataset, Role::dataset, "tfrecord");
    for (const auto& [key, text] : Settings{{"samples_per_file", "10"},
                                            {"round_trips", "0"},
                                            {"parse", parse},
                                            {"parse_fixed", "0 s"},
                                            {"read_ahead", ahead},
                                            {"direct", direct}})
      set(*design.jobs[0].dataset, Role::dataset, key, text);
    return step(design);
  };
  // w = 100 MB / 1 GB: a tenth of the 100 ms is parsed when the file is read. Copying out of the
  // page cache, 40 ms, goes on meanwhile, too.
  CHECK(seconds("1 GB/s", "100 MB") == Approx(0.2 + 0.01).epsilon(1e-6));
  CHECK(seconds("0.25 GB/s", "100 MB") == Approx(0.04 + 0.36 + 0.04).epsilon(1e-6));
  CHECK(seconds("1 GB/s", "0 B") == Approx(0.2 + 0.1).epsilon(1e-6));
  CHECK(seconds("1 GB/s", "2 GB") == Approx(0.2 + 0.1).epsilon(1e-6));
  CHECK(seconds("1 GB/s", "100 MB", "true") == Approx(0.2 + 0.1).epsilon(1e-6));
}

TEST_CASE("np.load takes in little at a time, and parses in between") {
  // one worker: 100 MB at 1 GB/s, though the client streams 10 GB/s, then 125 ms of a core
  Design design = reader("pytorch", {{"workers", "1"}, {"batch", "1"}});
  set(design.storage[0], Role::storage, "client.stream", "10 GB/s");
  design.jobs[0].dataset = as_kind(*design.jobs[0].dataset, Role::dataset, "npz");
  set(*design.jobs[0].dataset, Role::dataset, "round_trips", "0");
  set(*design.jobs[0].dataset, Role::dataset, "stream", "1 GB/s");
  set(*design.jobs[0].dataset, Role::dataset, "parse", "0.8 GB/s");
  set(*design.jobs[0].dataset, Role::dataset, "parse_fixed", "0 s");
  CHECK(step(design) == Approx(0.1 + 0.125).epsilon(1e-6));
}

TEST_CASE("ranks with records of one size do not leave storage idle while all of them parse") {
  // 8 readers of one host share 1 GB/s: a batch of 4 for each of 2 ranks in 0.8 s, although 100 ms
  // of every sample are parsing
  const auto seconds = [](const char* ahead) {
    Design design = reader("tensorflow", {});
    design.jobs[0].dataset = as_kind(*design.jobs[0].dataset, Role::dataset, "tfrecord");
    set(*design.jobs[0].dataset, Role::dataset, "samples_per_file", "1000");
    set(*design.jobs[0].dataset, Role::dataset, "parse", "1 GB/s");
    set(*design.jobs[0].dataset, Role::dataset, "parse_fixed", "0 s");
    set(*design.jobs[0].dataset, Role::dataset, "read_ahead", ahead);
    set(design.hosts[0], Role::host, "gpus", "2");
    set(design.storage[0], Role::storage, "read", "1 GB/s");
    return step(design);
  };
  CHECK(seconds("1 MB") == Approx(0.8).epsilon(1e-3));
  CHECK(seconds("0 B") == Approx(0.9).epsilon(1e-3));
}

TEST_CASE("an epoch begins with the names of all files and an iterator") {
  // 100000 files of one sample at 2 us a name, 150 ms until threads read, then a batch of 200 ms;
  // TFRecord files of 100 have 1000 names. Threads take no start, processes theirs, and again the
  // names in the second epoch.
  const Settings few{{"samples", "100000"}};
  const Settings cost{{"names", "2 us"}, {"iterator", "150 ms"}, {"start", "1 s"}};
  CHECK(first(reader("tensorflow", cost, few)) == Approx(0.2 + 0.15 + 0.2).epsilon(1e-6));
  Design shards = reader("tensorflow", cost, few);
  shards.jobs[0].dataset = as_kind(*shards.jobs[0].dataset, Role::dataset, "tfrecord");
  set(*shards.jobs[0].dataset, Role::dataset, "samples_per_file", "100");
  set(*shards.jobs[0].dataset, Role::dataset, "round_trips", "0");
  CHECK(first(shards) == Approx(0.002 + 0.15 + 0.2).epsilon(1e-6));
  Design processes =
      reader("pytorch", {{"names", "2 us"}, {"start", "100 ms"}, {"persistent", "true"}}, few);
  set(processes.jobs[0].job, Role::job, "steps", "10");
  set(processes.jobs[0].job, Role::job, "epochs", "1");
  CHECK(first(processes) == Approx(0.2 + 4 * 0.1 + 0.8).epsilon(1e-6));
  set(processes.jobs[0].job, Role::job, "epochs", "2");
  // means over both epochs: workers are started once
  CHECK(first(processes) == Approx(0.2 + 2 * 0.1 + 0.8).epsilon(1e-6));
}

TEST_CASE("DALI reads mapped files with all threads, else with one") {
  // mapped: 100 MB in windows of 10 MB are 10 faults of 1 ms and 200 ms; else one open stream of
  // 1 ms, one sample after the other, and the other threads decode
  Design mapped = reader("dali", {{"window", "10 MB"}});
  set(mapped.fabric, Role::fabric, "rtt", "1 ms");
  CHECK(step(mapped) == Approx(0.001 + 10 * 0.001 + 0.2).epsilon(1e-6));
  Design plain = reader("dali", {{"mmap", "false"}}, {{"decode", "100 ms"}});
  set(plain.fabric, Role::fabric, "rtt", "1 ms");
  CHECK(step(plain) == Approx(4 * (0.001 + 0.001 + 0.2)).epsilon(1e-6));
  CHECK(first(plain) == Approx(4 * 0.202 + 0.1).epsilon(1e-6));
  // one worker decodes one sample at a time
  set(*plain.jobs[0].loader, Role::loader, "workers", "1");
  set(*plain.jobs[0].dataset, Role::dataset, "decode", "300 ms");
  CHECK(step(plain) == Approx(4 * 0.3).epsilon(1e-6));
}

TEST_CASE("decoding on the GPU is a stage alongside training, and takes its share of the GPU") {
  // 4 samples x 10 ms are 40 ms a batch, of which 30 % are taken from training: 100 + 12 ms.
  const Settings fast{{"sample", "10 MB"}};
  const Design design = reader("dali", {{"gpu.decode", "10 ms"}, {"gpu.share", "30 %"}}, fast);
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.step.time.p50") == Approx(0.112).epsilon(1e-6));
  CHECK(metric(result, "job.train.stall.cpu") == Approx(0.012 / 0.112).epsilon(0.01));
  CHECK(result.limited_by.at("job.train") == "host.gpu.gpu.decode");
  // and 4 x 50 ms is longer than a step: 200 ms, of which 60 ms are taken while it computes
  CHECK(step(reader("dali", {{"gpu.decode", "50 ms"}, {"gpu.share", "30 %"}}, fast)) ==
        Approx(0.2).epsilon(1e-6));
}

TEST_CASE("a GPU that waits while reads never stop waits for them, not for the stage behind them") {
  const auto wait = [](const char* stage, const Settings& settings = {}) {
    Design design = reader("dali", {{"window", "1 GB"}, {"gpu.share", "0 %"}});
    set(*design.jobs[0].loader, Role::loader, "gpu.decode", stage);
    for (const auto& [key, text] : settings) set(*design.jobs[0].loader, Role::loader, key, text);
    set(design.run, Role::run, "duration", "200 s");
    return run(design);
  };
  // A batch is read in 200 ms and passes a stage of 4 x 10 ms meanwhile the next is read: 200 ms a
  // step of 100 ms, half of which is waited for streams.
  const RunResult reads = wait("10 ms");
  CHECK(metric(reads, "job.train.step.time.p50") == Approx(0.2).epsilon(1e-6));
  CHECK(metric(reads, "job.train.stall.data") == Approx(0.5).epsilon(0.005));
  CHECK(metric(reads, "job.train.stall.cpu") < 0.001);
  CHECK(reads.limited_by.at("job.train") == "storage.scratch.client.stream");
  // a stage of 4 x 75 ms: 300 ms a step, of which 200 ms are waited for it
  const RunResult decodes = wait("75 ms");
  CHECK(metric(decodes, "job.train.step.time.p50") == Approx(0.3).epsilon(1e-6));
  CHECK(metric(decodes, "job.train.stall.cpu") == Approx(2.0 / 3.0).epsilon(0.005));
  CHECK(metric(decodes, "job.train.stall.data") < 0.002);
  CHECK(decodes.limited_by.at("job.train") == "host.gpu.gpu.decode");
  // One batch at a time is read, then decoded: 240 ms a step, of which 40 are the stage's.
  const RunResult in_turn = wait("10 ms", {{"prefetch", "1"}});
  CHECK(metric(in_turn, "job.train.step.time.p50") == Approx(0.24).epsilon(1e-6));
  CHECK(metric(in_turn, "job.train.stall.cpu") == Approx(40.0 / 240.0).epsilon(0.005));
  CHECK(metric(in_turn, "job.train.stall.data") == Approx(100.0 / 240.0).epsilon(0.005));
}

TEST_CASE("DALI copies a batch to the GPU ahead of need") {
  // 400 MB at 5 GB/s are 80 ms: exposed with PyTorch, alongside the step with DALI
  const auto with_copy = [](const char* kind, const char* workers = "16") {
    Design design = reader(kind, {{"copy", "pinned"}, {"workers", workers}});
    if (std::string(kind) == "dali") set(*design.jobs[0].loader, Role::loader, "window", "1 GB");
    set(*design.jobs[0].dataset, Role::dataset, "sample", "20 MB");
    set(design.hosts[0], Role::host, "gpu.copy", "1 GB/s");
    return step(design);
  };
  CHECK(with_copy("pytorch") == Approx(0.18).epsilon(1e-6));
  CHECK(with_copy("dali") == Approx(0.1).epsilon(1e-6));
  CHECK(with_copy("dali", "1") == Approx(4 * 0.04).epsilon(1e-6));  // one reads 4 x 40 ms
}

TEST_CASE("a faster metadata server does not make threads that share batches read in step") {
  const auto takes = [](const char* format, const char* opens) {
    Design design = small_design();
    set(design.hosts[0], Role::host, "count", "1");
    design.storage[0] = component(Role::storage, "beegfs", "scratch",
                                  {{"target.count", "8"}, {"mds.opens", opens}});
    JobDesign& job = design.jobs[0];
    set(job.step, Role::step, "compute", "50 ms");
    set(job.step, Role::step, "jitter", "1 %");
    set(job.job, Role::job, "steps", "400");
    job.dataset = component(Role::dataset, format, "dataset",
                            {{"on", "scratch"}, {"sample", "1 MB"}, {"samples", "2000000"}});
    if (job.dataset->kind == "parquet") set(*job.dataset, Role::dataset, "row_group", "8 MiB");
    job.loader = component(Role::loader, "dali", "loader", {{"batch", "64"}, {"workers", "4"}});
    design.run.values.erase("duration");
    return testing::metric(run(design), "job.train.step.time");
  };
  CHECK(takes("raw", "400 kops/s") <= takes("raw", "40 kops/s") * 1.01);
  // Of units, which begin together in each epoch, a little is left: it had been 1.24.
  CHECK(takes("parquet", "160 kops/s") <= takes("parquet", "20 kops/s") * 1.06);
}

TEST_CASE("the ceiling of a loader knows its threads, the lock of HDF5 and the GPU stage") {
  // 100 MB a sample; CPU: parsing 100 ms, decoding 300 ms; 4 threads
  const auto bound = [](const char* kind, const char* format, const Settings& settings) {
    Design design = reader(kind, settings);
    design.jobs[0].dataset = as_kind(*design.jobs[0].dataset, Role::dataset, format);
    set(*design.jobs[0].dataset, Role::dataset, "parse", "1 GB/s");
    set(*design.jobs[0].dataset, Role::dataset, "decode", "300 ms");
    if (std::string(format) == "hdf5")
      set(*design.jobs[0].dataset, Role::dataset, "open_cpu", "0 s");
    return ceiling(design) / 100e6;
  };
  CHECK(bound("tensorflow", "raw", {}) == Approx(4 / 0.4));
  CHECK(bound("tensorflow", "raw", {{"map.threads", "2"}}) == Approx(2 / 0.3));
  CHECK(bound("tensorflow", "raw", {{"cycle_length", "1"}, {"map.threads", "32"}}) ==
        Approx(1 / 0.1));
  // one thread at a time in the library: 10 a second, however many threads decode
  CHECK(bound("tensorflow", "hdf5", {{"workers", "16"}}) == Approx(1 / 0.1));
  CHECK(bound("pytorch", "hdf5", {{"workers", "16"}}) == Approx(16 / 0.4));
  CHECK(bound("dali", "raw", {{"gpu.decode", "1 s"}}) == Approx(1.0));
}

TEST_CASE("the ceiling of a loader knows who fetches and decodes ahead") {
  // A pool of 3 decodes 300 ms a sample beside a process that parses 20 ms of it.
  Design design = reader("pytorch", {{"workers", "0"}});
  design.jobs[0].dataset = as_kind(*design.jobs[0].dataset, Role::dataset, "petastorm");
  set(*design.jobs[0].dataset, Role::dataset, "pool.workers", "3");
  set(*design.jobs[0].dataset, Role::dataset, "parse", "1000000 TB/s");
  set(*design.jobs[0].dataset, Role::dataset, "parse_fixed", "20 ms");
  set(*design.jobs[0].dataset, Role::dataset, "decode", "300 ms");
  CHECK(ceiling(design) / 100e6 == Approx(3 / 0.3).epsilon(1e-6));
  CHECK(metric(run(design), "job.train.throughput.bytes") <= ceiling(design) * 1.02);
  set(*design.jobs[0].dataset, Role::dataset, "pool.workers", "100");
  CHECK(ceiling(design) / 100e6 == Approx(1 / 0.02).epsilon(1e-6));
  set(design.hosts[0], Role::host, "cpu.cores", "4");
  CHECK(ceiling(design) / 100e6 == Approx(4 / 0.32).epsilon(1e-6));
}

}  // namespace pipeline_test
