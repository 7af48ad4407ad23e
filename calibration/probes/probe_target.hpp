#pragma once

#include <optional>

#include "calibration/probes/machine.hpp"
#include "calibration/probes/probe.hpp"
#include "calibration/probes/processes.hpp"

namespace stallcast::calibration::probing {

/// Whether the target is a block device that may be read. Fails when it is a device and
/// `allow_device` was not said; anything else is the business of Scratch.
[[nodiscard]] Result<bool> is_allowed_device(const ProbeOptions& options);

/// A set with machine, storage, tool and date.
[[nodiscard]] MeasurementSet set_of(const ProbeOptions& options, const std::string& tool);

/// `interrupted` of the options; progress is the business of turns.hpp.
[[nodiscard]] Watch watch_of(const ProbeOptions& options);

/// Puts the runs of a cell beside each other, for readers ("origin" tells in which order they ran),
/// and notes how many of them were taken on a busy machine.
void finish(MeasurementSet& set);

/// Appends `note` to the note of the set.
void add_note(MeasurementSet& set, const std::string& note);

}  // namespace stallcast::calibration::probing
