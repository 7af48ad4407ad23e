#include <array>

#include "engine/base/quantity_text.hpp"
#include "scenarios/importers/dlio_import.hpp"

/// What DLIO itself costs, which no workload file says: time between steps, barrier, readers, start
/// of an epoch. Each a range that rows of MLPerf Storage v1.0 gave, on systems of many makes.
/// docs/validation/mlperf-facts.md.
namespace stallcast::scenarios {
namespace {

using base::Json;

/// The middle, and the 5 % and 95 % quantiles.
struct CostRange {
  double middle = 0.0, low = 0.0, high = 0.0;
};

/// Of one sort of workload.
struct DlioCosts {
  std::string_view like;                ///< the workload of the round it was seen with
  CostRange overhead, sharing;          ///< s a step: of one rank; per rank on each core of a host
  CostRange barrier;                    ///< s per root of a rank
  CostRange parse, stream;              ///< B/s of one reader: of core time, and waiting
  CostRange iterator = {}, names = {};  ///< s: until tf.data reads, for each file name
  CostRange opens = {};                 ///< files a second that the readers of one host open
};

/// 4850 /s on 128 hardware threads, with the root of their number; hosts have 64 to 256.
constexpr CostRange kOpens{4850.0, 3400.0, 6900.0};

constexpr DlioCosts kUnet3d{.like = "unet3d",
                            .overhead = {3e-3, 1.5e-3, 6e-3},
                            .sharing = {},
                            .barrier = {1.6e-3, 0.64e-3, 2.56e-3},
                            .parse = {0.8e9, 0.64e9, 1e9},
                            .stream = {1.3e9, 0.91e9, 1.82e9}};
constexpr DlioCosts kResnet50{.like = "resnet50",
                              .overhead = {1.1e-3, 0.55e-3, 2.2e-3},
                              .sharing = {15e-3, 9e-3, 24e-3},
                              .barrier = {0.5e-3, 0.15e-3, 1.25e-3},
                              .parse = {2e9, 0.8e9, 4e9},
                              .stream = {},
                              .iterator = {150e-3, 60e-3, 450e-3},
                              .names = {0.75e-6, 0.375e-6, 1.5e-6},
                              .opens = kOpens};
constexpr DlioCosts kCosmoflow{.like = "cosmoflow",
                               .overhead = {0.7e-3, 0.49e-3, 0.98e-3},
                               .sharing = {0.8e-3, 0.32e-3, 1.6e-3},
                               .barrier = {0.1e-3, 0.04e-3, 0.2e-3},
                               .parse = {2e9, 0.8e9, 4e9},
                               .stream = {},
                               .iterator = {20e-3, 8e-3, 60e-3},
                               .names = {0.75e-6, 0.375e-6, 1.5e-6},
                               .opens = kOpens};

// TensorFlow's loss grows with the records of a batch: many small ones, or a single one.
const DlioCosts& costs_of(bool tensorflow, std::int64_t batch) {
  if (!tensorflow) return kUnet3d;
  return batch > 1 ? kResnet50 : kCosmoflow;
}

}  // namespace

void DlioImport::add_costs(Json& job) {
  const std::string loader = job["loader"].value("type", "");
  if (loader != "pytorch" && loader != "tensorflow") return;
  const DlioCosts& costs = costs_of(loader == "tensorflow", batch_);
  const auto put = [&](Json& part, std::string_view target, const char* key, const CostRange& cost,
                       Dimension dimension, std::string_view what) {
    if (cost.middle <= 0.0) return;
    const auto text = [&](double value) { return base::exact_quantity(value, dimension); };
    const std::string why =
        std::string(what) + ": as for " + std::string(costs.like) + " in MLPerf Storage v1.0";
    part[key] = Json{{"value", text(cost.middle)},
                     {"low", text(cost.low)},
                     {"high", text(cost.high)},
                     {"why", why}};
    note(FieldFate::defaulted, "", std::string(target) + "." + key, text(cost.middle), why);
  };
  using enum Dimension;
  put(job["step"], "jobs[train].step", "overhead", costs.overhead, time, "what DLIO loses a step");
  put(job["step"], "jobs[train].step", "sharing", costs.sharing, time,
      "what ranks lose that share cores");
  job["barrier"] = Json{{"base", "0 ms"}, {"per_doubling", "0 ms"}};
  put(job["barrier"], "jobs[train].barrier", "per_sqrt", costs.barrier, time,
      "MPI barrier of Python processes");
  const std::string format = job["dataset"].value("format", "");
  if (format == "npz" || format == "tfrecord")
    put(job["dataset"], "jobs[train].dataset", "parse", costs.parse, rate,
        "core time of a reader of DLIO");
  if (format == "npz")
    put(job["dataset"], "jobs[train].dataset", "stream", costs.stream, rate,
        "a reader of DLIO, besides its core time");
  // The hand-over of a batch is part of what DLIO loses a step.
  job["loader"]["handover"] = "0 ms";
  put(job["loader"], "jobs[train].loader", "iterator", costs.iterator, time,
      "until an iterator reads");
  put(job["loader"], "jobs[train].loader", "names", costs.names, time,
      "a rank lists and shuffles all names");
  if (scenario_["cluster"].is_object() && scenario_["cluster"]["hosts"].is_array() &&
      !scenario_["cluster"]["hosts"].empty())
    if (base::Json& host = scenario_["cluster"]["hosts"][0];
        host.is_object() && !host.contains("opens"))
      put(host, "cluster.hosts", "opens", costs.opens, op_rate, "files that one host opens");
}

}  // namespace stallcast::scenarios
