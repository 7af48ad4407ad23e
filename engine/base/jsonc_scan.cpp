#include "engine/base/jsonc_scan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_units.hpp"
#include "engine/base/text.hpp"
#include "engine/base/utf8.hpp"

namespace stallcast::base::detail {
namespace {

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Ends the scan; caught in scan_jsonc, never seen outside.
struct Stop {};

class Scanner {
 public:
  Scanner(std::string_view text, const std::vector<std::string>& path)
      : text_(text), wanted_(path) {
    result_.clean = std::string(text);
  }

  ScanResult run() {
    try {
      check_encoding();
      skip_space();
      first_ = at_;
      if (at_end()) fail(0, "the text is empty", kObject);
      value(0, true, at_);
      skip_space();
      if (!at_end())
        fail(at_, "unexpected " + found() + " after the end of the document",
             "a file holds one value; remove what follows it");
      result_.readable = true;
    } catch (const Stop&) {
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[noreturn]] void fail(std::size_t offset, std::string message, std::string hint = {}) {
    // A word or a dash where a document begins: YAML, or a text.
    if (offset == first_ && offset < text_.size() &&
        (is_word(text_[offset]) || text_[offset] == '-'))
      hint = kObject;
    result_.faults.push_back({offset, "syntax", "", std::move(message), std::move(hint)});
    throw Stop{};
  }

  /// What stands at the current place, for messages.
  [[nodiscard]] std::string found() const {
    if (at_end()) return "end of the text";
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20U || c == 0x7FU) return "control character";
    return "'" + std::string(text_.substr(at_, utf8_length(text_.substr(at_)))) + "'";
  }

  [[nodiscard]] std::string pointer() const {
    std::string out;
    for (const std::string& token : path_) out += pointer_token(token);
    return out;
  }

  void check_encoding() {
    if (text_.starts_with("\xEF\xBB\xBF")) {
      blank(0, 3);
      at_ = 3;
    }
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t length = utf8_length(text_.substr(i));
      if (length == 0) fail(i, "invalid UTF-8", "save the file as UTF-8");
      i += length;
    }
  }

  void blank(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (result_.clean[i] != '\n' && result_.clean[i] != '\r') result_.clean[i] = ' ';
  }

  void skip_space() {
    while (!at_end()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        const std::size_t begin = at_;
        while (!at_end() && peek() != '\n') ++at_;
        blank(begin, at_);
      } else if (c == '/' && peek(1) == '*') {
        const std::size_t begin = at_;
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail(begin, "comment is never closed", "end it with */");
        at_ = end + 2;
        blank(begin, at_);
      } else if (c == '#') {
        fail(at_, "unexpected '#'", "comments start with // or stand between /* and */");
      } else {
        return;
      }
    }
  }

  /// `on_path`: this value lies on the wanted path, `depth` tokens of which have matched.
  void value(int depth, bool on_path, std::size_t key_offset) {
    const Place place{key_offset, at_, at_};
    if (on_path) result_.place = place;
    if (text_.size() > kMostPlaced || !wanted_.empty()) return read(depth, on_path);
    const auto placed = result_.places.insert_or_assign(pointer(), place).first;
    read(depth, on_path);
    placed->second.end = at_;
  }

  void read(int depth, bool on_path) {
    if (depth > kMaxDepth)
      fail(at_, "nested deeper than " + std::to_string(kMaxDepth) + " levels",
           "is a bracket not closed?");
    const char c = peek();
    if (at_end()) fail(at_, "the text ends where a value is expected");
    if (c == '{') return object(depth, on_path);
    if (c == '[') return array(depth, on_path);
    if (c == '"') return static_cast<void>(string());
    if (c == '-' || c == '+' || c == '.' || is_digit(c)) return number();
    if (is_word(c)) return word();
    if (c == '\'') fail(at_, "unexpected single quote", "put texts in double quotes");
    fail(at_, "expected a value, found " + found(), c == ',' ? "remove the comma" : "");
  }

  [[nodiscard]] bool leads_on(int depth, bool on_path, std::string_view token) const {
    const auto level = static_cast<std::size_t>(depth);
    return on_path && level < wanted_.size() && wanted_[level] == token;
  }

  /// After a member or element: consumes ',' or the closing bracket; true when the list goes on.
  bool more(char close, std::size_t open_offset) {
    skip_space();
    if (at_end()) unclosed(open_offset);
    if (peek() == close) return ++at_, false;
    if (peek() != ',') {
      const char c = peek();
      const bool other = c == ']' || c == '}';  // one that this list or object is not closed by
      fail(at_, std::string("expected ',' or '") + close + "', found " + found(),
           c == '"' || c == '{' || c == '[' || is_word(c) ? "put a comma before it"
           : other ? std::string("the '") + text_[open_offset] + "' of line " +
                         line_of(open_offset) + " is not closed: put a '" + close + "' before this"
                   : "");
    }
    const std::size_t comma = at_++;
    skip_space();
    if (at_end()) unclosed(open_offset);
    if (peek() != close) return true;
    blank(comma, comma + 1);
    return ++at_, false;
  }

  [[noreturn]] void unclosed(std::size_t open_offset) {
    fail(text_.size(), std::string("the text ends before the '") + text_[open_offset] +
                           "' of line " + line_of(open_offset) + " is closed");
  }

  [[nodiscard]] std::string line_of(std::size_t offset) const {
    return std::to_string(position_at(text_, offset, "").line);
  }

  void object(int depth, bool on_path) {
    const std::size_t open = at_++;
    std::map<std::string, std::string_view> seen;  // what is written for each key
    skip_space();
    if (peek() == '}') return static_cast<void>(++at_);
    do {
      if (at_end()) unclosed(open);
      const std::size_t key_offset = at_, earlier = result_.faults.size();
      const std::string key = member_key();
      path_.push_back(key);
      skip_space();
      if (peek() != ':') fail(at_, "expected ':' after key \"" + key + "\", found " + found());
      ++at_;
      skip_space();
      const std::size_t begin = at_;
      value(depth + 1, leads_on(depth, on_path, key), key_offset);
      const std::string_view written = text_.substr(begin, at_ - begin);
      const auto [first, fresh] = seen.emplace(key, written);
      if (!fresh)
        result_.faults.insert(
            result_.faults.begin() + static_cast<std::ptrdiff_t>(earlier),
            {key_offset, first->second == written ? "repeated-key" : "duplicate-key", pointer(),
             "key \"" + key + "\" is given twice", "remove one of them"});
      path_.pop_back();
    } while (more('}', open));
  }

  std::string member_key() {
    if (peek() == '"') return string();
    if (is_word(peek())) {
      const std::size_t begin = at_;
      while (is_word(peek())) ++at_;
      const std::string name(text_.substr(begin, at_ - begin));
      fail(begin, "key is not quoted: " + name, "write \"" + name + "\"");
    }
    fail(at_, "expected a key in double quotes, found " + found(),
         peek() == ',' ? "remove the comma" : "");
  }

  void array(int depth, bool on_path) {
    const std::size_t open = at_++;
    skip_space();
    if (peek() == ']') return static_cast<void>(++at_);
    std::size_t index = 0;
    do {
      if (at_end()) unclosed(open);
      path_.push_back(std::to_string(index));
      value(depth + 1, leads_on(depth, on_path, path_.back()), at_);
      path_.pop_back();
      ++index;
    } while (more(']', open));
  }

  /// Consumes a string and returns its content without escapes.
  std::string string() {
    const std::size_t open = at_++;
    bool escapes = false;
    while (peek() != '"' || at_end()) {
      if (at_end()) fail(open, "the text ends before the string is closed", "close it with \"");
      const auto c = static_cast<unsigned char>(peek());
      if (c == '\n' || c == '\r')
        fail(open, "the line ends before the string is closed", "close it with \"");
      if (c < 0x20U) fail(at_, "control character in a string", "write it as \\t or \\u00XX");
      if (c == '\\') {
        escapes = true;
        escape();
      } else {
        ++at_;
      }
    }
    const std::string_view raw = text_.substr(open, ++at_ - open);
    if (!escapes) return std::string(raw.substr(1, raw.size() - 2));
    const nlohmann::json decoded = nlohmann::json::parse(raw, nullptr, false);
    if (!decoded.is_string()) fail(open, "invalid \\u escape in a string");
    return decoded.get<std::string>();
  }

  void escape() {
    const std::size_t begin = at_++;
    if (peek() == 'u') {
      for (std::size_t i = 1; i <= 4; ++i)
        if (!is_hex(peek(i))) fail(begin, "\\u needs four hexadecimal digits");
      at_ += 5;
    } else if (!at_end() && std::string_view("\"\\/bfnrt").find(peek()) != std::string_view::npos) {
      ++at_;
    } else {
      fail(begin, "unknown escape \\ followed by " + found(), "write \\\\ for a backslash");
    }
  }

  void digits(std::size_t begin) {
    if (!is_digit(peek())) fail(begin, "a number lacks a digit", "for example 0.5 or 1e6");
    while (is_digit(peek())) ++at_;
  }

  void number() {
    const std::size_t begin = at_;
    if (peek() == '+') fail(begin, "a number does not start with '+'", "leave the '+' out");
    if (peek() == '-') ++at_;
    if (is_word(peek()) && !is_digit(peek())) return word();
    if (peek() == '.') fail(begin, "a number does not start with '.'", "write 0 before it");
    if (peek() == '0' && is_digit(peek(1)))
      fail(begin, "a number does not start with 0", "leave the leading zero out");
    digits(begin);
    if (peek() == '.') ++at_, digits(begin);
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits(begin);
    }
    if (is_word(peek()) || peek() == '.')
      fail(begin, "not a number: " + token_from(begin), "put a number with a unit in quotes");
    const std::string token(text_.substr(begin, at_ - begin));
    if (std::isfinite(decimal_value(token))) return;
    result_.faults.push_back({begin, "number", pointer(), "number " + token + " is too large",
                              "the largest is about 1.8e308"});
    blank(begin, at_);
    result_.clean[begin] = '0';
  }

  /// The rest of a malformed token, shortened for messages.
  [[nodiscard]] std::string token_from(std::size_t begin) {
    while (is_word(peek()) || peek() == '.') ++at_;
    return std::string(text_.substr(begin, std::min<std::size_t>(at_ - begin, 40)));
  }

  void word() {
    const std::size_t begin = at_ > 0 && text_[at_ - 1] == '-' ? at_ - 1 : at_;
    const std::string name = token_from(begin);
    if (name == "true" || name == "false" || name == "null") return;
    const std::string bare = name.starts_with('-') ? name.substr(1) : name;
    for (const char* special : {"NaN", "nan", "Infinity", "infinity", "Inf", "inf"})
      if (bare == special)
        fail(begin, name + " is not a JSON number", "write a finite number, or leave the key out");
    const std::vector<std::string> words = {"true", "false", "null"};
    const std::string near = nearest(name, words);
    fail(begin, "unexpected word: " + name,
         near.empty() ? "put texts in double quotes" : "write " + near);
  }

  std::string_view text_;
  const std::vector<std::string>& wanted_;
  static constexpr const char* kObject = "a scenario is a JSON object: { ... }";
  std::size_t at_ = 0;
  std::size_t first_ = std::string_view::npos;  ///< where the document begins
  std::vector<std::string> path_;
  ScanResult result_;
};

}  // namespace

ScanResult scan_jsonc(std::string_view text, const std::vector<std::string>& path) {
  return Scanner(text, path).run();
}

}  // namespace stallcast::base::detail
