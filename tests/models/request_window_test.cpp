#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

/// A host has so many requests in flight, whoever asks: docs/models/storage.md, eq. 17.
namespace request_window_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// Two OSTs, 8 RPCs each, of 170 us and 7 us of network; two turns more where data are no short I/O.
// 4 KiB at 4 GB/s are 1 us.
constexpr double kRpcs = 16.0, kTurn = 177e-6, kBulk = 517e-6, kRpc = kTurn + 4096.0 / 4e9;

// One host with cores enough and no job that trains.
Design one_host() {
  Design design = small_design();
  design.hosts[0] =
      component(Role::host, "host", "gpu",
                {{"count", "1"}, {"gpus", "8"}, {"cpu.cores", "256"}, {"nic.rate", "3200 Gb/s"}});
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

// 16 requests of 170 us and 7 us of network in flight, whose data move at 1 GB/s.
Design one_host_of(const char* kind) {
  Design design = one_host();
  if (kind == std::string("nfs"))
    design.storage[0] = component(Role::storage, "nfs", "scratch",
                                  {{"head.count", "2"},
                                   {"head.read", "100 GB/s"},
                                   {"head.write", "100 GB/s"},
                                   {"head.ops", "10 Mops/s"},
                                   {"head.service", "170 us"},
                                   {"client.transport", "rdma"},
                                   {"client.nconnect", "16"},
                                   {"client.connection", "1 GB/s"},
                                   {"client.slots", "16"}});
  if (kind == std::string("beegfs"))
    design.storage[0] = component(Role::storage, "beegfs", "scratch",
                                  {{"target.count", "32"},
                                   {"target.read", "1 GB/s"},
                                   {"target.write", "1 GB/s"},
                                   {"target.service", "170 us"},
                                   {"mds.opens", "10 Mops/s"},
                                   {"mds.service", "1 us"},
                                   {"server.count", "4"},
                                   {"client.connections", "4"}});
  return design;
}

// 8 ranks of `workers` read files of 4 KiB.
Design training(const char* workers, Design design = one_host()) {
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
      CHECK(operations(design) == Approx(kRpcs / kRpc).epsilon(0.01));
    }
}

TEST_CASE("reads and writes are RPCs in flight alike") {
  for (const char* share : {"1 %", "50 %", "99 %"}) {
    INFO(share);
    Design design = one_host();
    ask(design, {{"rw", "randrw"}, {"rwmixread", share}, {"iodepth", "64"}});
    CHECK(operations(design) == Approx(kRpcs / kRpc).epsilon(0.01));
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
    CHECK(samples(design) == Approx(kRpcs / kRpc).epsilon(0.01));
  }
  // 88 workers and as many requests of a tenant: half for each
  Design both = training("11");
  ask(both, {{"rw", "randread"}, {"iodepth", "88"}});
  const RunResult shared = run(both);
  CHECK(metric(shared, "tenant.t0.operations") == Approx(kRpcs / kRpc / 2.0).epsilon(0.05));
  CHECK(shared.limited_by.at("tenant.t0") == "host.gpu.client.scratch.requests");
}

TEST_CASE("slots of an NFS session and connections of BeeGFS are of a host, whoever asks") {
  for (const char* kind : {"nfs", "beegfs"})
    for (const char* pattern : {"randread", "randwrite"})
      for (const double kib : {4.0, 128.0}) {
        INFO(kind << " " << pattern << " " << kib);
        Design design = one_host_of(kind);
        const std::string size = std::to_string(kib) + " KiB";
        for (int i = 0; i < 3; ++i)
          ask(design, {{"rw", pattern}, {"bs", size.c_str()}, {"numjobs", "8"}, {"iodepth", "8"}});
        // A request is in flight until its data have moved.
        CHECK(operations(design) == Approx(kRpcs / (kTurn + kib * 1024.0 / 1e9)).epsilon(0.015));
      }
  // Fewer than those wait for none.
  for (const char* kind : {"nfs", "beegfs"}) {
    Design design = one_host_of(kind);
    ask(design, {{"rw", "randread"}, {"iodepth", "8"}});
    CHECK(operations(design) == Approx(8.0 / kTurn).epsilon(0.05));
  }
}

TEST_CASE("workers of a host share the slots of its session and its connections") {
  // 88 of them have two requests in flight: what they open meanwhile is 2 % of their time.
  for (const char* kind : {"nfs", "beegfs"}) {
    INFO(kind);
    Design design = training("11", one_host_of(kind));
    set(*design.jobs[0].dataset, Role::dataset, "direct", "true");
    Component& storage = design.storage[0];
    if (kind == std::string("nfs")) {
      set(storage, Role::storage, "client.slots", "2");
      set(storage, Role::storage, "client.open_requests", "1");
    } else {
      set(storage, Role::storage, "server.count", "2");
      set(storage, Role::storage, "client.connections", "1");
    }
    CHECK(samples(design) == Approx(2.0 / (kTurn + 4096.0 / 1e9)).epsilon(0.025));
  }
}

TEST_CASE("ranks of one host save as fast as one of them does, where its client has no more") {
  // 16 slots of 1 MiB, or 8 MiB of dirty bytes for each of two OSTs, are under way for 10 ms.
  const double window = 16.0 * 1048576.0;
  const auto save = [](const char* kind, const char* gpus) {
    Design design = one_host_of(kind);
    set(design.fabric, Role::fabric, "rtt", "10 ms");
    set(design.hosts[0], Role::host, "gpus", gpus);
    if (kind == std::string("nfs")) {
      set(design.storage[0], Role::storage, "client.connection", "1000 GB/s");
    } else {
      set(design.storage[0], Role::storage, "client.dirty", "8 MiB");
      set(design.storage[0], Role::storage, "ost.write", "1000 GB/s");
      set(design.storage[0], Role::storage, "stripe.count", "0");
    }
    set(design.jobs[0].step, Role::step, "compute", "1 s");
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "scratch"},
                                           {"every_steps", "8"},
                                           {"size", "16 GB"},
                                           {"serializer", "none"},
                                           {"snapshot", "none"}});
    return run(design);
  };
  for (const char* kind : {"nfs", "lustre"})
    for (const char* gpus : {"1", "8"}) {
      INFO(kind << " " << gpus);
      const double turn = 10e-3 + (kind == std::string("nfs") ? 170e-6 : 3 * 170e-6);
      const RunResult result = save(kind, gpus);
      CHECK(metric(result, "job.train.checkpoint.duration") ==
            Approx(16e9 * turn / window).margin(0.06));  // creates and commits
      CHECK(result.metrics.contains("job.train.checkpoint.took.host.gpu.client.scratch.write"));
    }
}

TEST_CASE("each host has RPCs of its own") {
  Design design = one_host();
  set(design.hosts[0], Role::host, "count", "3");
  ask(design, {{"rw", "randread"}, {"iodepth", "64"}});
  CHECK(operations(design) == Approx(3.0 * kRpcs / kRpc).epsilon(0.01));
}

TEST_CASE("all streams of a host move what its RPCs do over a long way") {
  Design design = one_host();
  set(design.fabric, Role::fabric, "rtt", "10 ms");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  ask(design, {{"rw", "read"}, {"bs", "64 MiB"}, {"iodepth", "64"}});
  // 8 RPCs of 4 MiB to each of two OSTs of 4 GB/s
  const double rpc = 4.0 * 1048576.0, turn = 10e-3 + 510e-6 + rpc / 4e9;
  CHECK(operations(design) * 16.0 * rpc == Approx(kRpcs * rpc / turn).epsilon(0.05));
}

}  // namespace request_window_test
