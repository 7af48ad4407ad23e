#pragma once

#include <algorithm>
#include <functional>

#include "models/contract/storage_requests.hpp"

namespace stallcast::models {

/// What its targets give a file: beside those of others who write or read, and when these have
/// ended.    [docs/models/storage.md, eq. 6]
struct PlacedRate {
  /// What targets give one of so many files that are written, or read, together.
  using OfOne = std::function<Rate(double files)>;

  PlacedRate(Rate always = Rate::infinity()) : beside(always), alone(always) {}
  /// `one` is an OfOne, and what it refers to outlives the operation. Those who write the same file
  /// have what it gets all together. Of writers apart the store counts how many there are when the
  /// data move.
  PlacedRate(const WriteRequest& request, const auto& one) : PlacedRate() {
    if (request.apart) {
      beside = alone = one(1.0);
      meets = beside.finite() ? beside / one(2.0) - 1.0 : 0.0;
      return;
    }
    const double files = request.sharing == FileSharing::own ? request.writers : 1.0;
    holds(one, files, files / request.writers, request.company, request.content == Content::save);
  }
  /// Of so many of a save's files as are read together.
  PlacedRate(const ReadRequest& request, const auto& one) : PlacedRate() {
    const double at_once = std::min(request.saved, request.readers);
    if (at_once == 0.0) return;
    holds(one, at_once, at_once / request.readers, request.company, true);
  }
  /// Of the bytes of a request, those that move beside others, where these do `company` of it.
  [[nodiscard]] double together(double company) const { return beside < alone ? company : 1.0; }
  /// Of one of `writers` apart.    [docs/models/storage.md, eq. 15]
  [[nodiscard]] Rate of(double writers) const {
    return beside / (1.0 + meets * std::max(0.0, writers - 1.0));
  }
  Rate beside, alone;
  double meets = 0.0;  ///< part of its targets that one other writer is at, too
  double each = 1.0;   ///< files that are written, or read, together, for each of who does so
  OfOne of_one{};      ///< of files of saves; none: of others, and where it is no matter

 private:
  void holds(const auto& one, double files, double of_each, double company, bool save) {
    each = of_each;
    beside = one(files) * each;
    alone = company < 1.0 ? one(1.0) * each : beside;
    if (save && beside.finite()) of_one = one;
  }
};

}  // namespace stallcast::models
