#include "engine/base/parallel.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

namespace stallcast::base {

TEST_CASE("every index is worked on once, by any number of threads") {
  for (const std::size_t threads : {0, 1, 2, 7})
    for (const std::size_t count : {0, 1, 5, 1000}) {
      std::vector<std::atomic<int>> calls(count);
      parallel_for(count, threads, [&](std::size_t i) { ++calls[i]; });
      for (const auto& n : calls) REQUIRE(n == 1);
    }
}

TEST_CASE("the first exception of a thread comes out, and ends the work") {
  for (const std::size_t threads : {1, 3}) {
    std::atomic<int> calls = 0;
    CHECK_THROWS_AS(parallel_for(100, threads,
                                 [&](std::size_t i) {
                                   ++calls;
                                   if (i == 10) throw std::runtime_error("no");
                                 }),
                    std::runtime_error);
    CHECK(calls >= 11);
    if (threads == 1) CHECK(calls == 11);
  }
}

}  // namespace stallcast::base
