#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "calibration/observe/formats/formats.hpp"
#include "calibration/observe/formats/trace_format.hpp"

namespace stallcast::calibration {
namespace {

/// Sorted by id; one row per format.
constexpr std::array<TraceFormat, 7> kTraceFormats{{
    {"chakra", "MLCommons Chakra execution traces (.et) and their JSON", chakra::recognises,
     chakra::read, nullptr},
    {"darshan-dxt", "text of darshan-dxt-parser, operation by operation", darshan_dxt::recognises,
     darshan_dxt::read, darshan_dxt::operations},
    {"dftracer", "DFTracer .pfw, all dialects", dftracer::recognises, dftracer::read,
     dftracer::operations},
    {"dlio-output",
     "DLIO's output folder: N_output.json, per_epoch_stats.json, summary.json, .hydra/config.yaml",
     dlio_output::recognises, dlio_output::read, nullptr},
    {"iolog", "fio's write_iolog, versions 2 and 3", iolog::recognises, iolog::read,
     iolog::operations},
    {"kineto", "JSON of the PyTorch profiler", kineto::recognises, kineto::read, nullptr},
    {"strace", "strace -f -ttt -T of files and descriptors", strace::recognises, strace::read,
     strace::operations},
}};

/// A stream and the file that it reads.
class OwnedStream final : public OperationStream {
 public:
  OwnedStream(const TraceFormat& format, TraceFile file, std::int64_t index)
      : file_(std::move(file)), stream_(format.operations(file_, index)) {}
  bool next(Operation& out) override {
    if (!over_ && stream_->next(out)) return true;
    if (!over_) (void)file_.close();
    over_ = true;
    return false;
  }
  [[nodiscard]] const TracedFile* file(std::uint64_t id) const override {
    return stream_->file(id);
  }
  [[nodiscard]] std::optional<Seconds> began() const override { return stream_->began(); }
  [[nodiscard]] bool in_order() const override { return stream_->in_order(); }
  [[nodiscard]] bool of_one_machine() const override { return stream_->of_one_machine(); }
  [[nodiscard]] LeftOut left_out() const override { return stream_->left_out(); }
  [[nodiscard]] Seconds resolution() const override { return stream_->resolution(); }

 private:
  TraceFile file_;
  std::unique_ptr<OperationStream> stream_;
  bool over_ = false;
};

void fail(Diagnostics& diagnostics, const std::string& path, std::string_view code,
          std::string message, std::string hint) {
  diagnostics.add({Severity::error, std::string(code), "", Position{path, 0, 0}, std::move(message),
                   std::move(hint)});
}

/// What is no trace of any format here, and how to make one of it; "" when nobody knows it.
std::pair<std::string, std::string> other_kind(std::string_view head) {
  // Darshan's log: eight bytes of version, then 6567733 in eight bytes of either order.
  constexpr std::string_view kLittle("75d\0\0\0\0\0", 8), kBig("\0\0\0\0\0d57", 8);
  if (head.size() > 16 && (head.substr(8, 8) == kLittle || head.substr(8, 8) == kBig))
    return {"this is a binary log of Darshan",
            "darshan-dxt-parser LOG > job.dxt.txt, then import that"};
  if (head.size() > 262 && head.substr(257, 5) == "ustar")
    return {"this is a tar archive", "unpack it, then import the files in it"};
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    return {"this is text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE > job.txt, then import that"};
  if (head.starts_with("\x1f\x8b"))
    return {"this is packed with gzip twice", "gzip -d it once, then import that"};
  if (head.starts_with("SQLite format 3"))
    return {"this is a data base of SQLite", "traces of Nsight Systems are not read"};
  return {};
}

/// Files of DLIO in a folder, ranks first. Since 2025 each rank has the times of the same
/// checkpoints: those of the first are taken, as it alone had them before.
std::vector<std::string> dlio_files(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with("_output.json") || name == "summary.json" ||
        name == "per_epoch_stats.json" || name == "0_per_epoch_stats.json")
      out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  // Beside them what Hydra keeps of the configuration; the second is MLPerf Storage's name for it.
  for (const char* place : {".hydra", "dlio_config"}) {
    const auto config = folder / place / "config.yaml";
    if (out.empty() || !std::filesystem::is_regular_file(config, ignored)) continue;
    out.push_back(config.string());
    break;
  }
  return out;
}

void read_one(const TraceFormat& format, const std::string& path, std::int64_t index,
              ObservationBuilder& builder, Diagnostics& diagnostics) {
  auto file = TraceFile::open(path, diagnostics);
  if (!file.ok())
    return fail(diagnostics, path, "file", file.failure().message, file.failure().hint);
  TraceFile& trace = file.value();
  const auto [kind, hint] = other_kind(trace.head());
  if (!kind.empty()) return fail(diagnostics, path, "format", kind, hint);
  const TraceFormat* seems = nullptr;
  for (const TraceFormat& candidate : trace_formats())
    if (candidate.recognises(trace.head())) seems = &candidate;
  format.read(trace, index, builder);
  const ObservedInput& input = trace.close();
  if (input.records == 0 && !trace.failed()) {
    if (seems != nullptr && seems != &format)
      return fail(diagnostics, path, "format", "this is not " + std::string(format.summary),
                  "it looks like " + std::string(seems->id));
    return fail(diagnostics, path, "empty",
                "there is no record of " + std::string(format.id) + " in this file",
                "this reads " + std::string(format.summary));
  }
  builder.known.source.inputs.push_back(input);
}

}  // namespace

std::span<const TraceFormat> trace_formats() { return kTraceFormats; }

const TraceFormat* find_trace_format(std::string_view id) {
  for (const TraceFormat& format : kTraceFormats)
    if (format.id == id) return &format;
  return nullptr;
}

const TraceFormat* recognise_trace(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return dlio_files(path).empty() ? nullptr : find_trace_format("dlio-output");
  Diagnostics unused;
  const auto file = TraceFile::open(path, unused);
  if (!file.ok()) return nullptr;
  for (const TraceFormat& format : kTraceFormats)
    if (format.recognises(file.value().head())) return &format;
  return nullptr;
}

Failure why_no_trace(const std::string& path) {
  Diagnostics unused;
  const auto file = TraceFile::open(path, unused);
  if (!file.ok()) return file.failure();
  const auto [kind, hint] = other_kind(file.value().head());
  return {ExitCode::bad_input, kind.empty() ? "" : path + ": " + kind, hint};
}

std::vector<std::string> each_once(const std::vector<std::string>& paths,
                                   Diagnostics& diagnostics) {
  std::vector<std::string> out;
  std::set<std::filesystem::path> known;
  for (const std::string& path : paths) {
    std::error_code none;
    const auto whole = std::filesystem::weakly_canonical(path, none);
    if (known.insert(none ? std::filesystem::path(path) : whole).second)
      out.push_back(path);
    else
      diagnostics.add({Severity::warning, "twice", "", Position{path, 0, 0},
                       "this file is given twice: it counts once", ""});
  }
  return out;
}

Observation import_observation(const TraceFormat& format, const std::vector<std::string>& paths,
                               bool keep_names, Diagnostics& diagnostics) {
  ObservationBuilder builder(keep_names);
  builder.known.source.format = format.id;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(path, ignored);
    const std::vector<std::string> inside =
        folder && format.id == "dlio-output" ? dlio_files(path) : std::vector<std::string>{path};
    if (inside.empty())
      fail(diagnostics, path, "empty", "there is no output of DLIO in this folder",
           "it has N_output.json of each rank N");
    files.insert(files.end(), inside.begin(), inside.end());
  }
  files = each_once(files, diagnostics);
  for (std::size_t i = 0; i < files.size(); ++i)
    read_one(format, files[i], static_cast<std::int64_t>(i), builder, diagnostics);
  return builder.finish();
}

Result<std::unique_ptr<OperationStream>> open_operations(const TraceFormat& format,
                                                         const std::string& path,
                                                         std::int64_t index,
                                                         Diagnostics& diagnostics) {
  if (format.operations == nullptr)
    return Failure{ExitCode::bad_input,
                   "traces of " + std::string(format.id) + " hold no operations on files",
                   "use darshan-dxt, dftracer, iolog or strace"};
  auto file = TraceFile::open(path, diagnostics);
  if (!file.ok()) return file.failure();
  return std::unique_ptr<OperationStream>(
      std::make_unique<OwnedStream>(format, std::move(file).value(), index));
}

}  // namespace stallcast::calibration
