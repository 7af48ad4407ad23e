#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

/// fio jobs that read and write: docs/models/tenants.md, eq. 7.
namespace fio_mix_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

TEST_CASE("reads and writes of a mix are in flight together, however few of one there are") {
  const auto [text, share] = GENERATE(
      table<const char*, double>({{"10 %", 0.1}, {"30 %", 0.3}, {"50 %", 0.5}, {"90 %", 0.9}}));
  Design design = small_design();
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "2"}}));
  design.storage[0] = component(Role::storage, "measured", "scratch",
                                {{"request", "64 KiB"},
                                 {"read.latency", "100 us"},
                                 {"read.per_op", "5 us"},
                                 {"read.rate", "2 GB/s"},
                                 {"write.latency", "60 us"},
                                 {"write.per_op", "12 us"},
                                 {"write.rate", "1 GB/s"},
                                 {"mixed.coupling", "1.5"}});
  set(design.run, Role::run, "duration", "20 s");
  design.tenants.push_back(component(Role::tenant, "fio", "noise",
                                     {{"on", "scratch"},
                                      {"hosts", "other"},
                                      {"rw", "randrw"},
                                      {"rwmixread", text},
                                      {"bs", "64 KiB"},
                                      {"iodepth", "64"},
                                      {"direct", "true"}}));
  // A device of each host, with 64 in flight: all take c times as long as in one line alone.
  //    [docs/models/measured.md, eq. 8]
  const double n = 64, bytes = 65536, read = 100e-6 + n * (5e-6 + bytes / 2e9),
               write = 60e-6 + n * (12e-6 + bytes / 1e9);
  const RunResult result = run(design);
  CHECK(metric(result, "tenant.noise.operations") ==
        Approx(2.0 * n / (1.5 * (share * read + (1.0 - share) * write))).epsilon(0.03));
  CHECK(metric(result, "tenant.noise.read") * (1.0 - share) ==
        Approx(metric(result, "tenant.noise.write") * share).epsilon(0.02));
}

TEST_CASE(
    "reads and writes of a mix have a rate each, and the mix is kept where nothing reaches it") {
  const auto mix = [](const char* share, const char* rate) {
    Design design = small_design();
    design.hosts.push_back(component(Role::host, "host", "other", {{"count", "2"}}));
    design.storage[0] = component(Role::storage, "measured", "scratch",
                                  {{"read.latency", "1 ms"},
                                   {"read.rate", "100 GB/s"},
                                   {"write.latency", "1 ms"},
                                   {"write.rate", "100 GB/s"}});
    set(design.run, Role::run, "duration", "100 s");
    design.tenants.push_back(component(Role::tenant, "fio", "noise",
                                       {{"on", "scratch"},
                                        {"hosts", "other"},
                                        {"rw", "randrw"},
                                        {"rwmixread", share},
                                        {"iodepth", "4"},
                                        {"direct", "true"},
                                        {"rate_iops", rate}}));
    return run(design);
  };
  // 4 KiB each; one process on each of two hosts, that could make 4,000 requests a second
  for (const char* share : {"50 %", "70 %", "10 %"}) {
    const RunResult result = mix(share, "100 ops/s");
    CHECK(metric(result, "tenant.noise.read") == Approx(2 * 100 * 4096.0).epsilon(0.03));
    CHECK(metric(result, "tenant.noise.write") == Approx(2 * 100 * 4096.0).epsilon(0.03));
  }
  const RunResult slow = mix("75 %", "1 Mops/s"), part = mix("75 %", "2500 ops/s");
  CHECK(metric(slow, "tenant.noise.read") == Approx(2 * 3000 * 4096.0).epsilon(0.03));
  CHECK(metric(slow, "tenant.noise.write") == Approx(2 * 1000 * 4096.0).epsilon(0.03));
  CHECK(metric(part, "tenant.noise.read") == Approx(2 * 2500 * 4096.0).epsilon(0.05));
  CHECK(metric(part, "tenant.noise.write") == Approx(2 * 1500 * 4096.0).epsilon(0.1));
}

TEST_CASE("a direct block is one request, a buffered one is read and written in pieces") {
  const double bytes = 4194304.0, alpha = 1e-3;
  const auto a_second = [&](const char* rw, const char* direct) {
    Design design = small_design();
    design.hosts.push_back(component(Role::host, "host", "other", {{"count", "1"}}));
    design.storage[0] = component(Role::storage, "measured", "scratch",
                                  {{"read.latency", "1 ms"},
                                   {"read.rate", "2 GB/s"},
                                   {"write.latency", "1 ms"},
                                   {"write.rate", "2 GB/s"}});
    set(design.run, Role::run, "duration", "20 s");
    design.tenants.push_back(component(
        Role::tenant, "fio", "noise",
        {{"on", "scratch"}, {"hosts", "other"}, {"rw", rw}, {"bs", "4 MiB"}, {"direct", direct}}));
    return metric(run(design), "tenant.noise.operations");
  };
  CHECK(a_second("randread", "true") == Approx(1.0 / (alpha + bytes / 2e9)).epsilon(1e-3));
  CHECK(a_second("randwrite", "true") == Approx(1.0 / (alpha + bytes / 2e9)).epsilon(1e-3));
  // 32 of 128 KiB, 4 of 1 MiB, one after the other; and copies to and from the page cache
  CHECK(a_second("randread", "false") < 1.0 / (32 * alpha + bytes / 2e9));
  CHECK(a_second("randwrite", "false") < 1.001 / (4 * alpha + bytes / 2e9));
}

}  // namespace fio_mix_test
