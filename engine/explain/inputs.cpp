#include "engine/explain/inputs.hpp"

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

std::string unit_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::bytes:
      return "B";
    case Dimension::time:
      return "s";
    case Dimension::rate:
      return "B/s";
    case Dimension::op_rate:
      return "1/s";
    case Dimension::ratio:
      return "ratio";
    case Dimension::money:
      return "USD";
    case Dimension::money_rate:
      return "USD/s";
    case Dimension::flops:
      return "FLOP";
    case Dimension::flop_rate:
      return "FLOP/s";
    default:
      return "count";
  }
}

}  // namespace stallcast::explain
