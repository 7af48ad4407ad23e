#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "models/contract/storage.hpp"
#include "models/storage/placement.hpp"
#include "models/storage/stream_cap.hpp"

namespace stallcast::models {

/// How kinds with stripes place new files.
inline constexpr std::string_view kPlacements[] = {"random", "round-robin"};

/// How files lie on equal targets, for kinds that place each file on some of them.
/// docs/models/storage.md, equations 4 to 6.
struct Striping {
  double targets = 1.0;  ///< M: equal targets
  double count = 1.0;    ///< targets a large file lies on; 0 = all
  Bytes size;            ///< bytes on one target before the next
  /// The targets of one file are different ones; false: each is drawn by itself.
  bool distinct = true;
  /// Of what is written on one, each on another that gets all of it, too; any of them is read.
  double copies = 1.0;

  /// Targets a file is given.
  [[nodiscard]] double width() const;
  /// Targets a file of this size touches: one per started stripe, at most the stripe count.
  [[nodiscard]] double of(Bytes file) const;
  /// As StorageModel::reach, 0 to 1.    [storage.md, eq. 5]
  [[nodiscard]] double reached(std::span<const StorageLoad::FileSet> files,
                               std::string_view placement) const;
  /// Share of the targets that random reads keep busy, 0 to 1, of files on that share of them.
  ///    [storage.md, eq. 5]
  [[nodiscard]] double evenness(const StorageLoad& load, double reached = 1.0) const;
  /// What one of `files` new files of this size moves at when all are written at one time, or read
  /// again, and one target gives `target`: the fullest target finishes last.    [storage.md, eq. 6]
  /// `seed` and `name` decide the draws.
  [[nodiscard]] Rate placed(const Placement& placement, double files, Bytes file, Rate target,
                            std::uint64_t seed, const std::string& name) const;
  /// The same where none waits for the others: on average over targets.    [storage.md, eq. 15]
  [[nodiscard]] Rate apart(std::string_view placement, double files, Bytes file, Rate target) const;
};

/// One stream with `window` bytes in flight, asked for `request` at a time from a server that needs
/// `turn` to answer besides moving the data at `server`: Little's law.    [storage.md, eq. 4]
[[nodiscard]] Rate window_rate(Bytes window, Bytes request, Seconds turn, Rate server);

/// One stream of a file that asks for a window at a time and waits `turn` for each, but for the
/// `answered` turns already waited for; its bytes arrive at `moving`.    [storage.md, eq. 9]
[[nodiscard]] Rate ahead_rate(Bytes file, Bytes window, Seconds turn, Rate moving, double answered);

}  // namespace stallcast::models
