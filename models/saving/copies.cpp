#include "models/saving/copies.hpp"

#include <algorithm>
#include <limits>

namespace stallcast::models {

std::vector<CopyPlace> copy_places(const StateMover& mover, const CheckpointParams& p) {
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
  for (const std::string& tier : mover.tiers()) {
    const bool file = tier != kPeerMemory, one = !file || p.overwrites();
    out.push_back({.tier = tier,
                   .lost_with = lost_with(tier, mover.holds_own(tier)),
                   .kept = one ? 1.0 : std::numeric_limits<double>::infinity(),
                   .snapshots = file && p.overwrites()});
  }
  return out;
}

bool Copies::Place::holds(std::int64_t number) const {
  return number > 0 && number <= newest.number &&
         static_cast<double>(number) > static_cast<double>(written) - what.kept;
}

Copies::Copies(const std::vector<CopyPlace>& places) {
  for (const CopyPlace& place : places) places_.push_back({.what = place, .newest = {}});
}

SavePoint& Copies::begin(std::int64_t number, const Progress& at) {
  for (Place& place : places_)
    if (place.what.snapshots) place.written = number;
  return under_way_.emplace_back(SavePoint{number, at});
}

void Copies::arrived(std::size_t place, const SavePoint& save) {
  places_[place].newest = save;
  places_[place].written = std::max(places_[place].written, save.number);
}

void Copies::forget(const SavePoint& save) {
  under_way_.remove_if([&](const SavePoint& other) { return &other == &save; });
}

Copies::Found Copies::find(Scope scope) const {
  Found out;
  for (const Place& place : places_)
    if (scope < place.what.lost_with && place.newest.number > out.save.number &&
        place.holds(place.newest.number))
      out.save = place.newest;
  for (const Place& place : places_) {
    if (!place.holds(out.save.number)) continue;
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
      place.newest = place.holds(found.save.number) ? found.save : SavePoint{};
    place.newest.at += lost;  // so that it counts as lost once
  }
}

void Copies::describe(sim::Ledger& ledger) {
  const auto tell = [&](SavePoint& save) {
    ledger.count(save.number);
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
