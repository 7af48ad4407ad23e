#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stallcast {

/// What of a run is to be recorded, in simulated time. No part of a design: it changes no figure.
struct TimelineRequest {
  double begin_s = 0.0;  ///< the window begins with the first step that begins at or after this
  double end_s = 60.0;   ///< and ends here, or with the run. REQUIRES: above begin_s
  /// Rank classes shown of each job, by how long they wait in the window: those that wait longest,
  /// of the middle, shortest. Without any, the one that waits longest.
  std::uint64_t worst = 1, median = 1, best = 1;
  std::uint64_t most_spans = 100000;  ///< spans of those shown; what comes later is left out
  /// Where there are more: lanes of workers and of tenants are left out first, all of them, so that
  /// those of ranks and of saves go on for longer.
  bool ranks_first = false;
  std::uint64_t bins = 600;  ///< that counters have over the window. REQUIRES: above 0
  bool operator==(const TimelineRequest&) const = default;
};

/// What happened when in one simulation: recorded, never reconstructed.
/// docs/guide/trace.md says what each track and name means.
struct Timeline {
  /// A line of spans that follow one another or nest.
  struct Track {
    std::string kind = {};    ///< "rank", "loader", "checkpoint"
    std::string job = {};     ///< whose
    std::string name = {};    ///< "rank", "worker 3", "flush 1"
    int rank_class = -1;      ///< of the job; -1: of the job as a whole
    double members = 1.0;     ///< ranks that act alike, for which this one stands
    std::string chosen = {};  ///< why its rank class is shown: "worst", "median", "best", "only"
    double waiting_s = 0.0;   ///< of a rank: for batches, in the window
    bool operator==(const Track&) const = default;
  };
  struct Span {
    std::uint32_t track = 0;
    std::uint32_t depth = 0;   ///< spans of the track that enclose it
    std::uint32_t name = 0;    ///< in `texts`
    std::int32_t cause = -1;   ///< resource that was waited for, in `texts`; -1: none, or unknown
    std::int64_t number = -1;  ///< of the step, batch or save; -1: none
    double begin_s = 0.0;
    double end_s = 0.0;
    bool cut = false;  ///< goes on before the window, or after it
    bool operator==(const Span&) const = default;
  };
  /// One figure of a resource, mean over each bin.
  struct Counter {
    std::string resource;   ///< "storage.scratch.oss.nic"
    std::string what;       ///< "throughput" or "queue": requests that wait
    std::string unit;       ///< of the values: "B/s", "1/s", "cores", "count"
    double capacity = 0.0;  ///< in `unit`; 0: none
    std::vector<double> values;
    bool operator==(const Counter&) const = default;
  };
  /// Time that was counted and not simulated, before the window: it repeats what was before it.
  struct Repeats {
    double begin_s = 0.0, end_s = 0.0;
    bool operator==(const Repeats&) const = default;
  };

  std::uint64_t seed = 0;
  double begin_s = 0.0;      ///< of the window
  double end_s = 0.0;        ///< of it, or of the run
  double spans_end_s = 0.0;  ///< until where there are spans: earlier when they became too many
  bool run_ended = false;    ///< the run is over at `end_s`
  double bin_s = 0.0;        ///< bin i begins at begin_s + i bin_s; the last ends at end_s
  std::vector<std::string> texts;
  std::vector<Track>
      tracks;               ///< by job; its ranks that wait longest first, the job as a whole last
  std::vector<Span> spans;  ///< by track, then by begin, an enclosing one first
  std::vector<Counter> counters;  ///< by resource; those that are 0 throughout are left out
  std::vector<Repeats> repeats;

  [[nodiscard]] const std::string& name(const Span& span) const { return texts[span.name]; }
  /// "" without one.
  [[nodiscard]] std::string cause(const Span& span) const {
    return span.cause < 0 ? std::string() : texts[static_cast<std::size_t>(span.cause)];
  }
  bool operator==(const Timeline&) const = default;
};

}  // namespace stallcast
