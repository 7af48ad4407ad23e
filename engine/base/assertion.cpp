#include "engine/base/assertion.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "engine/base/expression.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/quantity_units.hpp"
#include "engine/base/text.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::base {
namespace {

constexpr std::array<std::string_view, 5> kOperators = {"<=", ">=", "==", "<", ">"};
constexpr std::array<std::string_view, 4> kStatistics = {"mean", "min", "max", "total"};
constexpr std::string_view kExample = "write \"job.train.gpu.utilization >= 95 %\"";
constexpr std::string_view kIn = " in ";

Failure bad(std::string message, std::string_view hint) {
  return {ExitCode::bad_input, std::move(message), std::string(hint)};
}

Result<base::AnyQuantity> parse_limit(std::string_view text) {
  const std::string trimmed(base::trim(text));
  if (const auto read = base::parse_any_quantity(trimmed)) return *read;
  if (const auto in_parts = detail::parse_parts(trimmed))
    return bad(in_parts->message, in_parts->hint);
  return bad("\"" + trimmed + "\" is not a quantity",
             "for example \"95 %\", \"5 s\", \"2 GB/s\", \"80 kops/s\", \"1 GiB\" or \"48\"");
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether `base` is in `text` as a word of its own.
bool names_base(std::string_view text) {
  constexpr std::string_view kBase = "base";
  for (std::size_t at = text.find(kBase); at != std::string_view::npos;
       at = text.find(kBase, at + 1)) {
    const std::size_t end = at + kBase.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return true;
  }
  return false;
}

/// The metric as it is written: "max(resource.*.utilization)".
std::string subject_of(const Assertion& assertion) {
  if (assertion.statistic.empty()) return assertion.metric;
  return assertion.statistic + "(" + assertion.metric + ")";
}

Dimension wanted_of(std::string_view unit) {
  return metric::dimension_of(unit).value_or(Dimension::number);
}

bool is_plain(Dimension wanted) {
  return wanted == Dimension::count || wanted == Dimension::number;
}

/// A limit in `wanted`, the one that was meant where one can tell: "95 %" of 0.95.
std::string example_of(Dimension wanted, double value, Dimension given) {
  if (is_plain(wanted)) return "48";
  if (wanted == Dimension::ratio && given == Dimension::number && value >= 0.0 && value <= 1.0)
    return base::exact_quantity(value, Dimension::ratio);
  return std::string(base::dimension_example(wanted));
}

/// A limit in base units as metrics of `unit` are given, or the hint to write `example`.
Result<double> convert(const base::AnyQuantity& limit, std::string_view unit,
                       const std::string& example) {
  const Dimension wanted = wanted_of(unit);
  if (limit.dimension == wanted || (is_plain(wanted) && limit.dimension == Dimension::number))
    return metric::from_base(limit.value, unit);
  if (limit.dimension == Dimension::number && metric::takes_plain(unit)) return limit.value;
  const std::string needed = is_plain(wanted) ? std::string("a number without a unit")
                                              : std::string(base::dimension_name(wanted));
  return bad("the limit must be " + needed, "write for example \"" + example + "\"");
}

/// `text` from `at` on as a number with a unit: where it ends; `at` when it is a plain number.
std::size_t end_of_part(std::string_view text, std::size_t at) {
  std::size_t end = at;
  const auto digit = [&](std::size_t i) {
    return i < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[i])) != 0 || text[i] == '.');
  };
  while (digit(end)) ++end;
  std::size_t unit = end;
  while (unit < text.size() && text[unit] == ' ') ++unit;
  const std::size_t begin = unit;
  const auto in_unit = [&](std::size_t i) {
    if (i >= text.size()) return false;
    const char c = text[i];
    const bool slash = c == '/' && i > begin && i + 1 < text.size() &&
                       std::isalpha(static_cast<unsigned char>(text[i + 1])) != 0;
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '%' || slash;
  };
  while (in_unit(unit)) ++unit;
  return unit > begin ? unit : at;
}

/// The same of a quantity that may be a duration in parts.
std::size_t end_of_quantity(std::string_view text, std::size_t at) {
  std::size_t end = end_of_part(text, at);
  for (std::size_t next = end; next > at;) {
    std::size_t begin = end;
    while (begin < text.size() && text[begin] == ' ') ++begin;
    next = end_of_part(text, begin);
    if (next == begin || !detail::parse_parts(text.substr(at, next - at))) break;
    end = next;
  }
  return end;
}

/// What may be written for `limit` in an expression of `base`, in a range as its upper end.
std::string relative_example(const Assertion& assertion, const base::AnyQuantity& limit,
                             std::string_view unit) {
  const std::string more = "base + " + example_of(wanted_of(unit), limit.value, limit.dimension);
  return subject_of(assertion) + " " + assertion.op + " " +
         (assertion.op == "in" ? "[base, " + more + "]" : more);
}

/// An expression of `base` with its quantities as plain numbers in `unit`: "base + 2 s".
Result<std::string> in_numbers(const Assertion& assertion, const std::string& text,
                               std::string_view unit) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = std::isdigit(static_cast<unsigned char>(text[at])) != 0 &&
                        (at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '.'));
    const std::size_t end = begins ? end_of_quantity(text, at) : at;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const auto limit = parse_limit(std::string_view(text).substr(at, end - at));
    if (!limit.ok()) return limit.failure();
    const auto number = convert(*limit, unit, relative_example(assertion, *limit, unit));
    if (!number.ok()) return number.failure();
    out += base::shortest(*number);
    at = end;
  }
  return out;
}

Result<bool> read_metric(std::string_view text, const std::string& that, Assertion& out) {
  std::string metric(base::trim(text));
  for (const std::string_view statistic : kStatistics)
    if (metric.starts_with(std::string(statistic) + "(") && metric.ends_with(')')) {
      out.statistic = statistic;
      const std::size_t inside = statistic.size() + 1;
      metric = base::trim(std::string_view(metric).substr(inside, metric.size() - inside - 1));
      break;
    }
  if (metric.empty() || metric.find_first_of(" ()") != std::string::npos)
    return bad("\"" + that + "\" must start with one metric", kExample);
  out.metric = std::move(metric);
  return true;
}

/// What is wrong with the form of an expression of `base` is wrong whatever the unit: 1 stands for
/// every quantity. `example` is what may be written in place of `that`.
Result<bool> check_form(std::string_view limit, const std::string& that,
                        const std::string& example) {
  if (limit.empty())
    return bad("\"" + that + "\": an end of the range is missing", "write \"" + example + "\"");
  std::string form;
  for (std::size_t i = 0; i < limit.size();) {
    const std::size_t end =
        std::isdigit(static_cast<unsigned char>(limit[i])) != 0 ? end_of_quantity(limit, i) : i;
    form += end > i ? std::string("1") : std::string(1, limit[i]);
    i = std::max(end, i + 1);
  }
  const auto tried = base::evaluate(form, {{"base", 1.0}});
  if (!tried.value.has_value())
    return bad("\"" + that + "\": " + tried.message,
               tried.hint.empty() ? "write \"" + example + "\"" : tried.hint);
  return true;
}

/// Where the lower end stops: "max(base, 2 s), 3 s" has commas of its own.
std::size_t end_of_lower(std::string_view range) {
  int depth = 0;
  for (std::size_t i = 0; i < range.size(); ++i) {
    depth += range[i] == '(' ? 1 : range[i] == ')' ? -1 : 0;
    if (range[i] == ',' && depth == 0) return i;
  }
  return std::string_view::npos;
}

Result<bool> read_range(std::string_view text, const std::string& that, Assertion& out) {
  text = base::trim(text);
  const bool closed = text.size() > 1 && text.starts_with('[') && text.ends_with(']');
  const std::string_view inside = closed ? text.substr(1, text.size() - 2) : std::string_view();
  const std::size_t comma = end_of_lower(inside);
  if (comma == std::string_view::npos)
    return bad("\"" + that + "\" has no range", "write \"job.train.step.time in [1 s, 2 s]\"");
  const std::string_view ends[] = {base::trim(inside.substr(0, comma)),
                                   base::trim(inside.substr(comma + 1))};
  out.op = "in";
  if (names_base(ends[0]) || names_base(ends[1])) {
    for (const std::string_view end : ends) {
      const auto form = check_form(end, that, subject_of(out) + " in [base * 0.95, base * 1.05]");
      if (!form.ok()) return form.failure();
      // A quantity is an expression, too, once its unit is known.
      if (const auto alone = parse_limit(end); !names_base(end) && !alone.ok())
        return alone.failure();
    }
    out.relative = ends[0];
    out.relative_upper = ends[1];
    return true;
  }
  const auto low = parse_limit(ends[0]);
  const auto high = parse_limit(ends[1]);
  for (const auto* end : {&low, &high})
    if (!end->ok()) return end->failure();
  if (low->dimension != high->dimension || low->value > high->value)
    return bad("\"" + that + "\" is not a range from low to high",
               "write \"job.train.step.time in [1 s, 2 s]\"");
  out.limit = low->value;
  out.upper = high->value;
  out.dimension = low->dimension;
  return true;
}

}  // namespace

Result<Assertion> parse_assertion(const std::string& that) {
  Assertion assertion;
  const std::size_t at = that.find_first_of("<>=!");
  const std::size_t in = that.find(kIn);
  const std::size_t metric_end = std::min(at, in);
  if (metric_end == std::string::npos) return bad("\"" + that + "\" compares nothing", kExample);
  if (const auto read = read_metric(std::string_view(that).substr(0, metric_end), that, assertion);
      !read.ok())
    return read.failure();
  if (in < at) {
    const auto read = read_range(std::string_view(that).substr(in + kIn.size()), that, assertion);
    if (!read.ok()) return read.failure();
    return assertion;
  }
  const std::string_view tail = std::string_view(that).substr(at);
  for (const std::string_view op : kOperators)
    if (assertion.op.empty() && tail.starts_with(op)) assertion.op = op;
  if (assertion.op.empty() && (tail.starts_with("=>") || tail.starts_with("=<")))
    return bad("\"" + that + "\" has no known comparison",
               std::string("did you mean \"") + tail[1] + "=\"?");
  if (assertion.op.empty())
    return bad("\"" + that + "\" has no known comparison", "use one of < <= > >= == in");
  const std::string_view limit = base::trim(tail.substr(assertion.op.size()));
  if (names_base(limit)) {
    assertion.relative = limit;
    const auto form =
        check_form(limit, that, subject_of(assertion) + " " + assertion.op + " base * 1.05");
    if (!form.ok()) return form.failure();
    return assertion;
  }
  const auto parsed = parse_limit(limit);
  if (!parsed.ok()) return parsed.failure();
  assertion.limit = parsed->value;
  assertion.dimension = parsed->dimension;
  return assertion;
}

Result<double> limit_in(const Assertion& assertion, std::string_view metric_unit) {
  const std::string begin = subject_of(assertion) + " " + assertion.op + " ";
  const auto example = [&](double value) {
    return example_of(wanted_of(metric_unit), value, assertion.dimension);
  };
  const base::AnyQuantity limit{assertion.limit, assertion.dimension};
  if (!assertion.upper) return convert(limit, metric_unit, begin + example(limit.value));
  // Where one end may not have been meant as it stands, neither does the other.
  const double low = *assertion.upper > 1.0 ? *assertion.upper : limit.value;
  return convert(limit, metric_unit,
                 begin + "[" + example(low) + ", " + example(*assertion.upper) + "]");
}

Result<AskedLimits> relative_limits(const Assertion& assertion, std::string_view metric_unit,
                                    double base) {
  const auto value_of = [&](const std::string& text) -> Result<double> {
    const auto numbers = in_numbers(assertion, text, metric_unit);
    if (!numbers.ok()) return numbers.failure();
    const auto limit = base::evaluate(*numbers, {{"base", base}});
    if (!limit.value.has_value()) return bad("\"" + text + "\": " + limit.message, limit.hint);
    return *limit.value;
  };
  const Result<double> limit = value_of(assertion.relative);
  if (!limit.ok()) return limit.failure();
  if (assertion.relative_upper.empty()) return AskedLimits{*limit};
  const Result<double> upper = value_of(assertion.relative_upper);
  if (!upper.ok()) return upper.failure();
  // Of a negative figure "base * 0.95" is the higher end.
  if (*limit > *upper && base < 0.0 && names_base(assertion.relative) &&
      names_base(assertion.relative_upper))
    return AskedLimits{*upper, *limit};
  if (*limit > *upper)
    return bad("the range begins above its end where \"base\" is " + base::shortest(base),
               "write the lower end first, as in \"[base * 0.95, base * 1.05]\"");
  return AskedLimits{*limit, *upper};
}

double nearest_end(const Assertion& assertion, double value, double limit,
                   std::optional<double> upper) {
  if (assertion.op != "in" || !upper) return limit;
  return value - limit <= *upper - value ? limit : *upper;
}

double margin(const Assertion& assertion, double value, double limit, std::optional<double> upper) {
  const double end = nearest_end(assertion, value, limit, upper);
  const double scale = end != 0.0 ? std::abs(end) : 1.0;
  if (assertion.op == "in") return (upper && end == *upper ? end - value : value - end) / scale;
  if (assertion.op.starts_with('<')) return (limit - value) / scale;
  if (assertion.op.starts_with('>')) return (value - limit) / scale;
  return -std::abs(value - limit) / scale;
}

}  // namespace stallcast::base
