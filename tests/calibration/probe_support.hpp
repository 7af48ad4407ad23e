#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/measure/probes/io_cells.hpp"
#include "calibration/measure/probes/metadata.hpp"

namespace stallcast::calibration::probing {

/// An empty folder below the build tree, gone at the end of the test.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Names in it, sorted.
  [[nodiscard]] std::vector<std::string> left() const;

 private:
  std::filesystem::path path_;
};

/// Quick probes of a 64 MiB file and of a few files: a second each.
[[nodiscard]] IoEffort tiny_io();
/// The same cells once, each ended after 0.3 s however few requests completed, and none after a
/// rest: for tests that do not look at figures. Rests take 20 s where a limiter shows, and 200
/// requests of 1 MiB a second or two each.
[[nodiscard]] IoEffort brief_io();
[[nodiscard]] MetadataEffort tiny_metadata();
[[nodiscard]] ProbeOptions options_for(const std::filesystem::path& target);

/// Runs `work` in a process of its own and returns what it returned; "signal N" when it died. Comes
/// back only when all processes that it started are gone too.
[[nodiscard]] std::string in_child(const std::function<std::string()>& work);

/// Starts `work` in a process, sends it `signal` once it wrote a byte to the descriptor it is
/// given, and returns when it and all processes it started are gone.
void signal_child(const std::function<void(int ready)>& work, int signal);

/// Says why the rest of a test cannot run here.
void skipped(const std::string& why);

/// True when the file system of `folder` does direct I/O; where it does not, little can be tested.
[[nodiscard]] bool has_direct_io(const std::filesystem::path& folder);

}  // namespace stallcast::calibration::probing
