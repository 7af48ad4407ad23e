#include "engine/sim/event_queue.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace event_queue_test {

using stallcast::sim::EventQueue;

namespace {

// The queue never resumes what it holds, so numbers do as programs.
std::coroutine_handle<> program(std::uintptr_t number) {
  return std::coroutine_handle<>::from_address(reinterpret_cast<void*>(16 * (number + 1)));
}

// Whatever delays events have, they come by date, and those of one date as they were added.
void agree(std::size_t most, const std::function<double(std::mt19937_64&)>& delay) {
  EventQueue queue;
  std::set<std::pair<double, std::uintptr_t>> expected;
  std::mt19937_64 random(most);
  double now = 0.0;
  std::uintptr_t added = 0;
  bool growing = true;
  for (std::size_t turn = 0; turn < 20 * most + 2000; ++turn) {
    if (expected.size() >= most) growing = false;
    if (expected.empty()) growing = true;
    for (std::size_t i = random() % (growing ? 4 : 2); i > 0; --i) {
      const double date = now + delay(random);
      queue.push(date, program(added));
      expected.emplace(date, added++);
    }
    REQUIRE(queue.empty() == expected.empty());
    if (expected.empty()) continue;
    const auto [date, number] = *expected.begin();
    REQUIRE(queue.date() == date);
    REQUIRE(queue.first() == program(number));
    if (turn % 1000 == 0) {
      std::vector<double> dates, all;
      queue.each_date([&](double each) { dates.push_back(each); });
      std::sort(dates.begin(), dates.end());
      for (const auto& [each, which] : expected) all.push_back(each);
      REQUIRE(dates == all);
    }
    now = date;
    queue.pop();
    expected.erase(expected.begin());
  }
}

}  // namespace

TEST_CASE("events come by date, those of one date in the order they were added") {
  const auto uniform = [](std::mt19937_64& random, double most) {
    return std::uniform_real_distribution<double>(0.0, most)(random);
  };
  for (const std::size_t most : {1, 20, 70, 1000, 5000}) {
    CAPTURE(most);
    SECTION("spread evenly, " + std::to_string(most)) {
      agree(most, [&](auto& random) { return uniform(random, 1.0); });
    }
    SECTION("many of one date, " + std::to_string(most)) {
      agree(most, [](auto& random) { return static_cast<double>(random() % 3) * 0.25; });
    }
    SECTION("all of one date, " + std::to_string(most)) {
      agree(most, [](auto&) { return 0.0; });
    }
    SECTION("some very soon, some in years, " + std::to_string(most)) {
      agree(most, [&](auto& random) {
        const double way = uniform(random, 1.0);
        return way < 0.3 ? uniform(random, 1e-9) : way < 0.99 ? uniform(random, 1.0) : 1e8;
      });
    }
    SECTION("over many magnitudes, " + std::to_string(most)) {
      agree(most, [&](auto& random) { return std::exp(uniform(random, 60.0) - 40.0); });
    }
  }
}

TEST_CASE("events that come sooner and sooner do not pile up") {
  // Each batch within a part of the bucket in which the one before was.
  EventQueue queue;
  std::uintptr_t number = 0;
  for (double span = 1.0; span > 1e-12; span /= 100.0)
    for (int i = 1000; i > 0; --i) queue.push(span * i / 1000.0, program(number++));
  double last = 0.0;
  for (; !queue.empty(); queue.pop()) {
    REQUIRE(queue.date() >= last);
    last = queue.date();
    --number;
  }
  CHECK(number == 0);
  CHECK(last == 1.0);
}

}  // namespace event_queue_test
