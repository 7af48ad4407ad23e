#pragma once

#include <string>

#include "stallcast/replay.hpp"
#include "ui/report/report.hpp"

namespace stallcast::report {

/// A replay beside its trace.
[[nodiscard]] std::string render(const Replay& replay, const ReportContext& context, Format format,
                                 const Style& style);

}  // namespace stallcast::report
