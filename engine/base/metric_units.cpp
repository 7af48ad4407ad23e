#include "engine/base/metric_units.hpp"

namespace stallcast::base {

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
    case Dimension::count:
    case Dimension::number:
      return "count";
    case Dimension::boolean:
    case Dimension::text:
    case Dimension::text_list:
      break;
  }
  return "";
}

}  // namespace stallcast::base
