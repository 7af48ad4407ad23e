#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stallcast {
enum class Dimension;
}

/// The names of metrics, their units, and the one table of the figures that reports and the
/// explorer show. A name is its domain, the id of what it is of, the figure, and a statistic
/// unless it is the mean: "job.train.checkpoint.stall.p99". Costs have no id ("cost.capex"); a
/// resource's id has dots.
namespace stallcast::metric {

/// What a figure is of.
enum class Domain {
  job,
  tenant,
  stage,
  pipeline,
  failure,
  storage,
  resource,
  cost,
  power,
  space,
  any,
  other
};

/// A name taken apart: views into the text that was parsed.
struct Name {
  Domain domain = Domain::other;
  std::string_view id;      ///< "train", "storage.scratch.ost"; "" for costs, power, the pipeline
  std::string_view figure;  ///< "checkpoint.stall"
  std::string_view statistic;  ///< "p50", "p95", "p99", "max"; "" for the mean
};

/// `Domain::any` is the wildcard "*.gpu.utilization"; of a name of no known domain, `figure` is
/// all.
[[nodiscard]] Name parse(std::string_view full);
/// Every figure that runs and plans report of `domain`, with its statistics; "*" stands for what a
/// design names, as a resource in "waited.*".
[[nodiscard]] std::vector<std::string> figures_of(Domain domain);
/// Whether runs or plans may report `full`, as far as its name tells: a wildcard stands for
/// anything, "x.mean" is "x".
[[nodiscard]] bool is_reported(std::string_view full);
/// What all names begin with.
[[nodiscard]] std::vector<std::string_view> domain_words();
/// What names of a domain begin with, ids as "*": "job.*.", "cost.".
struct Stem {
  Domain domain;
  std::string text;
};
[[nodiscard]] std::vector<Stem> stems();

/// "job.train.checkpoint.stall"; without a figure, what all names of the job begin with.
[[nodiscard]] std::string of_job(std::string_view job, std::string_view figure = {});
[[nodiscard]] std::string of_tenant(std::string_view tenant, std::string_view figure = {});
/// Of a stage of a pipeline.
[[nodiscard]] std::string of_stage(std::string_view stage, std::string_view figure = {});
/// Of a storage failure.
[[nodiscard]] std::string of_failure(std::string_view failure, std::string_view figure = {});
[[nodiscard]] std::string of_storage(std::string_view storage, std::string_view figure = {});
[[nodiscard]] std::string of_resource(std::string_view resource, std::string_view figure);
[[nodiscard]] std::string of_cost(std::string_view figure);

inline constexpr std::string_view kGpuUtilization = "gpu.utilization", kAu = "au",
                                  kGoodput = "goodput", kStepTime = "step.time",
                                  kLastingUtilization = "lasting.utilization",
                                  kLastingGoodput = "lasting.useful";
inline constexpr const char *kPower = "power.total", *kMeanPower = "power.mean",
                            *kStoragePower = "power.storage", *kIdlePower = "power.gpu_idle",
                            *kRackUnits = "space.rack_units";
inline constexpr const char *kCapex = "cost.capex", *kHourlyCost = "cost.hourly",
                            *kGpuIdleCost = "cost.gpu_idle",
                            *kUsefulGpuHour = "cost.per_useful_gpu_hour";

inline constexpr const char *kPipelineTime = "pipeline.time",
                            *kPipelineFirstBatch = "pipeline.first_batch",
                            *kPipelineLimit = "pipeline.limit";

[[nodiscard]] inline std::string gpu_utilization(std::string_view job) {
  return of_job(job, kGpuUtilization);
}
[[nodiscard]] inline std::string goodput(std::string_view job) { return of_job(job, kGoodput); }
[[nodiscard]] inline std::string step_time(std::string_view job) { return of_job(job, kStepTime); }
/// "job.train.checkpoint.stall", of "train" and "stall".
[[nodiscard]] std::string checkpoint(std::string_view job, std::string_view figure = {});

/// Which way a figure should go.
enum class Better { lower = -1, neither = 0, higher = 1 };

/// Figures that are shown together.
enum class Group {
  job,
  checkpoint,
  failures,
  restart,
  elastic,
  tenant,
  stage,
  pipeline,
  fault,
  capacity,
  cost,
  power,
  none
};

/// Where a figure has a tile of its own.
enum class TileOn { none, page, explorer, both };

/// One row of the table.
struct Figure {
  Domain domain;
  std::string_view key;    ///< "checkpoint.stall"
  std::string_view label;  ///< below the heading of its group: "stall per save"
  std::string_view unit;   ///< as `Metric` has it
  Better better;
  Group group;
  TileOn tile = TileOn::none;
  std::string_view title = {};  ///< standing alone: "time to a durable save"; "" where `label` does
  [[nodiscard]] std::string_view name_alone() const { return title.empty() ? label : title; }
};

/// In the order they are shown.
[[nodiscard]] std::span<const Figure> figures();

/// The row of a full name, its statistic aside; nullptr when the table has none.
[[nodiscard]] const Figure* find(std::string_view full);

/// By the table, else by how figures are named; `neither` for those that only describe (counts,
/// sizes) and for names nobody knows.
[[nodiscard]] Better better(std::string_view full);

/// The unit of a figure, by the table, else by how it is named; "" where that does not tell.
[[nodiscard]] std::string_view unit_said(std::string_view full);

/// The base unit of a dimension: "B", "s", "ratio", "USD/s"; "count" for plain numbers, "" for what
/// is not a number.
[[nodiscard]] std::string_view unit_of(Dimension dimension);
/// The dimension of a unit; nullopt for one of things ("cores", "GPU h") and for "".
[[nodiscard]] std::optional<Dimension> dimension_of(std::string_view unit);
/// `unit` of the figure `full` as people read it: "samples/s" where it has "1/s" of samples.
[[nodiscard]] std::string_view shown_unit(std::string_view full, std::string_view unit);

/// `value` of `unit` in the base unit of its dimension, and back: in metrics money per time is
/// counted by the hour, energy in kWh, and "run.days" in days.
[[nodiscard]] double to_base(double value, std::string_view unit);
[[nodiscard]] double from_base(double base_value, std::string_view unit);
/// Whether limits of figures in `unit` may be plain numbers of it, too: "run.days <= 60".
[[nodiscard]] bool takes_plain(std::string_view unit);

}  // namespace stallcast::metric
