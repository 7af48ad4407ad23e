#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

/// What it takes to give objects other names: docs/models/s3.md, eq. 10.
namespace s3_renames_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// 32 ranks save an object each, of `size` in all: parts of 8 MiB, ten at a time, answers of 60 ms.
RunResult saved(const char* commit, const char* size) {
  Design design = small_design();
  design.storage[0] = component(Role::storage, "s3", "scratch",
                                {{"first_byte_spread", "1"},
                                 {"prefixes", "10"},
                                 {"connection.rate", "100 MiB/s"},
                                 {"copy.rate", "10 MiB/s"},
                                 {"request.put.price", "1 USD"}});
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "scratch"},
                                         {"every_steps", "100"},
                                         {"size", size},
                                         {"serializer", "none"},
                                         {"commit", commit}});
  return run(design);
}
double took(const RunResult& result) { return metric(result, "job.train.checkpoint.duration"); }
double puts(const RunResult& result) {
  return metric(result, "resource.storage.scratch.prefixes.put.throughput") * result.simulated_s /
         metric(result, "job.train.checkpoint.count");
}

}  // namespace

TEST_CASE("an object that is renamed is copied part by part, and deleted") {
  // Ten parts at a time: begun, a part each of 8 MiB, completed and deleted. Then the marker of
  // 1 MiB, which only files that are renamed have.
  const RunResult renamed = saved("rename", "2560 MiB"), plain = saved("fsync", "2560 MiB");
  const double marker = 0.06 + 1.0 / 100.0;
  CHECK(took(renamed) - took(plain) == Approx(4 * 0.06 + 0.8 + marker).epsilon(1e-6));
  CHECK(puts(plain) == Approx(32.0 * 12.0).epsilon(1e-6));
  CHECK(puts(renamed) == Approx(32.0 * 24.0 + 1.0).epsilon(1e-6));
  CHECK(metric(renamed, "cost.requests") / metric(plain, "cost.requests") ==
        Approx(metric(renamed, "resource.storage.scratch.prefixes.put.throughput") /
               metric(plain, "resource.storage.scratch.prefixes.put.throughput"))
            .epsilon(1e-6));
}

TEST_CASE("an object of one part is renamed by one copy") {
  const RunResult renamed = saved("rename", "160 MiB"), plain = saved("fsync", "160 MiB");
  const double marker = 0.06 + 1.0 / 100.0;
  CHECK(took(renamed) - took(plain) == Approx(2 * 0.06 + 0.5 + marker).epsilon(1e-6));
  CHECK(puts(renamed) == Approx(puts(plain) * 2.0 + 1.0).epsilon(1e-6));
}

}  // namespace s3_renames_test
