#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include "engine/decide/explain/forms.hpp"
#include "models/bounds/bounds.hpp"
#include "stallcast/scenario.hpp"
#include "tests/support/designs.hpp"

/// What is large in one thing costs in proportion to it: the square comes back unseen where all
/// jobs are gone through for each of them. Allocations stand for work: they are the same on every
/// machine, busy or not. Loops that allocate nothing are seen by the instructions of 20 jobs
/// (bench/instructions.py).
namespace {

std::size_t allocations = 0;

}  // namespace

// Not in place: a compiler that sees the malloc of one and not the free of the other warns.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* made = std::malloc(size)) return made;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* made) noexcept { std::free(made); }
[[gnu::noinline]] void operator delete(void* made, std::size_t) noexcept { std::free(made); }

namespace large_inputs_test {

using namespace stallcast;

namespace {

/// Jobs and tenants, each on hosts of its own, all on one storage system.
std::string scenario(int jobs, int tenants) {
  std::string hosts, work, others;
  // `one` with its number where it has a #.
  const auto add = [](std::string& list, int number, std::string one) {
    for (std::size_t at = 0; (at = one.find('#', at)) != std::string::npos;)
      one.replace(at, 1, std::to_string(number));
    list.append(list.empty() ? "" : ", ").append(one);
  };
  for (int i = 0; i < jobs; ++i) {
    add(hosts, i, R"({"id": "h#", "count": 1, "gpus": 1})");
    add(work, i, R"({"id": "j#", "hosts": "h#", "steps": 3, "epochs": 1,
                     "step": {"compute": "100 ms"}, "loader": {"workers": 1, "batch": 1},
                     "dataset": {"on": "s", "format": "raw", "sample": "1 MB", "samples": 10000}})");
  }
  for (int i = 0; i < tenants; ++i) {
    add(hosts, i, R"({"id": "o#", "count": 1})");
    add(others, i, R"({"id": "t#", "type": "fio", "on": "s", "hosts": "o#", "rw": "randread",
                       "bs": "1 MiB", "numjobs": 1, "iodepth": 1})");
  }
  return R"({"cluster": {"hosts": [)" + hosts +
         R"(]}, "storage": [{"id": "s", "type": "nfs", "head": {"count": 20}}], "jobs": [)" + work +
         R"(], "tenants": [)" + others + R"(], "run": {"duration": "300 ms", "replicas": 1}})";
}

Scenario read(const std::string& text) { return Scenario::read({.file = "n.json", .text = text}); }

Design design_of(int jobs, int tenants) {
  const Scenario made = read(scenario(jobs, tenants));
  REQUIRE(made.ok());
  return made.design();
}

/// Twice as much is added from 20 to 40 as from 10 to 20: twice the work is, of n log n 2.4 times,
/// of the square four times.
void grows_as_its_input(const std::function<std::function<void()>(int)>& prepare) {
  const auto cost = [&](int n) {
    const std::function<void()> work = prepare(n);
    const std::size_t before = allocations;
    work();
    return static_cast<double>(allocations - before);
  };
  static_cast<void>(cost(10));  // what is made once
  const double little = cost(10), middle = cost(20), much = cost(40);
  CAPTURE(little, middle, much);
  CHECK(much - middle <= 2.6 * (middle - little));
}

}  // namespace

TEST_CASE("jobs and tenants are read in proportion to their number") {
  const bool of_jobs = GENERATE(true, false);
  CAPTURE(of_jobs);
  grows_as_its_input([&](int n) {
    return [text = scenario(of_jobs ? n : 1, of_jobs ? 0 : n)] { REQUIRE(read(text).ok()); };
  });
}

TEST_CASE("closed forms of jobs and tenants are found in proportion to their number") {
  const bool of_jobs = GENERATE(true, false);
  CAPTURE(of_jobs);
  grows_as_its_input([&](int n) {
    return [design = design_of(of_jobs ? n : 1, of_jobs ? 0 : n)] {
      static_cast<void>(models::bounds(design));
      static_cast<void>(models::capacities(design));
    };
  });
}

TEST_CASE("jobs and tenants are simulated in proportion to their number") {
  const bool of_jobs = GENERATE(true, false);
  CAPTURE(of_jobs);
  grows_as_its_input([&](int n) {
    return [design = design_of(of_jobs ? n : 1, of_jobs ? 0 : n)] {
      static_cast<void>(testing::run(design));
    };
  });
}

TEST_CASE("what the cores of all hosts answer to is found in proportion to their number") {
  grows_as_its_input([&](int n) {
    return [design = design_of(n, 0)] {
      explain::Forms forms(design);
      forms.influences().ask_first();
      for (const bool found : {false, true}) {
        for (const Component& host : design.hosts)
          REQUIRE(forms.tree("resource.host." + host.id + ".cpu.capacity").children.empty() !=
                  found);
        forms.influences().find_asked();
      }
    };
  });
}

}  // namespace large_inputs_test
