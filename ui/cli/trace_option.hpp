#pragma once

#include <string>

#include "stallcast/client.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"
#include "stallcast/timeline.hpp"

/// `--trace`: what happens in a run, as a file. docs/guide/trace.md.
namespace stallcast::cli {

struct TraceOptions {
  std::string file;    ///< "": none is wanted
  std::string window;  ///< "60 s", or "10 min..11 min"
  std::string ranks;   ///< "worst:2,median,best", or "all"
};

/// What they ask for. A failure with bad_input says what is wrong with them.
[[nodiscard]] Result<TimelineRequest> timeline_request(const TraceOptions& options);

/// Records the first replica of `prediction`, and writes the file; a summary for people.
[[nodiscard]] Result<std::string> write_trace(client::Session& session, const Design& design,
                                              const Prediction& prediction,
                                              const TraceOptions& options,
                                              const client::Question& question);

}  // namespace stallcast::cli
