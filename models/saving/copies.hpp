#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "engine/sim/ledger.hpp"
#include "models/contract/failure.hpp"
#include "models/contract/progress.hpp"
#include "models/saving/retention.hpp"
#include "models/saving/state_mover.hpp"

namespace stallcast::models {

/// A save: its number, from 1, and what the job had done when it began.
struct SavePoint {
  std::int64_t number = 0;  ///< 0: none
  Progress at;
  std::int64_t chain = 1;  ///< files of so many saves hold it: it, and those that it builds on
};

/// A tier, as a failure sees it.
struct CopyPlace {
  std::string tier;
  Scope lost_with = Scope::beyond;
  double kept = 1.0;       ///< newest saves that it holds; infinite: all
  bool snapshots = false;  ///< a save takes its place when it begins, not when it is complete
  /// What it holds, where that are files that others do not replace; else nullptr.
  const Retention* files = nullptr;
};

/// The tiers of a job, in the order in which a restore prefers them; `files`: what is in those of
/// the mover, outlives it.
[[nodiscard]] std::vector<CopyPlace> copy_places(const StateMover& mover, const CheckpointParams& p,
                                                 const std::vector<Retention>& files);

/// Which saves of a job are complete in which tier, and what a failure leaves of them.
///    [docs/models/failures.md, eq. 13]
class Copies {
 public:
  /// `places` in the order in which a restore prefers them.
  explicit Copies(const std::vector<CopyPlace>& places);

  /// `save` begins. The result stays where it is until `forget` or a failure.
  SavePoint& begin(const SavePoint& save) { return under_way_.emplace_back(save); }
  /// It is being written to place number `place`: where copies are replaced, one is gone.
  void overwrite(std::size_t place, const SavePoint& save);
  /// It is complete there.
  void arrived(std::size_t place, const SavePoint& save);
  /// The newest that can be read from there.
  [[nodiscard]] const SavePoint& newest(std::size_t place) const { return places_[place].newest; }
  /// It is complete wherever it goes.
  void forget(const SavePoint& save);

  /// The save to go on from after a failure, and the tiers it is read from: by hosts that were not
  /// lost, and by those that take the place of lost ones. Number 0: there is none.
  struct Found {
    SavePoint save;
    std::string kept, replaced;
  };
  [[nodiscard]] Found find(Scope scope) const;
  /// Work goes on from `found`, without `lost`. Saves under way are no more; of what lay within the
  /// scope nothing is left.
  void fall_back(Scope scope, const Found& found, const Progress& lost);
  void describe(sim::Ledger& ledger);

 private:
  struct Place {
    CopyPlace what;
    SavePoint newest;          ///< that is complete there, with what it builds on
    std::int64_t written = 0;  ///< number of the newest that took a place
    [[nodiscard]] bool holds(const SavePoint& save) const;
  };
  std::vector<Place> places_;
  std::list<SavePoint> under_way_;
};

}  // namespace stallcast::models
