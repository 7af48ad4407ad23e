#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/replaying.hpp"

/// Replays without the times between calls: docs/models/replay.md, eq. 1.
namespace replay_speed_test {

using namespace stallcast;
using namespace stallcast::testing;

TEST_CASE("as fast as it goes leaves the think times out") {
  const auto program = program_file({{0, random_reads(100, 1000000, 1e-3)}});
  CHECK(makespan(replaying(program, {{"speed", "fast"}})) ==
        Approx(100 * (kTurn + 1e6 / kRate)).epsilon(1e-9));
}

TEST_CASE("threads without think times do not go in step") {
  // 8 x 200 us of the controller in a round is more than a turn and a read: it is never idle, which
  // it is for a turn in each round of threads that ask together. Few reads go nearly in step.
  const auto fast = [](int reads, int threads) {
    std::vector<ThreadSteps> all;
    for (int t = 0; t < threads; ++t) all.push_back({0, random_reads(reads, 1000000, 1e-3)});
    return makespan(replaying(program_file(all), {{"speed", "fast"}}));
  };
  CHECK(fast(400, 8) == Approx(400 * 8 * 1e6 / kRate).epsilon(0.01));
  CHECK(fast(1, 8) == Approx(kTurn + 8 * 1e6 / kRate).epsilon(1e-6));
  CHECK(fast(2, 8) == Approx(2 * (kTurn + 8 * 1e6 / kRate)).epsilon(0.05));
}

}  // namespace replay_speed_test
