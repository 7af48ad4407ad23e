#pragma once

#include <string>
#include <vector>

#include "stallcast/design.hpp"

/// Designs that put every kind of every role to work, one at a time.
namespace stallcast::testing {

struct Kinds {
  std::string storage = "lustre", fabric = "switched", format = "raw", loader = "pytorch",
              step = "given", checkpoint = "async", communication = "given", tenant = "",
              failure = "";
  [[nodiscard]] std::string name() const {
    return storage + " " + fabric + " " + format + " " + loader + " " + step + " " + checkpoint +
           " " + communication + " " + tenant + " " + failure;
  }
};

/// What storage kinds name differently: the key that counts their servers or media, and the
/// resource that every byte read crosses at the media.
struct StorageNames {
  const char* count;
  const char* media;
};
[[nodiscard]] StorageNames storage_names(const std::string& kind);

/// 32 GPUs that read 1.3 GB/s each from 32 GB/s and save 64 GB every 8 s: loaded, every part in
/// use.
[[nodiscard]] Design design_of(const Kinds& kinds);

/// One combination per registry row: a new row is tested by being there.
[[nodiscard]] std::vector<Kinds> all_kinds();

}  // namespace stallcast::testing
