#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/designs.hpp"
#include "tests/support/mean_value_analysis.hpp"

/// Closed loops of tenants of all kinds on many kinds of storage, between the throughput of exact
/// mean value analysis (times that differ by chance) and the asymptotic bounds (nobody meets
/// anybody): docs/models/tenants.md, eq. 15 and 18.
namespace closed_kinds_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

using Fields = std::vector<std::pair<const char*, std::string>>;

struct Loop {
  const char* storage;
  Fields store;
  const char* tenant;
  Fields work;
  const char* in_flight;  ///< field of the tenant
  double longest;         ///< s of the longest station that an operation takes
};

constexpr double kMiB = 1048576.0;

Fields fio(const char* pattern, const char* block) {
  return {{"rw", pattern}, {"bs", block}, {"direct", "true"}};
}
Fields preprocess(const char* ratio) {
  return {{"chunk", "64 MiB"}, {"ratio", ratio}, {"cpu", "500 MB/s"}};
}

// A host that does not limit anybody.
Design with(const char* storage, const Fields& store, const char* tenant, const Fields& work) {
  Design design = small_design();
  design.jobs.clear();
  design.hosts.push_back(component(Role::host, "host", "other",
                                   {{"count", "1"},
                                    {"nic.rate", "80000 Gb/s"},
                                    {"memory.bandwidth", "100000 GB/s"},
                                    {"cpu.cores", "60000"}}));
  design.storage[0] = component(Role::storage, storage, "scratch", {});
  for (const auto& [key, text] : store) set(design.storage[0], Role::storage, key, text.c_str());
  design.tenants.push_back(
      component(Role::tenant, tenant, "x", {{"on", "scratch"}, {"hosts", "other"}}));
  for (const auto& [key, text] : work) set(design.tenants[0], Role::tenant, key, text.c_str());
  return design;
}

double rate(const Loop& loop, int in_flight, double seconds) {
  Design design = with(loop.storage, loop.store, loop.tenant, loop.work);
  set(design.tenants[0], Role::tenant, loop.in_flight, std::to_string(in_flight).c_str());
  set(design.run, Role::run, "duration", (std::to_string(seconds) + " s").c_str());
  return metric(run(design), "tenant.x.operations");
}

// What is under way at the end counts for nothing; rounds are drawn.
constexpr double kBelow = 0.955, kAbove = 1.01;

}  // namespace

TEST_CASE("loops of all kinds are between mean value analysis and the asymptotic bounds") {
  // The one file of fio lies on all targets, or on half of them.
  const Fields osts{{"ost.count", "8"}}, all{{"ost.count", "8"}, {"stripe.count", "0"}};
  const Fields targets{
      {"target.count", "8"}, {"stripe.count", "0"}, {"client.connections", "10000"}};
  const Fields alike{{"target.count", "8"}, {"target.read", "2 GB/s"}, {"target.write", "2 GB/s"}};
  const Fields wide{{"ost.count", "8"}, {"stripe.count", "4"}};
  const double page = 4096.0, chunk = 64.0 * kMiB;
  for (const Loop& loop :
       {Loop{"lustre", all, "fio", fio("randread", "1 MiB"), "iodepth", kMiB / 32e9},
        Loop{"lustre", all, "fio", fio("randwrite", "1 MiB"), "iodepth", kMiB / 32e9},
        Loop{"lustre", all, "fio", fio("randrw", "1 MiB"), "iodepth", kMiB / 32e9},
        Loop{"lustre", wide, "fio", fio("randwrite", "1 MiB"), "iodepth", kMiB / 16e9},
        Loop{"beegfs", targets, "fio", fio("randread", "4 KiB"), "iodepth", page / 23.76e9},
        Loop{"beegfs", targets, "fio", fio("randwrite", "4 KiB"), "iodepth", page / 15.36e9},
        Loop{"gpfs",
             {{"server.count", "2"}, {"server.read", "1 GB/s"}},
             "fio",
             fio("randread", "4 KiB"),
             "iodepth",
             page / 2e9},
        Loop{"lustre", osts, "preprocess", preprocess("0"), "workers", chunk / 32e9},
        Loop{"lustre", osts, "preprocess", preprocess("2"), "workers", 1.5 * chunk / 32e9},
        Loop{"beegfs", alike, "preprocess", preprocess("2"), "workers", 1.5 * chunk / 16e9},
        Loop{"nfs",
             {{"head.count", "4"}, {"client.connection", "1.5 GB/s"}},
             "preprocess",
             preprocess("0"),
             "workers",
             chunk / 1.5e9},
        Loop{"lustre",
             {{"ost.count", "1"},
              {"ost.read", "0.1 GB/s"},
              {"ost.write", "0.1 GB/s"},
              {"client.rpcs_in_flight", "1000"}},
             "vector_database",
             {{"beam", "1"}, {"cached", "0 %"}, {"compute", "25 ms"}},
             "clients",
             page / 0.1e9}}) {
    const double alone = 1.0 / rate(loop, 1, 100.0);
    const double knee = alone / loop.longest;
    for (const double part : {0.25, 0.5, 1.0, 2.0, 8.0}) {
      const int n = std::max(1, static_cast<int>(std::lround(knee * part)));
      INFO(loop.storage << ", " << loop.tenant << ", " << loop.work[0].second << ", " << n
                        << " in flight");
      const double least =
          mean_value_analysis(n, std::max(0.0, alone - loop.longest), {{loop.longest}});
      const double most = std::min(n / alone, 1.0 / loop.longest);
      const double found = rate(loop, n, std::max(100.0, 300.0 * n / most));
      CHECK(found >= kBelow * least);
      CHECK(found <= kAbove * most);
    }
  }
}

TEST_CASE("of workers who write to S3 none waits for the slowest answer of the others") {
  const Loop loop{"s3", {}, "preprocess", preprocess("0.5"), "workers", 0.0};
  CHECK(rate(loop, 64, 1000.0) == Approx(64.0 * rate(loop, 1, 1000.0)).epsilon(0.02));
}

TEST_CASE("more data that arrive are never stored slower, and up to what the storage takes") {
  struct Store {
    const char* kind;
    Fields fields;
    double most;
  };
  for (const Store& store :
       {Store{"lustre", {{"ost.count", "8"}}, 32e9},
        Store{"beegfs", {{"target.count", "8"}}, 15.36e9},
        Store{"nfs", {{"head.count", "1"}, {"client.connection", "100 GB/s"}}, 2.6e9}}) {
    double before = 0.0;
    for (const double load : {0.25, 0.5, 1.0, 2.0, 8.0}) {
      INFO(store.kind << ", " << load << " of what it takes");
      Design design =
          with(store.kind, store.fields, "ingest",
               {{"rate", std::to_string(load * store.most / 1e6) + " MB/s"}, {"file", "4 MiB"}});
      set(design.tenants[0], Role::tenant, "streams", "64");
      set(design.run, Role::run, "duration", "60 s");
      const double written = metric(run(design), "tenant.x.write");
      CHECK(written >= 0.93 * std::min(load, 1.0) * store.most);
      CHECK(written <= kAbove * store.most);
      CHECK(written >= 0.99 * before);
      before = written;
    }
  }
}

}  // namespace closed_kinds_test
