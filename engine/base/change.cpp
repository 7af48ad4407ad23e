#include "stallcast/change.hpp"

#include <nlohmann/json.hpp>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast {
namespace {

struct TextOf {
  std::string operator()(const Amount& amount) const {
    return base::shortest(amount.number) + (amount.unit.empty() ? "" : " " + amount.unit);
  }
  std::string operator()(const std::string& words) const { return words; }
  std::string operator()(const JsonLiteral& literal) const { return literal.json; }
};

}  // namespace

std::string text_of(const Setting& value) { return std::visit(TextOf{}, value); }

std::string text_of(const Change& change) { return change.path + "=" + text_of(change.value); }

Setting parse_setting(std::string_view words) {
  std::string text(base::trim(words));
  if (nlohmann::json::accept(text)) return JsonLiteral{std::move(text)};
  return text;
}

Result<Change> parse_change(std::string_view option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return Failure{ExitCode::bad_input, "\"" + std::string(option) + "\" is not path=value",
                   "write --set storage.ost.count=48"};
  return Change{std::string(option.substr(0, equals)), parse_setting(option.substr(equals + 1))};
}

Setting setting_of(double base_value, Dimension dimension) {
  const std::string text = base::exact_quantity(base_value, dimension);
  const std::size_t space = text.find(' ');
  if (const auto number = base::parse_number(text.substr(0, space))) {
    Setting amount = Amount{*number, space == std::string::npos ? "" : text.substr(space + 1)};
    // A decimal prefix only moves the point, which can leave more digits than the number needs.
    if (text_of(amount) == text) return amount;
  }
  return parse_setting(text);
}

}  // namespace stallcast
