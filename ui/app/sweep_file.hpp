#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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
  ScenarioFile source;
  std::vector<std::string> varied;  ///< "n_ost=8..64:4", "storage.scratch.ost.write=2 GB/s,4 GB/s"
  std::string mode = {};            ///< "latin:64"; "" = the scenario's
  std::optional<std::int64_t> sample_seed = std::nullopt;
  std::optional<std::int64_t> seed = std::nullopt;      ///< the first of every point
  std::optional<std::int64_t> replicas = std::nullopt;  ///< of every point
  /// Of every point, with its inputs drawn from what they may be; 0: none.
  std::size_t draws = 0;
  std::string profile = {};             ///< file of a calibration profile
  std::string version = {};             ///< of the program: part of the plan
  std::size_t most_points = 1'000'000;  ///< more are an error
};

/// What is wrong with what is varied, as far as its first point tells.
void check_sweep(const SweepRequest& request, Diagnostics& faults);

/// A sweep with what it has so far, in a SQLite file or, with the path "", in memory. To be used by
/// one thread at a time.
class SweepFile {
 public:
  /// How a sweep is to be run, and what is to be reported meanwhile.
  struct Run {
    Settings settings;
    double time_limit_s = std::numeric_limits<double>::infinity();  ///< wall clock
    bool retry = false;  ///< what failed, instead of what has no result yet
    const std::atomic<bool>* unwanted = nullptr;  ///< true ends it; may be null
    /// How many designs of how many have a result. May be empty.
    std::function<void(std::size_t, std::size_t)> on_progress = {};
  };

  /// Resolves all points and keeps them at `path`. A file that has this very sweep is taken up
  /// again; one that has another is a failure (bad_input), as are errors, which go to `faults`.
  [[nodiscard]] static Result<SweepFile> create(const std::string& path,
                                                const SweepRequest& request, Diagnostics& faults);
  /// REQUIRES of what is opened to read only: neither `run` nor `collect`.
  [[nodiscard]] static Result<SweepFile> open(const std::string& path, bool read_only = false);
  /// The same, to simulate one part of several: "2/3", the second of three; "": what Slurm, MPI,
  /// Kubernetes or GNU parallel say of this process. All of it when none of them does. The results
  /// of a part are kept in a file of its own next to `path`.
  [[nodiscard]] static Result<SweepFile> open_part(const std::string& path,
                                                   const std::string& shard);
  SweepFile(SweepFile&&) noexcept;
  SweepFile& operator=(SweepFile&&) noexcept;
  ~SweepFile();

  /// "2-of-3 (--shard)", and who said so; "" when it is not a part.
  [[nodiscard]] std::string part() const;
  /// Simulates what has no result yet. nullopt when nothing is missing any more, else why it ended
  /// early; what is done is kept.
  [[nodiscard]] std::optional<Failure> run(const Run& how);
  /// Everything so far, of a part its own points; without columns and front.
  [[nodiscard]] Result<SweepReport> report() const;
  /// Brings the results of all parts together in the one file, and reports that.
  [[nodiscard]] Result<SweepReport> collect();

 private:
  struct Impl;
  explicit SweepFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What is wrong with columns that no point of the sweep can have, whatever comes of it: known
/// before it is run.
[[nodiscard]] std::optional<Failure> refused_columns(const SweepFile& sweep,
                                                     const std::vector<std::string>& metrics);

/// Sets the columns that are shown of a sweep, from "NAME", "NAME:min" and "NAME:max" of axes and
/// metrics ("*" for any text; none: the usual ones), and marks the Pareto front of those with a
/// goal. What is wrong with the names; they are known once a point has a result.
[[nodiscard]] std::optional<std::string> choose_columns(SweepReport& report,
                                                        const std::vector<std::string>& metrics);

}  // namespace stallcast::client
