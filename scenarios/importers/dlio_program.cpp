#include "engine/base/quantity_text.hpp"
#include "scenarios/importers/dlio_costs.hpp"
#include "scenarios/importers/dlio_import.hpp"

namespace stallcast::scenarios {
namespace {

using base::Json;

// TensorFlow's loss grows with the records of a batch: many small ones, or a single one.
const DlioCosts& costs_of(bool tensorflow, std::int64_t batch) {
  if (!tensorflow) return dlio_costs("unet3d");
  return dlio_costs(batch > 1 ? "resnet50" : "cosmoflow");
}

}  // namespace

void DlioImport::add_costs(Json& job) {
  const std::string loader = job["loader"].value("type", "");
  if (loader != "pytorch" && loader != "tensorflow") return;
  const bool tensorflow = loader == "tensorflow";
  const DlioCosts& costs = costs_of(tensorflow, batch_);
  const auto put = [&](Json& part, std::string_view target, const char* key, const CostRange& cost,
                       Dimension dimension, std::string_view what) {
    if (!cost.given()) return;
    const auto text = [&](double value) { return base::exact_quantity(value, dimension); };
    const std::string why =
        std::string(what) + ": as for " + std::string(costs.like) + " in MLPerf Storage v1.0";
    part[key] = Json{{"value", text(cost.middle)},
                     {"low", text(cost.low)},
                     {"high", text(cost.high)},
                     {"why", why}};
    note(FieldFate::defaulted, "", text(cost.middle), std::string(target) + "." + key, why);
  };
  using enum Dimension;
  put(job["step"], "jobs[train].step", "overhead", costs.overhead, time, "what DLIO loses a step");
  put(job["step"], "jobs[train].step", "sharing", costs.sharing, ratio,
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
  if (Json& host = scenario_["cluster"]["hosts"][0]; tensorflow && !host.contains("opens"))
    put(host, "cluster.hosts", "opens", dlio_opens(), op_rate, "files that one host opens");
}

}  // namespace stallcast::scenarios
