#pragma once

#include "calibration/measure/probes/probe.hpp"

/// What probes.cpp lists. One line per probe, sorted.
namespace stallcast::calibration {

[[nodiscard]] Result<MeasurementSet> run_gds_probe(const ProbeOptions& options);
[[nodiscard]] Result<MeasurementSet> run_io_probe(const ProbeOptions& options);
[[nodiscard]] Result<MeasurementSet> run_loader_probe(const ProbeOptions& options);
[[nodiscard]] Result<MeasurementSet> run_memory_probe(const ProbeOptions& options);
[[nodiscard]] Result<MeasurementSet> run_metadata_probe(const ProbeOptions& options);
[[nodiscard]] Result<MeasurementSet> run_network_probe(const ProbeOptions& options);
[[nodiscard]] std::optional<Failure> serve_network_probe(const ProbeOptions& options);

}  // namespace stallcast::calibration
