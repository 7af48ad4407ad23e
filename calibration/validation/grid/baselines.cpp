#include <algorithm>
#include <cmath>

#include "calibration/validation/grid/loader_fit.hpp"
#include "calibration/validation/grid/prediction.hpp"

namespace stallcast::calibration::grid {
namespace {

/// Bytes a second that fio got at most.
Rate bandwidth(const StoreProbe& probe) {
  Rate most;
  for (const FioRun& run : probe.fio)
    if (run.tag == "randread") most = std::max(most, run.rate);
  return most;
}

/// Files a second as probed with the nearest number of readers; by bandwidth where the format was
/// not read.
double fetches_per_s(const GridRow& row, const ProbeFiles& probes) {
  const StoreProbe& probe = probes.stores.at(row.store);
  const double readers = std::max(1, row.workers) * row.ranks;
  const FileRun* nearest = nullptr;
  const auto distance = [&](const FileRun& run) {
    return std::abs(std::log(run.readers / readers));
  };
  for (const FileRun& run : probe.runs)
    if (run.format == row.format && (nearest == nullptr || distance(run) < distance(*nearest)))
      nearest = &run;
  const Bytes size = probes.data.at(row.format).mean;
  return nearest != nullptr ? nearest->files_per_s.in(unit::per_s)
                            : bandwidth(probe).in(unit::Bps) / size.in(unit::B);
}

std::map<std::string, double> by_share(const GridRow& row, double au) {
  return {{"au", au}, {"step_ms", row.compute.in(unit::ms) / au}};
}

}  // namespace

std::map<std::string, std::map<std::string, double>> baselines(const GridRow& row,
                                                               const ProbeFiles& probes) {
  const DataSet& data = probes.data.at(row.format);
  const bool shards = row.format == "tar";
  Diagnostics none;
  const double samples = row.batch * row.ranks / std::max(row.compute.in(unit::s), 1e-6);
  const auto tar = probes.cpu.costs.find("sample_tar");
  const double stored =
      shards && tar != probes.cpu.costs.end() && tar->second.contains("bytes_mean")
          ? tar->second.find("bytes_mean")->second
          : data.mean.in(unit::B);
  const double ratio = bandwidth(probes.stores.at(row.store)).in(unit::Bps) / (samples * stored);

  const double in_file = shards ? data.mean.in(unit::B) / stored : 1.0;
  const double fetch = row.warm ? HUGE_VAL : in_file * fetches_per_s(row, probes);
  const Seconds cpu = sample_cpu(probes.cpu, row.format, none) + row.augment;
  const double processes = std::min<double>(std::max(1, row.workers) * row.ranks, probes.cpu.cores);
  const double decode = processes / std::max(cpu.in(unit::s), 1e-9);
  return {{"bandwidth ratio", by_share(row, std::min(1.0, row.warm ? 1.0 : ratio))},
          {"slowest stage", by_share(row, std::min({1.0, fetch / samples, decode / samples}))}};
}

}  // namespace stallcast::calibration::grid
