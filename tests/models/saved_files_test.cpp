#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

/// Saves that are read where they were written, against closed forms: docs/models/storage.md,
/// eq. 6.
namespace saved_files_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// 32 ranks of 4 hosts save 320 GB to `targets` targets of 1 GB/s, a file on one; a loader of one
// process for each rank reads files of a data set alongside.
Design saver(const char* targets, Settings checkpoint, const char* kind = "lustre") {
  const bool lustre = kind == std::string("lustre");
  Design design = design_with_storage(kind, {{"client.stream", "100 GB/s"}});
  const std::string part = lustre ? "ost." : "target.";
  set(design.storage[0], Role::storage, (part + "count").c_str(), targets);
  for (const char* way : {"read", "write"})
    set(design.storage[0], Role::storage, (part + way).c_str(), "1 GB/s");
  set(design.storage[0], Role::storage, "stripe.count", "1");
  if (!lustre) set(design.storage[0], Role::storage, "stripe.size", "1 GB");
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "1 MB"}, {"samples", "10000000"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "1"}});
  job.checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                             {{"to", "scratch"},
                              {"every", "30 s"},
                              {"size", "320 GB"},
                              {"serializer", "none"},
                              {"snapshot", "none"},
                              {"restore.deserialize", "1000 TB/s"},
                              {"direct", "true"}});
  for (const auto& [key, text] : checkpoint) set(*job.checkpoint, Role::checkpoint, key, text);
  return design;
}

double restored(const Design& design) { return metric(run(design), "job.train.restore.duration"); }

}  // namespace

TEST_CASE("what each rank saved is read as fast as it was written") {
  // in turn, 32 files of 10 GB on 32 targets: one each; on 20: two on some
  for (const char* kind : {"lustre", "beegfs"}) {
    INFO(kind);
    const Settings own = {{"restore.read", "own"}};
    Design even = saver("32", own, kind), uneven = saver("20", own, kind);
    for (Design* design : {&even, &uneven})
      set(design->storage[0], Role::storage, "placement", "round-robin");
    CHECK(restored(even) == Approx(10.0).epsilon(0.01));
    CHECK(restored(uneven) == Approx(20.0).epsilon(0.01));
  }
}

TEST_CASE("one file for all ranks is read from the targets that hold it") {
  // 32 times 320 GB out of one target, and out of four of 20
  Design design = saver("20", {{"layout", "rank0"}, {"restore.read", "all"}});
  CHECK(restored(design) == Approx(32 * 320.0).epsilon(0.01));
  set(design.storage[0], Role::storage, "stripe.count", "4");
  CHECK(restored(design) == Approx(32 * 320.0 / 4).epsilon(0.01));
}

TEST_CASE("weights that every replica reads come from the targets that hold them") {
  // Of 320 GB a seventh is weights, in one file: 32 ranks read it from one target, then each its
  // own 8.6 GB of optimizer, one on each of 32.
  const double weights = 320.0 / 7, optimizer = 320.0 - weights;
  for (const char* layout : {"zero1", "zero2"}) {
    Design design = saver("32", {{"layout", layout}, {"restore.read", "all"}});
    set(design.storage[0], Role::storage, "placement", "round-robin");
    CHECK(restored(design) == Approx(32 * weights + optimizer / 32).epsilon(0.01));
    // eight files of as many ranks, which four replicas read
    set(design.jobs[0].job, Role::job, "parallel.tensor", "8");
    CHECK(restored(design) == Approx(32 * weights / 8 / 8 + optimizer / 32).epsilon(0.01));
    // over all targets as before
    set(design.storage[0], Role::storage, "stripe.count", "0");
    CHECK(restored(design) == Approx((4 * weights + optimizer) / 32).epsilon(0.01));
  }
}

TEST_CASE("one file that all wrote is read from the targets that hold it") {
  // 320 GB over 4 of 20 targets
  Design design = saver("20", {{"shared", "aligned"}, {"restore.read", "own"}});
  set(design.storage[0], Role::storage, "stripe.count", "4");
  CHECK(restored(design) == Approx(320.0 / 4).epsilon(0.01));
}

TEST_CASE("fewer ranks than wrote a save read some of its files at a time") {
  // 8 files of 40 GB that 8 ranks wrote, read by 32 ranks in parts: 8 targets; 64 files of 5 GB, 32
  // at a time on 32 targets
  CHECK(restored(saver("32", {{"restore.read", "own"}, {"restore.saved_by", "8"}})) ==
        Approx(320.0 / 8).epsilon(0.01));
  CHECK(restored(saver("32", {{"restore.read", "own"}, {"restore.saved_by", "64"}})) ==
        Approx(320.0 / 32).epsilon(0.01));
}

TEST_CASE("who reads more than the others goes on alone, as it wrote") {
  // Files of 32 ranks in turn on 8 targets, four on each: 8.6 GB of optimizer of all, then the
  // weights of the one that has them.
  const double weights = 320.0 / 7, optimizer = 320.0 - weights;
  for (const char* kind : {"lustre", "beegfs"})
    for (const char* read : {"own", "once"}) {
      INFO(kind << " " << read);
      Design design = saver("8", {{"layout", "zero1"}, {"restore.read", read}}, kind);
      set(design.storage[0], Role::storage, "placement", "round-robin");
      const RunResult result = run(design);
      const double written = metric(result, "job.train.checkpoint.duration");
      CHECK(written == Approx(4 * optimizer / 32 + weights).epsilon(0.01));
      if (read == std::string("own"))
        CHECK(metric(result, "job.train.restore.duration") == Approx(written).epsilon(0.01));
      CHECK(metric(result, "job.train.restore.duration") < 1.2 * written);
    }
}

TEST_CASE("reading back takes as long as writing did") {
  const auto duration = [](Settings checkpoint) {
    return metric(run(saver("8", checkpoint)), "job.train.checkpoint.duration");
  };
  CHECK(duration({{"verify", "read-back"}}) == Approx(2 * duration({})).epsilon(0.01));
  // Who has more to write is beside the others as they read theirs, too, then alone, and reads.
  const double weights = 320.0 / 7, beside = 320.0 - weights, each = beside / 32;
  CHECK(duration({{"verify", "read-back"}, {"layout", "zero1"}}) ==
        Approx(2 * beside / 8 + weights - each + beside / 8 + weights).epsilon(0.01));
}

}  // namespace saved_files_test
