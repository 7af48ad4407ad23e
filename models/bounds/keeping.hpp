#pragma once

#include "stallcast/design.hpp"

namespace stallcast::models {

/// How much of its media a storage system keeps data on, by copies and parity.
/// [docs/models/capacity.md, eq. 1]
class Keeping {
 public:
  Keeping() = default;  ///< all
  /// Of `storage`, whose stripes have so many `places`; 0: as many as there are parts.
  Keeping(const Component& storage, double places);

  /// Data in a byte of media where there are so many `parts`.
  [[nodiscard]] double data(double parts) const;
  /// The least parts that hold data of so many times the media of one.   [capacity.md, eq. 3]
  [[nodiscard]] double parts_for(double data_of_one) const;

 private:
  double data_ = 1.0, parity_ = 0.0;  ///< of a stripe, or one and its copies
  double places_ = 0.0;
  bool narrow_ = false;  ///< where there are fewer places than that, fewer data
};

}  // namespace stallcast::models
