#include "engine/runtime/codec/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/base/jsonc.hpp"
#include "engine/base/plain_text.hpp"

namespace stallcast::codec {
namespace {

using base::kWord;

/// Copies `text` to `to`, where there is room for a word at least, eight bytes at a time: a shorter
/// text with more behind it, the last of a longer one with what is before them. Returns whether all
/// of it stands for itself.
bool copy_plain(std::string_view text, char* to) {
  std::uint64_t bytes = base::in_all('a'), seen = 0;
  if (text.size() < kWord) {
    auto* const first = reinterpret_cast<char*>(&bytes);
    for (std::size_t i = 0; i < text.size(); ++i) first[i] = text[i];
    std::memcpy(to, &bytes, kWord);
    return base::unusual(bytes) == 0;
  }
  const auto copy_word = [&](std::size_t at) {
    std::memcpy(&bytes, text.data() + at, kWord);
    std::memcpy(to + at, &bytes, kWord);
    seen |= base::unusual(bytes);
  };
  const std::size_t last = text.size() - kWord;
  for (std::size_t at = 0; at < last; at += kWord) copy_word(at);
  copy_word(last);
  return seen == 0;
}

}  // namespace

void JsonText::grow(std::size_t bytes) { out_.resize(std::max(2 * out_.size(), end_ + bytes)); }

void JsonText::open(char bracket) {
  char* at = begin_value(1);
  *at++ = bracket;
  written(at);
  comma_ = false;
}

void JsonText::close(char bracket) {
  char* at = room(1);
  *at++ = bracket;
  written(at);
  comma_ = true;
}

void JsonText::put(std::string_view value) {
  char* at = begin_value(value.size());
  written(std::copy(value.begin(), value.end(), at));
}

void JsonText::key(std::string_view name) {
  text(name);
  char* at = room(1);
  *at++ = ':';
  written(at);
  comma_ = false;
}

void JsonText::text(std::string_view value) {
  const bool comma = comma_;
  char* at = begin_value(std::max(value.size(), kWord) + 2);
  *at++ = '"';
  if (!copy_plain(value, at)) {
    comma_ = comma;  // nothing is written before `written` says so
    return put(base::json_text(value));
  }
  at += value.size();
  *at++ = '"';
  written(at);
}

void JsonText::number(double value) {
  if (!std::isfinite(value)) return text(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  constexpr std::size_t kMost = 64;
  char* const at = begin_value(kMost);
  // Larger ones have exponents; minus zero is no integer.
  constexpr double kMostDigits = 1e15;
  const auto whole = static_cast<std::int64_t>(std::abs(value) < kMostDigits ? value : 0.0);
  if (static_cast<double>(whole) == value && (whole != 0 || !std::signbit(value))) {
    char* end = std::to_chars(at, at + kMost, whole).ptr;
    *end++ = '.';
    *end++ = '0';
    return written(end);
  }
  // The same digits as a tree prints; std::to_chars leaves other ones for some values.
  written(nlohmann::detail::to_chars(at, at + kMost, value));
}

void JsonText::whole(std::uint64_t value) {
  constexpr std::size_t kMost = 24;
  char* const at = begin_value(kMost);
  written(std::to_chars(at, at + kMost, value).ptr);
}

void JsonText::boolean(bool value) { put(value ? "true" : "false"); }

void JsonText::null() { put("null"); }

void JsonText::texts(const std::vector<std::string>& values) {
  begin_array();
  for (const std::string& value : values) text(value);
  end_array();
}

}  // namespace stallcast::codec
