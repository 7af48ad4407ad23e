#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "fuzz/target.hpp"

namespace stallcast::fuzz {

void fuzz_quantity(std::string_view input) {
  for (std::size_t i = 0; i < base::kDimensionIds.size(); ++i) {
    const auto dimension = static_cast<Dimension>(i);
    if (dimension == Dimension::text || dimension == Dimension::text_list) continue;
    const base::ParsedQuantity read = base::parse_quantity(input, dimension);
    require(read.value.has_value() == read.message.empty(), "a value or a message");
    if (!read.value) continue;
    const double value = *read.value;
    require(std::isfinite(value), "a quantity is finite");
    if (dimension == Dimension::boolean) continue;
    require(!base::print_quantity(value, dimension).empty(), "a quantity is printed");
    (void)base::print_apart(value, std::nextafter(value, 1e300), dimension);
    for (const std::string& text : {base::exact_quantity(value, dimension),
                                    base::exact_quantity_like(value, dimension, input)}) {
      const base::ParsedQuantity again = base::parse_quantity(text, dimension);
      require(again.value && *again.value == value, "what is written reads back: " + text);
    }
    (void)base::unit_of_text(input, dimension);
    (void)base::in_unit_of_text(value, input, dimension);
    if (dimension == Dimension::rate) (void)base::exact_link_rate(value);
  }
}

}  // namespace stallcast::fuzz
