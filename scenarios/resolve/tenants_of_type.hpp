#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/document/document.hpp"

namespace stallcast::scenarios {

/// A tenant as it stands in the tree.
struct WrittenTenant {
  std::string at;  ///< pointer to it
  Json tenant;
};
/// All that name this type. What else is wrong with the list is for others to say.
[[nodiscard]] inline std::vector<WrittenTenant> tenants_of_type(const Tree& tree,
                                                                std::string_view type) {
  std::vector<WrittenTenant> out;
  const Json* tenants = find(tree.root, "/tenants");
  if (tenants == nullptr || !tenants->is_array()) return out;
  for (std::size_t i = 0; i < tenants->size(); ++i) {
    const Json& tenant = (*tenants)[i];
    if (tenant.is_object() && tenant.value("type", Json()) == type)
      out.push_back({"/tenants" + base::pointer_token(i), tenant});
  }
  return out;
}

}  // namespace stallcast::scenarios
