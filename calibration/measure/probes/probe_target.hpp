#pragma once

#include <memory>

#include "calibration/measure/probes/data_file.hpp"
#include "calibration/measure/probes/machine.hpp"
#include "calibration/measure/probes/probe.hpp"
#include "calibration/measure/probes/processes.hpp"
#include "calibration/measure/probes/scratch.hpp"
#include "calibration/measure/probes/turns.hpp"

namespace stallcast::calibration::probing {

/// Whether the target is a block device that may be read. Fails when it is a device and
/// `allow_device` was not said; anything else is the business of Scratch.
[[nodiscard]] Result<bool> is_allowed_device(const ProbeOptions& options);

/// A set with machine, storage, tool and date.
[[nodiscard]] MeasurementSet set_of(const ProbeOptions& options, const std::string& tool);

/// `interrupted` of the options; progress is the business of turns.hpp.
[[nodiscard]] Watch watch_of(const ProbeOptions& options);

/// A folder of the probe's own in the target; what became of those of dead probes is noted.
[[nodiscard]] Result<std::unique_ptr<Scratch>> scratch_of(const ProbeOptions& options,
                                                          MeasurementSet& set);

/// Writes a file to measure: of `wanted` bytes, or a quarter of what is free where that is less, or
/// --space; in whole 16 MiB. Fails where that is less than `smallest`, or would fill the disk.
[[nodiscard]] Result<DataFile> data_file_of(const ProbeOptions& options, const Scratch& scratch,
                                            std::uint64_t wanted, std::uint64_t smallest,
                                            Stretch progress);

/// Puts the runs of a cell side by side, for readers ("origin" tells in which order they ran),
/// and notes how many of them were taken on a busy machine.
void finish(MeasurementSet& set);

/// Appends `note` to the note of the set.
void add_note(MeasurementSet& set, const std::string& note);

}  // namespace stallcast::calibration::probing
