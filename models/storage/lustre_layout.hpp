#pragma once

#include <algorithm>

#include "models/storage/striping.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Where the bytes of a file lie: the first on its MDT (DoM), then on the OSTs of one or two
/// components (PFL). docs/models/lustre.md, equation 3.
struct LustreLayout {
  Bytes dom;             ///< bytes on the MDT
  Bytes first_end;       ///< where the first component ends; not above dom: there is none
  Striping first, rest;  ///< of the components

  struct Parts {
    Bytes mdt, first, rest;
    [[nodiscard]] Bytes on_osts() const { return first + rest; }
  };
  /// The bytes of a file of this size in each part.
  [[nodiscard]] Parts split(Bytes file) const {
    const Bytes mdt = std::min(file, dom);
    const Bytes end = std::max(dom, first_end);
    const Bytes in_first = std::min(file, end) - mdt;
    return {mdt, in_first, file - mdt - in_first};
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
