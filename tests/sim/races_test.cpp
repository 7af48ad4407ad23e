#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/fluid_context.hpp"
#include "engine/sim/task.hpp"
#include "stallcast/units.hpp"

namespace races_test {

/// What cannot be promised of transfers that race for a link: docs/models/laws.md.
using namespace stallcast;
using namespace stallcast::sim;

namespace {

Seconds s(double value) { return Seconds::from(value, unit::s); }

struct Step {
  Seconds rest;  ///< before the transfer
  LinkId link;
  double bytes = 0.0;
};

Task<void> program(Context& context, std::vector<Step> steps, Seconds& ended) {
  for (const Step& step : steps) {
    co_await context.sleep(step.rest);
    co_await context.transfer({.path = {&step.link, 1}, .bytes = Bytes::from(step.bytes, unit::B)});
    ended = context.now();
  }
}

/// End of what shares a network of 1 B/s with a read that first comes from servers of `rate`.
Seconds end_beside_read(double rate) {
  const auto context = make_fluid_context();
  const LinkId servers = context->add_link("servers", Rate::from(rate, unit::Bps));
  const LinkId network = context->add_link("network", Rate::from(1.0, unit::Bps));
  Seconds read, other;
  context->spawn(program(*context, {{{}, servers, 9.0}, {{}, network, 2.0}}, read));
  context->spawn(program(*context, {{s(7.0), network, 2.0}}, other));
  context->run();
  CHECK(read <= s(11.0));
  return other;
}

/// End of the last of `meetings` transfers, when the first starts `late`.
Seconds end_after(int meetings, Seconds late) {
  const auto context = make_fluid_context();
  const LinkId link = context->add_link("link", Rate::from(1.0, unit::Bps));
  std::vector<Step> steps(static_cast<std::size_t>(meetings), {s(7.0), link, 2.0});
  steps.front().rest = late;
  Seconds ended;
  context->spawn(program(*context, steps, ended));
  std::vector<Seconds> rivals(steps.size());
  for (std::size_t k = 0; k < rivals.size(); ++k)
    context->spawn(
        program(*context, {{s(10.0 * static_cast<double>(k) + 1.0), link, 1.5}}, rivals[k]));
  context->run();
  return ended;
}

}  // namespace

TEST_CASE("faster servers may end the work that waits for all later") {
  // A reads 9 B from the servers, then moves 2 B over the network, where B moves 2 B from date 7
  // on. A arrives at a = 9 / rate. From then on they share: B has 2 - (a - 7) left at half the rate
  // and ends at a + 2 (9 - a) = 18 - a, for 7 <= a <= 9: the earlier A, the later B.
  CHECK(end_beside_read(1.0).in(unit::s) == Approx(9.0).epsilon(1e-12));
  CHECK(end_beside_read(9.0 / 8.0).in(unit::s) == Approx(10.0).epsilon(1e-12));
  CHECK(end_beside_read(9.0 / 7.0).in(unit::s) == Approx(11.0).epsilon(1e-12));
}

TEST_CASE("a transfer that meets another doubles how late it started") {
  // 2 B at 1 B/s from date e on; another transfer of 1.5 B comes at 1. By then 1 - e B have moved,
  // the other 1 + e at half the rate: the end is 3 + 2 e. Resting 7 s until the next meeting, the
  // transfer starts there at 10 + 2 e: after k meetings it ends 2^k e late.
  for (const int meetings : {1, 2, 8, 16}) {
    const double on_time = 10.0 * meetings - 7.0, late = 0x1p-20;
    CHECK(end_after(meetings, s(0.0)).in(unit::s) == Approx(on_time).epsilon(1e-12));
    CHECK(end_after(meetings, s(late)).in(unit::s)-on_time ==
          Approx(std::ldexp(late, meetings)).epsilon(1e-6));
  }
}

}  // namespace races_test
