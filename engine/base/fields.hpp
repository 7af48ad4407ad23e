#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Field tables: the one description of a component's parameters, read by the scenario reader, the
/// JSON Schema, the reference pages, `catalog`, `explain` and the model itself.
namespace stallcast::base {

/// `fallback` of a field that may be absent.
inline constexpr std::string_view kOptional = "-";
/// `fallback` of a field that must be given.
inline constexpr std::string_view kRequired = "";

/// What may be said of a field beyond its key, type, default and meaning.
struct FieldLimits {
  double minimum = -std::numeric_limits<double>::infinity();  ///< smallest valid value, base unit
  double maximum = std::numeric_limits<double>::infinity();   ///< largest valid value, base unit
  bool above_minimum = false;                                 ///< the minimum itself is not valid
  std::span<const std::string_view> choices = {};             ///< valid texts; empty = free
  std::string_view source = {};                               ///< citation of the default
  bool assumption = false;    ///< the default is an expert value, not looked up
  std::string_view low = {};  ///< nine times in ten the truth is at least this, as a user writes it
  std::string_view high = {};          ///< ... and at most this
  std::string_view range_source = {};  ///< how that is known
  std::string_view with = {};          ///< key of an optional field without which it means nothing
  std::string_view deprecated = {};    ///< since which version: "1.1"; who writes it is warned
  std::string_view instead = {};       ///< what to do then: "write \"ost.read\""
};

/// Limits used everywhere.
inline constexpr FieldLimits kPositive{.minimum = 0.0, .above_minimum = true};
inline constexpr FieldLimits kNonNegative{.minimum = 0.0};
inline constexpr FieldLimits kAtLeastOne{.minimum = 1.0};
inline constexpr FieldLimits kShare{.minimum = 0.0, .maximum = 1.0};
inline constexpr FieldLimits kPositiveShare{.minimum = 0.0, .maximum = 1.0, .above_minimum = true};

/// `limits` with a largest valid value: beyond it is a slip, or more than a simulation can hold.
constexpr FieldLimits up_to(double maximum, FieldLimits limits = kAtLeastOne) {
  limits.maximum = maximum;
  return limits;
}
/// `limits` with the citation of the default.
constexpr FieldLimits cited(FieldLimits limits, std::string_view source) {
  limits.source = source;
  return limits;
}
/// `limits` with a default that is an expert value, shown as an assumption.
constexpr FieldLimits assumed(FieldLimits limits, std::string_view source = "expert value") {
  limits.source = source;
  limits.assumption = true;
  return limits;
}
/// `limits` with what the default may be in truth: nine times in ten from `low` to `high`.
/// `source` says how that is known.
constexpr FieldLimits between(std::string_view low, std::string_view high, FieldLimits limits,
                              std::string_view source) {
  limits.low = low;
  limits.high = high;
  limits.range_source = source;
  return limits;
}
/// Of a field that means something only where the optional field `key` is given.
constexpr FieldLimits only_with(std::string_view key, FieldLimits limits) {
  limits.with = key;
  return limits;
}
/// Of a field that a later major version no longer has: read as before, with a warning that says
/// what to do instead (docs/reference/stability.md).
constexpr FieldLimits deprecated(std::string_view since, std::string_view instead,
                                 FieldLimits limits = {}) {
  limits.deprecated = since;
  limits.instead = instead;
  return limits;
}
/// A text field that takes one of `choices`.
constexpr FieldLimits one_of(std::span<const std::string_view> choices) {
  return {.choices = choices};
}

/// One field without its C++ type: all a reader, a schema or a form needs.
struct FieldInfo {
  std::string_view key;  ///< dotted path below the component: "ost.read"
  Dimension dimension = Dimension::number;
  std::string_view fallback;  ///< default as a user writes it; kRequired, or kOptional
  std::string_view doc;       ///< one line: meaning and effect
  FieldLimits limits;

  [[nodiscard]] constexpr bool required() const { return fallback == kRequired; }
  [[nodiscard]] constexpr bool optional() const { return fallback == kOptional; }
};

namespace detail {
template <class T>
using Type = std::type_identity<T>;

constexpr Dimension dimension_of(Type<std::int64_t>) { return Dimension::count; }
constexpr Dimension dimension_of(Type<double>) { return Dimension::number; }
constexpr Dimension dimension_of(Type<bool>) { return Dimension::boolean; }
constexpr Dimension dimension_of(Type<std::string>) { return Dimension::text; }
constexpr Dimension dimension_of(Type<std::vector<std::string>>) { return Dimension::text_list; }
constexpr Dimension dimension_of(Type<Bytes>) { return Dimension::bytes; }
constexpr Dimension dimension_of(Type<Seconds>) { return Dimension::time; }
constexpr Dimension dimension_of(Type<Rate>) { return Dimension::rate; }
constexpr Dimension dimension_of(Type<OpRate>) { return Dimension::op_rate; }
constexpr Dimension dimension_of(Type<Fraction>) { return Dimension::ratio; }
constexpr Dimension dimension_of(Type<Flops>) { return Dimension::flops; }
constexpr Dimension dimension_of(Type<FlopRate>) { return Dimension::flop_rate; }
constexpr Dimension dimension_of(Type<Money>) { return Dimension::money; }
constexpr Dimension dimension_of(Type<MoneyRate>) { return Dimension::money_rate; }
constexpr Dimension dimension_of(Type<Power>) { return Dimension::power; }
template <class T>
constexpr Dimension dimension_of(Type<std::optional<T>>) {
  return dimension_of(Type<T>{});
}

inline void take(std::string& to, const Value& v) { to = v.text; }
inline void take(std::vector<std::string>& to, const Value& v) { to = v.list; }
template <class T>
requires std::is_arithmetic_v<T>
void take(T& to, const Value& v) { to = static_cast<T>(v.number); }
template <class Tag>
void take(Quantity<Tag>& to, const Value& v) {
  to = Quantity<Tag>::from(v.number, Unit<Tag>{1.0});
}
template <class T>
void take(std::optional<T>& to, const Value& v) {
  take(to.emplace(), v);
}
}  // namespace detail

/// One field of the parameter struct `P`.
template <class P>
struct Field {
  FieldInfo info;
  std::variant<
      std::int64_t P::*, double P::*, bool P::*, std::string P::*, std::vector<std::string> P::*,
      Bytes P::*, Seconds P::*, Rate P::*, OpRate P::*, Fraction P::*, Flops P::*, FlopRate P::*,
      Money P::*, MoneyRate P::*, std::optional<std::int64_t> P::*, std::optional<double> P::*,
      std::optional<Bytes> P::*, std::optional<Seconds> P::*, std::optional<Rate> P::*,
      std::optional<OpRate> P::*, std::optional<Fraction> P::*, std::optional<std::string> P::*,
      std::optional<Flops> P::*, std::optional<FlopRate> P::*>
      member;

  /// A row of parameters is a row of all that derive from them.
  template <std::derived_from<P> D>
  constexpr operator Field<D>() const {  // NOLINT(google-explicit-constructor): rows are in lists
    return std::visit(
        [this]<class T>(T P::*m) {
          return Field<D>{info, static_cast<T D::*>(m)};
        },
        member);
  }
};

/// A row of a field table; the dimension follows from the member's type. Of a member that `P` gets
/// from a base this is a row of the base, which a table of `P` takes as well.
template <class P, class T>
constexpr Field<P> field(std::string_view key, T P::*member, std::string_view fallback,
                         std::string_view doc, FieldLimits limits = {}) {
  return {FieldInfo{key, detail::dimension_of(detail::Type<T>{}), fallback, doc, limits}, member};
}

/// Two tables as one, of `P`: each is of `P` or of a base of it.
template <class P, class A, class B, std::size_t N, std::size_t M>
constexpr std::array<Field<P>, N + M> joined(const std::array<Field<A>, N>& first,
                                             const std::array<Field<B>, M>& second) {
  std::array<Field<P>, N + M> out{};
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), out.begin()));
  return out;
}

/// The type-erased part of a table, for the registry. A table that declares more rows than it lists
/// does not compile.
template <class P, std::size_t N>
consteval std::array<FieldInfo, N> infos(const std::array<Field<P>, N>& table) {
  std::array<FieldInfo, N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    if (table[i].info.key.empty()) throw "the table has fewer rows than it declares";
    out[i] = table[i].info;
  }
  return out;
}

/// `infos` of a table that lasts as long as the program.
template <const auto& Table>
inline constexpr auto kInfos = infos(Table);

/// Rows of a table in the order of their keys, as components have their values.
template <const auto& Table>
inline constexpr auto kByKey = [] {
  std::array<std::uint16_t, std::tuple_size_v<std::remove_cvref_t<decltype(Table)>>> out{};
  std::iota(out.begin(), out.end(), std::uint16_t{0});
  std::sort(out.begin(), out.end(),
            [](std::uint16_t a, std::uint16_t b) { return Table[a].info.key < Table[b].info.key; });
  return out;
}();

namespace detail {
template <class P, std::size_t N>
P params_of(const std::array<Field<P>, N>&);
}  // namespace detail
/// What the rows of a table are fields of.
template <const auto& Table>
using ParamsOf = decltype(detail::params_of(Table));

/// The fields of `Table` that `component` has, into `params`: one walk along both. REQUIRES:
/// `component` was resolved against the same table, so every field that is not optional is present.
template <const auto& Table>
void bind(const Component& component, ParamsOf<Table>& params) {
  auto at = component.values.begin();
  const auto end = component.values.end();
  for (const std::size_t row : kByKey<Table>) {
    const auto& [info, member] = Table[row];
    int order = -1;  // of the value to the row
    while (at != end && (order = at->first.compare(info.key)) < 0) ++at;
    assert(order == 0 || info.optional() || !info.limits.with.empty());
    if (at == end || order != 0) continue;
    std::visit([&](auto to) { detail::take(params.*to, at->second); }, member);
    ++at;
  }
}

/// The parameters of a resolved component, all of `Table`.
template <const auto& Table>
ParamsOf<Table> bind(const Component& component) {
  ParamsOf<Table> params;
  bind<Table>(component, params);
  return params;
}

}  // namespace stallcast::base
