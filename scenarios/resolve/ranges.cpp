#include "scenarios/resolve/ranges.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"

namespace stallcast::scenarios {
namespace {

using base::FieldInfo;

/// "Up to" is what a product reaches at best. Nine in ten reach at least this share of it, where
/// no measured pairs tell of its sort: an expert value.
constexpr double kCeilingShare = 0.7;

constexpr std::string_view kCeiling = "up to";
constexpr std::string_view kSigns[] = {"+-", "\u00b1"};
constexpr std::string_view kRangeKeys[] = {"value", "low", "high", "why"};

/// Digits of an end that was calculated: 95 % less 2 % is 93 %, not 92.99999999999999 %.
constexpr int kEndDigits = 12;

/// "4 GB/s +- 10 %" around its sign.
struct Tolerance {
  std::string_view nominal, amount;
};

std::optional<Tolerance> tolerance_of(std::string_view text) {
  for (const std::string_view sign : kSigns)
    if (const std::size_t at = text.find(sign); at != std::string_view::npos)
      return Tolerance{base::trim(text.substr(0, at)), base::trim(text.substr(at + sign.size()))};
  return std::nullopt;
}

bool names_ceiling(std::string_view text) { return base::trim(text).starts_with(kCeiling); }

std::string in_json(double number, Dimension dimension) {
  return is_plain(dimension) ? base::shortest(number)
                             : base::json_text(base::exact_quantity(number, dimension));
}

class RangeReader {
 public:
  RangeReader(ReadContext& context, const FieldInfo& field, const std::string& pointer,
              const ReadExact& exact, const models::Ceiling* ceiling)
      : context_(context), field_(field), at_(pointer), exact_(exact), ceiling_(ceiling) {}

  std::optional<Value> read(const Json& node) {
    const auto has = [&](std::string_view key) { return node.contains(key); };
    if (node.is_object() && std::any_of(std::begin(kRangeKeys), std::end(kRangeKeys), has))
      return read_object(node);
    if (!node.is_string()) return exact_(at_, node);
    const std::string_view text = node.get_ref<const std::string&>();
    if (is_expression(node)) return read_expression(node, text);
    if (const auto tolerance = tolerance_of(text)) return read_tolerance(*tolerance);
    if (names_ceiling(text)) return read_ceiling(base::trim(text).substr(kCeiling.size()));
    return exact_(at_, node);
  }

 private:
  std::nullopt_t fault(std::string_view code, const std::string& pointer, std::string message,
                       std::string hint) {
    context_.report.error(code, pointer, std::move(message), std::move(hint));
    return std::nullopt;
  }

  [[nodiscard]] std::string name() const { return "\"" + std::string(field_.key) + "\""; }

  [[nodiscard]] std::string in_words(double number) const {
    return base::exact_quantity(number, field_.dimension);
  }

  [[nodiscard]] std::string object_of(const std::string& value, const std::string& low,
                                      const std::string& high) const {
    return "{ \"value\": " + value + ", \"low\": " + low + ", \"high\": " + high + " }";
  }

  [[nodiscard]] std::string tolerance_hint() const {
    return tolerance_hint(base::dimension_example(field_.dimension));
  }
  [[nodiscard]] std::string tolerance_hint(std::string_view value) const {
    if (field_.dimension == Dimension::ratio)
      return "write \"95 % +- 2 %\": from 93 % to 97 %, in percentage points";
    return "write \"" + std::string(value) +
           " +- 10 %\", or the tolerance in the unit of the value";
  }

  // An arithmetic "+ -" that ends in "%" would quietly be a percentage.
  std::optional<Value> read_expression(const Json& node, std::string_view text) {
    if (text.find(" +- ") == std::string_view::npos && text.find(kSigns[1]) == text.npos)
      return exact_(at_, node);
    const std::string nominal = base::json_text(tolerance_of(text)->nominal);
    return fault("expression", at_, "an expression takes no tolerance",
                 "write " + object_of(nominal, "...", "..."));
  }

  std::optional<Value> read_object(const Json& node) {
    check_keys(node, at_, kRangeKeys, "the value of " + name(), context_.report);
    bool misspelled = false;
    for (const auto& [key, child] : node.items())
      misspelled = misspelled || (!key.starts_with("x-") &&
                                  std::find(std::begin(kRangeKeys), std::end(kRangeKeys), key) ==
                                      std::end(kRangeKeys));
    std::optional<Value> value = member(node, "value", misspelled);
    const std::optional<Value> low = member(node, "low", misspelled);
    const std::optional<Value> high = member(node, "high", misspelled);
    Range range;
    bool good = value && low && high && !misspelled;
    if (const auto why = node.find("why"); why != node.end() && !why->is_null()) {
      const auto text = read_text(context_, at_ + "/why", *why, "why");
      if (text) range.why = *text;
      good = good && text;
    }
    if (low && high && low->number > high->number)
      return fault("range", at_ + "/low",
                   "\"low\" of " + name() + " is above its \"high\": " + in_words(low->number) +
                       " is more than " + in_words(high->number),
                   "nine times in ten the truth is at least \"low\" and at most \"high\"");
    if (!good) return std::nullopt;
    if (value->number < low->number || value->number > high->number)
      return fault("range", at_ + "/value",
                   name() + " is " + in_words(value->number) + ", which is not from its \"low\", " +
                       in_words(low->number) + ", to its \"high\", " + in_words(high->number),
                   "change the range with the value, or write the value alone: it is exact then");
    range.low = low->number;
    range.high = high->number;
    return with(*std::move(value), std::move(range));
  }

  std::optional<Value> member(const Json& node, const std::string& key, bool misspelled) {
    const std::string at = at_ + "/" + key;
    const auto found = node.find(key);
    if (found == node.end() || found->is_null()) {
      if (misspelled) return std::nullopt;
      const std::string example = is_plain(field_.dimension)
                                      ? std::string(base::dimension_example(field_.dimension))
                                      : base::json_text(base::dimension_example(field_.dimension));
      const auto value = node.find("value");
      return fault("missing", at_, name() + " has a range without \"" + key + "\"",
                   key == "value" ? "add \"value\": " + example
                                  : "add \"" + key + "\", " +
                                        (value == node.end() ? "such as " + example
                                         : key == "low"      ? "at most " + value->dump()
                                                             : "at least " + value->dump()) +
                                        ", or write the value alone: it is exact then");
    }
    if (found->is_string() && !is_expression(*found) &&
        states_range(found->get_ref<const std::string&>()))
      return fault("range", at, "\"" + key + "\" has a range of its own",
                   "\"low\" and \"high\" say how sure the value is: write each as one number");
    return exact_(at, *found);
  }

  std::optional<Value> read_tolerance(const Tolerance& tolerance) {
    if (names_ceiling(tolerance.nominal))
      return fault("range", at_, "a ceiling takes no tolerance",
                   "write \"up to 110 GB/s\" or \"100 GB/s +- 10 %\"");
    if (tolerance.nominal.empty())
      return fault("unit", at_, name() + " has a tolerance and no value", tolerance_hint());
    std::optional<Value> value = exact_(at_, Json(tolerance.nominal));
    if (!value) return std::nullopt;
    if (tolerance.amount.empty())
      return fault("unit", at_, name() + " has no number after \"+-\"",
                   tolerance_hint(tolerance.nominal));
    const bool relative = tolerance.amount.ends_with('%') && field_.dimension != Dimension::ratio;
    const base::ParsedQuantity amount =
        base::parse_quantity(tolerance.amount, relative ? Dimension::ratio : field_.dimension);
    if (!amount.value)
      return fault("unit", at_, "tolerance: " + amount.message, tolerance_hint(tolerance.nominal));
    if (*amount.value < 0.0)
      return fault("range", at_, "a tolerance is at least 0, not " + std::string(tolerance.amount),
                   "it reaches both ways: " + tolerance_hint(tolerance.nominal));
    const double reach = relative ? std::abs(value->number) * *amount.value : *amount.value;
    Range range = ends(value->number, value->number - reach, value->number + reach);
    range.why = "a stated tolerance";
    return checked(*std::move(value), std::move(range));
  }

  std::optional<Value> read_ceiling(std::string_view rest) {
    if (field_.dimension != Dimension::rate && field_.dimension != Dimension::op_rate)
      return fault("unit", at_,
                   name() + " takes " + std::string(base::dimension_name(field_.dimension)) +
                       ", and \"up to\" is for rates and operation rates",
                   tolerance_hint());
    std::optional<Value> value = exact_(at_, Json(base::trim(rest)));
    if (!value) return std::nullopt;
    const double share = ceiling_ != nullptr ? ceiling_->low : kCeilingShare;
    Range range = ends(value->number, share * value->number, value->number);
    range.why = "a stated ceiling";
    if (ceiling_ != nullptr) range.why += "; " + std::string(ceiling_->source);
    return checked(*std::move(value), std::move(range));
  }

  // Of a count: the whole numbers from one end to the other.
  [[nodiscard]] Range ends(double nominal, double low, double high) const {
    if (std::isfinite(low)) low = base::rounded_to(low, kEndDigits);
    if (std::isfinite(high)) high = base::rounded_to(high, kEndDigits);
    if (field_.dimension == Dimension::count) {
      low = std::ceil(low);
      high = std::floor(high);
    }
    return {std::min(low, nominal), std::max(high, nominal), ""};
  }

  std::optional<Value> checked(Value value, Range range) {
    for (const auto& [which, end] : {std::pair{"low", range.low}, {"high", range.high}})
      if (const auto limits = outside_limits(field_, end))
        return fault(
            "range", at_,
            std::string("the ") + which + " end of " + name() + " must be " + *limits + ", not " +
                (std::isfinite(end) ? in_words(end) : "without end"),
            "name both ends: " + object_of(in_json(value.number, field_.dimension), "...", "..."));
    return with(std::move(value), std::move(range));
  }

  // A range that holds one number says that the value is exact.
  static Value with(Value value, Range range) {
    if (range.low < range.high) value.range = std::move(range);
    return value;
  }

  ReadContext& context_;
  const FieldInfo& field_;
  const std::string& at_;
  const ReadExact& exact_;
  const models::Ceiling* ceiling_;
};

bool takes_range(Dimension d) {
  return d != Dimension::boolean && d != Dimension::text && d != Dimension::text_list;
}

}  // namespace

std::optional<Value> read_ranged(ReadContext& context, const FieldInfo& field,
                                 const std::string& pointer, const Json& node,
                                 const ReadExact& exact, const models::Ceiling* ceiling) {
  warn_deprecated(field, pointer, context.report);
  if (!takes_range(field.dimension)) return exact(pointer, node);
  return RangeReader(context, field, pointer, exact, ceiling).read(node);
}

bool is_ranged(const Json& node) { return node.is_object() && node.contains("value"); }

const Json& nominal_of(const Json& node) { return is_ranged(node) ? node["value"] : node; }

bool states_range(std::string_view text) {
  return tolerance_of(text).has_value() || names_ceiling(text);
}

}  // namespace stallcast::scenarios
