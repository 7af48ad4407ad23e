#pragma once

#include <string>
#include <string_view>

#include "stallcast/timeline.hpp"

namespace stallcast::report {

/// What a trace says of where it comes from.
struct TraceOrigin {
  std::string version;        ///< of the tool
  std::string model_version;  ///< of the models
  std::string scenario;       ///< its id
  std::string design_sha256;
};

/// A timeline as a file for Perfetto and chrome://tracing: one JSON object in the Chrome trace
/// event format, one event a line. Times are those of the simulation, in us and whole ns, so that
/// slices that nest or follow one another there do so here to the digit. The same timeline gives
/// the same bytes. docs/guide/trace.md.
[[nodiscard]] std::string chrome_trace(const Timeline& timeline, const TraceOrigin& origin);

/// What is in it, for people: three or four lines of at most 80 columns. `file`: where it is.
[[nodiscard]] std::string trace_summary(const Timeline& timeline, std::string_view file);

}  // namespace stallcast::report
