#include "engine/sim/sync.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "tests/sim/notes.hpp"
#include "tests/sim/programs.hpp"

namespace sync_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::sim;
using namespace stallcast::tests::notes;
using stallcast::tests::s;

namespace {

Task<void> wait_for(Context& context, Signal& signal, int who, Notes& notes) {
  co_await signal.wait();
  note(notes, context, who);
}

Task<void> hold(Context& context, Slots& slots, Seconds start, Seconds duration, int who,
                Notes& notes) {
  co_await context.sleep(start);
  co_await slots.acquire();
  note(notes, context, who);
  co_await context.sleep(duration);
  slots.release();
}

Task<void> arrive(Context& context, Barrier& barrier, Seconds step, int times, int who,
                  Notes& notes) {
  for (int i = 0; i < times; ++i) {
    co_await context.sleep(step);
    co_await barrier.arrive();
    note(notes, context, who);
  }
}

Task<void> serve_at(Context& context, ServerQueue& queue, Seconds at, double count, Seconds service,
                    double& end) {
  co_await context.sleep(at);
  co_await queue.serve(count, service);
  end = context.now().in(unit::s);
}

Task<void> take_at(Context& context, TokenBucket& bucket, Seconds at, Ops n, double& end) {
  co_await context.sleep(at);
  co_await bucket.take(n);
  end = context.now().in(unit::s);
}

}  // namespace

TEST_CASE("a signal wakes all who wait and lets later ones through") {
  const auto context = make_fluid_context();
  Signal signal(*context);
  Notes notes;
  context->spawn(wait_for(*context, signal, 1, notes));
  context->spawn(wait_for(*context, signal, 2, notes));
  context->spawn([](Context& c, Signal& set, Notes& n) -> Task<void> {
    co_await c.sleep(3_s);
    set.set();
    co_await wait_for(c, set, 3, n);
    set.reset();
    co_await wait_for(c, set, 4, n);
  }(*context, signal, notes));
  context->run();
  // The one who sets it goes on first; 4 waits for ever.
  CHECK(notes == Notes{{3, 3}, {3, 1}, {3, 2}});
}

TEST_CASE("slots are handed over first come first served") {
  const auto context = make_fluid_context();
  Slots slots(*context, 2);
  Notes notes;
  // 1 and 2 hold both slots until 10 and 11; 3 asks before 4; 5 asks at 10, when 3 was promised
  // the slot of 1.
  context->spawn(hold(*context, slots, 0_s, 10_s, 1, notes));
  context->spawn(hold(*context, slots, 0_s, 11_s, 2, notes));
  context->spawn(hold(*context, slots, 1_s, 5_s, 3, notes));
  context->spawn(hold(*context, slots, 2_s, 5_s, 4, notes));
  context->spawn(hold(*context, slots, 10_s, 5_s, 5, notes));
  context->run();
  CHECK(notes == Notes{{0, 1}, {0, 2}, {10, 3}, {11, 4}, {15, 5}});
  CHECK(slots.free() == 2);
}

TEST_CASE("a barrier holds all until the slowest and then starts again") {
  const auto context = make_fluid_context();
  Barrier barrier(*context, 3);
  Notes notes;
  for (int who = 1; who <= 3; ++who) {
    context->spawn(arrive(*context, barrier, s(who), 2, who, notes));
  }
  context->run();
  // The slowest takes 3 s per step and leaves first, since it never waits.
  CHECK(notes == Notes{{3, 3}, {3, 1}, {3, 2}, {6, 3}, {6, 1}, {6, 2}});
}

TEST_CASE("one server serves in order of arrival") {
  const auto context = make_fluid_context();
  ServerQueue queue(*context, 1);
  std::vector<double> ends(4);
  // Service 2 s, arrivals 0, 1, 2, 10: waits 0, 1, 2, 0, so the ends are 2, 4, 6, 12.
  const double arrivals[] = {0, 1, 2, 10};
  for (std::size_t i = 0; i < 4; ++i) {
    context->spawn(serve_at(*context, queue, s(arrivals[i]), 1.0, 2_s, ends[i]));
  }
  context->run();
  CHECK(ends == std::vector<double>{2, 4, 6, 12});
  CHECK(queue.busy() == 8_s);
  CHECK(queue.waited() == 3_s);
  CHECK(queue.served() == 4.0);
}

TEST_CASE("requests that arrive together end after ceil(n / m) services") {
  const auto context = make_fluid_context();
  ServerQueue queue(*context, 4);
  CHECK(queue.admit(10.0, 3_s) == 9_s);
  // Free at 9, 9, 6, 6: two more end at 9, the third at 12.
  CHECK(queue.admit(2.0, 3_s) == 9_s);
  CHECK(queue.admit(1.0, 3_s) == 12_s);
  CHECK(queue.admit(0.0, 3_s) == 0_s);
  // All of it is still to be done; at 10 s nothing but the last, which began at 9 s, is left.
  CHECK(queue.worked() == 0_s);
  context->spawn([](Context& now) -> Task<void> { co_await now.sleep(10_s); }(*context));
  context->run();
  CHECK(queue.busy() == 39_s);
  CHECK(queue.worked() == 37_s);
}

TEST_CASE("a request is answered before its server is free, or after it") {
  const auto context = make_fluid_context();
  ServerQueue queue(*context, 2);
  CHECK(queue.admit(1.0, 4_s, 0_s, 1_s) == 1_s);
  CHECK(queue.admit(2.0, 4_s, 0_s, 1_s) == 5_s);  // the second begins at 4 s
  CHECK(queue.admit(1.0, 1_s, 0_s, 3_s) == 7_s);  // at 4 s
  CHECK(queue.admit(0.0, 1_s, 0_s, 3_s) == 0_s);
  CHECK(queue.busy() == 13_s);
  ServerQueue free(*context, 2);
  CHECK(free.admit(0.5, 4_s, 8_s, 1_s) == 0.5_s);
}

TEST_CASE("a fraction of a request occupies its part but waits for a whole service") {
  const auto context = make_fluid_context();
  ServerQueue queue(*context, 1);
  CHECK(queue.admit(0.25, 4_s) == 4_s);
  // The server is free again after 0.25 x 4 s.
  CHECK(queue.admit(1.0, 4_s) == 5_s);
  // Free at 5; the whole one ends at 9, the half starts then and is seen to end at 13.
  CHECK(queue.admit(1.5, 4_s) == 13_s);
  CHECK(queue.admit(1.0, 4_s) == 15_s);
  CHECK(queue.busy() == 15_s);
}

TEST_CASE("rounding noise in a count is not a request") {
  const auto context = make_fluid_context();
  ServerQueue queue(*context, 2);
  CHECK(queue.admit(4.0 + 1e-12, 1_s) == 2_s);
  CHECK(queue.admit(4.0 - 1e-12, 1_s) == 4_s);
}

TEST_CASE("serving nothing but waiting for a server takes no service") {
  const auto context = make_fluid_context();
  ServerQueue queue(*context, 1);
  CHECK(queue.admit(5.0, 0_s) == 0_s);
  CHECK(queue.admit(1.0, 3_s) == 3_s);
  CHECK(queue.admit(1.0, 0_s) == 3_s);
}

TEST_CASE("many requests at once cost the same dates as one by one") {
  // Reference: give each request to the server that is free first.
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto context = make_fluid_context();
    const auto servers = static_cast<std::size_t>(1 + random() % 9);
    ServerQueue queue(*context, static_cast<std::int64_t>(servers));
    std::vector<double> free(servers, 0.0);
    double waited = 0.0;
    for (int batch = 0; batch < 8; ++batch) {
      const auto count = 1 + random() % (random() % 4 == 0 ? 200 : 12);
      const double service = 0.25 * static_cast<double>(1 + random() % 40);
      double last = 0.0;
      for (std::uint64_t i = 0; i < count; ++i) {
        auto first = std::min_element(free.begin(), free.end());
        waited += *first;
        *first += service;
        last = std::max(last, *first);
      }
      const Seconds end = queue.admit(static_cast<double>(count), s(service));
      REQUIRE(end.in(unit::s) == Approx(last).epsilon(1e-12));
    }
    REQUIRE(queue.waited().in(unit::s) == Approx(waited).epsilon(1e-12));
  }
}

TEST_CASE("a million requests on many servers are admitted at once") {
  const auto context = make_fluid_context();
  ServerQueue queue(*context, 1000);
  CHECK(queue.admit(1e12, 1_ms).in(unit::s) == Approx(1e6).epsilon(1e-12));
}

TEST_CASE("deterministic arrivals below capacity never wait and above it wait linearly") {
  for (const double gap : {1.0, 0.5}) {
    const auto context = make_fluid_context();
    ServerQueue queue(*context, 2);
    std::vector<double> ends(100);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      context->spawn(serve_at(*context, queue, s(gap * static_cast<double>(i)), 1.0, 2_s, ends[i]));
    }
    context->run();
    // D/D/2 with service 2: capacity is one per second. At one per 0.5 s request i starts at
    // floor(i / 2) x 2, except that server 2 started 0.5 late.
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const double alone = gap * static_cast<double>(i) + 2.0;
      const double busy = 2.0 * static_cast<double>(i / 2) + (i % 2 == 0 ? 0.0 : 0.5) + 2.0;
      CHECK(ends[i] == Approx(gap == 1.0 ? alone : busy).epsilon(1e-12));
    }
  }
}

TEST_CASE("a token bucket spends its burst, then paces in order of arrival") {
  const auto context = make_fluid_context();
  TokenBucket bucket(*context, 10_per_s, 5_ops);
  std::vector<double> ends(5);
  context->spawn(take_at(*context, bucket, 0_s, 5_ops, ends[0]));   // the burst
  context->spawn(take_at(*context, bucket, 0_s, 10_ops, ends[1]));  // 10 / 10 per s
  context->spawn(take_at(*context, bucket, 0_s, 1_ops, ends[2]));   // behind it
  // At 2 s: level min(5, -11 + 20) = 5.
  context->spawn(take_at(*context, bucket, 2_s, 4_ops, ends[3]));
  context->spawn(take_at(*context, bucket, 2_s, 3_ops, ends[4]));  // 2 short
  context->run();
  CHECK(ends[0] == 0.0);
  CHECK(ends[1] == Approx(1.0).epsilon(1e-12));
  CHECK(ends[2] == Approx(1.1).epsilon(1e-12));
  CHECK(ends[3] == 2.0);
  CHECK(ends[4] == Approx(2.2).epsilon(1e-12));
}

// Values 0, 1, 2, ... go in; after every third one comes out. Up to 200 - 66 = 134 are in it, so it
// grows six times (4, 8, ..., 256), and its front has moved on before each; out of itself once.
TEST_CASE("a ring gives out what came in, in order, while it grows and wraps") {
  const auto goes_through = [](auto ring) {
    int out = 0;
    for (int in = 0; in < 200; ++in) {
      ring.push_back(in);
      if (in % 3 != 2) continue;
      REQUIRE(ring.front() == out++);
      ring.pop_front();
      REQUIRE(ring[ring.size() - 1] == in);
    }
    REQUIRE(ring.size() == 134);
    for (; !ring.empty(); ring.pop_front()) REQUIRE(ring.front() == out++);
    REQUIRE(out == 200);
  };
  goes_through(Ring<int>{});
  goes_through(Ring<int, 2>{});
}

// A frame that was given back is the next of its size; larger ones than the pool keeps, and other
// sizes, are not mixed up with it.
TEST_CASE("a frame that was given back serves the next coroutine of its size") {
  void* const small = FramePool::take(100);
  void* const other = FramePool::take(200);
  void* const large = FramePool::take(100'000);
  REQUIRE(small != other);
  FramePool::give(small, 100);
  FramePool::give(large, 100'000);
  void* const again = FramePool::take(110);  // as 100: up to 112 bytes
#ifndef STALLCAST_SANITIZED
  REQUIRE(again == small);
#endif
  REQUIRE(again != other);
  FramePool::give(again, 110);
  FramePool::give(other, 200);
}

}  // namespace sync_test
