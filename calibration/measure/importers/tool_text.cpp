#include "calibration/measure/importers/tool_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <utility>

#include "calibration/measure/importers/importer.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

constexpr std::string_view kSpace = " \t\r\f\v\n";
constexpr int kMostQuoted = 5;
constexpr double kLargestCount = 9007199254740992.0;  // 2^53: whole in a double
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string_view unquoted(std::string_view word) {
  while (!word.empty() && (word.front() == '\'' || word.front() == '"')) word.remove_prefix(1);
  while (!word.empty() && (word.back() == '\'' || word.back() == '"')) word.remove_suffix(1);
  return word;
}

}  // namespace

std::optional<double> tool_number(std::string_view text) {
  text = base::trim(text);
  if (text.empty() || text.size() > 64) return std::nullopt;
  std::string plain(text);
  const std::size_t comma = plain.find(',');
  if (comma != std::string::npos) {
    if (plain.find('.') != std::string::npos) return std::nullopt;
    plain[comma] = '.';
  }
  const std::optional<double> value = base::parse_number(plain);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> tool_count(std::string_view text) {
  const std::optional<double> value = tool_number(text);
  if (!value || *value < 0.0 || *value > kLargestCount || *value != std::floor(*value))
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::int64_t whole(std::optional<double> value) {
  return value && *value >= 0.0 && *value <= kLargestCount ? std::llround(*value) : 0;
}

std::optional<Bytes> tool_size(std::string_view text) {
  text = base::trim(text);
  std::size_t digits = 0;
  while (digits < text.size() && (std::string_view("0123456789.").find(text[digits]) != text.npos))
    ++digits;
  const std::optional<double> number = tool_number(text.substr(0, digits));
  if (!number || *number < 0.0) return std::nullopt;
  const std::string unit = lower_case(base::trim(text.substr(digits)));
  constexpr std::string_view kPrefixes = "kmgtp";
  double scale = 1.0;
  std::string rest = unit;
  const std::size_t prefix = unit.empty() ? std::string_view::npos : kPrefixes.find(unit[0]);
  if (prefix != std::string_view::npos) {
    scale = std::pow(1024.0, static_cast<double>(prefix + 1));
    rest = unit.substr(1);
  }
  for (const char* known : {"", "b", "i", "ib", "byte", "bytes"})
    if (rest == known) return Bytes::from(*number * scale, unit::B);
  return std::nullopt;
}

namespace {
/// What stands for option `name` in `word` itself: "=1m" of "-b=1m", "1m" of "-b1m", "" of "-b";
/// nothing where it is another word. What is glued on begins with a digit: "-wr" is two flags.
std::optional<std::string_view> glued(std::string_view word, std::string_view name) {
  if (!word.starts_with(name)) return std::nullopt;
  word.remove_prefix(name.size());
  const bool number = name.size() == 2 && !word.empty() && base::is_digit(word.front());
  return word.empty() || word.front() == '=' || number ? std::optional(word) : std::nullopt;
}
}  // namespace

std::string option_of(std::string_view command, std::string_view name) {
  const std::vector<std::string_view> words = words_of(command);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = glued(unquoted(words[i]), name);
    if (!value) continue;
    if (value->empty()) return i + 1 < words.size() ? std::string(unquoted(words[i + 1])) : "";
    return std::string(value->substr(value->starts_with("=") ? 1 : 0));
  }
  return "";
}

bool has_option(std::string_view command, std::string_view name) {
  const std::vector<std::string_view> words = words_of(command);
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return glued(unquoted(word), name).has_value();
  });
}

std::string iso_date(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  for (std::size_t i = 0; i + 3 < words.size(); ++i) {
    const auto* const month = std::find(kMonths.begin(), kMonths.end(), words[i]);
    const auto day = tool_count(words[i + 1]);
    const auto year = tool_count(words[i + 3]);
    if (month == kMonths.end() || !day || *day > 31 || !year || *year > 9999) continue;
    if (words[i + 2].size() != 8 || words[i + 2][2] != ':') continue;
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%04d-%02d-%02dT%.8s", static_cast<int>(*year),
                  static_cast<int>(month - kMonths.begin()) + 1, static_cast<int>(*day),
                  words[i + 2].data());
    return buffer;
  }
  return "";
}

std::string iso_date(double seconds) {
  if (!(seconds > 0.0 && seconds < 253402300800.0)) return "";  // the year 10000
  const auto when = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (gmtime_r(&when, &parts) == nullptr) return "";
  char buffer[40];
  return {buffer, std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  std::size_t begin = line.find_first_not_of(kSpace);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kSpace, begin), line.size());
    out.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kSpace, end);
  }
  return out;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::optional<double> precise(double value, double step) {
  return value > 50.0 * step ? std::optional(value) : std::nullopt;
}

void flag(Measurement& m, std::string_view name) {
  if (std::find(m.flags.begin(), m.flags.end(), name) == m.flags.end()) m.flags.emplace_back(name);
}

TextReader::TextReader(const ToolFile& file)
    : text_(file.text), file_(file.name), diagnostics_(file.diagnostics) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  for (std::size_t begin = 0; begin < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    std::string_view line = text_.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back({line, static_cast<int>(lines_.size()) + 1});
    begin = end + 1;
  }
}

void TextReader::add(Severity severity, const Line& line, std::string_view word,
                     std::string_view code, std::string message, std::string hint) {
  if (++faults_ > kMostFaults) return;
  if (faults_ == kMostFaults) {
    message += " (further faults of this file are not listed)";
  }
  const int column = static_cast<int>(word.data() - line.text.data()) + 1;
  diagnostics_.add({severity, std::string(code), "", Position{file_, line.number, column},
                    std::move(message), std::move(hint)});
}

void TextReader::error(const Line& line, std::string_view word, std::string_view code,
                       std::string message, std::string hint) {
  add(Severity::error, line, word, code, std::move(message), std::move(hint));
}

void TextReader::warn(const Line& line, std::string_view word, std::string_view code,
                      std::string message, std::string hint) {
  add(Severity::warning, line, word, code, std::move(message), std::move(hint));
}

std::optional<double> TextReader::number(const Line& line, std::string_view word,
                                         std::string_view what) {
  const std::optional<double> value = tool_number(word);
  if (!value)
    error(line, word, "number",
          "\"" + std::string(word.substr(0, 40)) + "\" is not a number for " + std::string(what),
          "the line is cut or was changed; take the file as the tool wrote it");
  return value;
}

bool TextReader::complete(const Line& line, std::span<const std::string_view> cells,
                          std::size_t columns, const std::string& who) {
  if (cells.size() >= columns) return true;
  error(line, cells.back(), "truncated",
        "this row has " + std::to_string(cells.size()) + " of " + std::to_string(columns) +
            " columns",
        who + " was stopped while it wrote, or the line is cut");
  return false;
}

void TextReader::unread(const Line& line) {
  const std::string_view bare = base::trim(line.text);
  if (bare.empty() || bare.find_first_not_of("-=#* ") == std::string_view::npos) return;
  if (++unread_ <= kMostQuoted)
    quoted_.push_back("line " + std::to_string(line.number) + ": " +
                      std::string(bare.substr(0, 60)));
}

std::vector<std::string> TextReader::ignored() const {
  std::vector<std::string> out = quoted_;
  if (unread_ > kMostQuoted) out.push_back(std::to_string(unread_ - kMostQuoted) + " more lines");
  return out;
}

}  // namespace stallcast::calibration
