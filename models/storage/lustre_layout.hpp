#pragma once

#include <algorithm>
#include <cmath>

#include "models/storage/striping.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Where the bytes of a file lie: the first on its MDT (DoM), then on the OSTs of one or two
/// components (PFL). docs/models/lustre.md, equation 3.
struct LustreLayout {
  static constexpr double kRounding = 1e-9;
  Bytes dom;             ///< bytes on the MDT
  Bytes first_end;       ///< where the first component ends; not above dom: there is none
  Striping first, rest;  ///< of the components

  struct Parts {
    Bytes mdt, first, rest;
    double at_mdt = 1.0, at_first = 1.0, at_rest = 1.0;  ///< of the ranges that have bytes there
    [[nodiscard]] Bytes on_osts() const { return first + rest; }
    /// Of the ranges, those that have bytes on OSTs.
    [[nodiscard]] double at_osts() const {
      return first > Bytes{} ? std::min(1.0, at_first + at_rest) : at_rest;
    }
    /// Of `asked` requests for a range, one after the other, those for bytes on the MDT, the first
    /// at least.
    [[nodiscard]] double asked_of_mdt(double asked, Bytes range) const {
      const double part = mdt / (range * at_mdt);
      return std::min(asked, std::max(1.0, std::ceil(asked * part - kRounding)));
    }
  };
  /// The bytes of a file of this size in each part.
  [[nodiscard]] Parts split(Bytes file) const {
    const Bytes mdt = std::min(file, dom);
    const Bytes end = std::max(dom, first_end);
    const Bytes in_first = std::min(file, end) - mdt;
    return {mdt, in_first, file - mdt - in_first};
  }
  /// The same of a range of it, on average over those that it consists of.
  [[nodiscard]] Parts split(Bytes range, Bytes file) const {
    if (!file.finite()) return {{}, {}, range};
    if (range >= file) return split(file);
    const Parts all = split(file);
    const double share = range / file;
    // Of file / range ranges, so many begin before `to` and end behind `from`.
    const auto having = [&](Bytes from, Bytes to) {
      const double count = std::ceil(to / range - kRounding) - std::floor(from / range + kRounding);
      return std::min(1.0, std::max(0.0, count) * share);
    };
    const Bytes end = all.mdt + all.first;
    return {all.mdt * share,     all.first * share,    all.rest * share,
            having({}, all.mdt), having(all.mdt, end), having(end, file)};
  }
  /// The component that holds the end of a file of this size.
  [[nodiscard]] const Striping& last(Bytes file) const {
    return file > std::max(dom, first_end) ? rest : first;
  }
  /// OSTs that a file of this size has objects on, used or not.
  [[nodiscard]] double objects(Bytes file) const {
    const bool has_first = first_end > dom, has_rest = file > std::max(dom, first_end);
    return (has_first ? first.width() : 0.0) + (has_rest ? rest.width() : 0.0);
  }
};

}  // namespace stallcast::models
