#include "engine/sim/simgrid_context.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <simgrid/s4u.hpp>
#include <vector>

#include "tests/sim/context_cases.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/programs.hpp"

namespace simgrid_context_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::tests;
using sim::LinkId;
using sim::make_simgrid_context;

namespace {

double peak_memory_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss);
}

}  // namespace

TEST_CASE("the SimGrid context does what every context must") {
  const auto backend = GENERATE(sim::FlowBackend::comm, sim::FlowBackend::fluid);
  for (const ContextCase& one : context_cases()) {
    INFO(one.name << ", back end " << static_cast<int>(backend));
    const std::vector<double> got =
        in_child([&] { return one.run(*make_simgrid_context(backend)); });
    REQUIRE(got.size() == one.expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      INFO("value " << i << ": " << got[i] << ", expected " << one.expected[i]);
      CHECK(near(got[i], one.expected[i], 1e-9));
    }
  }
}

TEST_CASE("SimGrid's date is the date of the simulation") {
  const auto backend = GENERATE(sim::FlowBackend::comm, sim::FlowBackend::fluid);
  const std::vector<double> got = in_child([&] {
    const auto context = make_simgrid_context(backend);
    const LinkId link = context->add_link("link", 1_GBps);
    sim::FlowOutcome outcome;
    context->spawn(run_transfer(
        *context, {.path = {link}, .bytes = 1_MB, .cap = 2_GBps, .repeats = 100}, outcome));
    context->run();
    return std::vector<double>{context->now().in(unit::s), simgrid::s4u::Engine::get_clock()};
  });
  CHECK(got.at(0) == Approx(0.1));
  CHECK(got.at(1) == Approx(0.1));
}

TEST_CASE("a hundred thousand flows in sequence neither leak nor crash") {
  const auto backend = GENERATE(sim::FlowBackend::comm, sim::FlowBackend::fluid);
  const std::vector<double> got = in_child([&] {
    const auto context = make_simgrid_context(backend);
    const LinkId link = context->add_link("link", 1_GBps);
    sim::FlowOutcome outcome;
    const auto repeat = [&](int times) {
      context->spawn(run_transfer(
          *context, {.path = {link}, .bytes = 1_MB, .cap = 2_GBps, .repeats = times}, outcome));
      context->run();
    };
    repeat(10'000);
    const double before = peak_memory_kib();
    repeat(100'000);
    return std::vector<double>{peak_memory_kib() - before, outcome.ended.in(unit::s)};
  });
#ifndef STALLCAST_SANITIZED  // which keeps freed memory for a while
  CHECK(got[0] < 4096.0);    // an object of 64 B per flow would take 6.4 MB
#endif
  CHECK(got[1] == Approx(110.0).epsilon(1e-9));
}

TEST_CASE("flows that end together and start each other neither recurse nor crash") {
  const auto backend = GENERATE(sim::FlowBackend::comm, sim::FlowBackend::fluid);
  const std::vector<double> got = in_child([&] {
    const auto context = make_simgrid_context(backend);
    const LinkId link = context->add_link("link", 1_GBps);
    return ends_of(*context,
                   std::vector<Transfer>(500, {.path = {link}, .bytes = 1_MB, .repeats = 40}));
  });
  for (const double end : got) CHECK(end == Approx(20.0).epsilon(1e-9));
}

TEST_CASE("a program that fails inside SimGrid's loop is reported by run") {
  const auto backend = GENERATE(sim::FlowBackend::comm, sim::FlowBackend::fluid);
  const std::vector<double> got = in_child([&] {
    const auto context = make_simgrid_context(backend);
    const LinkId link = context->add_link("link", 1_Bps);
    context->spawn([](sim::Context& c, LinkId path) -> sim::Task<void> {
      co_await c.transfer({.path = std::span(&path, 1), .bytes = 3_B});
      throw std::runtime_error("broken");
    }(*context, link));
    try {
      context->run();
    } catch (const std::runtime_error&) {
      return std::vector<double>{context->now().in(unit::s)};
    }
    return std::vector<double>{-1.0};
  });
  CHECK(got == std::vector<double>{3.0});
}

TEST_CASE("a context goes quietly with flows and programs under way") {
  const auto backend = GENERATE(sim::FlowBackend::comm, sim::FlowBackend::fluid);
  const std::vector<double> got = in_child([&] {
    auto context = make_simgrid_context(backend);
    const LinkId link = context->add_link("link", 1_Bps);
    sim::FlowOutcome outcome;
    context->spawn(run_transfer(*context, {.path = {link}, .bytes = 9_B, .cap = 2_Bps}, outcome));
    context->run(5_s);
    const double now = context->now().in(unit::s);
    context.reset();
    return std::vector<double>{now};
  });
  CHECK(got == std::vector<double>{5.0});
}

}  // namespace simgrid_context_test
