#include "engine/decide/explain/inputs.hpp"

#include <string_view>

#include "engine/base/design_values.hpp"

namespace stallcast::explain {

std::vector<std::pair<std::string, Value*>> inputs_of(Design& design) {
  std::vector<std::pair<std::string, Value*>> out;
  base::for_each_component(design,
                           [&](const std::string& path, std::string_view, Component& component) {
                             for (auto& [key, value] : component.values)
                               out.emplace_back(path + "." + key, &value);
                           });
  return out;
}

}  // namespace stallcast::explain
