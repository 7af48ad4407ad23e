#include "engine/base/covers.hpp"

#include <algorithm>

#include "engine/base/design_values.hpp"
#include "stallcast/label.hpp"

namespace stallcast::base {

std::string without_way(const std::string& resource) {
  for (const char* way : {".read", ".write", ".get", ".put"})
    if (resource.ends_with(way)) return resource.substr(0, resource.rfind('.'));
  return resource;
}

bool covers(std::string_view limit, const std::string& resource) {
  const std::string whole = without_way(resource);
  const ResourceName name = resource_name(whole);
  // "storage.nas" is all that the filer has, "storage.nas.read" its bandwidth.
  const bool an_owner = name.part.empty() && !name.id.empty();
  return std::ranges::any_of(label::each_of(limit), [&](const std::string& one) {
    return one == resource || (!an_owner && one == whole);
  });
}

}  // namespace stallcast::base
