#include "calibration/measure/probes/gds/verdict.hpp"

#include <algorithm>

namespace stallcast::calibration::gds {

PathCounts counts_of(const CuFileCounters& counters, bool reading) {
  PathCounts sum;
  for (unsigned i = 0; i < std::min<std::size_t>(counters.gpus, CuFileCounters::kGpus); ++i) {
    const CuFileGpuCounters& gpu = counters.gpu[i];
    sum.p2p += reading ? gpu.p2p_reads : gpu.p2p_writes;
    sum.nvfs += reading ? gpu.nvfs_reads : gpu.nvfs_writes;
    sum.posix += reading ? gpu.posix_reads : gpu.posix_writes;
  }
  return sum;
}

PathVerdict judge(const Evidence& evidence) {
  const CuFileSettings& asked = evidence.asked;
  if (evidence.counts && *evidence.counts != PathCounts{}) {
    const auto& [p2p, nvfs, posix] = *evidence.counts;
    PathVerdict verdict;
    verdict.evidence = "cuFile counted " + std::to_string(p2p) + " requests by P2P DMA, " +
                       std::to_string(nvfs) + " by nvidia-fs, " + std::to_string(posix) +
                       " through host memory";
    const int ways = (p2p > 0) + (nvfs > 0) + (posix > 0);
    verdict.path = ways > 1 ? "mixed" : p2p > 0 ? "p2p" : nvfs > 0 ? "nvidia-fs" : "compat";
    if (ways > 1) verdict.flags.emplace_back("mixed-path");
    if (posix > 0 && !asked.force_compat) verdict.flags.emplace_back("compat-fallback");
    return verdict;
  }
  if (asked.force_compat) return {"compat", {"path-inferred"}, "compat mode was forced"};
  if (!asked.allow_compat) {
    const bool nvfs = evidence.nvfs_major > 0;
    if (nvfs == asked.p2pdma)
      return {"unknown",
              {"path-unknown"},
              "direct, as compat mode was off, but not counted: nvidia-fs or P2P DMA"};
    return {nvfs ? "nvidia-fs" : "p2p",
            {"path-inferred"},
            std::string("compat mode was off, and ") + (nvfs ? "only nvidia-fs" : "only P2P DMA") +
                " could take the requests"};
  }
  return {"unknown", {"path-unknown"}, "compat mode was allowed, and cuFile counted nothing"};
}

}  // namespace stallcast::calibration::gds
