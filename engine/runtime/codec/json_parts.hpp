#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// Pieces both codecs share, for those who hold JSON rather than its text.
namespace stallcast::codec::detail {

/// Keys are sorted.
using Json = nlohmann::json;

/// The text is not what an encoder wrote; caught inside the codec.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A double as JSON: a number, or "inf", "-inf", "nan", which JSON numbers cannot hold.
[[nodiscard]] Json number_json(double value);
[[nodiscard]] double number_of(const Json& json, std::string_view what);

/// Typed members of an object. The functions that take no fallback throw Malformed when the member
/// is missing; all throw when it has another type.
[[nodiscard]] const Json& member(const Json& object, const char* key);
[[nodiscard]] const Json& member_array(const Json& object, const char* key);
[[nodiscard]] const Json& member_object(const Json& object, const char* key);
[[nodiscard]] double member_number(const Json& object, const char* key);
[[nodiscard]] std::string member_text(const Json& object, const char* key);
[[nodiscard]] std::string member_text_or_empty(const Json& object, const char* key);
[[nodiscard]] std::vector<std::string> member_texts(const Json& object, const char* key);
[[nodiscard]] std::uint64_t member_unsigned(const Json& object, const char* key);

/// One line, no white space; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string dump(const Json& json);

/// Parses `text`; discarded when it is not JSON.
[[nodiscard]] Json parse(std::string_view text);

/// Checks the "schema" member. Throws Malformed.
void check_schema(const Json& json, std::string_view schema);

/// What the decoders do, from JSON that is parsed already.
[[nodiscard]] Result<Design> design_of(const Json& json);
[[nodiscard]] Result<RunResult> run_result_of(const Json& json);
[[nodiscard]] Result<Value> value_of(const Json& json);

/// The failure for `error`: `what` is "design" or "run result".
[[nodiscard]] Failure malformed(std::string_view what, const Malformed& error);

}  // namespace stallcast::codec::detail
