#include <catch2/catch.hpp>

#include "models/loading/cache_plan.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"

/// What the memory of a host has left for data sets: docs/models/cache.md, eq. 10.
namespace page_cache_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

/// Hosts of 100 GB, 8 of them reserved, and processes of 1 GB.
Design in_memory(const char* hosts = "1") {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", hosts);
  design.jobs[0].dataset = component(
      Role::dataset, "raw", "dataset",
      {{"on", "scratch"}, {"sample", "1 MB"}, {"samples", "8000"}, {"cache.policy", "random"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader",
                                    {{"batch", "10"}, {"workers", "4"}, {"copy", "none"}});
  set(design.hosts[0], Role::host, "memory.size", "100 GB");
  set(design.hosts[0], Role::host, "memory.reserved", "8 GB");
  set(design.hosts[0], Role::host, "memory.process", "1 GB");
  return design;
}

double page_cache(const Design& design) {
  return models::cache::page_cache_budget(design, design.jobs[0], models::Plant(design))
      .in(unit::GB);
}

}  // namespace

TEST_CASE("page cache: memory that nothing else takes is the page cache") {
  Design design = in_memory();
  // 100 - 8 - 8 x (4 + 1) GB of processes - 8 x 4 x 2 batches of 10 MB on their way
  CHECK(page_cache(design) == Approx(100 - 8 - 40 - 0.64));
  // two batches a rank pinned, and one snapshot of 20 GB
  set(*design.jobs[0].loader, Role::loader, "copy", "pinned");
  design.jobs[0].checkpoint = component(Role::checkpoint, "async", "checkpoint",
                                        {{"to", "scratch"}, {"every", "1 h"}, {"size", "20 GB"}});
  CHECK(page_cache(design) == Approx(100 - 8 - 40 - 0.64 - 0.16 - 20));
}

TEST_CASE("page cache: threads that load are part of the training process") {
  // 8 processes; tf.data: 2 + floor((4 + 0 + 10 - 1) / 10) = 3 batches of 10 MB a rank, DALI 2
  Design design = in_memory();
  const auto left = [&](const char* loader) {
    design.jobs[0].loader = component(Role::loader, loader, "loader",
                                      {{"batch", "10"}, {"workers", "4"}, {"copy", "none"}});
    return page_cache(design);
  };
  CHECK(left("tensorflow") == Approx(100 - 8 - 8 - 0.24));
  CHECK(left("dali") == Approx(100 - 8 - 8 - 0.16));
  CHECK(left("ideal") == Approx(100 - 8 - 40 - 0.64));
}

TEST_CASE("page cache: copies of saves that peers hold take of the page cache") {
  // 40 GB on 4 hosts: 10 GB of its own ranks, and 20 of two peers
  Design design = in_memory("4");
  const auto left = [&](const char* tiers) {
    design.jobs[0].checkpoint = component(
        Role::checkpoint, "async", "checkpoint",
        {{"to", "scratch"}, {"every", "1 h"}, {"size", "40 GB"}, {"peers", "2"}, {"tiers", tiers}});
    return page_cache(design);
  };
  CHECK(left("host-memory,scratch") == Approx(100 - 8 - 40 - 0.64 - 10));
  CHECK(left("host-memory,peer-memory,scratch") == Approx(100 - 8 - 40 - 0.64 - 30));
}

TEST_CASE(
    "page cache: saves that training waits for stage nothing, also where they fall back to it") {
  // 50 GB fit in half of the memory of a host, two copies of them do not.
  Design design = in_memory();
  const auto left = [&](const char* mode, const char* size, const char* buffers) {
    design.jobs[0].checkpoint = component(Role::checkpoint, mode, "checkpoint",
                                          {{"to", "scratch"}, {"every", "1 h"}, {"size", size}});
    if (*buffers != 0) set(*design.jobs[0].checkpoint, Role::checkpoint, "buffers", buffers);
    return page_cache(design);
  };
  const double all = 100 - 8 - 40 - 0.64;
  CHECK(left("async", "50 GB", "1") == Approx(all - 50));
  CHECK(left("async", "50 GB", "2") == Approx(all));
  CHECK(left("sync", "50 GB", "") == Approx(all));
}

TEST_CASE("page cache: shards that Streaming keeps in memory are in the page cache") {
  // 100 - 8 - 40 GB, less 8 x 4 x 2 batches of 10 MB; 20 GB where it is to keep no more
  const auto size = [](const char* limit) {
    Design design = in_memory();
    set(design.jobs[0].job, Role::job, "epochs", "1");
    design.run.values.erase("duration");
    design.jobs[0].dataset = component(Role::dataset, "mds", "dataset",
                                       {{"on", "scratch"},
                                        {"sample", "1 MB"},
                                        {"samples", "8000"},
                                        {"cache.policy", "lru"},
                                        {"cache_limit", limit}});
    return metric(run(design), "job.train.cache.size");
  };
  CHECK(size("4 TB") == Approx(51.36e9));
  CHECK(size("20 GB") == Approx(20e9));
}

}  // namespace page_cache_test
