#include "calibration/validation/mlperf/baselines.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::calibration::mlperf {
namespace {

/// Rows whose AU is within this of the bar stopped near their limit, where no column says it.
constexpr double kNearBar = 0.05;

Rate sheet_rate(const System& system) {
  const DataSheet& sheet = system.sheet;
  return std::min({sheet.storage_nic, sheet.drives, sheet.stated, sheet.client_nic * system.hosts});
}

std::map<std::string, double> ratio(const Submission& row, Rate rate) {
  std::map<std::string, double> out;
  if (!rate.finite()) return out;
  const System& system = row.system;
  const double bar = system.workload->rules.bar.in(unit::ratio);
  const double most = rate / (bar * system.demand(1.0)) / system.hosts;
  out["accelerators"] = std::max(1.0, std::floor(most)) * system.hosts;
  if (!row.accelerators) return out;
  out["au"] = std::min(1.0, rate / system.demand(*row.accelerators));
  if (system.workload->step.prefetching_workers)
    out["first_step_s"] =
        (system.workload->batch_bytes() * (*row.accelerators * system.read_threads) / rate)
            .in(unit::s);
  return out;
}

}  // namespace

std::map<std::string, std::map<std::string, double>> baselines(const Submission& row,
                                                               const Submission* calibration,
                                                               std::span<const Submission> all) {
  std::map<std::string, std::map<std::string, double>> out;
  double sum = 0.0, count = 0.0;
  // Systems that one row calibrates count as one.
  const auto another = [&](const Submission& other) {
    return row.calibration.empty() ? other.system.key != row.system.key
                                   : other.calibration != row.calibration;
  };
  for (const Submission& other : all)
    if (other.results.au && other.system.workload == row.system.workload && another(other))
      sum += *other.results.au, count += 1.0;
  if (count > 0.0 && row.accelerators) out["constant"]["au"] = sum / count;
  const Rate sheet = sheet_rate(row.system);
  if (calibration != nullptr && calibration->results.rate) {
    const Rate scaled = *calibration->results.rate / calibration->system.hosts * row.system.hosts;
    out["bandwidth ratio"] = ratio(row, std::min(scaled, sheet));
  }
  out["data sheet"] = ratio(row, sheet);
  std::erase_if(out, [](const auto& baseline) { return baseline.second.empty(); });
  return out;
}

bool shows_limit(const Submission& row, std::span<const Submission> all) {
  if (row.edge) return *row.edge;
  if (!row.results.au || !row.accelerators) return false;
  if (*row.results.au > row.system.workload->rules.bar.in(unit::ratio) + kNearBar) return false;
  return std::none_of(all.begin(), all.end(), [&](const Submission& other) {
    return other.system.key == row.system.key &&
           other.system.workload->rules.id == row.system.workload->rules.id &&
           other.accelerator == row.accelerator && other.system.hosts == row.system.hosts &&
           other.accelerators.value_or(0.0) > *row.accelerators;
  });
}

}  // namespace stallcast::calibration::mlperf
