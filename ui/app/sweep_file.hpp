#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/client.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/result.hpp"
#include "stallcast/sweep.hpp"

/// Sweeps for front ends: the same plans and files as `stallcast sweep` (docs/guide/sweep.md).
namespace stallcast::client {

struct SweepRequest {
  Source source;
  std::vector<std::string> varied;  ///< "n_ost=8..64:4", "storage.scratch.ost.write=2 GB/s,4 GB/s"
  std::string mode = {};            ///< "latin:64"; "" = the scenario's
  std::optional<std::int64_t> sample_seed = std::nullopt;
  std::optional<std::int64_t> seed = std::nullopt;      ///< the first of every point
  std::optional<std::int64_t> replicas = std::nullopt;  ///< of every point
  std::string profile = {};                             ///< file of a calibration profile
  std::string version = {};                             ///< of the program: part of the plan
  std::size_t most_points = 1'000'000;                  ///< more are an error
};

/// A sweep with what it has so far, in a SQLite file or, with the path "", in memory. To be used by
/// one thread at a time.
class SweepFile {
 public:
  /// How a sweep is to be run, and what is to be reported meanwhile.
  struct Run {
    Settings settings;
    const std::atomic<bool>* unwanted = nullptr;  ///< true ends it; may be null
    /// How many designs of how many have a result. May be empty.
    std::function<void(std::size_t, std::size_t)> on_progress = {};
  };

  /// Resolves all points and keeps them at `path`. A file that has this very sweep is taken up
  /// again; one that has another is a failure (bad_input), as are errors, which go to `faults`.
  [[nodiscard]] static Result<SweepFile> create(const std::string& path,
                                                const SweepRequest& request, Diagnostics& faults);
  [[nodiscard]] static Result<SweepFile> open(const std::string& path);
  SweepFile(SweepFile&&) noexcept;
  SweepFile& operator=(SweepFile&&) noexcept;
  ~SweepFile();

  /// Whether `create` found it in the file already.
  [[nodiscard]] bool resumed() const;
  /// Simulates what has no result yet. nullopt when nothing is missing any more, else why it ended
  /// early; what is done is kept.
  [[nodiscard]] std::optional<Failure> run(const Run& how);
  /// Everything so far, without columns and front.
  [[nodiscard]] Result<SweepReport> report() const;

 private:
  struct Impl;
  explicit SweepFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace stallcast::client
