#include "models/saving/copies.hpp"

#include <algorithm>
#include <limits>

namespace stallcast::models {

std::vector<CopyPlace> copy_places(const StateMover& mover, const CheckpointParams& p,
                                   const std::vector<Retention>& files) {
  std::vector<CopyPlace> out;
  if (std::find(p.tiers.begin(), p.tiers.end(), kHostMemory) != p.tiers.end())
    out.push_back({.tier = std::string(kHostMemory),
                   .lost_with = lost_with(kHostMemory, true),
                   .kept = p.snapshots(),
                   .snapshots = true});
  if (p.ends_in_cache())  // files whose pages wait to be written
    out.push_back({.tier = p.to,
                   .lost_with = lost_with(kHostMemory, true),
                   .kept = std::numeric_limits<double>::infinity()});
  for (std::size_t t = 0; t < mover.tiers().size(); ++t) {
    const std::string& tier = mover.tiers()[t];
    const bool file = tier != kPeerMemory;
    out.push_back({.tier = tier,
                   .lost_with = lost_with(tier, mover.holds_own(tier)),
                   .snapshots = file && p.overwrites(),
                   .files = file && !p.overwrites() ? &files[t] : nullptr});
  }
  return out;
}

// A save in files needs those that it builds on.    [docs/models/checkpoint.md, eq. 9 and 10]
bool Copies::Place::holds(const SavePoint& save) const {
  if (what.files != nullptr) return what.files->holds(save.number - save.chain + 1, save.number);
  return static_cast<double>(save.number) > static_cast<double>(written) - what.kept;
}

Copies::Copies(const std::vector<CopyPlace>& places) {
  for (const CopyPlace& place : places) places_.push_back({.what = place, .newest = {}});
}

void Copies::overwrite(std::size_t place, const SavePoint& save) {
  Place& there = places_[place];
  if (there.what.snapshots) there.written = std::max(there.written, save.number);
}

void Copies::arrived(std::size_t place, const SavePoint& save) {
  Place& there = places_[place];
  there.written = std::max(there.written, save.number);
  if (save.number < there.newest.number) return;
  if (there.holds(save)) there.newest = save;
}

void Copies::forget(const SavePoint& save) {
  under_way_.remove_if([&](const SavePoint& other) { return &other == &save; });
}

Copies::Found Copies::find(Scope scope) const {
  Found out;
  for (const Place& place : places_)
    if (scope < place.what.lost_with && place.newest.number > out.save.number &&
        place.holds(place.newest))
      out.save = place.newest;
  for (const Place& place : places_) {
    if (out.save.number == 0 || out.save.number > place.newest.number || !place.holds(out.save))
      continue;
    if (out.kept.empty()) out.kept = place.what.tier;
    if (out.replaced.empty() && scope < place.what.lost_with) out.replaced = place.what.tier;
  }
  return out;
}

void Copies::fall_back(Scope scope, const Found& found, const Progress& lost) {
  under_way_.clear();
  for (Place& place : places_) {
    if (scope >= place.what.lost_with)
      place.newest = {};
    else if (place.newest.number > found.save.number)
      place.newest = place.holds(found.save) ? found.save : SavePoint{};
    place.newest.at += lost;  // so that it counts as lost once
  }
}

void Copies::describe(sim::Ledger& ledger) {
  const auto tell = [&](SavePoint& save) {
    ledger.count(save.number);
    ledger.state(save.chain);
    save.at.describe(ledger);
  };
  for (Place& place : places_) {
    tell(place.newest);
    ledger.count(place.written);
  }
  ledger.state(under_way_.size());
  for (SavePoint& save : under_way_) tell(save);
}

}  // namespace stallcast::models
