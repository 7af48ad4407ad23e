#pragma once

#include "calibration/validation/grid/probe_files.hpp"

/// From cpu.json to the costs of PyTorch's DataLoader, of decoding and of saving.
namespace stallcast::calibration::grid {

/// Costs of one process, where not said otherwise of CPU time.
struct LoaderFit {
  /// Hand-over of a batch: median `handover + handover_per_byte * bytes in memory`, lognormal.
  Seconds handover;
  Seconds handover_per_MB;
  double handover_sigma = 0.0;  ///< of the logarithm
  Seconds boot;                 ///< of a worker, from its fork to its first job
  double inflation_two = 1.0, inflation_four = 1.0;  ///< of CPU time with as many processes busy
  Rate page_copy;                                    ///< write() into the page cache
  Rate snapshot;    ///< copy of a state into memory that is touched for the first time; elapsed
  Rate torch_save;  ///< elapsed
  Rate torch_core;  ///< bytes over CPU time of torch.save
};

/// Faults name what cpu.json lacks.
[[nodiscard]] LoaderFit fit_loader(const CpuProbe& cpu, Diagnostics& faults);

/// What a sample of `format` is in memory after decoding: what is collated and handed over.
[[nodiscard]] Bytes sample_in_memory(const std::string& format);
/// Formats that the probes name samples of.
[[nodiscard]] const std::vector<std::string>& known_formats();

/// CPU time of one cached sample of `format`.
[[nodiscard]] Seconds sample_cpu(const CpuProbe& cpu, const std::string& format,
                                 Diagnostics& faults);

/// CPU time of joining a batch.                                  [docs/calibration-grid.md, eq. 12]
[[nodiscard]] Seconds collate(const CpuProbe& cpu, const std::string& format, int batch,
                              Diagnostics& faults);

/// What a sleep of `length` takes longer.                        [docs/calibration-grid.md, eq. 14]
[[nodiscard]] Seconds overshoot(const CpuProbe& cpu, Seconds length, Diagnostics& faults);

}  // namespace stallcast::calibration::grid
