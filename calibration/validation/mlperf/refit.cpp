#include "calibration/validation/mlperf/refit.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "calibration/fit/cells.hpp"
#include "calibration/fit/simplex.hpp"

namespace stallcast::calibration::mlperf {
namespace {

/// Scales of the misfit: what counts as one error.
constexpr double kPoints = 0.03, kLogCount = 0.15;
/// Corners of the first simplex: 35 % away.
constexpr double kStep = 0.3;
constexpr int kEvaluations = 150;
/// Systems with results below which nothing is left out.
constexpr std::size_t kLeastSystems = 6;
/// Rows whose AU is within this of the bar stopped near their limit, where no column says it.
constexpr double kNearBar = 0.05;

using Scaling = void (*)(StepConstants&, double factor);

/// What is free per workload; each takes its constant times a factor.
const std::map<std::string_view, std::vector<Scaling>>& free_constants() {
  static const std::map<std::string_view, std::vector<Scaling>> kFree = {
      {"cosmoflow",
       {[](StepConstants& c, double k) { c.floor *= k; },
        [](StepConstants& c, double k) { c.barrier *= k; },
        [](StepConstants& c, double k) { c.opens *= k; },
        [](StepConstants& c, double k) { c.knee *= k; }}},
      {"resnet50",
       {[](StepConstants& c, double k) { c.barrier *= k; },
        [](StepConstants& c, double k) { c.sharing *= k; },
        [](StepConstants& c, double k) { c.knee *= k; },
        [](StepConstants& c, double k) { c.efficiency *= k; }}},
      {"unet3d",
       {[](StepConstants& c, double k) {
          c.floor -= (k - 1.0) * c.barrier;  // what one rank loses stays
          c.barrier *= k;
        },
        [](StepConstants& c, double k) { c.worker *= k; }}},
  };
  return kFree;
}

Submission with(const Submission& row, const Constants& constants) {
  Submission out = row;
  for (const Workload& workload : constants)
    if (workload.rules.id == row.system.workload->rules.id) out.system.workload = &workload;
  return out;
}

const Submission* find(std::span<const Submission> rows, const std::string& id) {
  for (const Submission& row : rows)
    if (row.id == id) return &row;
  return nullptr;
}

std::optional<SystemFit> fit_for(const Submission& row, std::span<const Submission> rows,
                                 const Constants& constants) {
  const Submission* calibration = find(rows, row.calibration);
  if (calibration == nullptr) return std::nullopt;
  return calibrate(with(*calibration, constants), calibration->id == row.id);
}

/// Rows of one workload that can be compared.
std::vector<const Submission*> compared(std::span<const Submission> rows, std::string_view workload,
                                        const std::string& without) {
  std::vector<const Submission*> out;
  for (const Submission& row : rows)
    if (row.system.workload->rules.id == workload && row.calibration != without &&
        row.id != row.calibration && row.results.au && row.accelerators)
      out.push_back(&row);
  return out;
}

/// Squares near 0, lines far from it.
double robust(double error) { return 2.0 * (std::sqrt(1.0 + error * error) - 1.0); }

double misfit(std::span<const Submission* const> some, std::span<const Submission> all,
              const Constants& constants) {
  double sum = 0.0;
  for (const Submission* row : some) {
    const Submission here = with(*row, constants);
    const auto fit = fit_for(here, all, constants);
    const Supply supply = fit ? supply_of_fit(here.system, *fit) : supply_of_sheet(here.system);
    const double n = *row->accelerators;
    const double steps = row->steps.value_or(steps_of(here.system, n));
    const double au = utilization(here.system, n, steps, supply);
    sum += robust((au - *row->results.au) / kPoints);
    if (shows_limit(*row, all))
      sum += robust(std::log(supported(here.system, supply) / n) / kLogCount);
  }
  return sum;
}

/// Medians of what the rows say of equation 17.
void refit_first_step(Workload& workload, std::span<const Submission* const> rows) {
  std::vector<double> per_rank, per_file;
  for (const Submission* row : rows) {
    if (!row->results.first_step) continue;
    const double n = *row->accelerators;
    const double extra = (*row->results.first_step - row->system.compute).in(unit::s);
    const double steps = row->steps.value_or(steps_of(row->system, n));
    per_rank.push_back(extra / std::pow(n, 0.25));
    per_file.push_back(extra /
                       (steps * n * workload.rules.batch / workload.rules.samples_per_file));
  }
  if (per_rank.empty()) return;
  if (workload.step.first_rank > Seconds{})
    workload.step.first_rank = Seconds::from(median(per_rank), unit::s);
  if (workload.step.first_file > Seconds{})
    workload.step.first_file = Seconds::from(median(per_file), unit::s);
}

}  // namespace

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

Constants refit(std::span<const Submission> rows, const std::string& without) {
  Constants out;
  std::copy(workloads().begin(), workloads().end(), out.begin());
  // unet3d first: its rows calibrate the systems of the others.
  std::stable_sort(out.begin(), out.end(), [](const Workload& a, const Workload& b) {
    return a.step.prefetching_workers > b.step.prefetching_workers;
  });
  for (Workload& workload : out) {
    const auto some = compared(rows, workload.rules.id, without);
    const std::vector<Scaling>& changes = free_constants().at(workload.rules.id);
    if (some.size() <= changes.size()) continue;
    const StepConstants before = workload.step;
    const auto apply = [&](const std::vector<double>& logs) {
      workload.step = before;
      for (std::size_t i = 0; i < changes.size(); ++i) changes[i](workload.step, std::exp(logs[i]));
    };
    const auto loss = [&](const std::vector<double>& logs) {
      apply(logs);
      return misfit(some, rows, out);
    };
    apply(fit::minimise(loss, std::vector<double>(changes.size(), 0.0), kStep, kEvaluations));
    refit_first_step(workload, some);
  }
  return out;
}

std::map<std::string, RowPrediction> leave_one_out(std::span<const Submission> rows) {
  std::set<std::string> systems;
  for (const Workload& workload : workloads())
    for (const Submission* row : compared(rows, workload.rules.id, ""))
      systems.insert(row->calibration);
  std::map<std::string, RowPrediction> out;
  if (systems.size() < kLeastSystems) return out;
  for (const std::string& system : systems) {
    const Constants constants = refit(rows, system);
    for (const Submission& row : rows)
      if (row.calibration == system)
        out.emplace(row.id, predict(with(row, constants), fit_for(row, rows, constants)));
  }
  return out;
}

}  // namespace stallcast::calibration::mlperf
