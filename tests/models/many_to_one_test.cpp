#include <catch2/catch.hpp>
#include <tuple>

#include "tests/support/designs.hpp"

/// Reads of many at a time on one host, and the port that they come by: docs/models/network.md,
/// eq. 4.
namespace many_to_one_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// Ports of 1.1875 GB/s, in front of storage that does not limit; `design` on such a fabric.
Design on(const char* technology, Design design) {
  set(design.fabric, Role::fabric, "technology", technology);
  set(design.hosts[0], Role::host, "nic.rate", "10 Gb/s");
  set(design.storage[0], Role::storage, "ost.count", "100");
  set(design.storage[0], Role::storage, "oss.count", "50");
  set(design.run, Role::run, "duration", "4 s");
  return design;
}

Design tenant_of(const char* reads) {
  Design design = small_design();
  design.tenants.push_back(component(Role::tenant, "fio", "load",
                                     {{"on", "scratch"},
                                      {"hosts", "gpu"},
                                      {"rw", "read"},
                                      {"bs", "1 MiB"},
                                      {"iodepth", reads},
                                      {"direct", "true"}}));
  return design;
}

// 64 readers on each host, which ask for 1 kB a step of each of its 8 ranks.
void add_idle_job(Design& design) {
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "scratch"}, {"sample", "1 kB"}, {"samples", "1e6"}});
  design.jobs[0].loader =
      component(Role::loader, "pytorch", "loader", {{"workers", "8"}, {"batch", "1"}});
}

double tenant_reads(const Design& design) { return metric(run(design), "tenant.load.read"); }

}  // namespace

TEST_CASE("many reads of a tenant fill a part of the port, whoever else has some") {
  const double port = 4.0 * 10e9 / 8.0 * 0.95;
  for (const auto& [technology, reads, share] : {std::tuple{"infiniband", "33", 1.0},
                                                 {"roce", "33", 0.9},
                                                 {"tcp", "33", 0.9},
                                                 {"tcp", "32", 1.0}}) {
    CAPTURE(technology, reads);
    Design design = on(technology, tenant_of(reads));
    CHECK(tenant_reads(design) == Approx(share * port).epsilon(0.01));
    add_idle_job(design);
    CHECK(tenant_reads(design) == Approx(share * port).epsilon(0.02));
  }
  // One read at a time meets no other, and pays for nobody who reads next to nothing.
  for (const char* technology : {"roce", "tcp"}) {
    Design one = on(technology, tenant_of("1"));
    const double alone = tenant_reads(one);
    CHECK(alone == Approx(tenant_reads(on("infiniband", tenant_of("1")))).epsilon(1e-6));
    add_idle_job(one);
    CHECK(tenant_reads(one) == Approx(alone).epsilon(0.02));
  }
}

TEST_CASE("many reads of a restore and of a stage fill a part of the port, saves all of it") {
  // 8 ranks of a host read 8 GB, and have written as much before; 64 workers scan 40 GB.
  const auto job = [](const char* technology, bool reads) {
    Design design = small_design();
    save_by_steps(design, "sync");
    if (reads) add_idle_job(design);
    design = on(technology, design);
    set(design.run, Role::run, "duration", "20 s");
    return run(design);
  };
  const auto restored = [&](const char* technology, bool reads) {
    return metric(job(technology, reads), "job.train.restore.duration");
  };
  const auto saved = [&](const char* technology) {
    return metric(job(technology, false), "job.train.checkpoint.duration");
  };
  CHECK(restored("roce", false) == Approx(restored("infiniband", false) / 0.9).epsilon(2e-3));
  CHECK(restored("roce", true) == Approx(restored("roce", false)).epsilon(1e-6));
  CHECK(restored("tcp", true) == Approx(restored("infiniband", false)).epsilon(1e-3));
  CHECK(saved("roce") == Approx(saved("infiniband")).epsilon(1e-6));
  const auto scanned = [](const char* technology) {
    Design design = on(technology, small_design());
    design.jobs.clear();
    design.stages.push_back(component(Role::stage, "scan", "look",
                                      {{"from", "scratch"},
                                       {"hosts", "gpu"},
                                       {"workers", "64"},
                                       {"size", "40 GB"},
                                       {"direct", "true"}}));
    return metric(run(design), "pipeline.time");
  };
  for (const char* technology : {"roce", "tcp"})
    CHECK(scanned(technology) == Approx(scanned("infiniband") / 0.9).epsilon(0.01));
}

TEST_CASE("many reads of few hosts fill a part of their ports, however many others there are") {
  // One replica in 8 reads of 250 MB each, on one host at a time.    [docs/models/tenants.md, eq.
  // 17]
  const auto loaded = [](const char* technology, const char* hosts) {
    Design design = on(technology, small_design());
    design.jobs.clear();
    set(design.hosts[0], Role::host, "count", hosts);
    design.tenants.push_back(component(Role::tenant, "inference", "serve",
                                       {{"on", "scratch"},
                                        {"hosts", "gpu"},
                                        {"rate", "0.001 ops/s"},
                                        {"weights", "2 GB"},
                                        {"readers", "8"},
                                        {"scale_every", "500 s"}}));
    set(design.run, Role::run, "duration", "10000 s");
    return metric(run(design), "tenant.serve.weights.load");
  };
  for (const char* technology : {"infiniband", "roce"})
    CHECK(loaded(technology, "4") == Approx(loaded(technology, "1")).epsilon(0.01));
  CHECK(loaded("roce", "4") == Approx(loaded("infiniband", "4") / 0.9).epsilon(0.01));
  // Of a restore one host of 4 reads all, which each of the others gets from one host.
  const auto restored = [](const char* technology) {
    Design design = small_design();
    save_by_steps(design, "sync");
    for (const auto& [key, text] :
         Settings{{"layout", "zero0"}, {"snapshot", "none"}, {"restore.read", "once"}})
      set(*design.jobs[0].checkpoint, Role::checkpoint, key, text);
    set(design.jobs[0].job, Role::job, "parallel.tensor", "8");
    design = on(technology, design);
    set(design.run, Role::run, "duration", "20 s");
    return metric(run(design), "job.train.restore.duration");
  };
  const double each = 32.0 / 1.1875;
  CHECK(restored("infiniband") == Approx(2.0 * each).epsilon(2e-3));
  CHECK(restored("roce") == Approx(each / 0.9 + each).epsilon(2e-3));
}

TEST_CASE("whoever reads longest of a restore has no more of its port when the others are done") {
  // Four stages of two ranks each in four replicas: all that read the last stage are on one host of
  // four, which is not told apart from the two whose ranks read less, as what is written is cut
  // otherwise. Each of its ranks reads 2 B x (layer + vocabulary) / 2 of the weights and 12 B x
  // P / 32 of the optimizer.
  const auto restored = [](const char* technology) {
    Design design = small_design();
    save_by_steps(design, "sync");
    design.jobs[0].checkpoint->values.erase("size");
    for (const auto& [key, text] :
         Settings{{"layout", "zero1"}, {"snapshot", "none"}, {"restore.read", "all"}})
      set(*design.jobs[0].checkpoint, Role::checkpoint, key, text);
    for (const auto& [key, text] : Settings{{"shape.vocabulary", "262144"},
                                            {"shape.hidden", "4096"},
                                            {"shape.ffn", "16384"},
                                            {"shape.heads", "32"},
                                            {"shape.kv_heads", "32"},
                                            {"shape.layers", "4"}})
      set(design.jobs[0].model, Role::model, key, text);
    set(design.jobs[0].job, Role::job, "parallel.tensor", "2");
    set(design.jobs[0].job, Role::job, "parallel.pipeline", "4");
    design = on(technology, design);
    set(design.run, Role::run, "duration", "20 s");
    return metric(run(design), "job.train.restore.duration");
  };
  const double hidden = 4096.0, layer = 4.0 * hidden * hidden + 3.0 * hidden * 16384.0;
  const double vocabulary = 262144.0 * hidden, all = 4.0 * layer + 2.0 * vocabulary;
  const double port = 8.0 * (layer + vocabulary + all * 12.0 / 32.0) / 1.1875e9;
  CHECK(restored("infiniband") == Approx(port).epsilon(2e-3));
  CHECK(restored("roce") == Approx(port / 0.9).epsilon(2e-3));
}

}  // namespace many_to_one_test
