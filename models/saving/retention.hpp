#pragma once

#include <cstdint>
#include <vector>

#include "engine/sim/ledger.hpp"
#include "models/contract/checkpoint.hpp"

namespace stallcast::models {

/// Which checkpoints are kept, and what they take.    [docs/models/checkpoint.md, eq. 10]
class Retention {
 public:
  explicit Retention(const CheckpointParams& p)
      : overwrites_(p.overwrites()), last_(p.keep_last), every_(p.keep_every.value_or(0)) {}

  /// Save `number` of the job, of `bytes` stored in `files`, is complete; yields the files to
  /// delete because of it. What `goes_on` to another tier stays until it is `drained`.
  double saved(std::int64_t number, Bytes bytes, double files, bool whole, bool goes_on = false);
  /// Save `number` is in the tier behind; yields the files to delete because of it.
  double drained(std::int64_t number);
  /// Save `number` goes no further: its processes are gone.
  void abandon(std::int64_t number);
  /// Whether saves `from` to `to` of the job are all here.
  [[nodiscard]] bool holds(std::int64_t from, std::int64_t to) const;
  /// Most that was held at one time, the new save in addition to those it replaces.
  [[nodiscard]] Bytes most_held() const { return most_held_; }
  /// Most at one time of what was only here because it was not drained yet.
  [[nodiscard]] Bytes most_waiting() const { return most_waiting_; }
  void describe(sim::Ledger& ledger);

 private:
  struct Saved {
    std::int64_t turn;    ///< its number among those that came here
    std::int64_t number;  ///< of the job
    Bytes bytes;
    double files;
    bool whole;
    bool waits;  ///< to be drained
  };
  /// Files that nothing asks for any more.
  double prune();
  bool overwrites_;
  std::optional<std::int64_t> last_;
  std::int64_t every_;
  [[nodiscard]] Bytes held() const;
  std::int64_t count_ = 0;
  std::int64_t newest_ = 0;  ///< number of the job
  std::vector<Saved> held_;
  Bytes most_held_, most_waiting_;
};

}  // namespace stallcast::models
