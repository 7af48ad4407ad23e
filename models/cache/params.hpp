#pragma once

#include <optional>
#include <string>

#include "stallcast/units.hpp"

namespace stallcast::models::cache {

/// How the samples of a data set are dealt out epoch by epoch, and what hosts keep of them. Part of
/// every data set; docs/models/cache.md.
struct CacheParams {
  std::string shuffle;              ///< global, node or none
  std::optional<std::string> name;  ///< jobs that give the same name read the same data
  std::string cache_policy;         ///< none, lru, random or pinned
  std::optional<Bytes> cache_size;  ///< of one host; absent: what its memory has left
  std::string cache_medium;         ///< memory or nvme
  std::string cache_scope;          ///< node or cooperative
  bool cache_warm = false;
  bool cache_opens = true;         ///< files found are still opened at the storage system
  std::optional<Rate> cache_copy;  ///< one process; absent: only the medium limits

  [[nodiscard]] bool cached() const { return cache_policy != "none"; }
};

}  // namespace stallcast::models::cache
