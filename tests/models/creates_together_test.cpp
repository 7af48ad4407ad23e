#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

/// Files that several create at one time, against closed forms: docs/models/storage.md, eq. 2, 3.
namespace creates_together_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Role;

namespace {

// A save of one of two jobs, or of the only one.
struct Creating {
  double members = 1.0, files = 1.0;
  Seconds at;
};

// When each has its files, all of 1 kB.
std::vector<double> seconds(Design design, const std::vector<Creating>& saves, int jobs = 2) {
  design.jobs[0].checkpoint =
      component(Role::checkpoint, "sync", "checkpoint",
                {{"to", "scratch"}, {"every_steps", "100"}, {"size", "1 GB"}});
  for (int i = 1; i < jobs; ++i) {
    design.jobs.push_back(design.jobs[0]);
    design.jobs.back().job.id = "other";
  }
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, 1);
  std::vector<double> out(saves.size());
  const auto save = [&](std::size_t i) -> sim::Task<void> {
    const Creating& is = saves[i];
    models::Client client = plant.client("gpu", 0, "scratch", is.members);
    client.owner = i + 1;
    co_await context->sleep(is.at);
    co_await plant.storage("scratch").write(
        client, {.bytes = 1_kB * is.files, .files = is.files, .writers = is.members});
    out[i] = context->now().in(unit::s);
  };
  for (std::size_t i = 0; i < saves.size(); ++i) context->spawn(save(i));
  context->run();
  return out;
}

// An MDT that creates 100 files a second, with 10 threads or one.
Design lustre(const char* service = "90 us") {
  return design_with_storage("lustre", {{"ost.count", "8"},
                                        {"mdt.create", "100 ops/s"},
                                        {"mdt.open", "100 ops/s"},
                                        {"mdt.service", service},
                                        {"commit", "0 s"}});
}

}  // namespace

TEST_CASE("writers of two jobs that create one file after the other interleave") {
  // One creates 1000 files at 100 a second, and another as many or 100 from 30 ms on.
  const std::vector<double> alike = seconds(lustre(), {{1, 1000, 0_s}, {1, 1000, 30_ms}});
  CHECK(alike[0] == Approx(20.0).epsilon(0.01));
  CHECK(alike[1] == Approx(20.0).epsilon(0.01));
  const std::vector<double> few = seconds(lustre(), {{1, 1000, 0_s}, {1, 100, 30_ms}});
  CHECK(few[0] == Approx(11.0).epsilon(0.01));
  CHECK(few[1] == Approx(2.0).epsilon(0.03));
  // Of 4 writers and one each has a fifth: 500 files at 20 a second.
  const std::vector<double> more = seconds(lustre(), {{4, 500, 0_s}, {1, 100, 30_ms}});
  CHECK(more[0] == Approx(21.0).epsilon(0.01));
  CHECK(more[1] == Approx(5.0).epsilon(0.03));
}

TEST_CASE("who creates alone takes as long, whether others could create or not") {
  for (const char* service : {"90 us", "100 ms"})
    for (const double members : {1.0, 4.0, 25.0})
      for (const double files : {1.0, 7.0, 40.0, 2500.0}) {
        CAPTURE(service, members, files);
        const std::vector<Creating> one = {{members, files, 0_s}};
        const double only = seconds(lustre(service), one, 1)[0];
        CHECK(seconds(lustre(service), one)[0] == Approx(only).epsilon(0.02).margin(0.1));
      }
}

}  // namespace creates_together_test
