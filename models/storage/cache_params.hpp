#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/base/fields.hpp"
#include "models/storage/pooled_fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Parameters of cache servers. Meaning, units and sources: the table in cache_params.cpp; model:
/// docs/models/cache.md.
struct CacheStoreParams : ServerParams, HostClientParams {
  std::string over;
  std::int64_t servers = 1;
  Bytes size;
  Rate read, write;
  Seconds service;
  OpRate opens;
  Seconds open_service;
  std::string eviction, admit;
  std::optional<Bytes> largest;
  bool warm = false;
  std::string writes;
  std::optional<Bytes> dirty;
  std::optional<Rate> drain;
  std::int64_t drain_files = 1;
  Rate stream;
  Seconds commit;
  std::optional<Rate> link;
  Seconds link_rtt;
  Bytes window;
  Money price;

  /// Most that one connection over the line moves: a window a round trip.    [cache.md, eq. 13]
  [[nodiscard]] Rate connection() const {
    return link_rtt > Seconds{} ? std::min(stream, window / link_rtt) : stream;
  }
};

[[nodiscard]] CacheStoreParams cache_store_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> cache_store_fields();

}  // namespace stallcast::models
