#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "models/bounds.hpp"
#include "models/simulate.hpp"
#include "support/designs.hpp"

/// What every kind of every role must keep, whatever it models. A new row is tested by being there;
/// a role whose kinds have required fields gets them from `kRequiredFields`.
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

const std::map<std::string, std::vector<std::pair<const char*, const char*>>> kRequiredFields = {
    {"lustre", {{"ost.count", "8"}}},
    {"given", {{"compute", "100 ms"}}},
    {"flops", {{"tokens", "2000"}}},
};

Component with_defaults(Role role, const std::string& kind, std::string id, Settings settings) {
  Component out = component(role, kind, std::move(id), settings);
  const auto required = kRequiredFields.find(kind);
  if (required != kRequiredFields.end())
    for (const auto& [key, text] : required->second) set(out, role, key, text);
  return out;
}

struct Kinds {
  std::string storage = "lustre", format = "raw", loader = "pytorch", step = "given",
              checkpoint = "async";
  [[nodiscard]] std::string name() const {
    return storage + " " + format + " " + loader + " " + step + " " + checkpoint;
  }
};

/// 32 GPUs that read 1.3 GB/s each from 32 GB/s and save 64 GB every 8 s: loaded, with every part
/// in use.
Design design_of(const Kinds& kinds) {
  Design design = small_design();
  design.storage[0] = with_defaults(Role::storage, kinds.storage, "scratch", {});
  JobDesign& job = design.jobs[0];
  job.model = component(Role::model, "dense", "model", {{"parameters", "4e9"}});
  job.step = with_defaults(Role::step, kinds.step, "step", {{"jitter", "2 %"}});
  job.dataset = with_defaults(
      Role::dataset, kinds.format, "dataset",
      {{"on", "scratch"}, {"sample", "13 MB"}, {"sample_stdev", "3 MB"}, {"samples", "128000"}});
  job.loader = with_defaults(Role::loader, kinds.loader, "loader", {{"batch", "10"}});
  job.checkpoint = with_defaults(Role::checkpoint, kinds.checkpoint, "checkpoint",
                                 {{"to", "scratch"}, {"every", "8 s"}, {"size", "64 GB"}});
  set(design.run, Role::run, "detail", "4");
  set(design.run, Role::run, "duration", "20 s");
  return design;
}

std::vector<Kinds> all_kinds() {
  std::vector<Kinds> out;
  const auto vary = [&](Role role, std::string Kinds::*member) {
    for (const models::KindInfo& row : models::kinds(role)) {
      Kinds kinds;
      kinds.*member = std::string(row.id);
      out.push_back(kinds);
    }
  };
  vary(Role::storage, &Kinds::storage);
  vary(Role::dataset, &Kinds::format);
  vary(Role::loader, &Kinds::loader);
  vary(Role::step, &Kinds::step);
  vary(Role::checkpoint, &Kinds::checkpoint);
  return out;
}

RunResult run(const Design& design, std::uint64_t seed = 1) {
  const auto context = sim::make_fluid_context();
  return models::simulate(design, seed, *context);
}
double metric(const RunResult& result, const std::string& name) {
  return result.metrics.at(name).value;
}
double utilization(const Design& design) {
  return metric(run(design), "job.train.gpu.utilization");
}

void for_each_component(Design& design, const std::function<void(Component&)>& visit) {
  for (Component& host : design.hosts) visit(host);
  visit(design.fabric);
  for (Component& storage : design.storage) visit(storage);
  for (JobDesign& job : design.jobs) {
    visit(job.job), visit(job.model), visit(job.step);
    if (job.dataset) visit(*job.dataset), visit(*job.loader);
    if (job.checkpoint) visit(*job.checkpoint);
  }
  visit(design.run);
}

}  // namespace

TEST_CASE("every kind: the same seed gives the same bits") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const RunResult a = run(design_of(kinds), 5), b = run(design_of(kinds), 5);
    REQUIRE(a.metrics.size() == b.metrics.size());
    for (const auto& [name, value] : a.metrics) CHECK(value.value == b.metrics.at(name).value);
  }
}

TEST_CASE("every kind: shares of wall time sum to one") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const RunResult result = run(design_of(kinds));
    double sum = 0.0;
    for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
    CHECK(sum == Approx(1.0).epsilon(1e-9));
  }
}

TEST_CASE("every kind: no faster than the bound of max flow") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const Design design = design_of(kinds);
    CHECK(utilization(design) <= models::bounds(design).utilization + 1e-9);
  }
}

TEST_CASE("every kind: bytes delivered are bytes read from the media") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    design.jobs[0].checkpoint.reset();
    design.run.values.erase("duration");
    set(design.jobs[0].job, Role::job, "epochs", "1");
    set(design.jobs[0].dataset.value(), Role::dataset, "samples", "16000");
    const RunResult result = run(design);
    CHECK(metric(result, "resource.storage.scratch.ost.throughput") ==
          Approx(metric(result, "job.train.throughput.bytes")).epsilon(1e-9));
  }
}

TEST_CASE("every kind: more storage targets are never slower") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    double before = 0.0;
    for (const char* count : {"2", "4", "8", "16", "64"}) {
      set(design.storage[0], Role::storage, "ost.count", count);
      const double now = utilization(design);
      CHECK(now >= before - 1e-3);  // an epoch's last step may fall on either side of a save
      before = now;
    }
  }
}

TEST_CASE("every kind: half the rates and twice the delays take twice the time") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const Design design = design_of(kinds);
    Design slow = design;
    for_each_component(slow, [](Component& component) {
      for (auto& [key, value] : component.values) {
        if (value.dimension == Dimension::time) value.number *= 2.0;
        if (value.dimension == Dimension::rate || value.dimension == Dimension::op_rate ||
            value.dimension == Dimension::flop_rate)
          value.number *= 0.5;
      }
      // cores are a rate too: core-seconds per second are the same in slow time, so work doubles by
      // itself
    });
    const RunResult a = run(design), b = run(slow);
    for (const char* name :
         {"job.train.step.time", "job.train.first_batch", "job.train.checkpoint.stall"})
      CHECK(metric(b, name) == Approx(2.0 * metric(a, name)).epsilon(1e-6));
    CHECK(metric(b, "job.train.gpu.utilization") ==
          Approx(metric(a, "job.train.gpu.utilization")).epsilon(1e-6));
  }
}
