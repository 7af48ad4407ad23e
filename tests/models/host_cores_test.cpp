#include "models/contract/host_cores.hpp"

#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace host_cores_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::CoreStep;
using models::Role;

namespace {

using Fields = std::vector<std::pair<const char*, const char*>>;

// One GPU and `workers` workers on one server of `cores` cores; storage and fabric of no cost, so
// that cores are all that limits. A batch is one sample of 16 MiB.
Design loaders(const char* kind, const Fields& storage, const char* workers = "8",
               const char* cores = "4") {
  Design design = small_design();
  design.hosts[0] = component(Role::host, "host", "gpu",
                              {{"count", "1"},
                               {"gpus", "1"},
                               {"cpu.cores", cores},
                               {"memory.bandwidth", "100 TB/s"},
                               {"nic.rate", "10 Tb/s"}});
  set(design.fabric, Role::fabric, "rtt", "0 s");
  design.storage[0] = component(Role::storage, kind, "scratch", {});
  for (const auto& [key, text] : storage) set(design.storage[0], Role::storage, key, text);
  JobDesign& job = design.jobs[0];
  set(job.step, Role::step, "compute", "1 us");
  set(job.step, Role::step, "overhead", "0 s");
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"},
                           {"sample", "16 MiB"},
                           {"samples", "1000000"},
                           {"parse", "1000 TB/s"},
                           {"parse_fixed", "0 s"}});
  job.loader = component(Role::loader, "pytorch", "loader",
                         {{"batch", "1"},
                          {"workers", workers},
                          {"copy", "none"},
                          {"start", "0 s"},
                          {"handover", "0 s"}});
  set(design.run, Role::run, "duration", "20 s");
  return design;
}
Design nfs(Fields more = {}, const char* workers = "8", const char* cores = "4") {
  Fields all = {{"head.count", "1"},
                {"head.read", "1 TB/s"},
                {"head.write", "1 TB/s"},
                {"head.ops", "1000 Mops/s"},
                {"head.service", "0 s"},
                {"head.creates", "1000 Mops/s"},
                {"commit", "0 s"},
                {"client.connection", "1 TB/s"},
                {"client.stream", "1 TB/s"},
                {"client.read_ahead", "1 GB"},
                {"directory.creates", "1000 Mops/s"}};
  all.insert(all.end(), more.begin(), more.end());
  return loaders("nfs", all, workers, cores);
}
Design lustre(Fields more = {}) {
  Fields all = {{"ost.count", "100"},        {"ost.read", "100 GB/s"},
                {"ost.service", "0 s"},      {"mdt.open", "1000 Mops/s"},
                {"mdt.service", "1 ns"},     {"stripe.count", "0"},
                {"client.stream", "1 TB/s"}, {"client.read_ahead_all", "1 TB"}};
  all.insert(all.end(), more.begin(), more.end());
  return loaders("lustre", all);
}
double gb_per_second(const Design& design) {
  return metric(run(design), "job.train.throughput.bytes") / 1e9;
}

constexpr double kCopy = 1 / 2.5;    // core seconds per GB through the page cache
constexpr double kTcp = 8.0 / 15.0;  // at 15 Gb/s
constexpr double kTls = 1 / 4.5, kSum = 1 / 3.5;

}  // namespace

TEST_CASE("host cores: the steps of a client add up, on its own core and alongside it") {
  const models::HostParams host =
      models::host_params(component(Role::host, "host", "gpu", {{"count", "1"}}));
  models::ClientLimits client;
  client.steps = {
      {CoreStep::Work::client, true, 2_GBps}, {CoreStep::Work::tls, true}, {CoreStep::Work::tcp}};
  const models::CoreRates rates = models::core_rates(host, client, false);
  CHECK((1_GB / rates.process).in(unit::s) == Approx(0.5 + kTls).epsilon(1e-9));
  CHECK((1_GB / rates.beside).in(unit::s) == Approx(kTcp).epsilon(1e-9));
  // a fabric of TCP comes on top where the storage has no transport of its own
  const models::CoreRates tcp = models::core_rates(host, client, true);
  CHECK((1_GB / tcp.beside).in(unit::s) == Approx(2 * kTcp).epsilon(1e-9));
  client.by_fabric = false;
  CHECK(models::core_rates(host, client, true).beside == rates.beside);
  CHECK_FALSE(models::core_rates(host, {}, false).process.finite());
}

TEST_CASE("host cores: NFS over TCP takes cores, over RDMA only the copy does") {
  // 4 cores over the core seconds of a GB
  CHECK(gb_per_second(nfs({{"client.transport", "rdma"}})) == Approx(4 / kCopy).epsilon(0.01));
  CHECK(gb_per_second(nfs()) == Approx(4 / (kCopy + kTcp)).epsilon(0.01));
}

TEST_CASE("host cores: TLS on NFS takes its share of the same cores") {
  CHECK(gb_per_second(nfs({{"client.tls", "true"}})) ==
        Approx(4 / (kCopy + kTcp + kTls)).epsilon(0.01));
  Design fast = nfs({{"client.tls", "true"}});
  set(fast.hosts[0], Role::host, "cpu.tls", "1000 GB/s");
  CHECK(gb_per_second(fast) == Approx(4 / (kCopy + kTcp)).epsilon(0.01));
}

TEST_CASE("host cores: Lustre checksums are on unless they are turned off") {
  CHECK(gb_per_second(lustre()) == Approx(4 / (kCopy + kSum)).epsilon(0.01));
  CHECK(gb_per_second(lustre({{"client.checksums", "false"}})) == Approx(4 / kCopy).epsilon(0.01));
  CHECK(gb_per_second(lustre({{"client.checksum_rate", "10 GB/s"}})) ==
        Approx(4 / (kCopy + 0.1)).epsilon(0.01));
}

TEST_CASE("host cores: kernel threads work alongside the process while cores are idle") {
  // one worker: its core copies 2.5 GB/s, others do TCP and TLS
  CHECK(gb_per_second(nfs({{"client.tls", "true"}}, "1", "1024")) == Approx(2.5).epsilon(0.01));
}

TEST_CASE("host cores: decoding slows down by what the client takes") {
  // 16 MiB and 20 ms of decoding: 4 cores over 16 MiB x core seconds a byte + 20 ms
  const double gb = 16.777216e-3;
  for (const auto& [transport, tcp] : {std::pair{"rdma", 0.0}, std::pair{"tcp", kTcp}}) {
    Design design = nfs({{"client.transport", transport}});
    set(*design.jobs[0].dataset, Role::dataset, "decode", "20 ms");
    CHECK(metric(run(design), "job.train.throughput.samples") ==
          Approx(4 / (gb * (kCopy + tcp) + 20e-3)).epsilon(0.01));
  }
}

TEST_CASE("host cores: cores that slow each other down do less than one alone does") {
  // 4 cores at 75 %: 3 cores' worth of work, of which two workers take no more than their two
  for (const auto& [workers, cores] : {std::pair{"8", 3.0}, std::pair{"2", 2.0}}) {
    Design design = nfs({{"client.transport", "rdma"}}, workers);
    set(design.hosts[0], Role::host, "cpu.smt", "0.75");
    CHECK(gb_per_second(design) == Approx(cores / kCopy).epsilon(0.01));
  }
}

TEST_CASE("host cores: threads of loaders and of their pools take no more cores than there are") {
  // 10 ms of core time a sample and nothing else: 4 cores do 400 samples a second of whatever
  // threads, 2 threads do 200.
  const auto rate = [](const char* loader, Fields options, const char* format = "raw",
                       Fields data = {}) {
    Design design = nfs({{"client.transport", "rdma"}}, "1");
    set(design.hosts[0], Role::host, "cpu.copy", "1000 TB/s");
    JobDesign& job = design.jobs[0];
    job.dataset = component(Role::dataset, format, "dataset",
                            {{"on", "scratch"},
                             {"sample", "100 kB"},
                             {"samples", "100000"},
                             {"decode", "10 ms"},
                             {"parse", "1000 TB/s"},
                             {"parse_fixed", "0 s"}});
    for (const auto& [key, text] : data) set(*job.dataset, Role::dataset, key, text);
    job.loader = component(Role::loader, loader, "loader",
                           {{"batch", "16"}, {"copy", "none"}, {"handover", "0 s"}});
    for (const auto& [key, text] : options) set(*job.loader, Role::loader, key, text);
    return metric(run(design), "job.train.throughput.samples");
  };
  CHECK(rate("tensorflow", {{"workers", "1"}, {"cycle_length", "16"}}) ==
        Approx(400).epsilon(0.05));
  CHECK(rate("tensorflow", {{"workers", "1"}, {"map.threads", "16"}}) == Approx(400).epsilon(0.05));
  // Workers beside a cycle_length are no threads, so they take no cores.
  CHECK(rate("tensorflow", {{"workers", "64"}, {"cycle_length", "2"}}) ==
        Approx(200).epsilon(0.05));
  CHECK(rate("dali", {{"workers", "16"}, {"mmap", "false"}}) == Approx(400).epsilon(0.05));
  // The pool of Petastorm decodes for a training process without workers.
  CHECK(rate("pytorch", {{"workers", "0"}}, "petastorm",
             {{"pool.workers", "16"}, {"row_group", "1.6 MB"}}) == Approx(400).epsilon(0.05));
}

TEST_CASE("host cores: a fabric of TCP costs every file system that has no RDMA left") {
  Design design = lustre({{"client.checksums", "false"}});
  set(design.fabric, Role::fabric, "technology", "tcp");
  set(design.fabric, Role::fabric, "incast.senders", "1000000");
  CHECK(gb_per_second(design) == Approx(4 / (kCopy + kTcp)).epsilon(0.01));
}

TEST_CASE("host cores: an object client does HTTP and TLS in its process, without the page cache") {
  const Fields quick = {{"first_byte", "0 s"},
                        {"first_byte_spread", "1"},
                        {"get.rate", "1000 Mops/s"},
                        {"connection.rate", "1 TB/s"}};
  Fields plain = quick;
  plain.push_back({"client.tls", "false"});
  // 2 workers on 16 cores: 1.5 GB/s each with TLS, 2.25 without; 8 on 4 cores: 4 cores of them
  CHECK(gb_per_second(loaders("s3", quick, "2", "16")) == Approx(2 * 1.5).epsilon(0.01));
  CHECK(gb_per_second(loaders("s3", plain, "2", "16")) == Approx(2 * 2.25).epsilon(0.01));
  CHECK(gb_per_second(loaders("s3", quick, "8", "4")) == Approx(4 * 1.5).epsilon(0.01));
  CHECK(gb_per_second(loaders("s3", plain, "8", "4")) == Approx(4 * 2.25).epsilon(0.01));
}

TEST_CASE("host cores: CPU passes of a save share the cores of their host") {
  // 8 ranks serialise 1.5 GB at 1.5 GB/s: 8 core seconds on 4 cores; on 8 cores 1 s
  const auto seconds = [](const char* cores) {
    Design design = nfs({{"client.transport", "rdma"}}, "8", cores);
    set(design.hosts[0], Role::host, "gpus", "8");
    design.jobs[0].dataset.reset();
    design.jobs[0].loader.reset();
    set(design.jobs[0].step, Role::step, "compute", "1 s");
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "scratch"},
                                           {"every_steps", "5"},
                                           {"size", "12 GB"},
                                           {"serialize", "1.5 GB/s"},
                                           {"snapshot", "none"},
                                           {"direct", "true"}});
    return metric(run(design), "job.train.checkpoint.duration");
  };
  CHECK(seconds("4") == Approx(2.0).epsilon(0.02));
  CHECK(seconds("8") == Approx(1.0).epsilon(0.02));
}

TEST_CASE("host: files open as fast as the host opens them, however many processes ask") {
  // One file of 16 MiB a sample, 100 files a second on each host.
  const auto files_a_second = [](const char* hosts, const char* workers) {
    Design design = nfs({}, workers, "1024");
    set(design.hosts[0], Role::host, "count", hosts);
    set(design.hosts[0], Role::host, "opens", "100 ops/s");
    set(design.hosts[0], Role::host, "cpu.copy", "1000 TB/s");
    design.jobs[0].dataset = component(Role::dataset, "npz", "dataset",
                                       {{"on", "scratch"},
                                        {"sample", "16 MiB"},
                                        {"samples", "1000000"},
                                        {"parse", "1000 TB/s"},
                                        {"stream", "1000 TB/s"},
                                        {"parse_fixed", "0 s"}});
    return metric(run(design), "job.train.throughput.samples");
  };
  // The first files of all W workers open together, W / 100 s after the begin of 20 s.
  CHECK(files_a_second("1", "8") == Approx(100.0 * (1.0 - 0.08 / 20.0)).epsilon(0.01));
  CHECK(files_a_second("1", "64") == Approx(100.0 * (1.0 - 0.64 / 20.0)).epsilon(0.01));
  // The three wait for one another after each file.
  CHECK(files_a_second("3", "8") == Approx(300.0).epsilon(0.05));
}

TEST_CASE("host cores: saves over TCP take cores too") {
  // 15 GB over one core of 15 Gb/s: 8 s; over RDMA nothing limits but the network, 15 / 1188 s
  const auto seconds = [](const char* transport) {
    Design design = nfs({{"client.transport", transport}}, "8", "1");
    design.jobs[0].dataset.reset();
    design.jobs[0].loader.reset();
    set(design.jobs[0].step, Role::step, "compute", "1 s");
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "scratch"},
                                           {"every_steps", "5"},
                                           {"size", "15 GB"},
                                           {"serializer", "none"},
                                           {"snapshot", "none"},
                                           {"direct", "true"}});
    return metric(run(design), "job.train.checkpoint.duration");
  };
  CHECK(seconds("tcp") == Approx(8.0).epsilon(0.01));
  CHECK(seconds("rdma") < 0.1);
}

}  // namespace host_cores_test
