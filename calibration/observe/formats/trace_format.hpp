#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/observe/builder.hpp"
#include "calibration/observe/trace_file.hpp"
#include "stallcast/observation.hpp"
#include "stallcast/operation_stream.hpp"
#include "stallcast/result.hpp"

/// Traces of other tools as observations.
namespace stallcast::calibration {

/// One row of the table: to add a format, its .cpp and its row in trace_formats.cpp.
struct TraceFormat {
  std::string_view id;       ///< FORMAT of `stallcast import FORMAT FILE...`
  std::string_view summary;  ///< one line
  /// Does the content of a file begin like this format? `head` is its first kTraceHead bytes.
  bool (*recognises)(std::string_view head);
  /// One file, the `index`-th of the job, into the builder. A file that breaks off is cut
  /// (TraceFile::cut) and gives what it holds; a row that cannot be is an error; nothing throws.
  void (*read)(TraceFile& file, std::int64_t index, ObservationBuilder& builder);
  /// The operations of one file; nullptr where the format has none. `file` must outlive them.
  std::unique_ptr<OperationStream> (*operations)(TraceFile& file, std::int64_t index);
};

/// Sorted by id.
[[nodiscard]] std::span<const TraceFormat> trace_formats();
/// nullptr when there is no such format.
[[nodiscard]] const TraceFormat* find_trace_format(std::string_view id);
/// The format of the file's content; nullptr when none takes it, or it cannot be opened.
[[nodiscard]] const TraceFormat* recognise_trace(const std::string& path);

/// Why no format takes the file where that is known (a binary log of Darshan, a tar archive, zstd),
/// and how to make a trace of it; an empty message else.
[[nodiscard]] Failure why_no_trace(const std::string& path);

/// `paths` without those of files that came before, of which a warning goes to `diagnostics`.
[[nodiscard]] std::vector<std::string> each_once(const std::vector<std::string>& paths,
                                                 Diagnostics& diagnostics);

/// All `paths`, files of one job, as one observation; a folder stands for the files of DLIO in it.
/// File and host names are hashed unless `keep_names`. Faults go to `diagnostics`: with an error
/// among them the observation is of no use.
[[nodiscard]] Observation import_observation(const TraceFormat& format,
                                             const std::vector<std::string>& paths, bool keep_names,
                                             Diagnostics& diagnostics);

/// The operations of one trace, for a replay. `index` is the rank where a file is of one rank and
/// does not say which. Fails with bad_input when the file cannot be read, or the format has none.
[[nodiscard]] Result<std::unique_ptr<OperationStream>> open_operations(const TraceFormat& format,
                                                                       const std::string& path,
                                                                       std::int64_t index,
                                                                       Diagnostics& diagnostics);

/// Counts what is left of a stream that knows with its first operation when it began. `also`: told
/// each operation when it was counted.
template <class Stream, class Also>
void count_operations(Stream& stream, ObservationBuilder& builder, Also also) {
  Operation op;
  bool begun = false;
  while (stream.next(op)) {
    if (!begun) builder.begin(stream.began());
    begun = true;
    builder.operation(op, stream.file(op.file));
    also(op);
  }
  stream.finish(builder);
}

}  // namespace stallcast::calibration
