#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

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
    Part* chosen = nullptr;
    owed_.reserve(owed_.size() + parts.size());  // `chosen` points into it
    for (const Part& part : parts) {
      if (part.took <= Seconds{}) continue;
      Part& owed = owed_of(part.resource);
      owed.took += part.took;
      all += part.took;
      if (chosen == nullptr || owed.took > chosen->took) chosen = &owed;
    }
    if (chosen == nullptr) return parts.begin()->resource;
    chosen->took -= all;
    return chosen->resource;
  }

 private:
  Part& owed_of(ResourceIndex resource) {
    const auto found = std::ranges::find(owed_, resource, &Part::resource);
    return found != owed_.end() ? *found : owed_.emplace_back(Part{resource, Seconds{}});
  }

  std::vector<Part> owed_;
};

}  // namespace stallcast::models
