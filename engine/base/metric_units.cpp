#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/glob.hpp"
#include "stallcast/design.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/units.hpp"

namespace stallcast::metric {
namespace {

constexpr std::string_view kPerHour = "USD/h", kEnergy = "kWh", kDays = "d";

/// What one of a unit is in the base unit of its dimension, where that is another.
struct Scale {
  std::string_view unit;
  double times = 1.0, over = 1.0;
};
constexpr std::array<Scale, 3> kScales = {
    {{kPerHour, 1.0, unit::h.scale}, {kEnergy, 3.6e6}, {kDays, unit::d.scale}}};

Scale scale_of(std::string_view unit) {
  for (const Scale& known : kScales)
    if (known.unit == unit) return known;
  return {};
}

/// The first row of a dimension has its base unit, the first of a unit its dimension.
constexpr std::array<std::pair<Dimension, std::string_view>, 19> kUnits = {
    {{Dimension::count, "count"},
     {Dimension::number, "count"},
     {Dimension::bytes, "B"},
     {Dimension::time, "s"},
     {Dimension::rate, "B/s"},
     {Dimension::op_rate, "1/s"},
     {Dimension::op_rate, "samples/s"},
     {Dimension::op_rate, "tokens/s"},
     {Dimension::op_rate, "queries/s"},
     {Dimension::ratio, "ratio"},
     {Dimension::flops, "FLOP"},
     {Dimension::flop_rate, "FLOP/s"},
     {Dimension::money, "USD"},
     {Dimension::money_rate, "USD/s"},
     {Dimension::money_rate, kPerHour},
     {Dimension::power, "W"},
     {Dimension::energy, "J"},
     {Dimension::energy, kEnergy},
     {Dimension::time, kDays}}};

/// What rates count, where that is no operation of storage.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCounted = {
    {{"job.*.throughput.samples", "samples/s"},
     {"job.*.throughput.dlio", "samples/s"},
     {"tenant.*.tokens", "tokens/s"},
     {"tenant.*.queries", "queries/s"}}};

/// Of figures outside the table, by their full names. The first row that matches decides.
constexpr std::array<std::pair<std::string_view, std::string_view>, 38> kNamed = {
    {{"resource.*.utilization", "ratio"},
     {"resource.*.queue", "count"},
     {"job.*.checkpoint.took.*", "s"},
     {"job.*.restore.took.*", "s"},
     {"job.*.restart.restore.took.*", "s"},
     {"job.*.checkpoint.backpressure*", "s"},
     {"job.*.checkpoint.rank0*", "s"},
     {"job.*.checkpoint.slowed", "s"},
     {"job.*.checkpoint.stall.total", "s"},
     {"job.*.checkpoint.count", "count"},
     {"job.*.checkpoint.files", "count"},
     {"job.*.checkpoint.held", "B"},
     {"job.*.waited.*", "s"},
     {"job.*.stall.*", "ratio"},
     {"job.*.time.*", "s"},
     {"job.*.first_batch.*", "s"},
     {"job.*.first_step*", "s"},
     {"job.*.epoch.begin", "s"},
     {"job.*.epoch.begun", "count"},
     {"job.*.lasting.*", "ratio"},
     {"job.*.unseen.wait", "s"},
     {"job.*.steady.au", "ratio"},
     {"job.*.steady.wait", "s"},
     {"job.*.steady.barrier", "s"},
     {"job.*.steady.step.time", "s"},
     {"job.*.failures.bad_saves", "count"},
     {"job.*.failures.lost_all", "count"},
     {"job.*.failures.mount", "s"},
     {"job.*.restore.bandwidth", "B/s"},
     {"job.*.restore.rank0*", "s"},
     {"job.*.restore.read", "B"},
     {"job.*.run.steps", "count"},
     {"job.*.steps", "count"},
     {"job.*.throughput.dlio", "1/s"},
     {"stage.*.read", "B"},
     {"stage.*.written", "B"},
     {"storage.*.throttled", "ratio"},
     {"storage.*.tries.most", "count"}}};

}  // namespace

std::string_view unit_said(std::string_view full) {
  if (const Figure* figure = find(full))
    return figure->domain == parse(full).domain ? figure->unit : std::string_view();
  const auto row = std::find_if(kNamed.begin(), kNamed.end(), [&](const auto& known) {
    return base::matches_glob(known.first, full);
  });
  return row == kNamed.end() ? std::string_view() : row->second;
}

std::string_view unit_of(Dimension dimension) {
  const auto row = std::find_if(kUnits.begin(), kUnits.end(),
                                [&](const auto& known) { return known.first == dimension; });
  return row == kUnits.end() ? std::string_view() : row->second;
}

std::optional<Dimension> dimension_of(std::string_view unit) {
  const auto row = std::find_if(kUnits.begin(), kUnits.end(),
                                [&](const auto& known) { return known.second == unit; });
  return row == kUnits.end() ? std::nullopt : std::optional(row->first);
}

std::string_view shown_unit(std::string_view full, std::string_view unit) {
  if (unit != unit_of(Dimension::op_rate)) return unit;
  const auto row = std::find_if(kCounted.begin(), kCounted.end(), [&](const auto& known) {
    return base::matches_glob(known.first, full);
  });
  return row == kCounted.end() ? unit : row->second;
}

double to_base(double value, std::string_view unit) {
  const Scale scale = scale_of(unit);
  return value * scale.times / scale.over;
}
double from_base(double base_value, std::string_view unit) {
  const Scale scale = scale_of(unit);
  return base_value * scale.over / scale.times;
}

bool takes_plain(std::string_view unit) { return unit == kEnergy || unit == kDays; }

}  // namespace stallcast::metric
