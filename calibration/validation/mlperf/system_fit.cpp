#include "calibration/validation/mlperf/system_fit.hpp"

#include <cmath>

namespace stallcast::calibration::mlperf {
namespace {

using namespace literals;

/// Share of a NIC that file traffic uses. Grid.
constexpr double kNicShare = 0.95;
/// Share of a vendor's stated read rate that training sees. Grid; DDN delivers 94-95 %.
constexpr double kStatedShare = 0.97;
/// Share of the storage's NICs or drives, whichever is less, where nothing is stated or measured.
/// 0.643-0.665 when fitted.
constexpr double kSheetShare = 0.62;
/// Share of a client's NICs where nothing is measured. Grid.
constexpr double kClientShare = 0.65;
/// Weight of the burst's rate against the run's, as logarithms. 0.73-0.80 when fitted.
constexpr double kBurstWeight = 0.5;
/// Above this AU a run says nothing of the storage's limit, and the vendor's figure counts ...
constexpr double kIdleUtilization = 0.96;
/// ... where it is less than this times what the run asked for.
constexpr double kStatedNear = 2.0;
/// A client that takes in less than this share of what NIC and storage give has slow readers.
constexpr double kSlowReaders = 0.3;
/// A faster NIC of another run helps a client-bound rate up to this factor.
constexpr double kMostNicGain = 2.0;
/// Mean of five epochs against the mean of the other four.
constexpr double kFirstEpochShare = 1.25;
/// Surplus of epoch 1 where nothing is measured; at most this share of its first step elsewhere.
constexpr Seconds kFirstEpoch = 2.4_s;
constexpr double kMostFirstEpoch = 0.8;
/// What the burst takes is at least this share of the first step.
constexpr double kLeastBurst = 0.2;
/// Least share of the step that storage is taken to fill (as powers of the knee): keeps the rate of
/// a run far from the limit finite.
constexpr double kLeastStorage = 0.5;
constexpr int kCountRounds = 8;
/// Least and most of the burst's rate over the run's.
constexpr double kLeastFill = 0.5, kMostFill = 1.3;

Rate sheet_storage(const DataSheet& sheet) {
  // A stated rate is believed, sums of NICs and drives only in part.                      [eq. 13]
  if (sheet.stated.finite())
    return std::min(kStatedShare * sheet.stated, kNicShare * sheet.storage_nic);
  return kSheetShare * std::min(sheet.storage_nic, sheet.drives);
}

/// C at which the row's step time comes out, other limits as they are.                     [eq. 7]
Rate rate_of_run(const Submission& row, double accelerators, double steps) {
  const System& system = row.system;
  const Rate large = Rate::from(1e18, unit::Bps);
  Supply supply;
  supply.aggregate = supply.host = large;
  supply.worker = system.workload->step.worker;
  const LawParts parts = step_parts(system, accelerators, steps, supply);
  const Seconds step = system.compute / *row.results.au;
  // storage^q = max(T^q - base^q - worker^q - opens^q, (T/2)^q), all over T
  double rest = 1.0;
  for (const Seconds part : {parts.base, parts.worker, parts.opens})
    rest -= std::pow(part / step, parts.knee);
  rest = std::max(rest, std::pow(kLeastStorage, parts.knee));
  return large * (parts.storage / (step * std::pow(rest, 1.0 / parts.knee)));
}

/// What the first steps say: the surplus of epoch 1, and the rate of the burst.            [eq. 8]
void read_burst(const Submission& row, double accelerators, SystemFit& fit) {
  const System& system = row.system;
  if (!system.workload->step.prefetching_workers || !row.results.first_step) return;
  const Seconds mean = *row.results.first_step;
  const Seconds first = row.results.first_step_1.value_or(mean);
  fit.first_epoch = std::clamp(kFirstEpochShare * (first - mean), 0_s, kMostFirstEpoch * first);
  const Seconds burst =
      std::max(kLeastBurst * mean, mean - system.compute - *fit.first_epoch / kEpochs);
  fit.burst = system.workload->batch_bytes() * (accelerators * system.read_threads) / burst;
}

}  // namespace

std::optional<double> accelerators_of(const Submission& row) {
  if (row.accelerators) return row.accelerators;
  const System& system = row.system;
  if (!row.results.au || !row.results.rate) return std::nullopt;
  // N = rate t / (S b L), t = first + (S - 1) ct / AU; S depends on N: a few rounds.      [eq. 23]
  const Seconds step = system.compute / *row.results.au;
  const Seconds first = row.results.first_step.value_or(step);
  double n = *row.results.rate / system.demand(1.0) / *row.results.au;
  for (int round = 0; round < kCountRounds; ++round) {
    const double steps = row.steps.value_or(steps_of(system, std::max(1.0, n)));
    const Seconds epoch = first + (steps - 1.0) * step;
    n = *row.results.rate * epoch / (steps * system.workload->batch_bytes());
  }
  return std::max(1.0, std::round(n / system.hosts)) * system.hosts;
}

std::optional<SystemFit> calibrate(const Submission& row, bool itself) {
  const auto accelerators = accelerators_of(row);
  if (!row.results.au || !accelerators) return std::nullopt;
  const System& system = row.system;
  const DataSheet& sheet = system.sheet;
  SystemFit fit;
  fit.key = system.key;
  fit.hosts = system.hosts;
  fit.sheet = sheet;
  const double steps = row.steps.value_or(steps_of(system, *accelerators));
  Rate rate = rate_of_run(row, *accelerators, steps);
  read_burst(row, *accelerators, fit);
  if (!itself) {
    // C = C_run^(1-theta) burst^theta: the burst shows what the run did not ask for.       [eq. 9]
    if (fit.burst && *fit.burst > rate) rate *= std::pow(*fit.burst / rate, kBurstWeight);
    if (*row.results.au > kIdleUtilization && sheet.stated < kStatedNear * rate)
      rate = kStatedShare * sheet.stated;
  }
  // No more than the data sheets allow.                                                  [eq. 10]
  for (const Rate limit :
       {kNicShare * sheet.storage_nic, kNicShare * sheet.drives, kStatedShare * sheet.stated,
        kNicShare * system.hosts * sheet.client_nic})
    rate = std::min(rate, limit);
  fit.rate = rate;
  const Rate storage = sheet_storage(sheet);
  fit.client_bound = system.hosts == 1.0 && rate < storage;  // [eq. 11]
  if (!itself && fit.client_bound && system.workload->step.prefetching_workers &&
      rate < kSlowReaders * std::min(sheet.client_nic, storage))
    fit.worker = rate / (*accelerators * system.read_threads);  // [eq. 12]
  return fit;
}

Supply supply_of_sheet(const System& system) {
  return {.aggregate = sheet_storage(system.sheet),
          .host = kClientShare * system.sheet.client_nic,
          .worker = system.workload->step.worker,
          .fill = 1.0,
          .first_epoch = kFirstEpoch};
}

Supply supply_of_fit(const System& system, const SystemFit& fit) {
  const DataSheet &here = system.sheet, &there = fit.sheet;
  Supply out;
  out.host = kNicShare * here.client_nic;
  out.aggregate = fit.rate;
  // A relative with more or fewer storage nodes delivers in proportion to their NICs.
  if (system.key != fit.key && here.storage_nic.finite() && there.storage_nic.finite())
    out.aggregate *= here.storage_nic / there.storage_nic;
  if (fit.client_bound) {
    // One client took `rate`; how much the storage has for more of them, the sheet says.   [eq. 11]
    const bool same = here.client_nic == there.client_nic;
    const double gain =
        same ? 1.0 : std::clamp(here.client_nic / there.client_nic, 1.0, kMostNicGain);
    out.host = std::min(out.host, fit.rate / fit.hosts * gain);
    out.aggregate = std::max(out.aggregate, sheet_storage(here));
  }
  out.worker = fit.worker.value_or(system.workload->step.worker);
  out.fill = fit.burst ? std::clamp(*fit.burst / fit.rate, kLeastFill, kMostFill) : 1.0;
  out.first_epoch = fit.first_epoch.value_or(kFirstEpoch);
  return out;
}

}  // namespace stallcast::calibration::mlperf
