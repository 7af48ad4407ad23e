#include "engine/sim/context.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "tests/sim/programs.hpp"

namespace context_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::sim;

namespace {

Task<int> add(Context& context, int a, int b, Seconds delay) {
  if (delay > 0_s) co_await context.sleep(delay);
  co_return a + b;
}

Task<void> add_many(Context& context, int times, int& sum) {
  for (int i = 0; i < times; ++i) sum = co_await add(context, sum, 1, 0_s);
}

Task<void> fail(Context& context, Seconds at) {
  co_await context.sleep(at);
  throw std::runtime_error("broken");
}

Task<void> tick(Context& context, Seconds period, std::vector<double>& dates) {
  for (;;) {
    co_await context.sleep(period);
    dates.push_back(context.now().in(unit::s));
  }
}

}  // namespace

TEST_CASE("a task returns its value to the one who awaits it, now or later") {
  const auto context = make_fluid_context();
  int sum = 0;
  context->spawn([](Context& c, int& out) -> Task<void> {
    out = co_await add(c, 1, 2, 0_s);
    out += co_await add(c, 10, 20, 5_s);
  }(*context, sum));
  CHECK(sum == 3);
  context->run();
  CHECK(sum == 33);
  CHECK(context->now() == 5_s);
}

TEST_CASE("a loop over tasks that never wait needs no stack") {
  const auto context = make_fluid_context();
  int sum = 0;
  context->spawn(add_many(*context, 2'000'000, sum));
  CHECK(sum == 2'000'000);
}

TEST_CASE("an exception of a program ends the run and is rethrown by it") {
  const auto context = make_fluid_context();
  std::vector<double> dates;
  context->spawn(tick(*context, 1_s, dates));
  context->spawn(fail(*context, 2500_ms));
  CHECK_THROWS_WITH(context->run(), "broken");
  CHECK(dates == std::vector<double>{1, 2});
}

TEST_CASE("an exception passes from an awaited task to its awaiter") {
  const auto context = make_fluid_context();
  bool caught = false;
  context->spawn([](Context& c, bool& out) -> Task<void> {
    try {
      co_await fail(c, 1_s);
    } catch (const std::runtime_error&) {
      out = true;
    }
  }(*context, caught));
  context->run();
  CHECK(caught);
}

TEST_CASE("a run stops at its horizon and goes on from there") {
  const auto context = make_fluid_context();
  std::vector<double> dates;
  context->spawn(tick(*context, 2_s, dates));
  context->run(4_s);
  CHECK(dates == std::vector<double>{2, 4});
  context->run(7_s);
  CHECK(dates == std::vector<double>{2, 4, 6});
  CHECK(context->now() == 7_s);
}

TEST_CASE("stop ends the run when the program suspends") {
  const auto context = make_fluid_context();
  std::vector<double> dates;
  context->spawn(tick(*context, 2_s, dates));
  context->spawn([](Context& c) -> Task<void> {
    co_await c.sleep(5_s);
    c.stop();
  }(*context));
  context->run();
  CHECK(dates == std::vector<double>{2, 4});
  CHECK(context->now() == 5_s);
}

TEST_CASE("frames of unfinished programs are destroyed with the context") {
  auto held = std::make_shared<int>(1);
  {
    const auto context = make_fluid_context();
    context->spawn([](Context& c, std::shared_ptr<int> mine) -> Task<void> {
      co_await add(c, *mine, 1, Seconds::infinity());
    }(*context, held));
    context->run();
    CHECK(held.use_count() == 2);
  }
  CHECK(held.use_count() == 1);
}

TEST_CASE("programs due together run in the order in which they were scheduled") {
  const auto context = make_fluid_context();
  std::vector<int> order;
  const auto program = [](Context& c, int who, std::vector<int>& out) -> Task<void> {
    co_await c.sleep(1_s);
    out.push_back(who);
    co_await c.sleep(0_s);
    out.push_back(who + 10);
  };
  for (int who = 0; who < 3; ++who) context->spawn(program(*context, who, order));
  context->run();
  CHECK(order == std::vector<int>{0, 1, 2, 10, 11, 12});
  CHECK(context->events() == 6);
}

}  // namespace context_test
