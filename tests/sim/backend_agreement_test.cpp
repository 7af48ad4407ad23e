#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "engine/sim/simgrid_context.hpp"
#include "tests/sim/context_cases.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/programs.hpp"

namespace backend_agreement_test {

using namespace stallcast;
using namespace stallcast::tests;
using sim::Context;
using sim::LinkId;

namespace {

// Numbers from 0 to 1 that are the same with every standard library.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}
  double next() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(next() * static_cast<double>(n));
  }

 private:
  std::mt19937_64 random_;
};

// 200 programs of 1 to 3 flows over up to 4 of 10 links, a third of them capped; capacities change
// ten times under way.
std::vector<double> random_program(Context& context, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<LinkId> links;
  for (int i = 0; i < 10; ++i)
    links.push_back(context.add_link("link", bps(1e9 * (1 + 9 * draws.next()))));
  std::vector<Transfer> transfers(200);
  for (Transfer& one : transfers) {
    const std::size_t length = 1 + draws.below(4);
    for (std::size_t i = 0; i < length; ++i) one.path.push_back(links[draws.below(10)]);
    one.start = s(draws.next());
    one.members = 0.5 + 50.0 * draws.next();
    one.bytes = b(1e3 + 1e8 * draws.next() * draws.next());
    if (draws.below(3) == 0) one.cap = bps(1e7 * (1 + draws.next()));
    one.repeats = 1 + static_cast<int>(draws.below(3));
  }
  for (int i = 1; i <= 10; ++i) {
    const auto change = [](Context& c, LinkId link, Seconds at, Rate to) -> sim::Task<void> {
      co_await c.sleep(at);
      c.set_capacity(link, to);
    };
    context.spawn(change(context, links[draws.below(10)], s(i), bps(1e9 * (1 + 9 * draws.next()))));
  }
  std::vector<double> numbers = ends_of(context, transfers);
  for (const LinkId link : links) {
    numbers.push_back(context.use(link).carried.in(unit::B));
    numbers.push_back(context.use(link).peak_weight);
  }
  numbers.push_back(static_cast<double>(context.events()));
  return numbers;
}

std::vector<double> on_simgrid(std::uint64_t seed,
                               sim::FlowBackend backend = sim::FlowBackend::comm) {
  return in_child([&] { return random_program(*sim::make_simgrid_context(backend), seed); });
}

std::vector<double> on_fluid(std::uint64_t seed) {
  return random_program(*sim::make_fluid_context(), seed);
}

// `classes` of `size` equal nodes with two of three links private, folded or node by node.
std::vector<double> job(Context& context, bool folded) {
  const std::size_t classes = 3;
  const std::size_t size = 16;
  const LinkId pool = context.add_link("pool", bps(40e9));
  std::vector<Transfer> transfers;
  for (std::size_t one = 0; one < classes; ++one) {
    const auto members = folded ? static_cast<double>(size) : 1.0;
    for (std::size_t node = 0; node < (folded ? 1 : size); ++node) {
      const LinkId adapter =
          context.add_link("adapter", bps(members * (1.0 + static_cast<double>(one)) * 1e9));
      transfers.push_back({.path = {adapter, pool},
                           .bytes = b(1e9 * (1.0 + 0.3 * static_cast<double>(one))),
                           .members = members,
                           .start = s(0.1 * static_cast<double>(one)),
                           .repeats = 5});
    }
  }
  const std::vector<double> ends = ends_of(context, transfers);
  std::vector<double> by_class;
  for (std::size_t one = 0; one < classes; ++one) {
    const std::size_t each = ends.size() / classes;
    by_class.push_back(
        *std::max_element(ends.begin() + static_cast<std::ptrdiff_t>(one * each),
                          ends.begin() + static_cast<std::ptrdiff_t>((one + 1) * each)));
  }
  return by_class;
}

}  // namespace

TEST_CASE("random programs end at the same dates on SimGrid and on our solver") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> ours = on_fluid(seed);
    for (const auto backend : {sim::FlowBackend::comm, sim::FlowBackend::fluid}) {
      const std::vector<double> theirs = on_simgrid(seed, backend);
      REQUIRE(ours.size() == theirs.size());
      for (std::size_t i = 0; i < ours.size(); ++i) {
        INFO("seed " << seed << ", number " << i << ": " << ours[i] << " and " << theirs[i]);
        REQUIRE(near(ours[i], theirs[i], 1e-9));
      }
    }
  }
}

TEST_CASE("SimGrid as the clock of our solver changes no bit") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    CHECK(on_simgrid(seed, sim::FlowBackend::fluid) == on_fluid(seed));
}

TEST_CASE("two processes get the same bits") {
  CHECK(on_simgrid(3) == on_simgrid(3));
  CHECK(on_simgrid(3, sim::FlowBackend::fluid) == on_simgrid(3, sim::FlowBackend::fluid));
  CHECK(on_fluid(3) == in_child([] { return on_fluid(3); }));
}

TEST_CASE("one folded flow is as good as all its members") {
  const auto fluid = [](bool folded) { return job(*sim::make_fluid_context(), folded); };
  const auto simgrid = [](bool folded) {
    return in_child(
        [&] { return job(*sim::make_simgrid_context(sim::FlowBackend::comm), folded); });
  };
  const std::vector<double> reference = fluid(false);
  for (const auto& got : {fluid(true), simgrid(false), simgrid(true)}) {
    REQUIRE(got.size() == reference.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      INFO("class " << i << ": " << got[i] << " and " << reference[i]);
      CHECK(near(got[i], reference[i], 1e-12));
    }
  }
}

}  // namespace backend_agreement_test
