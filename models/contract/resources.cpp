#include "models/contract/resources.hpp"

namespace stallcast::models {

std::string ResourceTable::without_group(std::string_view name) {
  std::string out;
  bool inside = false;
  for (const char c : name) {
    if (c == '[') inside = true;
    if (!inside) out += c;
    if (c == ']') inside = false;
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

}  // namespace stallcast::models
