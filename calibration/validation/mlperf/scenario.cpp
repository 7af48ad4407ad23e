#include "calibration/validation/mlperf/scenario.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "calibration/validation/mlperf/ranges.hpp"
#include "calibration/validation/mlperf/round3.hpp"
#include "calibration/validation/mlperf/store.hpp"
#include "scenarios/importers/dlio_costs.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using base::Json;
using scenarios::CostRange;
using scenarios::DlioCosts;

std::string in_bytes(Bytes bytes) { return with_unit(bytes.in(unit::B), "B"); }

/// What `cost` divides by, for each unit.
constexpr double kMs = 1e-3, kUs = 1e-6, kGBps = 1e9, kPercent = 1e-2;
constexpr const char* kLostByRank = "what DLIO loses a step";

Json cost(const CostRange& range, double in, const std::string& unit, const std::string& why) {
  const CostRange scaled = range.times(1.0 / in);
  return between(scaled.middle, scaled.low, scaled.high, unit, why);
}

/// What of the program is not a cost.
struct ProgramRun {
  std::string_view workload;
  double steps;              ///< simulated at most: more change AU by less than it repeats
  const char* sample_stdev;  ///< DLIO draws both sides of a record alike
};
constexpr std::array kRuns = std::to_array<ProgramRun>({{"unet3d", 1000, "48.97 MB"},
                                                        {"resnet50", 500, "0 B"},
                                                        {"cosmoflow", 1800, "51.1 kB"},
                                                        {"retinanet", 1200, "0 B"}});
const ProgramRun& run_of(std::string_view workload) {
  const auto found = std::find_if(kRuns.begin(), kRuns.end(),
                                  [&](const ProgramRun& one) { return one.workload == workload; });
  assert(found != kRuns.end());
  return *found;
}

/// ms a step of unet3d where AU counts the sleep that was measured (v3.0), in place of 3 ms: what
/// the rows of one to three ranks leave beside the barrier.
constexpr Guess kMeasuredSleep{0.4, 0.25, 4.0};

/// Of the memory's rate by its data sheet.
constexpr Guess kMemoryRate{0.8, 0.625, 1.19};

constexpr double kThreadsOfCore = 2.0;

Json host_of(const Facts& f, double ranks) {
  // Emulated accelerators sleep, and servers run two threads a core.
  Json out = {
      {"id", "client"},
      {"count", whole(f.hosts)},
      {"gpus", whole(std::ceil(ranks / f.hosts))},
      {"cpu",
       {{"cores", whole(f.cores)},
        {"reserved", 0},
        {"smt", {{"value", 1.25}, {"low", 1}, {"high", 1.35}, {"why", "on, as delivered"}}}}},
      {"memory",
       {{"size", with_unit(f.memory.in(unit::GiB), "GiB")},
        {"bandwidth", spread(kMemoryRate, "GB/s", "channels of the data sheet: streams get 50-95 %",
                             f.memory_rate.in(unit::GBps))}}}};
  if (f.format == "tfrecord")
    out["opens"] = cost(scenarios::dlio_opens(kThreadsOfCore * f.cores), 1.0, "ops/s",
                        "files that TensorFlow's readers open on one host");
  if (f.port > Rate{})
    out["nic"] = {{"rate", with_unit(f.port.in(unit::Gbps), "Gb/s")},
                  {"count", whole(f.ports)},
                  {"efficiency",
                   {{"value", "75 %"},
                    {"low", "40 %"},
                    {"high", "97 %"},
                    {"why", "one client filled 36-97 % of its ports in the rounds"}}}};
  return out;
}

/// One epoch is simulated, and the first steps of five are averaged. That of the first took 2 s
/// longer than the others in the median of the unet3d rows, and up to 10 s: workers that import.
constexpr Guess kBoot{0.4, 0.1, 5.0};

/// PyTorch asks each worker for one batch ahead; with prefetch_size 0 for two.
Json loader_of(const Facts& f, const DlioCosts& program) {
  Json out = {{"batch", whole(f.workload->rules.batch)},
              {"persistent", true},
              {"copy", "none"},
              {"handover", "0 ms"},
              {"workers", whole(f.read_threads)}};
  if (f.torch) {
    out["type"] = "pytorch";
    out["prefetch"] = f.prefetch == 0.0 ? 2 : 1;
    if (!f.third_round)
      out["boot"] = spread(kBoot, "s", "a fifth of what the first of five epochs begins with");
    return out;
  }
  out["type"] = "tensorflow";
  out["prefetch"] = f.prefetch == 0.0 ? 1 : whole(f.prefetch);
  out["map"] = {{"threads", whole(f.map_threads)}};
  out["iterator"] = cost(program.iterator, kMs, "ms", "until an iterator of tf.data reads");
  out["names"] = cost(program.names, kUs, "us", "a rank lists and shuffles all names");
  if (f.workload->rules.id == "cosmoflow") out["shuffle"] = {{"buffer", 2}};
  return out;
}

Json dataset_of(const Facts& f, const DlioCosts& program, double samples) {
  const double each = f.samples_per_file;
  Json out = {{"on", "data"},
              {"sample", in_bytes(f.workload->rules.record)},
              {"sample_stdev", run_of(f.workload->rules.id).sample_stdev},
              {"samples", whole(std::ceil(samples / each) * each)}};
  if (f.format == "tfrecord") {
    out["format"] = "tfrecord";
    out["samples_per_file"] = whole(each);
  } else {
    out["format"] = f.format == "npz" ? "npz" : "raw";
    out["tensor"] = "2097152 B";  // record_length_resize
  }
  if (f.direct()) out["direct"] = true;
  if (f.format != "npy")
    out["parse"] = cost(program.parse, kGBps, "GB/s", "core time of one reading process of DLIO");
  if (f.format == "npz")
    out["stream"] =
        cost(program.stream, kGBps, "GB/s", "np.load under DLIO, besides its core time");
  return out;
}

/// What else is not known of it than what it runs: switches are as fast as ports of the hosts.
Json fabric_of(const Facts& f) {
  if (f.tcp()) return {{"use", "fabric/ethernet-tcp"}};
  return {{"use", "fabric/hdr200"}, {"port", {{"rate", nullptr}}}};
}

/// How the benchmark spreads a model over ranks (its workload files of v2.0 and v3.0).
struct Parallel {
  double tensor, pipeline;
  const char* layout;
};
Parallel parallel_of(const std::string& model) {
  if (model == "llama3-8b") return {1, 1, "zero3"};
  if (model == "llama3-70b") return {8, 1, "zero3"};
  if (model == "llama3-405b") return {8, 32, "zero1"};
  return {8, 64, "zero1"};
}

/// GB/s of torch.save and torch.load of one rank: 1.78 and 1.97 on the rows of 8 and 64 ranks.
constexpr Guess kTorchSave{1.78, 0.6, 1.3}, kTorchLoad{1.97, 0.7, 1.4};

}  // namespace

Json checkpointing(const Facts& f, const std::string& model, double ranks,
                   std::optional<Bytes> size) {
  const Parallel parallel = parallel_of(model);
  const std::optional<CheckpointSize> known = checkpoint_size(model, ranks);
  Json stores = storage_of(f);
  Json job = {{"id", "save"},
              {"hosts", "client"},
              {"accelerators", whole(ranks)},
              {"epochs", 1},
              {"steps", 3},
              {"step", {{"compute", "5 s"}, {"jitter", "0 %"}}},
              {"checkpoint",
               {{"to", "data"},
                {"every_steps", 1},
                {"mode", "sync"},
                {"layout", parallel.layout},
                {"snapshot", "none"},
                {"stream", true},
                {"serialize", spread(kTorchSave, "GB/s", "torch.save of one rank")},
                {"restore",
                 {{"read", "own"},
                  {"deserialize", spread(kTorchLoad, "GB/s", "torch.load of one rank")}}}}}};
  if (known && known->subset) {
    job["checkpoint"]["layout"] = "sharded";
    job["checkpoint"]["files"] = 2;
    if (!size) size = known->all;
  } else {
    job["model"] = {{"use", "model/" + model}};
    job["parallel"] = {{"tensor", whole(parallel.tensor)}, {"pipeline", whole(parallel.pipeline)}};
  }
  if (size) job["checkpoint"]["size"] = in_bytes(*size);
  return {{"id", "mlperf"},
          {"cluster", {{"hosts", Json::array({host_of(f, ranks)})}, {"fabric", fabric_of(f)}}},
          {"storage", std::move(stores)},
          {"jobs", Json::array({std::move(job)})},
          {"run", {{"seed", 1}, {"replicas", 1}}}};
}

Json training(const Facts& f, double ranks, double steps) {
  const BenchmarkRules& rules = f.workload->rules;
  const DlioCosts& program = scenarios::dlio_costs(rules.id);
  Json step = {{"compute", with_unit(f.compute.in(unit::ms), "ms")},
               {"jitter", "0 %"},
               {"overhead", f.third_round && rules.id == "unet3d"
                                ? spread(kMeasuredSleep, "ms", kLostByRank)
                                : cost(program.overhead, kMs, "ms", kLostByRank)},
               {"sharing", cost(scenarios::dlio_sharing(program, f.zen2), kPercent, "%",
                                "what TensorFlow's threads lose on shared cores")}};
  Json job = {{"id", "train"},
              {"hosts", "client"},
              {"accelerators", whole(ranks)},
              {"epochs", 1},
              {"au", f.third_round ? "dlio-v2" : "dlio-v1"},
              {"step", std::move(step)},
              {"steps", whole(std::min(steps, run_of(rules.id).steps))},
              {"barrier",
               {{"base", "0 ms"},
                {"per_doubling", "0 ms"},
                {"per_sqrt", cost(f.barrier ? program.barrier : CostRange{}, kMs, "ms",
                                  "MPI barrier of Python processes")}}},
              {"dataset", dataset_of(f, program, steps * ranks * rules.batch)},
              {"loader", loader_of(f, program)}};
  return {{"id", "mlperf"},
          {"cluster", {{"hosts", Json::array({host_of(f, ranks)})}, {"fabric", fabric_of(f)}}},
          {"storage", storage_of(f)},
          {"jobs", Json::array({std::move(job)})},
          {"run", {{"seed", 1}, {"replicas", 1}}}};
}

}  // namespace stallcast::calibration::mlperf
