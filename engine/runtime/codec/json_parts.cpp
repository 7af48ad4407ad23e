#include "engine/runtime/codec/json_parts.hpp"

#include <iterator>
#include <limits>

namespace stallcast::codec::detail {

double number_of(const Json& json, std::string_view what) {
  if (json.is_number()) return json.number();
  const std::string_view name = json.is_text() ? json.text() : std::string_view();
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "-inf") return -std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw Malformed("\"" + std::string(what) + "\" is not a number");
}

std::pair<double, double> pair_of(const Json& json, std::string_view what) {
  if (!json.is_array() || json.size() != 2)
    throw Malformed("\"" + std::string(what) + "\" does not have two ends");
  const auto low = json.begin();
  return {number_of(*low, what), number_of(*std::next(low), what)};
}

const Json& member(const Json& object, const char* key) {
  if (!object.is_object()) throw Malformed("expected an object with \"" + std::string(key) + "\"");
  const Json* out = object.find(key);
  if (out == nullptr) throw Malformed("\"" + std::string(key) + "\" is missing");
  return *out;
}

const Json& member_array(const Json& object, const char* key) {
  const Json& out = member(object, key);
  if (!out.is_array()) throw Malformed("\"" + std::string(key) + "\" is not an array");
  return out;
}

const Json& member_object(const Json& object, const char* key) {
  const Json& out = member(object, key);
  if (!out.is_object()) throw Malformed("\"" + std::string(key) + "\" is not an object");
  return out;
}

double member_number(const Json& object, const char* key) {
  return number_of(member(object, key), key);
}

std::string_view member_view(const Json& object, const char* key) {
  const Json& out = member(object, key);
  if (!out.is_text()) throw Malformed("\"" + std::string(key) + "\" is not a text");
  return out.text();
}

std::string member_text(const Json& object, const char* key) {
  return std::string(member_view(object, key));
}

std::string member_text_or_empty(const Json& object, const char* key) {
  return object.is_object() && object.find(key) == nullptr ? std::string()
                                                           : member_text(object, key);
}

std::vector<std::string> member_texts(const Json& object, const char* key) {
  std::vector<std::string> out;
  for (const Json& item : member_array(object, key)) {
    if (!item.is_text())
      throw Malformed("\"" + std::string(key) + "\" holds something that is not a text");
    out.emplace_back(item.text());
  }
  return out;
}

std::uint64_t member_unsigned(const Json& object, const char* key) {
  const Json& out = member(object, key);
  if (!out.is_whole()) throw Malformed("\"" + std::string(key) + "\" is not a whole number from 0");
  return out.whole();
}

void check_schema(const Json& json, std::string_view schema) {
  const std::string_view found = member_view(json, "schema");
  if (found != schema)
    throw Malformed("its schema is \"" + std::string(found) + "\", this version reads \"" +
                    std::string(schema) + "\"");
}

Failure malformed(std::string_view what, const Malformed& error) {
  return {ExitCode::bad_input, "cannot read the " + std::string(what) + ": " + error.what(),
          "was it written by another version, or cut short?"};
}

}  // namespace stallcast::codec::detail
