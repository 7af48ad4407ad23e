#include "engine/runtime/codec/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/base/jsonc.hpp"

namespace stallcast::codec {
namespace {

/// A byte in eight of them.
constexpr std::uint64_t in_all(unsigned char byte) { return 0x0101010101010101U * byte; }

/// Neither to be escaped nor, as all beyond ASCII, to be checked for UTF-8. Eight bytes at a time:
/// the highest bit of one that is not plain is set (and perhaps of some that follow it).
bool is_plain(std::string_view text) {
  const auto has = [](std::uint64_t bytes, unsigned char byte) {
    return (bytes ^ in_all(byte)) - in_all(1);
  };
  std::uint64_t unusual = 0;
  const auto look = [&](std::uint64_t bytes) {
    unusual |= bytes | (bytes - in_all(0x20)) | has(bytes, '"') | has(bytes, '\\');
  };
  std::size_t at = 0;
  std::uint64_t bytes = 0;
  for (; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    look(bytes);
  }
  bytes = in_all('a');
  std::memcpy(&bytes, text.data() + at, text.size() - at);
  look(bytes);
  return (unusual & in_all(0x80)) == 0;
}

}  // namespace

char* JsonText::room(std::size_t bytes) {
  if (out_.size() - end_ < bytes) out_.resize(std::max(2 * out_.size(), end_ + bytes));
  return out_.data() + end_;
}

char* JsonText::begin_value(std::size_t bytes) {
  char* at = room(bytes + 1);
  if (comma_) *at++ = ',';
  comma_ = true;
  return at;
}

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
  if (!is_plain(value)) return put(base::json_text(value));
  char* at = begin_value(value.size() + 2);
  *at++ = '"';
  at = std::copy(value.begin(), value.end(), at);
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
