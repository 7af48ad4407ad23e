#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/flat_json.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// Pieces both codecs share, for those who hold JSON rather than its text.
namespace stallcast::codec::detail {

using Json = base::FlatValue;

/// The text is not what an encoder wrote; caught inside the codec.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A double as JSON has it: a number, or "inf", "-inf", "nan", which JSON numbers cannot hold.
[[nodiscard]] double number_of(const Json& json, std::string_view what);
/// An array of two.
[[nodiscard]] std::pair<double, double> pair_of(const Json& json, std::string_view what);

/// Typed members of an object. The functions that take no fallback throw Malformed when the member
/// is missing; all throw when it has another type. What is no object has none.
[[nodiscard]] const Json& member(const Json& object, const char* key);
[[nodiscard]] const Json& member_array(const Json& object, const char* key);
[[nodiscard]] const Json& member_object(const Json& object, const char* key);
[[nodiscard]] double member_number(const Json& object, const char* key);
[[nodiscard]] std::string_view member_view(const Json& object, const char* key);
[[nodiscard]] std::string member_text(const Json& object, const char* key);
[[nodiscard]] std::string member_text_or_empty(const Json& object, const char* key);
[[nodiscard]] std::vector<std::string> member_texts(const Json& object, const char* key);
[[nodiscard]] std::uint64_t member_unsigned(const Json& object, const char* key);

/// Checks the "schema" member. Throws Malformed.
void check_schema(const Json& json, std::string_view schema);

/// The failure for `error`: `what` is "design" or "run result".
[[nodiscard]] Failure malformed(std::string_view what, const Malformed& error);

/// What `read` gives of `json`, or the failure of a `what` that is not of that schema (any where it
/// is "") or that `read` finds malformed.
template <class Read>
[[nodiscard]] auto read_as(std::string_view what, const Json& json, std::string_view schema,
                           const Read& read) -> Result<decltype(read(json))> {
  try {
    if (!schema.empty()) check_schema(json, schema);
    return read(json);
  } catch (const Malformed& error) {
    return malformed(what, error);
  }
}

/// What `of` gives of the JSON that `text` is.
template <class Of>
[[nodiscard]] auto read_text_as(std::string_view what, std::string_view text, const Of& of)
    -> decltype(of(std::declval<const Json&>())) {
  const std::optional<base::FlatJson> json = base::FlatJson::read(text);
  if (!json) return malformed(what, Malformed("not valid JSON"));
  return of(json->root());
}

/// What the decoders do, from JSON that is parsed already.
[[nodiscard]] Result<Design> design_of(const Json& json);
[[nodiscard]] Result<RunResult> run_result_of(const Json& json);
[[nodiscard]] Result<Value> value_of(const Json& json);

}  // namespace stallcast::codec::detail
