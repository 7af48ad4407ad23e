#include "engine/runtime/codec/json_parts.hpp"

#include <cmath>
#include <limits>

#include "engine/base/jsonc.hpp"

namespace stallcast::codec::detail {

Json number_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_of(const Json& json, std::string_view what) {
  if (json.is_number()) return json.get<double>();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw Malformed("\"" + std::string(what) + "\" is not a number");
}

const Json& member(const Json& object, const char* key) {
  if (!object.is_object()) throw Malformed("expected an object with \"" + std::string(key) + "\"");
  const auto it = object.find(key);
  if (it == object.end()) throw Malformed("\"" + std::string(key) + "\" is missing");
  return *it;
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

std::string member_text(const Json& object, const char* key) {
  const Json& out = member(object, key);
  if (!out.is_string()) throw Malformed("\"" + std::string(key) + "\" is not a text");
  return out.get<std::string>();
}

std::string member_text_or_empty(const Json& object, const char* key) {
  return object.is_object() && !object.contains(key) ? std::string() : member_text(object, key);
}

std::vector<std::string> member_texts(const Json& object, const char* key) {
  std::vector<std::string> out;
  for (const Json& item : member_array(object, key)) {
    if (!item.is_string())
      throw Malformed("\"" + std::string(key) + "\" holds something that is not a text");
    out.push_back(item.get<std::string>());
  }
  return out;
}

std::uint64_t member_unsigned(const Json& object, const char* key) {
  const Json& out = member(object, key);
  if (!out.is_number_unsigned())
    throw Malformed("\"" + std::string(key) + "\" is not a whole number from 0");
  return out.get<std::uint64_t>();
}

std::string dump(const Json& json) { return base::one_line(json); }

Json parse(std::string_view text) { return Json::parse(text, nullptr, false); }

void check_schema(const Json& json, std::string_view schema) {
  if (json.is_discarded()) throw Malformed("not valid JSON");
  const std::string found = member_text(json, "schema");
  if (found != schema)
    throw Malformed("its schema is \"" + found + "\", this version reads \"" + std::string(schema) +
                    "\"");
}

Failure malformed(std::string_view what, const Malformed& error) {
  return {ExitCode::bad_input, "cannot read the " + std::string(what) + ": " + error.what(),
          "was it written by another version, or cut short?"};
}

}  // namespace stallcast::codec::detail
