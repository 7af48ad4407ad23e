#include "models/storage/striping.hpp"

#include <catch2/catch.hpp>

/// How files lie on targets, against closed forms: docs/models/storage.md, equations 5 and 6.
namespace striping_test {

using namespace stallcast;
using namespace stallcast::literals;
using models::Striping;

namespace {

// 8 targets, large files over `count` of them.
Striping over(double count) { return {8.0, count, 1_MiB}; }

double evenness(const Striping& striping, double readers) {
  models::StorageLoad load;
  load.concurrent_reads = readers;
  load.file = 1_GB;
  return striping.evenness(load);
}

}  // namespace

TEST_CASE("one reader keeps the targets of its file busy") {
  for (const double count : {1.0, 4.0, 7.0, 8.0}) {
    INFO(count);
    CHECK(evenness(over(count), 1.0) == Approx(count / 8.0));
  }
}

TEST_CASE("readers of files in aligned groups are a closed network of as many stations") {
  // 4 targets each: two stations of which 3 customers keep 3 / (3 + 2 - 1)
  CHECK(evenness(over(4.0), 3.0) == Approx(3.0 / 4.0));
  // one each: 3 / (3 + 8 - 1); all each: all
  CHECK(evenness(over(1.0), 3.0) == Approx(3.0 / 10.0));
  CHECK(evenness(over(0.0), 3.0) == 1.0);
}

TEST_CASE("objects with a hash of their own meet on a target") {
  Striping hashed = over(4.0);
  hashed.distinct = false;
  CHECK(evenness(hashed, 1.0) == Approx(4.0 / 11.0));
}

// (sum n)^2 / (M sum n^2) of the n objects on each target.
TEST_CASE("few files lie on few targets") {
  using Set = models::StorageLoad::FileSet;
  const auto reached = [](double count, double files, const char* placement) {
    const Set set{.data = {}, .files = files, .size = 1_GB};
    return over(count).reached({&set, 1}, placement);
  };
  for (const char* placement : {"random", "round-robin"}) {
    INFO(placement);
    CHECK(reached(1.0, 1.0, placement) == Approx(1.0 / 8.0));
    CHECK(reached(4.0, 1.0, placement) == Approx(4.0 / 8.0));
    CHECK(reached(0.0, 1.0, placement) == Approx(1.0));
    CHECK(reached(1.0, 1e6, placement) == Approx(1.0).epsilon(1e-4));
  }
  CHECK(reached(1.0, 8.0, "round-robin") == Approx(1.0));
  // 2, 1, 1, ...: 9^2 / (4 + 7) of 8
  CHECK(reached(1.0, 9.0, "round-robin") == Approx(81.0 / 11.0 / 8.0));
  // Two files meet with 1/8: 4 / (2 + 2 / 8) of 8
  CHECK(reached(1.0, 2.0, "random") == Approx(4.0 / 2.25 / 8.0));
}

TEST_CASE("the objects of one file lie on targets of their own") {
  // any c of M: one each; two files of 5 of 8 share at least two targets, at most five
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CHECK(models::DrawnFiles(5.0, 8.0, seed, "scratch").fullest(1.0) == 1.0);
    CHECK(models::DrawnFiles(5.0, 8.0, seed, "scratch").fullest(2.0) == 2.0);
    CHECK(models::DrawnFiles(8.0, 8.0, seed, "scratch").fullest(3.0) == 3.0);
  }
}

TEST_CASE("each target is drawn as often as any other") {
  // 40,000 files on 3 of 4 targets: 30,000 objects each, standard deviation 87
  const double fullest = models::DrawnFiles(3.0, 4.0, 1, "scratch").fullest(40000.0);
  CHECK(fullest >= 30000.0);
  CHECK(fullest < 30000.0 + 4.0 * 87.0);
}

TEST_CASE("files that were drawn for one save are the first of a larger one") {
  // Asked in any order, the fullest of n files is that of n files alone.
  const models::Placement random("random");
  for (const double files : {7.0, 900.0, 1.0, 40.0, 40.5, 2000.0, 900.0})
    for (const double each : {1.0, 3.0})
      CHECK(random.fullest(files, each, 8.0, 5, "scratch") ==
            models::DrawnFiles(each, 8.0, 5, "scratch").fullest(files));
  CHECK(random.fullest(0.0, 1.0, 8.0, 5, "scratch") == 0.0);
}

TEST_CASE("a file that is written alone has all of its targets") {
  for (const double count : {1.0, 4.0, 7.0})
    for (const char* placement : {"round-robin", "random"})
      CHECK(over(count).placed(placement, 1.0, 1_GB, 1_GBps, 1, "scratch").in(unit::Bps) ==
            Approx(count * 1e9));
}

TEST_CASE("writers apart have what n files keep busy of targets on average") {
  // n c b / (1 + (n - 1) c / M) = M b Q / (Q + M - c)
  const models::Striping striping = over(2.0);
  const double targets = striping.targets;
  for (const double files : {1.0, 3.0, 50.0}) {
    const double objects = 2.0 * files;
    CHECK(files * striping.apart("random", files, 1_GB, 1_GBps).in(unit::Bps) ==
          Approx(1e9 * targets * objects / (objects + targets - 2.0)));
    CHECK(striping.apart("round-robin", files, 1_GB, 1_GBps).in(unit::Bps) == Approx(2e9));
  }
  CHECK_FALSE(over(targets).apart("random", 3.0, 1_GB, 1_GBps).finite());
}

}  // namespace striping_test
