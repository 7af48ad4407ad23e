#include "calibration/validation/mlperf/step_law.hpp"

#include <cmath>

namespace stallcast::calibration::mlperf {
namespace {

constexpr double kLeastSteps = 500.0;     // Submission_guidelines.md: steps per epoch ...
constexpr double kMemoryFactor = 5.0;     // ... and data over host memory, whichever is more
constexpr double kOpensThreads = 128.0;   // threads of the host that `opens` stands for
constexpr double kFillKnee = 4.0;         // how storage and process limits of the burst meet
constexpr double kMostPerHost = 1 << 14;  // where the search ends

/// Share of the batches that are read under the clock: the first `read_threads` of each rank lie
/// ready when it starts.                                                             [eq. 3]
double head_start(const System& system, double steps) {
  if (!system.workload->step.prefetching_workers) return 1.0;
  return std::max(readers::kLeastHead, (steps - system.read_threads) / (steps - 1.0));
}

}  // namespace

Seconds meet(std::initializer_list<Seconds> times, double knee) {
  // Over the largest, so that no power is too large or too small for a number.            [eq. 1]
  const Seconds largest = std::max(times);
  double sum = 0.0;
  for (const Seconds time : times) sum += std::pow(time / largest, knee);
  return largest * std::pow(sum, 1.0 / knee);
}

Seconds LawParts::step() const { return meet({base, storage, worker, opens}, knee); }

double steps_of(const System& system, double accelerators) {
  const BenchmarkRules& rules = system.workload->rules;
  // samples = max(500 b N, 5 memory hosts / L), in whole files; S = floor(samples / b / N)
  const double samples = std::max(kLeastSteps * rules.batch * accelerators,
                                  kMemoryFactor * system.hosts * (system.memory / rules.record));
  const double files = std::ceil(samples / rules.samples_per_file);
  return std::max(2.0, std::floor(files * rules.samples_per_file / rules.batch / accelerators));
}

LawParts step_parts(const System& system, double accelerators, double steps, const Supply& supply) {
  const StepConstants& c = system.workload->step;
  const double n = accelerators, per_host = n / system.hosts;
  const Bytes batch = system.workload->batch_bytes();
  const double head = head_start(system, steps);
  LawParts out;
  out.knee = c.knee;
  // base = ct + floor + barrier sqrt(N) + sharing n / threads                             [eq. 2]
  out.base = system.compute + c.floor + c.barrier * (system.barrier ? std::sqrt(n) : 1.0) +
             c.sharing * (per_host / system.cpu_threads);
  // storage = b L N / (C efficiency) head                                                [eq. 3]
  out.storage = batch * (n * head) / (supply.rate(system.hosts) * c.efficiency);
  if (c.prefetching_workers) {
    // worker = b L / (W w) (1 + g sqrt(2 ln N) cv / sqrt(W)) head                         [eq. 4]
    const double w = system.read_threads;
    const double slowest = 1.0 + readers::kSlowest * std::sqrt(2.0 * std::log(std::max(n, 1.0))) *
                                     readers::kBatchSpread / std::sqrt(w);
    out.worker = batch * (slowest * head) / (supply.worker * w);
  }
  // opens = n / (X sqrt(threads / 128))                                                  [eq. 5]
  if (c.opens.finite())
    out.opens =
        Ops::from(per_host * system.workload->rules.batch / system.workload->rules.samples_per_file,
                  unit::ops) /
        (std::sqrt(system.cpu_threads / kOpensThreads) * c.opens);
  return out;
}

double utilization(const System& system, double accelerators, double steps, const Supply& supply) {
  return system.compute / step_parts(system, accelerators, steps, supply).step();
}

Seconds first_step(const System& system, double accelerators, double steps, const Supply& supply) {
  const StepConstants& c = system.workload->step;
  const BenchmarkRules& rules = system.workload->rules;
  if (!c.prefetching_workers) {
    // ct + r N^(1/4) + f files                                                          [eq. 17]
    const double files = steps * accelerators * rules.batch / rules.samples_per_file;
    return system.compute + c.first_rank * std::pow(accelerators, 0.25) + c.first_file * files;
  }
  const Bytes batch = system.workload->batch_bytes();
  // ct + ((N W b L / (fill C))^4 + (b L / w)^4)^(1/4) + E1 / 5                           [eq. 16]
  const Seconds burst =
      batch * (accelerators * system.read_threads) / (supply.rate(system.hosts) * supply.fill);
  const Seconds alone = batch / supply.worker;
  return system.compute + meet({burst, alone}, kFillKnee) + mean_first_epoch(supply);
}

Seconds mean_first_epoch(const Supply& supply) { return supply.first_epoch / kEpochs; }

double supported(const System& system, const Supply& supply) {
  const double bar = system.workload->rules.bar.in(unit::ratio);
  const auto keeps = [&](double per_host) {
    const double n = per_host * system.hosts;
    return utilization(system, n, steps_of(system, n), supply) >= bar;
  };
  double low = 1.0, high = 2.0;
  if (!keeps(low)) return system.hosts;
  while (high < kMostPerHost && keeps(high)) low = high, high *= 2.0;
  while (high - low > 1.0) {
    const double middle = std::floor((low + high) / 2.0);
    (keeps(middle) ? low : high) = middle;
  }
  return low * system.hosts;
}

}  // namespace stallcast::calibration::mlperf
