#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/base/fields.hpp"

/// What a component is bought as. A kind lists its parts once; their price fields follow from that.
/// docs/models/cost.md.
namespace stallcast::models {

/// Things of one sort that are bought or rented, and the fields that say what one costs.
struct PartInfo {
  std::string_view id;     ///< "ost": its price is the field "ost.price"; "": the component as such
  std::string_view noun;   ///< "OSTs"
  std::string_view count;  ///< field that counts them, in TB where it holds bytes; "": one
  std::string_view of;     ///< field that counts what each of them belongs to; "": nothing
  bool per_host = false;   ///< as many in every host of the design
  bool included = false;   ///< mostly paid with another part: without a price, nothing is missing
  base::FieldInfo price;   ///< of one: Money
  base::FieldInfo rent;    ///< of one: MoneyRate
  base::FieldInfo power;   ///< of one: Power, at work
  base::FieldInfo space;   ///< of one: rack units
  std::optional<base::FieldInfo> idle{};   ///< its power while its GPUs wait
  std::optional<base::FieldInfo> own{};    ///< a field that only costs need: the count, or the life
  std::string_view capacity{};             ///< field that says what one holds: "ost.capacity"
  std::optional<base::FieldInfo> holds{};  ///< that field, where no model needs it

  /// Whether `count` holds bytes: prices are those of 1 TB.
  [[nodiscard]] constexpr bool in_tb() const { return own && own->dimension == Dimension::bytes; }
};

namespace detail {
/// A text as template argument.
template <std::size_t N>
struct Text {
  char chars[N]{};
  consteval Text(const char (&text)[N]) { std::copy_n(text, N, chars); }  // NOLINT: reads as text
  [[nodiscard]] constexpr std::size_t size() const { return N - 1; }
};

/// "ost" and "price" as "ost.price"; "" and "price" as "price".
template <Text Id, Text Field>
inline constexpr auto kKey = [] {
  constexpr std::size_t dot = Id.size() > 0 ? 1 : 0;
  std::array<char, Id.size() + dot + Field.size()> out{};
  auto end = std::copy_n(Id.chars, Id.size(), out.begin());
  if (dot > 0) *end++ = '.';
  std::copy_n(Field.chars, Field.size(), end);
  return out;
}();
template <Text Id, Text Field>
inline constexpr std::string_view kKeyText{kKey<Id, Field>.data(), kKey<Id, Field>.size()};
}  // namespace detail

/// The part `Id`, counted by the field `count`.
template <detail::Text Id>
constexpr PartInfo part(std::string_view noun, std::string_view count, std::string_view of = "") {
  return {.id = {Id.chars, Id.size()},
          .noun = noun,
          .count = count,
          .of = of,
          .price = {detail::kKeyText<Id, "price">, Dimension::money, base::kOptional,
                    "purchase price of one", base::kNonNegative},
          .rent = {detail::kKeyText<Id, "rent">, Dimension::money_rate, base::kOptional,
                   "what one costs by the hour: rent, or power and service", base::kNonNegative},
          .power = {detail::kKeyText<Id, "power">, Dimension::power, base::kOptional,
                    "electrical power of one at work", base::kNonNegative},
          .space = {detail::kKeyText<Id, "space">, Dimension::number, base::kOptional,
                    "rack units that one takes", base::kNonNegative}};
}

/// The part `Id`, which holds data: "target.capacity" says how much. docs/models/capacity.md.
template <detail::Text Id>
consteval PartInfo holding(std::string_view noun, std::string_view count) {
  PartInfo out = part<Id>(noun, count);
  out.capacity = detail::kKeyText<Id, "capacity">;
  out.holds = {out.capacity, Dimension::bytes, base::kOptional,
               "what one holds before copies and parity; absent: nothing says whether data fit",
               base::kPositive};
  return out;
}
/// A part that holds what the field `capacity` of its kind says.
consteval PartInfo holding_by(std::string_view capacity, PartInfo part) {
  part.capacity = capacity;
  return part;
}

/// The component as one part, or `count` of it: what is not named as a part of its own is in it.
consteval PartInfo whole(std::string_view noun, std::string_view count = "") {
  PartInfo out = part<"">(noun, count);
  out.price.doc = count.empty() ? "purchase price of all of it that no part below names"
                                : "purchase price of one, but for parts below with their own";
  out.power.doc = count.empty()
                      ? "electrical power of all of it that no part below names"
                      : "electrical power of one at work, but for parts below with their own";
  out.space.doc = count.empty() ? "rack units of all of it that no part below names"
                                : "rack units that one takes";
  out.rent.doc = count.empty() ? "what all of it costs by the hour: rent, or power and service"
                               : "what one costs by the hour: rent, or power and service";
  out.own = {"life", Dimension::time, "1461 d",
             "time over which purchase prices are written off; counts where there is one",
             base::assumed(base::kPositive, "4 years; 3 to 6 are usual for servers")};
  return out;
}

/// A part with GPUs in it: "gpu.power_idle" is what one draws while they wait.
template <detail::Text Id>
consteval PartInfo computing(PartInfo part) {
  part.idle = {detail::kKeyText<Id, "power_idle">, Dimension::power, base::kOptional,
               "electrical power of one while its GPUs wait; absent: as at work",
               base::kNonNegative};
  return part;
}
/// Those of `part` that need no price, since they come with another part.
consteval PartInfo included(PartInfo part) {
  part.included = true;
  return part;
}
consteval PartInfo in_every_host(PartInfo part) {
  part.per_host = true;
  return part;
}
/// A part whose count is a field of its own.
consteval PartInfo counted_by(PartInfo part, base::FieldInfo field) {
  part.count = field.key;
  part.own = field;
  return part;
}

}  // namespace stallcast::models
