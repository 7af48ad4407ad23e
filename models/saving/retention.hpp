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
  /// delete because of it.
  double saved(std::int64_t number, Bytes bytes, double files, bool whole);
  /// Whether saves `from` to `to` of the job are all here.
  [[nodiscard]] bool holds(std::int64_t from, std::int64_t to) const;
  /// Most that was held at one time, the new save in addition to those it replaces.
  [[nodiscard]] Bytes most_held() const { return most_held_; }
  void describe(sim::Ledger& ledger);

 private:
  struct Saved {
    std::int64_t turn;    ///< its number among those that came here
    std::int64_t number;  ///< of the job
    Bytes bytes;
    double files;
    bool whole;
  };
  bool overwrites_;
  std::optional<std::int64_t> last_;
  std::int64_t every_;
  [[nodiscard]] Bytes held() const;
  std::int64_t count_ = 0;
  std::int64_t newest_ = 0;  ///< number of the job
  std::vector<Saved> held_;
  Bytes most_held_;
};

}  // namespace stallcast::models
