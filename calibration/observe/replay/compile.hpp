#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/observe/formats/trace_format.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/replay.hpp"
#include "stallcast/result.hpp"

namespace stallcast::calibration {

/// How a trace becomes a program.
struct CompileOptions {
  std::vector<std::string> under;  ///< only files whose names begin with one of these; empty: all
  /// Where files lie whose names begin so: places 1, 2, ... The longest decides, 0 is for the rest.
  std::vector<std::pair<std::string, std::uint8_t>> places;
  std::string folder;          ///< for files between; "": that of the program
  std::function<bool()> stop;  ///< ends the reading early once it is true; may be empty
};

/// The trace's side of a replay: its figures and what of it is not in the program.
struct CompiledReplay {
  Replay replay;
  ReplayHeader header;
};

/// Reads `paths`, files of one job, once, and writes the program of their operations to `program`,
/// in bounded memory: what does not fit is sorted in files. Faults of the trace go to
/// `diagnostics`; with an error among them the program is of no use.
[[nodiscard]] Result<CompiledReplay> compile_replay(const TraceFormat& format,
                                                    const std::vector<std::string>& paths,
                                                    const std::string& program,
                                                    const CompileOptions& options,
                                                    Diagnostics& diagnostics);

}  // namespace stallcast::calibration
