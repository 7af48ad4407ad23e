#include "calibration/validation/mlperf/scenario.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "scenarios/scenario_builder.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using base::Json;
using namespace literals;

/// Rate of a process's parsing in the simulator over `worker` of equation 4: there, files of
/// different sizes and delivery in order take their part by themselves. Chosen of 1.0, 1.1, 1.25
/// and 1.43 on the five rows that this decides.
constexpr double kParseOverWorker = 1.25;
/// More steps change the head start of equation 3 by less than AU repeats.
constexpr double kMostSteps = 900.0;
/// Where nothing is known of storage or hosts.
constexpr Rate kEndless = 100_TBps;

auto whole(double value) { return std::llround(value); }
std::string text(Rate rate) {
  return base::shortest(std::min(rate, kEndless).in(unit::GBps)) + " GB/s";
}
std::string text(Seconds time) { return base::shortest(time.in(unit::ms)) + " ms"; }
std::string text(Bytes bytes) { return base::shortest(bytes.in(unit::B)) + " B"; }

}  // namespace

bool can_simulate(const System& system) { return system.workload->step.prefetching_workers; }

double simulated_steps(double steps) { return std::min(steps, kMostSteps); }

Scenario scenario_of(const System& system, double accelerators, double steps, const Supply& supply,
                     const std::string& name) {
  const BenchmarkRules& rules = system.workload->rules;
  const StepConstants& c = system.workload->step;
  const double per_host = std::ceil(accelerators / system.hosts);
  const Rate storage = std::min(supply.aggregate, kEndless);
  const int outstanding = system.prefetch == 0.0 ? 2 : 1;  // batches per process
  Json host = {{"id", "client"},
               {"count", whole(system.hosts)},
               {"gpus", whole(per_host)},
               {"cpu",
                {{"cores", whole(std::max(system.cpu_threads, per_host * system.read_threads))},
                 {"copy", text(kEndless)}}},
               {"memory", {{"size", "8192 GiB"}, {"bandwidth", text(kEndless)}}},
               {"nic", {{"rate", text(kEndless)}, {"efficiency", "100 %"}}}};
  Json lustre = {{"id", "storage"},
                 {"type", "lustre"},
                 {"read", text(storage)},
                 {"ost", {{"count", 8}, {"read", text(kEndless)}}},
                 {"oss", {{"nic", text(kEndless)}}},
                 {"stripe", {{"count", 0}}},
                 {"client",
                  {{"rpcs_in_flight", 64},
                   {"checksums", false},
                   {"read", text(supply.host)},
                   {"stream", text(kEndless)},
                   {"stream_direct", text(kEndless)}}}};
  Json job = {
      {"id", "train"},
      {"hosts", "client"},
      {"accelerators", whole(accelerators)},
      {"epochs", 1},
      {"au", "dlio-v1"},
      {"step", {{"compute", text(system.compute)}, {"jitter", "0 %"}, {"overhead", text(c.floor)}}},
      {"barrier",
       {{"base", text(system.barrier ? 0_s : c.barrier)},
        {"per_doubling", "0 ms"},
        {"per_sqrt", text(system.barrier ? c.barrier : 0_s)}}},
      {"dataset",
       {{"on", "storage"},
        {"format", "npz"},
        {"parse", text(supply.worker * kParseOverWorker)},
        {"sample", text(rules.record)},
        {"sample_stdev", "48.97 MB"},  // of the files: the two sides of a record are independent
        {"tensor", "2097152 B"},       // DLIO hands on record_length_resize bytes a sample
        {"samples", whole(steps * rules.batch * accelerators)}}},
      {"loader",
       {{"type", "pytorch"},
        {"batch", whole(rules.batch)},
        {"workers", whole(system.read_threads)},
        {"prefetch", outstanding},
        {"persistent", true},
        {"handover", "0 ms"},
        {"copy", "none"}}}};
  Json scenario{{"id", "mlperf"},
                {"cluster", {{"hosts", Json::array({host})}}},
                {"storage", Json::array({lustre})},
                {"jobs", Json::array({job})},
                {"run", {{"seed", 1}, {"replicas", 1}}}};
  return ScenarioBuilder::from_json(std::move(scenario), name);
}

}  // namespace stallcast::calibration::mlperf
