#include "engine/base/flat_json.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/plain_text.hpp"
#include "engine/base/quantity_units.hpp"
#include "engine/base/text.hpp"
#include "engine/base/utf8.hpp"

namespace stallcast::base {
namespace {

constexpr int kMostLevels = 200;

/// The first from `at` on that does not stand for itself.
const char* after_plain(const char* at, const char* end) {
  std::uint64_t bytes = 0;
  for (; static_cast<std::size_t>(end - at) >= kWord; at += kWord) {
    std::memcpy(&bytes, at, kWord);
    if (const std::uint64_t found = unusual(bytes)) return at + plain_before(found);
  }
  for (; at != end; ++at)
    if (unusual(in_all(static_cast<unsigned char>(*at)))) break;
  return at;
}

}  // namespace

const FlatValue* FlatValue::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (Iterator at = begin(); at != end(); ++at) {
    const bool found = at->text() == key;
    ++at;
    if (found) return &*at;
  }
  return nullptr;
}

class FlatReader {
 public:
  FlatReader(std::string_view text, FlatJson& out)
      : at_(text.data()), end_(text.data() + text.size()), out_(out) {
    constexpr std::size_t kUsual = 10;  // bytes a value
    out_.values_.resize(text.size() / kUsual + 1);
  }

  bool read() {
    if (!value(0)) return false;
    skip_space();
    out_.values_.resize(used_);
    return at_ == end_;
  }

 private:
  using Kind = FlatValue::Kind;

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    return ++at_, true;
  }
  FlatValue& add(Kind kind) {
    if (used_ == out_.values_.size()) out_.values_.resize(2 * used_);
    FlatValue& out = out_.values_[used_++];
    out.kind_ = kind;
    return out;
  }

  bool value(int level) {
    skip_space();
    if (at_ == end_ || level > kMostLevels) return false;
    switch (*at_) {
      case '{':
        return list(Kind::object, '}', level);
      case '[':
        return list(Kind::array, ']', level);
      case '"':
        return text();
      case 't':
        return word("true", Kind::boolean, 1);
      case 'f':
        return word("false", Kind::boolean, 0);
      case 'n':
        return word("null", Kind::null, 0);
      default:
        return number();
    }
  }

  bool list(Kind kind, char close, int level) {
    ++at_;
    const std::size_t place = used_;
    add(kind);
    std::uint32_t count = 0;
    skip_space();
    if (!take(close)) {
      do {
        if (kind == Kind::object && !key()) return false;
        if (!value(level + 1)) return false;
        ++count;
        skip_space();
      } while (take(','));
      if (!take(close)) return false;
    }
    FlatValue& all = out_.values_[place];
    all.count_ = count;
    all.span_ = static_cast<std::uint32_t>(used_ - place);
    return true;
  }

  bool key() {
    skip_space();
    if (at_ == end_ || *at_ != '"' || !text()) return false;
    skip_space();
    return take(':');
  }

  bool word(std::string_view name, Kind kind, std::uint64_t whole) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(name))
      return false;
    at_ += name.size();
    add(kind).whole_ = whole;
    return true;
  }

  bool text() {
    const char* const open = ++at_;
    at_ = after_plain(at_, end_);
    if (at_ == end_ || *at_ != '"') return unusual_text(open);
    FlatValue& out = add(Kind::text);
    out.begin_ = open;
    out.count_ = static_cast<std::uint32_t>(at_++ - open);
    return true;
  }

  /// With escapes, or beyond ASCII; `at_` is behind what is plain of it.
  bool unusual_text(const char* open) {
    bool escapes = false;
    while (at_ != end_ && *at_ != '"') {
      const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
      if (*at_ == '\\') {
        if (rest.size() < 2) return false;
        escapes = true;
        at_ += 2;
      } else {
        const std::size_t length = utf8_length(rest);
        if (static_cast<unsigned char>(*at_) < 0x20 || length == 0) return false;
        at_ += length;
      }
    }
    if (at_ == end_) return false;
    std::string_view content(open, static_cast<std::size_t>(at_++ - open));
    if (escapes) {
      const auto decoded = nlohmann::json::parse(open - 1, at_, nullptr, false);
      if (!decoded.is_string()) return false;
      content = out_.unescaped_.emplace_back(decoded.get<std::string>());
    }
    FlatValue& out = add(Kind::text);
    out.begin_ = content.data();
    out.count_ = static_cast<std::uint32_t>(content.size());
    return true;
  }

  bool digits() {
    if (at_ == end_ || !is_digit(*at_)) return false;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return true;
  }

  bool number() {
    const char* const begin = at_;
    const bool negative = take('-');
    const bool zero = at_ != end_ && *at_ == '0';
    const char* const first = at_;
    if (!digits() || (zero && at_ != first + 1)) return false;
    bool whole = !negative;
    const char* end = at_;  // of what says all of it: "5.0" is 5
    if (take('.')) {
      whole = false;
      const char* const point = at_;
      if (!digits()) return false;
      if (at_ != point + 1 || *point != '0') end = nullptr;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      whole = false;
      end = nullptr;
      ++at_;
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    std::uint64_t natural = 0;
    if (whole && std::from_chars(begin, at_, natural).ec == std::errc{}) {
      add(Kind::whole).whole_ = natural;
      return true;
    }
    std::uint32_t few = 0;  // digits, so that no rounding is to be thought of
    const bool integer =
        end != nullptr && !negative && std::from_chars(begin, end, few).ec == std::errc{};
    const double real = integer ? few : detail::decimal_value({begin, at_});
    if (!std::isfinite(real)) return false;
    add(Kind::number).number_ = real;
    return true;
  }

  const char* at_;
  const char* const end_;
  FlatJson& out_;
  std::size_t used_ = 0;  ///< of `out_.values_`
};

std::optional<FlatJson> FlatJson::read(std::string_view text) {
  std::optional<FlatJson> out(std::in_place);
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  if (!FlatReader(text, *out).read()) return std::nullopt;
  return out;
}

}  // namespace stallcast::base
