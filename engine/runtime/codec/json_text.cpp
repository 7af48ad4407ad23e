#include "engine/runtime/codec/json_text.hpp"

#include <algorithm>
#include <array>
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

void JsonText::open(char bracket) {
  begin_value();
  out_.push_back(bracket);
  comma_ = false;
}

void JsonText::close(char bracket) {
  out_.push_back(bracket);
  comma_ = true;
}

void JsonText::begin_value() {
  if (comma_) out_.push_back(',');
  comma_ = true;
}

void JsonText::key(std::string_view name) {
  text(name);
  out_.push_back(':');
  comma_ = false;
}

void JsonText::text(std::string_view value) {
  begin_value();
  if (!is_plain(value)) {
    out_ += base::json_text(value);
    return;
  }
  out_.push_back('"');
  out_ += value;
  out_.push_back('"');
}

void JsonText::number(double value) {
  if (!std::isfinite(value)) return text(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  begin_value();
  std::array<char, 64> digits;
  // Larger ones have exponents; minus zero is no integer.
  constexpr double kMostDigits = 1e15;
  const auto whole = static_cast<std::int64_t>(std::abs(value) < kMostDigits ? value : 0.0);
  if (static_cast<double>(whole) == value && (whole != 0 || !std::signbit(value))) {
    out_.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), whole).ptr);
    out_ += ".0";
    return;
  }
  // The same digits as a tree prints; std::to_chars leaves other ones for some values.
  out_.append(digits.data(),
              nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value));
}

void JsonText::whole(std::uint64_t value) {
  begin_value();
  std::array<char, 24> digits;
  out_.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void JsonText::boolean(bool value) {
  begin_value();
  out_ += value ? "true" : "false";
}

void JsonText::null() {
  begin_value();
  out_ += "null";
}

void JsonText::texts(const std::vector<std::string>& values) {
  begin_array();
  for (const std::string& value : values) text(value);
  end_array();
}

}  // namespace stallcast::codec
