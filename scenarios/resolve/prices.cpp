#include "scenarios/resolve/prices.hpp"

#include <algorithm>
#include <array>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/contract/requests.hpp"
#include "scenarios/document/keys.hpp"
#include "stallcast/units.hpp"

namespace stallcast::scenarios {
namespace {

/// How the catalogue writes prices, in the base unit of a price field.
struct PriceUnit {
  std::string_view text;
  Dimension dimension;
  PriceOf of;
  double times, over;
};
// A month is a twelfth of a year, as in the unit "USD/month".
constexpr double kHour = unit::h.scale, kMonth = 730.0 * kHour, kGbOfTb = 1000.0;
constexpr std::array kUnits{
    PriceUnit{"USD/GB", Dimension::money, PriceOf::tb, kGbOfTb, 1.0},
    PriceUnit{"USD/h", Dimension::money_rate, PriceOf::one, 1.0, kHour},
    PriceUnit{"USD/GB-mo", Dimension::money_rate, PriceOf::tb, kGbOfTb, kMonth},
    PriceUnit{"kW", Dimension::power, PriceOf::one, 1000.0, 1.0},
    PriceUnit{"W", Dimension::power, PriceOf::one, 1.0, 1.0},
    PriceUnit{"USD/1000 requests", Dimension::money, PriceOf::requests, 1.0, 1.0},
};

std::string name_of(PriceOf of) {
  if (of == PriceOf::one) return " of one";
  return of == PriceOf::tb ? " of 1 TB" : " of 1,000 requests";
}

const PriceUnit* unit_of(const models::CatalogueFigure& figure) {
  const auto it = std::find_if(kUnits.begin(), kUnits.end(),
                               [&](const PriceUnit& u) { return u.text == figure.unit; });
  return figure.number && it != kUnits.end() ? &*it : nullptr;
}

bool fits(const models::CatalogueFigure& figure, Dimension dimension, PriceOf of) {
  const PriceUnit* unit = unit_of(figure);
  return unit != nullptr && unit->dimension == dimension && unit->of == of;
}

/// Every figure that fits, as a scenario names it.
std::vector<std::string> known(Dimension dimension, PriceOf of) {
  std::vector<std::string> out;
  for (const models::CatalogueFigures& thing : models::figures())
    for (const models::CatalogueFigure& figure : thing.values)
      if (fits(figure, dimension, of)) out.push_back(thing.id + "#" + figure.parameter);
  return out;
}

const models::CatalogueFigure* find_figure(std::string_view name) {
  const std::size_t hash = name.find('#');
  const models::CatalogueFigures* thing = models::find_figures(name.substr(0, hash));
  if (thing == nullptr) return nullptr;
  if (hash == std::string_view::npos)
    return thing->values.size() == 1 ? &thing->values.front() : nullptr;
  for (const models::CatalogueFigure& figure : thing->values)
    if (figure.parameter == name.substr(hash + 1)) return &figure;
  return nullptr;
}

}  // namespace

std::optional<PriceOf> price_of(const models::KindInfo& kind, const base::FieldInfo& field) {
  if (const models::PartInfo* part = models::part_priced_by(kind, field))
    return part->in_tb() ? PriceOf::tb : PriceOf::one;
  const auto same = [&](const auto& requests) { return requests.price == field.key; };
  const auto& all = models::kPricedRequests;
  if (std::any_of(all.begin(), all.end(), same)) return PriceOf::requests;
  return std::nullopt;
}

bool names_price(const Json& node) {
  return node.is_string() && node.get_ref<const std::string&>().starts_with(kCatalog);
}

std::optional<Value> read_price(ReadContext& context, const base::FieldInfo& field,
                                const std::string& pointer, std::string_view text, PriceOf of) {
  const std::string name(text.substr(kCatalog.size()));
  const models::CatalogueFigure* figure = find_figure(name);
  if (figure == nullptr || !fits(*figure, field.dimension, of)) {
    const std::vector<std::string> names = known(field.dimension, of);
    context.report.error(
        "price", pointer,
        figure == nullptr ? "no figure \"" + name + "\" in the catalogue"
                          : "\"" + name + "\" is " + models::text_of(*figure) + ", which \"" +
                                std::string(field.key) + "\" (" +
                                std::string(base::dimension_name(field.dimension)) + name_of(of) +
                                ") cannot take",
        names.empty() ? "write \"" + std::string(base::dimension_example(field.dimension)) + "\""
                      : allowed_hint(name, names));
    return std::nullopt;
  }
  Value value;
  value.dimension = field.dimension;
  const PriceUnit& unit = *unit_of(*figure);
  value.number = (figure->low + figure->high) / 2.0 * unit.times / unit.over;
  std::string citation = figure->source + " (read " + figure->date + ")";
  if (figure->low != figure->high)
    citation = "middle of " + models::text_of(*figure) + ", " + citation;
  value.source = {Source::Kind::catalogue, std::string(text), std::move(citation),
                  figure->assumption};
  return value;
}

}  // namespace stallcast::scenarios
