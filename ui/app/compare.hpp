#pragma once

#include <span>

#include "stallcast/client.hpp"
#include "stallcast/side_by_side.hpp"
#include "ui/app/run_report.hpp"

/// The use case `compare`: several architectures for one job.
namespace stallcast::client {

/// Predicts each that is a scenario as `run_report` does, with its intervals and what limits it,
/// and says where they differ in what they do. Fails with the first that fails; its faults, if any,
/// are in `wanted.predict.faults` and `failed` is its place. REQUIRES: at least one.
[[nodiscard]] Result<SideBySide> compare(Session& session, std::span<const DiffInput> inputs,
                                         const RunQuestion& wanted, std::size_t& failed);

}  // namespace stallcast::client
