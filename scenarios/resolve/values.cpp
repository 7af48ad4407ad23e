#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/resolve/component_reader.hpp"
#include "scenarios/resolve/ranges.hpp"

/// One value: its JSON type, unit, limits and choices.
namespace stallcast::scenarios {
namespace {

using base::FieldInfo;

bool is_text(Dimension d) { return d == Dimension::text || d == Dimension::text_list; }

// The unit a field's default is written in: "GB/s"; "" without one.
std::string_view usual_unit(const FieldInfo& field) {
  if (field.required() || field.optional()) return "";
  const std::size_t space = field.fallback.rfind(' ');
  return space == std::string_view::npos ? "" : field.fallback.substr(space + 1);
}

// Hints: a bare 60 may be seconds or milliseconds.
std::string with_usual_unit(double bare, const FieldInfo& field) {
  const std::string_view usual = usual_unit(field);
  const std::string number = base::shortest(bare);
  if (field.dimension == Dimension::time && usual.empty())
    return "write \"" + number + " s\" or \"" + number + " ms\"";
  return base::bare_number_hint(number, bare, field.dimension, usual);
}

// "=n GB/s" of "=n", and "=100 * n %" where n is 0.4.
std::string with_usual_unit(const std::string& expression, double bare, const FieldInfo& field) {
  const std::string inner(base::trim(std::string_view(expression).substr(1)));
  const bool alone = inner.find_first_of("+-*/ ") == std::string::npos;
  if (field.dimension == Dimension::ratio && std::abs(bare) <= 1.0)
    return "write \"=100 * " + (alone ? inner : "(" + inner + ")") + " %\"";
  std::string out = "write ";
  for (const std::string_view unit : base::likely_units(bare, field.dimension, usual_unit(field)))
    out += (out.ends_with('"') ? " or \"=" : "\"=") + inner + " " + std::string(unit) + "\"";
  return out;
}

std::string in_words(double value, Dimension dimension) {
  return is_plain(dimension) ? base::shortest(value) : base::exact_quantity(value, dimension);
}

std::string range_text(const FieldInfo& field) {
  const base::FieldLimits& l = field.limits;
  std::string out;
  if (std::isfinite(l.minimum))
    out = (l.above_minimum ? "above " : "at least ") + in_words(l.minimum, field.dimension);
  if (std::isfinite(l.maximum))
    out += (out.empty() ? "at most " : " and at most ") + in_words(l.maximum, field.dimension);
  return out;
}

class ValueReader {
 public:
  ValueReader(Reporter& report, const FieldInfo& field, const std::string& pointer)
      : report_(report), field_(field), at_(pointer) {}

  std::optional<Value> read(const Json& node) {
    Value value;
    value.dimension = field_.dimension;
    switch (field_.dimension) {
      case Dimension::boolean:
        if (!node.is_boolean()) return wrong_type(node, "true or false");
        value.number = node.get<bool>() ? 1.0 : 0.0;
        return value;
      case Dimension::text:
        if (!node.is_string())
          return wrong_type(
              node, "a text",
              node.is_primitive() && !node.is_null() ? "write \"" + node.dump() + "\"" : "");
        value.text = node.get<std::string>();
        return choose(value.text, at_) ? std::optional(value) : std::nullopt;
      case Dimension::text_list:
        return read_list(node, std::move(value));
      default:
        return read_number(node, std::move(value));
    }
  }

 private:
  std::optional<Value> wrong_type(const Json& node, std::string_view wanted,
                                  std::string hint = "") {
    report_.error("type", at_,
                  "\"" + std::string(field_.key) + "\" takes " + std::string(wanted) + ", not " +
                      std::string(type_name(node)),
                  std::move(hint));
    return std::nullopt;
  }

  std::optional<Value> read_list(const Json& node, Value value) {
    if (!node.is_array())
      return wrong_type(node, "a list of texts",
                        node.is_string() ? "write [" + node.dump() + "]" : "");
    bool good = true;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string at = at_ + base::pointer_token(i);
      if (!node[i].is_string()) {
        report_.error("type", at,
                      "\"" + std::string(field_.key) + "\" takes texts, not " +
                          std::string(type_name(node[i])));
        good = false;
        continue;
      }
      value.list.push_back(node[i].get<std::string>());
      good = choose(value.list.back(), at) && good;
    }
    return good ? std::optional(value) : std::nullopt;
  }

  bool choose(const std::string& text, const std::string& at) {
    const auto choices = field_.limits.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end())
      return true;
    const std::vector<std::string> names(choices.begin(), choices.end());
    report_.error("choice", at, "\"" + text + "\" is not a " + std::string(field_.key),
                  allowed_hint(text, names));
    return false;
  }

  std::optional<Value> read_number(const Json& node, Value value) {
    const std::string name(base::dimension_name(field_.dimension));
    if (node.is_number() && is_plain(field_.dimension)) {
      value.number = node.get<double>();
    } else if (node.is_number()) {
      report_.error("unit", at_,
                    "\"" + std::string(field_.key) + "\" needs a unit: " + node.dump() +
                        " is a bare number, expected " + name,
                    with_usual_unit(node.get<double>(), field_));
      return std::nullopt;
    } else if (node.is_string()) {
      const std::string& text = node.get_ref<const std::string&>();
      const base::ParsedQuantity parsed = base::parse_quantity(text, field_.dimension);
      if (!parsed.value) {
        // "200" is the bare number that 200 is.
        const bool bare = text.find_first_not_of("0123456789.eE+-") == text.npos;
        const auto number = base::parse_quantity(bare ? text : "", Dimension::number).value;
        report_.error("unit", at_, parsed.message,
                      number ? with_usual_unit(*number, field_) : parsed.hint);
        return std::nullopt;
      }
      value.number = *parsed.value;
    } else {
      return wrong_type(node, name,
                        "write " + std::string(is_plain(field_.dimension) ? "" : "\"") +
                            std::string(base::dimension_example(field_.dimension)) +
                            (is_plain(field_.dimension) ? "" : "\""));
    }
    if (field_.dimension == Dimension::count && value.number != std::floor(value.number)) {
      report_.error("type", at_,
                    "\"" + std::string(field_.key) + "\" is a whole number, not " +
                        base::shortest(value.number),
                    "write " + base::shortest(std::ceil(value.number)) +
                        ", or use ceil(...) in an expression");
      return std::nullopt;
    }
    return in_range(value.number) ? std::optional(value) : std::nullopt;
  }

  bool in_range(double number) {
    const std::optional<std::string> limits = outside_limits(field_, number);
    if (!limits) return true;
    report_.error("range", at_,
                  "\"" + std::string(field_.key) + "\" must be " + *limits + ", not " +
                      in_words(number, field_.dimension),
                  "write a value that is " + *limits + ": " + std::string(field_.doc));
    return false;
  }

  Reporter& report_;
  const FieldInfo& field_;
  const std::string& at_;
};

}  // namespace

std::optional<std::string> outside_limits(const FieldInfo& field, double number) {
  const base::FieldLimits& l = field.limits;
  const bool low = l.above_minimum ? number <= l.minimum : number < l.minimum;
  // 2^53: the largest whole number a double still tells from its neighbours.
  constexpr double kLargestCount = 9007199254740992.0;
  const bool wild = field.dimension == Dimension::count && (number < 0.0 || number > kLargestCount);
  if (std::isfinite(number) && !low && number <= l.maximum && !wild) return std::nullopt;
  std::string range = range_text(field);
  // A number far too large is not told about the lower limit.
  if (wild && number > 0.0)
    range = "at most " + in_words(std::min(l.maximum, kLargestCount), field.dimension);
  if (range.empty()) range = wild ? "at least 0" : "a finite number";
  return range;
}

void warn_deprecated(const FieldInfo& field, const std::string& pointer, Reporter& report) {
  if (field.limits.deprecated.empty()) return;
  report.warn("deprecated", pointer,
              "\"" + std::string(field.key) + "\" is deprecated since " +
                  std::string(field.limits.deprecated),
              std::string(field.limits.instead), base::PointAt::key);
}

std::optional<Value> read_value(ReadContext& context, const FieldInfo& field,
                                const std::string& pointer, const Json& node) {
  Source source{Source::Kind::scenario, context.report.where(pointer), "", false};
  Json plain = node;
  if (is_expression(node)) {
    const auto result = context.params.evaluate(node.get_ref<const std::string&>(), pointer);
    if (!result) return std::nullopt;
    plain = *result;
    source.kind = Source::Kind::expression;
    if (plain.is_number() && !is_plain(field.dimension) && !is_text(field.dimension) &&
        field.dimension != Dimension::boolean) {
      const double bare = plain.get<double>();
      context.report.error(
          "unit", pointer,
          "\"" + std::string(field.key) + "\" needs a unit: \"" + node.get<std::string>() +
              "\" is the bare number " + base::shortest(bare),
          with_usual_unit(node.get<std::string>(), bare, field) + ", or give the parameter a unit");
      return std::nullopt;
    }
  } else if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i)
      if (is_expression(node[i])) {
        const auto result = context.params.evaluate(node[i].get_ref<const std::string&>(),
                                                    pointer + base::pointer_token(i));
        if (!result) return std::nullopt;
        plain[i] = *result;
      }
  }
  if (source.kind == Source::Kind::scenario && context.report.from_option(pointer))
    source.kind = Source::Kind::set_option;
  std::optional<Value> value = ValueReader(context.report, field, pointer).read(plain);
  if (value) value->source = std::move(source);
  return value;
}

std::optional<Value> value_of_text(const FieldInfo& field, std::string_view text) {
  Value value;
  value.dimension = field.dimension;
  switch (field.dimension) {
    case Dimension::text:
      value.text = text;
      return value;
    case Dimension::text_list:
      for (const std::string& part : base::split(text, ','))
        value.list.emplace_back(base::trim(part));
      return value;
    case Dimension::boolean:
      if (text != "true" && text != "false") return std::nullopt;
      value.number = text == "true" ? 1.0 : 0.0;
      return value;
    default:
      break;
  }
  const base::ParsedQuantity parsed = base::parse_quantity(text, field.dimension);
  if (!parsed.value) return std::nullopt;
  value.number = *parsed.value;
  return value;
}

std::optional<std::string> read_text(ReadContext& context, const std::string& pointer,
                                     const Json& node, std::string_view key) {
  base::FieldInfo field;
  field.key = key;
  field.dimension = Dimension::text;
  const auto value = read_value(context, field, pointer, node);
  if (!value) return std::nullopt;
  // Reports print these texts, and terminals obey control characters.
  if (std::any_of(value->text.begin(), value->text.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20U && c != '\n' && c != '\t') || c == '\x7F';
      })) {
    context.report.error("text", pointer, "control character in \"" + std::string(key) + "\"",
                         "leave it out");
    return std::nullopt;
  }
  return value->text;
}

}  // namespace stallcast::scenarios
