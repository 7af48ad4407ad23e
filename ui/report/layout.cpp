#include "ui/report/layout.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "engine/base/counted.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/report.hpp"
#include "ui/report/wrap.hpp"

namespace stallcast::report {

std::string Ink::wrap(std::string_view code, std::string_view text) const {
  if (!colour_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Ink::by_status(std::string_view status, std::string_view text) const {
  return status == "pass" ? good(text) : status == "fail" ? bad(text) : doubtful(text);
}

namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// How many columns `text` takes, one for each character of UTF-8, none for colours.
std::size_t characters(std::string_view text) {
  std::size_t out = 0;
  bool colour = false;  // from ESC to m
  for (const char c : text) {
    if (c == '\033') colour = true;
    if (!colour && begins_character(c)) ++out;
    if (c == 'm') colour = false;
  }
  return out;
}

}  // namespace

std::string left(std::string_view text, std::size_t width) {
  std::string out(text);
  if (const std::size_t n = characters(text); n < width) out.append(width - n, ' ');
  return out;
}

std::string right(std::string_view text, std::size_t width) {
  const std::size_t n = characters(text);
  return n < width ? std::string(width - n, ' ') + std::string(text) : std::string(text);
}

namespace {

constexpr std::size_t kFewestColumns = 40;
constexpr std::size_t kMostColumns = 132;
/// A fact of the terminal, as the locale is one: set once, before anything is printed.
std::size_t the_columns = kColumns;

/// "s", "GB/s)", "%,": what should not begin a line below its number.
bool is_unit(std::string_view word) {
  constexpr std::size_t kLongest = 4;
  while (!word.empty() && (word.back() == ',' || word.back() == ';' || word.back() == ':' ||
                           word.back() == ')' || word.back() == '.'))
    word.remove_suffix(1);
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '/' || c == '%';
  });
  constexpr std::string_view kWords[] = {"of", "to", "at", "and", "or", "per", "less", "more"};
  return plain && !word.empty() &&
         (word.size() <= kLongest || word.find('/') != std::string_view::npos) &&
         std::find(std::begin(kWords), std::end(kWords), word) == std::end(kWords);
}

bool is_number(std::string_view word) {
  while (!word.empty() && (word.front() == '(' || word.front() == '+' || word.front() == '-'))
    word.remove_prefix(1);
  return base::parse_number(word).has_value();
}

/// The words of `text`, a number and its unit as one.
std::vector<std::string> unbroken(std::string_view text) {
  std::vector<std::string> out;
  for (std::string& word : base::split(text, ' ')) {
    if (word.empty()) continue;
    if (!out.empty() && is_number(out.back()) && is_unit(word))
      out.back() += " " + word;
    else
      out.push_back(std::move(word));
  }
  return out;
}

}  // namespace

std::size_t page_columns() { return the_columns; }

void set_page_columns(std::size_t columns) {
  the_columns = std::clamp(columns, kFewestColumns, kMostColumns);
}

std::string wrapped(std::string_view first, std::string_view text, std::size_t indent) {
  return wrapped_at(page_columns(), first, text, indent);
}

std::string wrapped_at(std::size_t columns, std::string_view first, std::string_view text,
                       std::size_t indent) {
  std::string out;
  std::string line(first);
  bool empty = true;
  for (const std::string& word : unbroken(text)) {
    if (!empty && characters(line) + 1 + characters(word) > columns) {
      out += line + "\n";
      line.assign(indent, ' ');
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return out + line + "\n";
}

std::string bullets(const std::vector<std::string>& lines, std::size_t most,
                    std::string_view more) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i)
    out += wrapped("  - ", lines[i], 4);
  if (most >= lines.size()) return out;
  return out + "  ... and " + std::to_string(lines.size() - most) + " " + std::string(more) + "\n";
}

std::string in_month(int month) { return month == 0 ? "now" : "month " + std::to_string(month); }

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> in_lines(std::string text, std::size_t width) {
  std::vector<std::string> out;
  while (text.size() > width) {
    std::size_t at = text.find_last_of(" ", width);
    if (at == std::string::npos || at == 0) {
      at = text.find_last_of(".", width - 1);
      at = at == std::string::npos || at == 0 ? width : at + 1;
    }
    out.push_back(text.substr(0, at));
    text.erase(0, text[at] == ' ' ? at + 1 : at);
  }
  out.push_back(text);
  return out;
}

std::string shortened(const std::string& name, std::size_t width) {
  const std::size_t length = characters(name);
  if (length <= width) return name;
  const std::size_t head = (width - 2) / 2, tail = width - 2 - head;
  const auto place = [&](std::size_t wanted) {  // where so many characters end
    std::size_t at = 0;
    while (at < name.size() && (wanted > 0 || !begins_character(name[at])))
      if (begins_character(name[at++])) --wanted;
    return at;
  };
  return name.substr(0, place(head)) + ".." + name.substr(place(length - tail));
}

std::vector<int> tenths_of_percent(const std::map<std::string, double>& shares) {
  std::vector<int> out;
  for (const char* cause : kBreakdownCauses) {
    const auto it = shares.find(cause);
    out.push_back(it == shares.end() ? 0 : static_cast<int>(std::lround(1000.0 * it->second)));
  }
  return out;
}

double decimal_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= least) return times * power;
  return 10.0 * power;
}

std::string print_tenths(int tenths) {
  const int size = std::abs(tenths);
  return (tenths < 0 ? "-" : "") + std::to_string(size / 10) + "." + std::to_string(size % 10) +
         " %";
}

std::string fixed(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

std::string points(double difference, int decimals) {
  return fixed(100.0 * difference, decimals) + " points";
}
std::string signed_points(double difference, int decimals) {
  const std::string out = points(difference, decimals);
  if (out.find_first_of("123456789") == std::string::npos) return points(0.0, decimals);
  return out.starts_with('-') ? out : "+" + out;
}

std::string print_share(double share) {
  return print_tenths(static_cast<int>(std::lround(1000.0 * share)));
}

std::string counted(std::int64_t n, std::string_view plural) { return base::counted(n, plural); }

namespace {

/// Ratios of 10 % and more keep a fixed number of decimals, so that columns compare.
std::string figure(double value, const std::string& unit, int decimals) {
  constexpr double kNextToNothing = 0.0001;
  if (unit == "ratio" && value > 0.0 && value < kNextToNothing) return "under 0.01 %";
  if (unit != "ratio" || std::abs(value) < 0.1) return print_value(value, unit);
  return base::percent(value, decimals);
}

}  // namespace

std::string print_end(double value, const std::string& unit) { return figure(value, unit, 1); }

// What is most likely of each input by itself need not give the middle of what all may be.
std::string print_middle(const Metric& metric) {
  if (!metric.ci90 || !metric.median) return "";
  const bool outside = metric.value < metric.ci90->first || metric.value > metric.ci90->second;
  return outside ? print_end(*metric.median, metric.unit) : "";
}

std::string print_metric(const Metric& metric) {
  std::string text = figure(metric.value, metric.unit, 1);
  const auto& interval = metric.ci90 ? metric.ci90 : metric.ci95;
  if (!interval) return text;
  const int decimals = metric.ci90 ? 1 : 2;
  const std::string low = figure(interval->first, metric.unit, decimals);
  const std::string high = figure(interval->second, metric.unit, decimals);
  if (low == high) return text;
  if (!metric.ci90)
    return figure(metric.value, metric.unit, decimals) + " (mean of seeds " + low + " to " + high +
           ")";
  const std::string middle = print_middle(metric);
  return text + " (90 % of outcomes " + low + " to " + high +
         (middle.empty() ? "" : ", middle " + middle) + ")";
}

namespace {

/// Whole numbers are printed as any others.
Dimension dimension_of(std::string_view unit) {
  const Dimension out = metric::dimension_of(unit).value_or(Dimension::number);
  return out == Dimension::count ? Dimension::number : out;
}

}  // namespace

std::string print_value(double value, std::string_view unit) {
  return base::print_value(value, unit);
}

std::string print_beside(double value, double limit, const std::string& unit) {
  const Dimension dimension = dimension_of(unit);
  const double a = metric::to_base(value, unit), b = metric::to_base(limit, unit);
  const std::string text = figure(value, unit, 1);
  const bool apart = base::print_quantity(a, dimension) != base::print_quantity(b, dimension);
  if (value == limit || (apart && text != figure(limit, unit, 1))) return text;
  return base::with_noun(base::print_apart(a, b, dimension), unit);
}

std::string print_limit(double limit, std::string_view unit) {
  if (!std::isfinite(limit)) return print_value(limit, unit);
  const Dimension dimension = dimension_of(unit);
  const double exact = metric::to_base(limit, unit);
  const std::string near = base::print_quantity(exact, dimension);
  if (base::parse_quantity(near, dimension).value == exact) return base::with_noun(near, unit);
  const std::size_t space = near.find(' ');
  if (space != near.rfind(' ')) return base::exact_quantity(exact, dimension);  // in parts
  // In the unit in which figures of its size are told, where few digits say it there.
  constexpr std::size_t kFewDigits = 6;
  if (const auto one = base::unit_of_text(near, dimension); one && space != near.npos) {
    const std::string number = base::shortest(exact / *one);
    if (number.size() <= kFewDigits &&
        base::in_unit_of_text(exact / *one, near, dimension) == exact)
      return base::with_noun(number + near.substr(space), unit);
  }
  return base::with_noun(base::exact_quantity(exact, dimension), unit);
}

std::string as_counted(std::string_view metric, std::string text) {
  // Trees name one replica's "job.train.throughput.samples, seed 1".
  return base::with_noun(std::move(text), metric::shown_unit(metric.substr(0, metric.find(',')),
                                                             metric::unit_of(Dimension::op_rate)));
}

std::string print_predicted(const AssertionOutcome& a) {
  if (!a.is_known()) return "not known";  // to bounds, or since it did not come
  return as_counted(a.metric, print_beside(a.value, a.limit.value_or(a.value), a.unit)) +
         goodput_remark(a.goodput);
}

std::string goodput_remark(const std::optional<double>& left) {
  return left ? ", goodput " + print_share(*left) : "";
}

std::string print_margin(double margin) {
  const double percent = 100.0 * margin;
  if (percent == 0.0) return "0 %";
  char text[40];
  std::snprintf(text, sizeof text, std::abs(percent) < 9.95 ? "%+.2g %%" : "%+.0f %%", percent);
  return text;
}

std::string print_target_margin(double margin, double limit, std::string_view unit) {
  constexpr double kFar = 9.995;  // digits say no more
  if (!(std::abs(margin) < kFar)) return margin < 0.0 ? "far off" : "ample";
  // Percent of a limit that is a percentage would be taken for points. Of 0 it is the difference.
  if (unit != "ratio") return print_margin(margin);
  const double apart = limit == 0.0 ? margin : margin * std::abs(limit);
  constexpr double kClose = 0.995e-2;
  if (apart == 0.0 || std::abs(apart) >= kClose) return signed_points(apart, 1);
  char text[40];  // a target that is just missed is not missed by 0
  std::snprintf(text, sizeof text, "%+.2g points", 100.0 * apart);
  return text;
}

std::string_view verdict_name(Verdict verdict) {
  return verdict == Verdict::pass           ? "pass"
         : verdict == Verdict::fail         ? "fail"
         : verdict == Verdict::inconclusive ? "inconclusive"
                                            : "none";
}

}  // namespace stallcast::report
