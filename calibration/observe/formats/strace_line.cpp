#include "calibration/observe/formats/strace_line.hpp"

#include <charconv>

#include "calibration/observe/formats/formats.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::strace {
namespace {

std::optional<std::int64_t> number_at(std::string_view& text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

/// Seconds since 1970 that are one; times of -r, since the line before, are smaller.
constexpr double kLeastDate = 1e8;

/// "1700000000.123456" or "14:02:03.123456".
bool take_time(std::string_view& text, StraceLine& line) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  const std::size_t colon = word.find(':');
  if (colon == word.npos) {
    if (word.find('.') == word.npos) return false;
    const auto seconds = base::parse_number(word);
    if (!seconds || !(*seconds >= kLeastDate)) return false;
    line.time = Seconds::from(*seconds, unit::s);
    line.calendar = true;
  } else {
    const std::size_t second = word.find(':', colon + 1);
    if (second == word.npos) return false;
    const auto h = base::parse_number(word.substr(0, colon));
    const auto m = base::parse_number(word.substr(colon + 1, second - colon - 1));
    const auto s = base::parse_number(word.substr(second + 1));
    if (!h || !m || !s) return false;
    line.time = Seconds::from(*h * 3600.0 + *m * 60.0 + *s, unit::s);
  }
  text.remove_prefix(word.size());
  skip_spaces(text);
  return true;
}

/// Where the parenthesis that is open at the front closes; npos when it does not.
std::size_t closing(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) return i;
  }
  return text.npos;
}

}  // namespace

void strace_result(std::string_view text, StraceLine& line) {
  skip_spaces(text);
  if (!text.starts_with('=')) return;
  text.remove_prefix(1);
  skip_spaces(text);
  if (text.ends_with('>')) {
    const std::size_t open = text.rfind(" <");
    if (open != text.npos) {
      const auto seconds = base::parse_number(text.substr(open + 2, text.size() - open - 3));
      if (seconds && *seconds >= 0.0) {
        line.duration = Seconds::from(*seconds, unit::s);
        text = text.substr(0, open);
      }
    }
  }
  line.result_text = text;
  line.result = number_at(text);
}

std::optional<StraceLine> strace_line(std::string_view text) {
  StraceLine line;
  skip_spaces(text);
  if (text.starts_with("[pid")) {
    text.remove_prefix(4);
    skip_spaces(text);
    line.pid = number_at(text);
    if (!line.pid || !text.starts_with(']')) return std::nullopt;
    text.remove_prefix(1);
  } else {
    // A pid is a number without a point, and a time follows.
    std::string_view rest = text;
    const auto pid = number_at(rest);
    if (pid && !rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) {
      line.pid = pid;
      text = rest;
    }
  }
  skip_spaces(text);
  if (!take_time(text, line)) return std::nullopt;
  if (text.starts_with("+++")) {
    line.kind = StraceLine::Kind::exited;
    return line;
  }
  if (text.starts_with("---")) return line;  // a signal
  if (text.starts_with("<... ")) {
    text.remove_prefix(5);
    const std::size_t space = text.find(' ');
    const std::size_t end = text.find('>');
    if (space == text.npos || end == text.npos) return line;
    line.kind = StraceLine::Kind::resumed;
    line.name = text.substr(0, space);
    text.remove_prefix(end + 1);
    const std::size_t close = closing(text);
    line.arguments = text.substr(0, close);
    if (close != text.npos) strace_result(text.substr(close + 1), line);
    return line;
  }
  const std::size_t open = text.find('(');
  if (open == text.npos || open == 0 || text.substr(0, open).find(' ') != text.npos) return line;
  line.name = text.substr(0, open);
  text.remove_prefix(open + 1);
  constexpr std::string_view kUnfinished = "<unfinished ...>";
  if (text.ends_with(kUnfinished)) {
    line.kind = StraceLine::Kind::unfinished;
    line.arguments = base::trim(text.substr(0, text.size() - kUnfinished.size()));
    return line;
  }
  const std::size_t close = closing(text);
  if (close == text.npos) return line;
  line.kind = StraceLine::Kind::call;
  line.arguments = text.substr(0, close);
  strace_result(text.substr(close + 1), line);
  return line;
}

std::vector<std::string_view> strace_arguments(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (i < text.size() && quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c == ',' && (depth <= 0 || i >= text.size())) {
      const std::string_view part = base::trim(text.substr(begin, i - begin));
      if (!part.empty()) out.push_back(part);
      begin = i + 1;
      depth = 0;
    }
  }
  return out;
}

std::optional<std::string> strace_text(std::string_view argument) {
  if (!argument.starts_with('"')) return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < argument.size() && argument[i] != '"'; ++i) {
    char c = argument[i];
    if (c == '\\' && i + 1 < argument.size()) {
      c = argument[++i];
      if (c >= '0' && c <= '7') {  // up to three octal digits
        unsigned value = 0;
        std::size_t digits = 0;
        while (digits < 3 && i < argument.size() && argument[i] >= '0' && argument[i] <= '7') {
          value = value * 8 + static_cast<unsigned>(argument[i++] - '0');
          ++digits;
        }
        --i;
        c = static_cast<char>(value);
      } else if (c == 'n') {
        c = '\n';
      } else if (c == 't') {
        c = '\t';
      }
    }
    out += c;
  }
  return out;
}

std::optional<StraceDescriptor> strace_descriptor(std::string_view argument) {
  StraceDescriptor out;
  if (argument.starts_with("AT_FDCWD")) {
    out.number = -100;
    argument.remove_prefix(8);
  } else {
    const auto number = number_at(argument);
    if (!number) return std::nullopt;
    out.number = *number;
  }
  if (argument.starts_with('<') && argument.ends_with('>'))
    out.path = argument.substr(1, argument.size() - 2);
  return out;
}

Seconds DayClock::since_first_midnight(Seconds clock) {
  constexpr Seconds kDay = Seconds::from(24.0, unit::h), kHalf = kDay / 2.0,
                    kLate = Seconds::from(1.0, unit::h);
  if (clock + kDay * midnights_ + kHalf < last_) midnights_ += 1.0;
  Seconds time = clock + kDay * midnights_;
  if (midnights_ > 0.0 && time - kDay + kLate > last_) time -= kDay;
  return last_ = time;
}

std::optional<std::int64_t> pid_in_name(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  std::string_view last = path.substr(path.rfind('.') + 1);
  const auto pid = number_at(last);
  return pid && last.empty() && *pid > 0 && *pid < kMostPids ? pid : std::nullopt;
}

bool recognises(std::string_view head) {
  int lines = 0, calls = 0;
  while (!head.empty() && lines < 20) {
    const std::size_t end = head.find('\n');
    if (end == head.npos) break;
    const auto line = strace_line(head.substr(0, end));
    calls += line && line->kind != StraceLine::Kind::other ? 1 : 0;
    ++lines;
    head.remove_prefix(end + 1);
  }
  return calls > 0 && calls * 2 >= lines;
}

}  // namespace stallcast::calibration::strace
