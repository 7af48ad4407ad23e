#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/run/simulate.hpp"
#include "stallcast/design.hpp"
#include "stallcast/result.hpp"
#include "stallcast/sweep.hpp"

/// A sweep in one SQLite file: its points, their designs, and what came of them.
namespace stallcast::sweep {

/// One point as it is planned.
struct PlannedPoint {
  std::vector<std::string> values;  ///< by axis
  std::string key;                  ///< key_of the design
  std::string change;               ///< DesignChanges of the plan's base
};

/// All that decides a sweep.
struct SweepPlan {
  std::string scenario_id, scenario_file;
  std::string version, model_version;
  std::string profile_file, profile;  ///< name and text of a calibration profile; may be empty
  std::string profile_sha256;
  std::size_t draws = 0;  ///< of every point; 0: each is simulated as it is
  std::vector<std::string> axes;
  std::string base;  ///< DesignChanges::base
  std::vector<PlannedPoint> points;
};

/// Results by key.
using Outcomes = std::vector<std::pair<std::string, SweepOutcome>>;

/// The file. A result is kept once per design, whole or not at all, whatever kills the program:
/// what was written is there after kill -9, and what was not is simulated again. A result that is
/// done is never replaced, one that failed is replaced by any later one.
///
/// The main file is in WAL mode: any number of processes of one host may run it at once. Shards on
/// other hosts write parts of their own (`part_path`) and only read the main file; `collect` moves
/// parts into it. All failures have bad_input.
class Store {
 public:
  /// Writes `plan` to `path` ("": memory) in one transaction. A file that has this plan already is
  /// opened; one that has another, or of another program, is a failure.
  [[nodiscard]] static Result<Store> create(const std::string& path, const SweepPlan& plan);
  [[nodiscard]] static Result<Store> open(const std::string& path, bool read_only = false);
  /// The part that shard "2-of-3" of the sweep at `path` writes.
  [[nodiscard]] static Result<Store> open_part(const std::string& path, const std::string& shard,
                                               const Store& main);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Of a program that plans or simulates.
  struct Version {
    std::string program, models;
    bool operator==(const Version&) const = default;
    /// "stallcast 1.0.0, models 2".
    [[nodiscard]] std::string text() const { return "stallcast " + program + ", models " + models; }
  };
  /// That planned it, and simulates all of it.
  [[nodiscard]] Version version() const;

  /// Whether `create` found the plan there already.
  [[nodiscard]] bool resumed() const;
  /// SHA-256 of the plan.
  [[nodiscard]] const std::string& sha256() const;
  /// Name and text of its calibration profile, or two empty texts.
  [[nodiscard]] std::pair<std::string, std::string> profile() const;

  /// Of every point.
  [[nodiscard]] std::size_t draws() const;

  /// Keys of all designs, in the order of the points, each once.
  [[nodiscard]] Result<std::vector<std::string>> keys() const;
  /// Keys that have a result, and whether it failed.
  [[nodiscard]] Result<std::map<std::string, bool>> finished() const;
  /// The designs of `keys`, in their order, read by up to `threads` (0: one per core) at a time.
  /// `encoded` gets them as they are sent.
  [[nodiscard]] Result<std::vector<Design>> designs(std::span<const std::string> keys,
                                                    std::size_t threads,
                                                    run::EncodedDesigns* encoded = nullptr) const;
  /// Adds results in one transaction.
  Result<bool> keep(const Outcomes& outcomes);

  /// Everything, without columns and front.
  [[nodiscard]] Result<SweepReport> report() const;
  /// Adds to `report` what the parts next to the file at `path` have and it lacks, and counts them;
  /// with those that are damaged, or not of this sweep and its version, and so left out.
  static Result<bool> add_parts(const std::string& path, const Store& main, SweepReport& report);
  struct Collected {
    std::size_t results = 0;
    std::vector<Failure> left_out;  ///< parts that are damaged, or not of this sweep
  };
  /// Moves the results of all parts next to `path` into this, and removes the parts when no design
  /// lacks a result; those that are left out stay.
  Result<Collected> collect(const std::string& path);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Paths of the parts next to the sweep at `path`, sorted.
[[nodiscard]] std::vector<std::string> part_paths(const std::string& path);

}  // namespace stallcast::sweep
