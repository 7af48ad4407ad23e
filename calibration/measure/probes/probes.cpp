#include <array>

#include "calibration/measure/probes/probe.hpp"
#include "calibration/measure/probes/processes.hpp"
#include "calibration/measure/probes/rows.hpp"

namespace stallcast::calibration {
namespace {

/// Sorted by id; one row per probe.
constexpr std::array kProbes{
    Probe{"gds", "reads into accelerator memory and writes from it, by path", true, run_gds_probe},
    Probe{"io", "reads and writes past the page cache, by size and depth", true, run_io_probe},
    Probe{"loader", "PyTorch's costs per sample and batch, by python3", false, run_loader_probe},
    Probe{"memory", "copies, reads of cached files, checksums, by threads", false,
          run_memory_probe},
    Probe{"metadata", "creates, opens, stats, listings, renames, unlinks, by clients", true,
          run_metadata_probe},
    Probe{"network", "TCP messages to a peer, or over loopback", false, run_network_probe,
          serve_network_probe},
};

}  // namespace

std::span<const Probe> probes() { return kProbes; }

TimeBudget budget_from_now(Seconds length) {
  return {length, Seconds::from(probing::clock_s(), unit::s) + length};
}

const Probe* find_probe(std::string_view id) {
  for (const Probe& probe : probes())
    if (probe.id == id) return &probe;
  return nullptr;
}

}  // namespace stallcast::calibration
