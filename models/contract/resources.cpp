#include "models/contract/resources.hpp"

#include <algorithm>

namespace stallcast::models {

std::string ResourceTable::without_group(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t group = std::min(name.find('[', at), name.size());
    out += name.substr(at, group - at);
    at = std::min(name.find(']', group), name.size() - 1) + 1;
  }
  return out;
}

ResourceIndex ResourceTable::index(std::string_view name) {
  const std::string plain = without_group(name);
  const auto found = by_name_.find(plain);
  if (found != by_name_.end()) return found->second;
  const auto index = static_cast<ResourceIndex>(names_.size());
  names_.push_back(plain);
  by_name_.emplace(plain, index);
  return index;
}

void ResourceTable::fails(std::string_view storage, ResourceIndex by, const Outages& outages) {
  const std::string id(storage);
  failing_.push_back({id, "storage." + id + ".", ".client." + id + ".", by, &outages});
}

ResourceTable::Outage ResourceTable::failed(ResourceIndex resource, Seconds from, Seconds to,
                                            std::string_view storage) const {
  Outage most;
  if (resource == kNoResource) return most;
  for (const Failing& each : failing_) {
    const Seconds time = each.outages->within(from, to);
    if (time <= most.time) continue;
    const std::string& waited = name(resource);
    if (storage == each.id || waited.starts_with(each.parts) ||
        waited.find(each.client) != std::string::npos)
      most = {each.by, time};
  }
  return most;
}

Seconds ResourceTable::stood(std::string_view storage, Seconds from, Seconds to) const {
  Seconds most;
  for (const Failing& each : failing_)
    if (storage == each.id) most = std::max(most, each.outages->within(from, to));
  return most;
}

}  // namespace stallcast::models
