#include <exception>

#include "engine/decide/predict/estimate.hpp"
#include "engine/decide/predict/predict.hpp"
#include "engine/sim/fluid_loop.hpp"
#include "fuzz/target.hpp"
#include "models/contract/host.hpp"
#include "models/run/simulate.hpp"

namespace stallcast::fuzz {
namespace {

constexpr std::uint64_t kMostEvents = 20'000;
constexpr double kMostNodes = 20'000;

/// The budget of one input is spent: no fault.
struct Enough : std::exception {};

/// Simulates without SimGrid, as far as a budget of events goes.
class BriefContext final : public sim::FluidLoop {
 public:
  ~BriefContext() override { drop_tasks(); }
  void run(Seconds horizon) override {
    begin(horizon);
    for (double next = next_date(); next < kNoDate; next = next_date()) {
      arrive(next);
      if (events() > kMostEvents) throw Enough();
    }
    finish();
  }
};

/// What is built for each of them takes memory: that a design is large is no fault of it.
bool is_small(const Design& design) {
  double nodes = 0.0;
  for (const Component& host : design.hosts) nodes += host.find("count")->number;
  for (const std::vector<Component>* parts : {&design.storage, &design.tenants, &design.stages})
    for (const Component& part : *parts)
      for (const auto& [key, value] : part.values)
        if (value.dimension == Dimension::count) nodes += value.number;
  for (const JobDesign& job : design.jobs)
    for (const auto& [key, value] : job.job.values)
      if (key == "accelerators") nodes += value.number;
  return nodes < kMostNodes;
}

}  // namespace

void simulate_briefly(const Design& design) {
  if (!is_small(design)) return;
  BriefContext context;
  models::Simulation simulation(design);
  try {
    const RunResult result = simulation.run(1, context);
    check_figures(result.metrics);
    check_figures(predict::combine(design, {&result, 1}).metrics);
  } catch (const Enough&) {
  }
}

void fuzz_simulate(std::string_view input) {
  const Scenario scenario = Scenario::read({.file = "input.json",
                                            .text = std::string(input),
                                            .sets = {"run.duration=1 s"},
                                            .extend_files = false});
  check_faults(scenario.diagnostics(), "input.json");
  if (!scenario.ok()) return;
  check_figures(predict::estimate(scenario.design()).metrics);
  simulate_briefly(scenario.design());
}

}  // namespace stallcast::fuzz
