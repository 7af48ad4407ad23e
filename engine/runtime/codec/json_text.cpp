#include "engine/runtime/codec/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/runtime/codec/json_parts.hpp"

namespace stallcast::codec {
namespace {

/// Neither to be escaped nor, as all beyond ASCII, to be checked for UTF-8.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
  });
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
    out_ += detail::dump(detail::Json(value));
    return;
  }
  out_.push_back('"');
  out_ += value;
  out_.push_back('"');
}

void JsonText::number(double value) {
  if (!std::isfinite(value)) return text(detail::number_json(value).get_ref<const std::string&>());
  begin_value();
  // The same digits as a tree prints; std::to_chars leaves other ones for some values.
  std::array<char, 64> digits;
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

void JsonText::member(std::string_view name, const std::vector<std::string>& values) {
  key(name);
  begin_array();
  for (const std::string& value : values) text(value);
  end_array();
}

}  // namespace stallcast::codec
