#include "scenarios/resolve/field_example.hpp"

#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::scenarios {
namespace {

std::string example_value(const base::FieldInfo& field) {
  switch (field.dimension) {
    case Dimension::count:
    case Dimension::number:
      return "8";
    case Dimension::text:
    case Dimension::text_list:
      return "\"...\"";
    default:
      break;
  }
  // Of storage; other durations are those of steps.
  if (field.key.ends_with("latency")) return "\"100 us\"";
  return "\"" + std::string(base::dimension_example(field.dimension)) + "\"";
}

}  // namespace

std::string example_of(const base::FieldInfo& field) {
  const std::vector<std::string> parts = base::split(field.key, '.');
  std::string out = "\"" + parts.back() + "\": " + example_value(field);
  for (std::size_t i = parts.size() - 1; i-- > 0;) out = "\"" + parts[i] + "\": { " + out + " }";
  return out;
}

}  // namespace stallcast::scenarios
