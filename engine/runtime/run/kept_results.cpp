#include "engine/runtime/run/kept_results.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/sha256.hpp"
#include "engine/runtime/codec/codec.hpp"

namespace stallcast::run {
namespace {

namespace fs = std::filesystem;

/// Whole or not at all for those who read meanwhile. Not flushed to the disk: what a power cut
/// tears cannot be read, and is simulated again.
bool put(const fs::path& path, std::string_view text) {
  fs::path unfinished = path;
  unfinished += ".tmp." + std::to_string(::gettid());
  std::error_code error;
  std::ofstream file(unfinished, std::ios::binary);
  file << text;
  file.close();
  if (file) fs::rename(unfinished, path, error);
  const bool done = file && !error;
  if (!done) fs::remove(unfinished, error);
  return done;
}

/// Where more than `most` lie, those written last stay, half of them: room for as many to come.
void forget_oldest(const fs::path& folder, std::size_t most) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;  // another process forgets, too
    if (const auto date = entry->last_write_time(gone); !gone)
      files.emplace_back(date, entry->path());
  }
  if (files.size() <= most) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - most / 2);
  for (const auto& [date, path] : files) fs::remove(path, error);
}

}  // namespace

fs::path folder_of_results() {
  const char* folder = std::getenv("STALLCAST_RESULTS");
  return folder == nullptr ? "" : folder;
}

Result<KeptResults> KeptResults::open(const fs::path& folder, const std::string& worker,
                                      std::size_t each) {
  const Result<std::string> maker = base::sha256_of_file(worker);
  if (!maker) return maker.failure();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return Failure{ExitCode::bad_input,
                   "cannot keep results in \"" + folder.string() + "\": " + error.message(),
                   "the environment variable STALLCAST_RESULTS names the folder"};
  return KeptResults(folder, *maker, each);
}

fs::path KeptResults::path_of(const EncodedDesign& design, std::uint64_t seed) const {
  const std::string name = base::sha256(maker_ + design.hash + std::to_string(seed));
  return folder_ / name.substr(0, 2) / name.substr(2);
}

std::optional<RunResult> KeptResults::find(const EncodedDesign& design, std::uint64_t seed) const {
  const Result<std::string> text = base::read_file(path_of(design, seed));
  if (!text) return std::nullopt;
  Result<RunResult> result = codec::decode_run_result(*text);
  if (!result || result->seed != seed) return std::nullopt;
  return std::move(result).value();
}

void KeptResults::keep(const EncodedDesign& design, const RunResult& result) const {
  if (design.reads_files) return;
  const fs::path path = path_of(design, result.seed);
  std::error_code error;
  fs::create_directory(path.parent_path(), error);
  if (!put(path, codec::encode(result))) return;
  if (path.native().ends_with('0')) forget_oldest(path.parent_path(), each_);  // one of 16
}

}  // namespace stallcast::run
