#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/name_map.hpp"
#include "models/contract/outages.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// A resource that can be blamed for waiting: a link, a queue, or a limit of one process.
using ResourceIndex = std::int32_t;
inline constexpr ResourceIndex kNoResource = -1;

/// Names of everything that can be blamed. Members of a folded class share one name: the "[2]" of
/// "host.gpu[2].nic.read" is dropped.
class ResourceTable {
 public:
  /// The index of `name`, added when new.
  ResourceIndex index(std::string_view name);
  [[nodiscard]] const std::string& name(ResourceIndex index) const {
    return names_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  /// `name` without group numbers.
  [[nodiscard]] static std::string without_group(std::string_view name);

  /// From now on it is `by` that is waited for while `storage` has one of `outages`, which outlive
  /// this, and none of its parts.    [docs/models/failures.md]
  void fails(std::string_view storage, ResourceIndex by, const Outages& outages);
  /// Of the time between two dates in which `resource` was waited for, what was an outage: of its
  /// storage, or of `storage`, which was read or written then.
  struct Outage {
    ResourceIndex by = kNoResource;
    Seconds time;
  };
  [[nodiscard]] Outage outage_of(ResourceIndex resource, Seconds from, Seconds to,
                                 std::string_view storage = {}) const {
    return failing_.empty() ? Outage{} : failed(resource, from, to, storage);
  }

  /// How long `storage` stood still between two dates.
  [[nodiscard]] Seconds stood(std::string_view storage, Seconds from, Seconds to) const;

  /// Resource of each simulated link, by link index; filled as links are made.
  std::vector<ResourceIndex> of_link;

 private:
  [[nodiscard]] Outage failed(ResourceIndex resource, Seconds from, Seconds to,
                              std::string_view storage) const;
  std::vector<std::string> names_;
  base::NameMap<ResourceIndex> by_name_;
  struct Failing {
    std::string id;      ///< "scratch"
    std::string parts;   ///< "storage.scratch."
    std::string client;  ///< ".client.scratch.", of a host
    ResourceIndex by = kNoResource;
    const Outages* outages = nullptr;
  };
  std::vector<Failing> failing_;
};

}  // namespace stallcast::models
