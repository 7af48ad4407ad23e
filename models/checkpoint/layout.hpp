#pragma once

#include <span>
#include <vector>

#include "models/contract/checkpoint.hpp"
#include "models/contract/rank_spread.hpp"
#include "models/contract/training.hpp"

/// Which rank writes what. docs/models/checkpoint.md, "Layouts".
namespace stallcast::models {

/// Ranks that write (or read) the same.
struct RankShare {
  double members = 1.0;
  Bytes bytes;            ///< of the state, each
  double files = 1.0;     ///< each, of a whole save
  double per_host = 1.0;  ///< ranks that do so on each of their hosts
  bool rank0 = false;     ///< rank 0 is one of them
  Bytes common{};         ///< of its bytes, what a rank of each replica reads of the same files;
  double common_files = 0.0;  ///< so many of its files
  bool passes_on = true;      ///< it has what others lack, when one replica reads
  Bytes object{};             ///< each file has so much of the state; 0: they are of any size
  /// Of a save of such a part of the state.    [docs/models/checkpoint.md, eq. 9]
  [[nodiscard]] double files_in(double part) const;
};

/// Hosts of the ranks of a class, in the order of ranks.
struct HostSpan {
  double from = 0.0, to = 0.0;
  [[nodiscard]] double hosts() const { return to - from; }
};
/// Whether all ranks of its hosts are among those of `share`, or others of their own.
[[nodiscard]] bool fills_hosts(const RankShare& share, const RankSpread& ranks);
/// Those of each of `shares`: they fill the hosts of `ranks` in turn.
///    [docs/models/checkpoint.md, eq. 17]
[[nodiscard]] std::vector<HostSpan> placed(const std::vector<RankShare>& shares,
                                           const RankSpread& ranks);

/// Of the `own` bytes that a rank moves, how much each other one of `shares` does meanwhile, mean,
/// 0 to 1; `of` tells what a rank of a share moves.    [docs/models/storage.md, eq. 6]
[[nodiscard]] double company(Bytes own, std::span<const RankShare> shares,
                             Bytes (*of)(const RankShare&));

struct CheckpointLayout {
  std::vector<RankShare> writers;
  std::vector<RankShare> readers_all;   ///< when every replica reads what it needs
  std::vector<RankShare> readers_once;  ///< when one replica does ...
  double receivers = 0.0;               ///< ... and so many ranks
  Bytes broadcast;                      ///< ... get so much each from it,
  double parts = 1.0;                   ///< so many of them in a row different parts
  Bytes gathered;                       ///< that crosses rank 0's network before its write,
  Bytes gathered_inside;                ///< and that comes from other GPUs of its host
  bool shared = false;                  ///< all write into the same files

  [[nodiscard]] Bytes size() const;
  [[nodiscard]] double files(double part = 1.0) const;
  [[nodiscard]] double writer_count() const;
  /// The most that one rank writes; that the ranks of one host write together.
  ///    [docs/models/checkpoint.md, eq. 17]
  [[nodiscard]] Bytes of_rank() const;
  [[nodiscard]] Bytes of_host(const RankSpread& ranks) const;
  /// Of what a writer of `share` writes, how much each other writer does meanwhile.
  [[nodiscard]] double company(const RankShare& share) const;
};

/// `ranks_per_host`: on the host that has the most. REQUIRES: tensor x pipeline divides `ranks`.
[[nodiscard]] CheckpointLayout checkpoint_layout(const CheckpointParams& p,
                                                 const ModelParams& model, const JobParams& job,
                                                 double ranks, double ranks_per_host);

/// Whether training waits for all of `save`: its kind says so, or the snapshots of the fullest host
/// do not fit in the `memory` of one.    [docs/models/checkpoint.md, eq. 5]
[[nodiscard]] bool synchronous(const Component& save, const CheckpointLayout& layout,
                               const RankSpread& ranks, Bytes memory);

}  // namespace stallcast::models
