#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

/// A host has so many RPCs in flight, whoever asks: docs/models/lustre.md, eq. 12.
namespace request_window_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// Two OSTs, 8 RPCs each, of 170 us and 7 us of network; two turns more where data are no short I/O.
constexpr double kRpcs = 16.0, kTurn = 177e-6, kBulk = 517e-6;

// One host with cores enough and no job that trains.
Design one_host() {
  Design design = small_design();
  design.hosts[0] =
      component(Role::host, "host", "gpu", {{"count", "1"}, {"gpus", "8"}, {"cpu.cores", "256"}});
  design.storage[0] = component(Role::storage, "lustre", "scratch",
                                {{"ost.count", "2"},
                                 {"ost.service", "170 us"},
                                 {"mdt.open", "10 Mops/s"},
                                 {"mdt.service", "1 us"}});
  set(design.fabric, Role::fabric, "rtt", "7 us");
  set(design.run, Role::run, "duration", "20 s");
  return design;
}

void ask(Design& design, Settings settings) {
  const std::string id = "t" + std::to_string(design.tenants.size());
  Component& tenant = design.tenants.emplace_back(
      component(Role::tenant, "fio", id.c_str(),
                {{"on", "scratch"}, {"hosts", "gpu"}, {"bs", "4 KiB"}, {"direct", "true"}}));
  for (const auto& [key, text] : settings) set(tenant, Role::tenant, key, text);
}

double operations(Design design) {
  design.jobs.clear();
  const RunResult result = run(design);
  double out = 0.0;
  for (const Component& tenant : design.tenants)
    out += metric(result, "tenant." + tenant.id + ".operations");
  return out;
}

// 8 ranks of `workers` read files of 4 KiB.
Design training(const char* workers) {
  Design design = one_host();
  JobDesign& job = design.jobs[0];
  set(job.step, Role::step, "compute", "1 ms");
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "4 KiB"}, {"samples", "1e9"}});
  job.loader =
      component(Role::loader, "pytorch", "loader", {{"batch", "64"}, {"workers", workers}});
  return design;
}

double samples(const Design& design) {
  return 8 * 64 / metric(run(design), "job.train.steady.step.time");
}

}  // namespace

TEST_CASE("tenants of one host share its RPCs, as many as they are") {
  for (const char* pattern : {"randread", "randwrite"})
    for (const int tenants : {1, 2, 16}) {
      INFO(pattern << " " << tenants);
      Design design = one_host();
      const std::string depth = std::to_string(256 / tenants);
      for (int i = 0; i < tenants; ++i) ask(design, {{"rw", pattern}, {"iodepth", depth.c_str()}});
      CHECK(operations(design) == Approx(kRpcs / kTurn).epsilon(0.01));
    }
}

TEST_CASE("reads and writes are RPCs in flight alike") {
  for (const char* share : {"1 %", "50 %", "99 %"}) {
    INFO(share);
    Design design = one_host();
    ask(design, {{"rw", "randrw"}, {"rwmixread", share}, {"iodepth", "64"}});
    CHECK(operations(design) == Approx(kRpcs / kTurn).epsilon(0.01));
  }
}

TEST_CASE("an RPC is in flight for all its turns, and fewer than the window wait for none") {
  const auto of = [](const char* depth) {
    Design design = one_host();
    ask(design, {{"rw", "randread"}, {"bs", "8 KiB"}, {"iodepth", depth}});
    return operations(design);
  };
  CHECK(of("64") == Approx(kRpcs / kBulk).epsilon(0.01));
  CHECK(of("8") == Approx(8.0 / kBulk).epsilon(0.02));
}

TEST_CASE("workers of a host share its RPCs, folded or not, and with tenants") {
  for (const char* fold : {"true", "false"}) {
    INFO(fold);
    Design design = training("11");
    set(design.run, Role::run, "fold", fold);
    CHECK(samples(design) == Approx(kRpcs / kTurn).epsilon(0.01));
  }
  // 88 workers and as many requests of a tenant: half for each
  Design both = training("11");
  ask(both, {{"rw", "randread"}, {"iodepth", "88"}});
  const RunResult shared = run(both);
  CHECK(metric(shared, "tenant.t0.operations") == Approx(kRpcs / kTurn / 2.0).epsilon(0.05));
  CHECK(shared.limited_by.at("tenant.t0") == "host.gpu.client.scratch.requests");
}

TEST_CASE("each host has RPCs of its own") {
  Design design = one_host();
  set(design.hosts[0], Role::host, "count", "3");
  ask(design, {{"rw", "randread"}, {"iodepth", "64"}});
  CHECK(operations(design) == Approx(3.0 * kRpcs / kTurn).epsilon(0.01));
}

TEST_CASE("all streams of a host move what its RPCs do over a long way") {
  Design design = one_host();
  set(design.fabric, Role::fabric, "rtt", "10 ms");
  ask(design, {{"rw", "read"}, {"bs", "64 MiB"}, {"iodepth", "64"}});
  // 8 RPCs of 4 MiB to each of two OSTs of 4 GB/s
  const double rpc = 4.0 * 1048576.0, turn = 10e-3 + 510e-6 + rpc / 4e9;
  CHECK(operations(design) * 16.0 * rpc == Approx(kRpcs * rpc / turn).epsilon(0.05));
}

}  // namespace request_window_test
