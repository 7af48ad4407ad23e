#pragma once

#include <cstdint>
#include <initializer_list>

#include "engine/sim/short_list.hpp"
#include "models/contract/storage.hpp"

namespace stallcast::models {

/// A wait goes to one resource. Of several that follow each other in it, to the one that has been
/// given least of what it took so far: over many waits each gets its own time.
class FairBlame {
 public:
  struct Part {
    ResourceIndex resource;
    Seconds took;
  };

  /// Whom a wait of these parts goes to: of the first one, the longest.
  ResourceIndex charge(std::initializer_list<Part> parts) {
    Seconds all;
    std::uint32_t chosen = kNone;
    for (const Part& part : parts) {
      if (part.took <= Seconds{}) continue;
      const std::uint32_t place = owed_to(part.resource);
      Part& owed = at(place);
      owed.took += part.took;
      all += part.took;
      if (chosen == kNone || owed.took > at(chosen).took) chosen = place;
    }
    if (chosen == kNone) return parts.begin()->resource;
    Part& longest = at(chosen);
    longest.took -= all;
    return longest.resource;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  Part& at(std::uint32_t place) { return owed_.begin()[place]; }
  std::uint32_t owed_to(ResourceIndex resource) {
    for (std::uint32_t i = 0; i < owed_.size(); ++i)
      if (at(i).resource == resource) return i;
    owed_.push_back({resource, Seconds{}});
    return owed_.size() - 1;
  }

  sim::ShortList<Part, 3> owed_;
};

}  // namespace stallcast::models
