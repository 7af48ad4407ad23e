#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/decide/gain/levers.hpp"

namespace stallcast::gain {

std::string resource_of(const std::string& part) {
  std::string out = base::plain_path(part);
  for (const auto& [path, name] :
       {std::pair{"cluster.hosts.", "host."}, std::pair{"cluster.fabric", "fabric"},
        std::pair{"jobs.", "job."}, std::pair{"tenants.", "tenant."},
        std::pair{"stages.", "stage."}, std::pair{"failures.", "failure."}})
    if (out.starts_with(path)) return name + out.substr(std::string_view(path).size());
  return out;
}

}  // namespace stallcast::gain
