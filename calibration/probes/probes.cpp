#include <array>

#include "calibration/probes/probe.hpp"

namespace stallcast::calibration {
namespace {

/// Sorted by id; one row per probe.
constexpr std::array<Probe, 0> kProbes{};

}  // namespace

std::span<const Probe> probes() { return kProbes; }

const Probe* find_probe(std::string_view id) {
  for (const Probe& probe : probes())
    if (probe.id == id) return &probe;
  return nullptr;
}

}  // namespace stallcast::calibration
