#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/replay.hpp"
#include "stallcast/result.hpp"

namespace stallcast::models {

/// A program file of a replay, read piece by piece. docs/models/replay.md.
class ReplayProgram {
 public:
  /// Fails with bad_input when it cannot be read, is no program, or breaks off.
  [[nodiscard]] static Result<ReplayProgram> open(const std::string& path);

  [[nodiscard]] const ReplayHeader& header() const { return header_; }
  [[nodiscard]] std::string sha256() const {
    return {header_.sha256.begin(), header_.sha256.end()};
  }
  [[nodiscard]] const std::vector<ReplayThread>& threads() const { return threads_; }
  /// Fills `out` with records from `first` on; false when the file does not have them any more, or
  /// they are none.
  [[nodiscard]] bool read(std::uint64_t first, std::span<ReplayStep> out) const;
  /// Whether all of them can be read so. Reads the file once.
  [[nodiscard]] bool whole() const;
  /// Whether every event that a thread waits for comes: one that came stays, so that this does not
  /// depend on how long anything takes. Reads the file once. REQUIRES: whole().
  [[nodiscard]] bool ends() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  ReplayHeader header_;
  std::vector<ReplayThread> threads_;
};

/// How processes lie on hosts.
struct ReplayPlacement {
  std::uint64_t per_host = 1;
  std::uint64_t hosts = 1;  ///< that have any
};
/// In blocks: `per_host` on each, in the order of ranks; without it those of one machine on one
/// host where the trace tells machines, of which several share one where these are more than
/// `hosts`, else as evenly as blocks go on `hosts`.
[[nodiscard]] ReplayPlacement replay_placement(const ReplayHeader& header, std::uint64_t hosts,
                                               std::optional<std::int64_t> per_host);

/// The header of the program of a tenant that replays one; nothing of others, or when it cannot be
/// read.
[[nodiscard]] std::optional<ReplayHeader> replayed(const Component& tenant);
/// The storage systems of its places: `on`, then `also`.
[[nodiscard]] std::vector<std::string> places_of(const Component& tenant);
/// Its field `per_host`.
[[nodiscard]] std::optional<std::int64_t> processes_per_host(const Component& tenant);

}  // namespace stallcast::models
