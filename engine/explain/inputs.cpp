#include "engine/explain/inputs.hpp"

#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::explain {

std::vector<std::pair<std::string, Value*>> inputs_of(Design& design) {
  std::vector<std::pair<std::string, Value*>> out;
  // The design is the caller's to change, and so are the values in it.
  for (const auto& [path, value] : base::values_of(std::as_const(design)))
    out.emplace_back(path, const_cast<Value*>(value));
  return out;
}

std::string print_input(const Value& value) {
  switch (value.dimension) {
    case Dimension::text:
      return value.text;
    case Dimension::text_list:
      return base::join(value.list, ", ");
    case Dimension::boolean:
      return value.number != 0.0 ? "true" : "false";
    default:
      return base::exact_quantity(value.number, value.dimension);
  }
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
