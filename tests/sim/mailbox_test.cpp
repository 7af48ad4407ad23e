#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "engine/sim/sync.hpp"
#include "tests/sim/notes.hpp"

namespace mailbox_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::sim;
using namespace stallcast::tests::notes;

namespace {

Task<void> consume(Context& context, Mailbox<int>& box, int times, std::vector<int>& got) {
  for (int i = 0; i < times; ++i) {
    got.push_back(co_await box.pop());
    co_await context.sleep(0_s);
  }
}

Task<void> push_all(Context& context, Mailbox<int>& box, Seconds at, int first, int last) {
  co_await context.sleep(at);
  for (int i = first; i < last; ++i) box.push(i);
}

}  // namespace

TEST_CASE("a mailbox keeps order and loses nothing with several consumers") {
  const auto context = make_fluid_context();
  Mailbox<int> box(*context);
  std::vector<int> first;
  std::vector<int> second;
  context->spawn(consume(*context, box, 3, first));
  context->spawn(consume(*context, box, 3, second));
  context->spawn(push_all(*context, box, 1_s, 0, 7));
  context->run();
  // 0 and 1 go to those who wait; the rest alternates.
  CHECK(first == std::vector<int>{0, 2, 4});
  CHECK(second == std::vector<int>{1, 3, 5});
  CHECK(box.size() == 1);
}

TEST_CASE("a consumer that comes later cannot steal what a waiting one was given") {
  const auto context = make_fluid_context();
  Mailbox<std::unique_ptr<int>> box(*context);
  Notes notes;
  const auto pop = [](Context& c, Mailbox<std::unique_ptr<int>>& from, int who,
                      Notes& into) -> Task<void> {
    const std::unique_ptr<int> value = co_await from.pop();
    into.push_back({static_cast<double>(*value), who});
    note(into, c, who);
  };
  context->spawn(pop(*context, box, 1, notes));
  box.push(std::make_unique<int>(41));
  context->spawn(pop(*context, box, 2, notes));  // 1 has not run yet
  box.push(std::make_unique<int>(42));
  context->run();
  CHECK(notes == Notes{{41, 1}, {0, 1}, {42, 2}, {0, 2}});
}

TEST_CASE("what is pushed ahead of time is there at its date, whether or not somebody waits") {
  const auto context = make_fluid_context();
  Mailbox<int> box(*context);
  Notes notes;
  const auto work = [](Context& c, Mailbox<int>& from, Notes& into, Seconds each) -> Task<void> {
    for (;;) {
      note(into, c, co_await from.pop());
      co_await c.sleep(each);
    }
  };
  // 0 finds the consumer waiting; 1 is there at 5 s, before the consumer is free at 6 s; 2 at 12 s,
  // after it is free at 10 s; 3 at once, of those that come later none sooner.
  context->spawn(work(*context, box, notes, 4_s));
  context->spawn([](Context& c, Mailbox<int>& to) -> Task<void> {
    to.push(0, 2_s);
    to.push(1, 5_s);
    to.push(2, 12_s);
    co_await c.sleep(20_s);
    to.push(3);
  }(*context, box));
  context->run();
  CHECK(notes == Notes{{2, 0}, {6, 1}, {12, 2}, {20, 3}});
}

TEST_CASE("who waits in advance gets what comes after its date, and looks for what came before") {
  const auto context = make_fluid_context();
  Mailbox<int> box(*context);
  Notes notes;
  const auto work = [](Context& c, Mailbox<int>& from, Notes& into) -> Task<void> {
    Seconds free;
    for (;;) {
      const std::optional<int> value = co_await from.pop_from(free);
      note(into, c, value.value_or(-1));
      if (!value) continue;
      free = c.now() + 4_s;  // which it knows now
    }
  };
  // 0 at once, so the consumer comes at 4 s; 1 is pushed at 1 s and found then. It comes at 8 s: 2
  // is pushed at 9 s for 10 s. It comes at 14 s: 3 is pushed at 13 s for 16 s. It comes at 20 s.
  context->spawn(work(*context, box, notes));
  context->spawn([](Context& c, Mailbox<int>& to) -> Task<void> {
    to.push(0);
    co_await c.sleep(1_s);
    to.push(1);
    co_await c.sleep(8_s);
    to.push(2, 1_s);
    co_await c.sleep(4_s);
    to.push(3, 3_s);
    co_await c.sleep(17_s);
    to.push(4);
  }(*context, box));
  context->run();
  CHECK(notes == Notes{{0, 0}, {4, -1}, {4, 1}, {10, 2}, {14, -1}, {16, 3}, {30, 4}});
  CHECK(box.size() == 0);
}

TEST_CASE("a consumer who has yet to come is not told of as waiting") {
  const auto context = make_fluid_context();
  Mailbox<int> box(*context);
  const auto told = [&] {
    Ledger ledger;
    ledger.look(context->now());
    box.describe(ledger);
    return ledger;
  };
  const Ledger nobody = told();
  context->spawn([](Mailbox<int>& from) -> Task<void> { (void)co_await from.pop_from(2_s); }(box));
  CHECK(told().same_state(nobody, 0_s));
  context->spawn([](Context& c) -> Task<void> { co_await c.sleep(3_s); }(*context));
  context->run();
  CHECK_FALSE(told().same_state(nobody, 0_s));
}

}  // namespace mailbox_test
