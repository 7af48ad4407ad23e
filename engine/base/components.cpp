#include "engine/base/components.hpp"

#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::base {

std::string written(const Value& value) {
  switch (value.dimension) {
    case Dimension::text:
      return value.text;
    case Dimension::text_list:
      return join(value.list, ", ");
    case Dimension::boolean:
      return value.number != 0.0 ? "true" : "false";
    default:
      if (!std::isfinite(value.number))
        return value.number > 0.0 ? "unlimited" : shortest(value.number);
      return exact_quantity(value.number, value.dimension);
  }
}

}  // namespace stallcast::base
