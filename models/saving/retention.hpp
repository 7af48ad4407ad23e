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

  /// A save of `bytes` stored in `files` is complete; yields the files to delete because of it.
  double saved(Bytes bytes, double files, bool whole);
  /// Most that was held at one time, the new save in addition to those it replaces.
  [[nodiscard]] Bytes most_held() const { return most_held_; }
  void describe(sim::Ledger& ledger);
  /// Saves that a restore of the newest one reads: it, and what it builds on.
  [[nodiscard]] double chain() const;

 private:
  struct Saved {
    std::int64_t number;
    Bytes bytes;
    double files;
    bool whole;
  };
  bool overwrites_;
  std::optional<std::int64_t> last_;
  std::int64_t every_;
  [[nodiscard]] Bytes held() const;
  std::int64_t count_ = 0;
  std::vector<Saved> held_;
  Bytes most_held_;
};

}  // namespace stallcast::models
