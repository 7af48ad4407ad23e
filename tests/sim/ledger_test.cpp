#include "engine/sim/ledger.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace stallcast {
namespace {

TEST_CASE("what fills a list that repeats is not skipped") {
  std::vector<std::int8_t> entries(60'000'000);
  const auto read = [&] {
    sim::Ledger ledger;
    ledger.read();
    ledger.repeat(entries);
    return ledger;
  };
  const sim::Ledger before = read();
  CHECK(read().most_times(before) == std::numeric_limits<double>::infinity());  // it does not grow
  entries.resize(70'000'000);
  const double times = read().most_times(before).value();
  CHECK(times >= 2.0);
  CHECK(70e6 + times * 10e6 <= 100e6);
}

}  // namespace
}  // namespace stallcast
