#include "calibration/validation/grid/draws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "calibration/fit/cells.hpp"
#include "engine/base/random.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::grid {
namespace {

/// Judgement, where no probe was repeated: decode, CPU time of cold reads, the device's queue,
/// memory of processes.
constexpr double kDecode = 0.03, kCpu = 0.15, kQueue = 0.2, kMemory = 0.7;
/// Rates of probes agree no better than this over processes.
constexpr double kLeastRate = 0.005;
/// Starts of workers depend on what else the machine did.
constexpr double kLeastBoot = 0.3;
/// Standard deviations from the 5 % to the 95 % quantile of a normal, halved.
const double kReach = base::normal_quantile(0.95);

/// Standard deviation (of a population) of logarithms.
double spread(const std::vector<double>& values) {
  if (values.empty()) return 0.0;
  const auto n = static_cast<double>(values.size());
  double mean = 0.0, sum = 0.0;
  for (const double v : values) mean += std::log(v) / n;
  for (const double v : values) sum += (std::log(v) - mean) * (std::log(v) - mean) / n;
  return std::sqrt(sum);
}

double apart(double a, double b) { return std::abs(std::log(a / b)); }

/// Idle against busy machine, and what the line through the shapes leaves.
double handover_spread(const CpuProbe& cpu, const LoaderFit& loader, Diagnostics& faults) {
  std::vector<double> loads, line;
  for (const auto& [name, figures] : cpu.costs) {
    if (!name.starts_with("ready_next_") || !name.ends_with("_idle")) continue;
    const double idle = cpu.need(name, "ms_p50", faults);
    const std::string shape = base::split(name, '_')[2];
    const std::string busy = "ready_next_" + shape + "_busy";
    if (cpu.costs.contains(busy)) loads.push_back(spread({idle, cpu.need(busy, "ms_p50", faults)}));
    const auto parts = base::split(shape, 'x');
    if (parts.size() != 2) continue;
    const double megabytes = base::parse_number(parts[0]).value_or(0.0) *
                             base::parse_number(parts[1]).value_or(0.0) / 1e6;
    line.push_back(idle / (loader.handover + megabytes * loader.handover_per_MB).in(unit::ms));
  }
  return std::hypot(loads.empty() ? 0.0 : median(loads), spread(line));
}

double rate_spread(const StoreProbe& probe, Diagnostics& faults) {
  std::vector<double> rates;
  for (const int jobs : {1, 2, 4, 8})
    rates.push_back(probe.need_fio("randread", "128k", jobs, faults).rate.in(unit::MBps));
  return std::max(kLeastRate, spread(rates));
}

/// The reads of two tools: of files and of fio.
double latency_spread(const StoreProbe& probe, Diagnostics& faults) {
  std::vector<double> found;
  for (const auto& [format, block] : {std::pair("raw16k", "16k"), std::pair("raw128k", "128k")})
    found.push_back(apart(probe.need(format, 1, faults).read.in(unit::ms),
                          probe.need_fio("randread", block, 1, faults).mean.in(unit::ms)));
  return median(found);
}

double boot_spread(const CpuProbe& cpu, Diagnostics& faults) {
  std::vector<double> found;
  for (const auto& [name, figures] : cpu.costs)
    if (name.starts_with("dl_") && name.ends_with("_w1"))
      found.push_back(cpu.need(name, "first_batch_ms", faults));
  return std::max(kLeastBoot, spread(found));
}

}  // namespace

DrawSpread spread_of(const ProbeFiles& probes, const std::string& store, const StoreFit& fit,
                     const LoaderFit& loader, Diagnostics& faults) {
  const StoreProbe& probe = probes.stores.at(store);
  DrawSpread out{.decode = kDecode, .cpu = kCpu, .queue = kQueue, .memory = kMemory};
  out.handover = handover_spread(probes.cpu, loader, faults);
  out.boot = boot_spread(probes.cpu, faults);
  // The two rates of the geometric mean as its 5 and 95 % quantiles.
  out.snapshot = apart(probes.cpu.need("snapshot_memcpy", "GBps", faults),
                       probes.cpu.need("os_write_tmpfs", "GBps", faults)) /
                 2.0 / kReach;
  const FioRun& write = probe.need_fio("write-fsync", "1M", 1, faults);
  if (fit.remote) {
    out.rate = kLeastRate;
    out.latency = latency_spread(probe, faults);
    out.write = apart(write.mean.in(unit::ms), write.at(1.0).in(unit::ms)) / 2.0;
  } else {
    out.rate = rate_spread(probe, faults);
    out.write = apart(write.rate.in(unit::MBps),
                      probe.need_fio("write-fsync", "1M", 4, faults).rate.in(unit::MBps)) /
                2.0;
  }
  return out;
}

Draw draw(const DrawSpread& spread, int index, int count) {
  const auto factor = [&](double sigma, const char* parameter) {
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    base::RandomStream random(1, "grid", parameter);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    const double p = (order[static_cast<std::size_t>(index)] + 0.5) / count;
    return std::exp(sigma * base::normal_quantile(p));
  };
  return {.handover = factor(spread.handover, "handover"),
          .rate = factor(spread.rate, "rate"),
          .latency = factor(spread.latency, "latency"),
          .write = factor(spread.write, "write"),
          .boot = factor(spread.boot, "boot"),
          .snapshot = factor(spread.snapshot, "snapshot"),
          .decode = factor(spread.decode, "decode"),
          .cpu = factor(spread.cpu, "cpu"),
          .queue = factor(spread.queue, "queue"),
          .memory = factor(spread.memory, "memory")};
}

}  // namespace stallcast::calibration::grid
