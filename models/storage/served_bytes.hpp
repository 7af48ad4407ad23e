#pragma once

#include <algorithm>
#include <array>

#include "stallcast/units.hpp"

namespace stallcast::models {

/// What a server has read and written: requests that ended, and of those under way the part of
/// their work that is done, which is taken to be the same of all.    [docs/models/measured.md, eq.
/// 9]
class ServedBytes {
 public:
  void begin(bool writes, Bytes bytes, Seconds work) {
    of_[writes ? 1 : 0].open += bytes;
    open_work_ += work;
  }
  /// REQUIRES: one earlier `begin` with these figures.
  void end(bool writes, Bytes bytes, Seconds work) {
    of_[writes ? 1 : 0].open -= bytes;
    of_[writes ? 1 : 0].ended += bytes;
    open_work_ -= work;
  }
  /// Work of all requests under way, done or not.
  [[nodiscard]] Seconds open_work() const { return open_work_; }
  /// When `left` of that is still to do.
  [[nodiscard]] Bytes by_now(bool writes, Seconds left) const {
    const Way& way = of_[writes ? 1 : 0];
    if (open_work_ <= Seconds{}) return way.ended;
    return way.ended + way.open * std::clamp(1.0 - left / open_work_, 0.0, 1.0);
  }

 private:
  struct Way {
    Bytes open, ended;
  };
  std::array<Way, 2> of_;
  Seconds open_work_;
};

}  // namespace stallcast::models
