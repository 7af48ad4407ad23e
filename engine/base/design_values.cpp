#include "engine/base/design_values.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::base {
namespace {

/// Takes a number off the end of `text`, with the colon before it.
std::optional<int> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  int value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size())
    return std::nullopt;
  text = text.substr(0, colon);
  return value;
}

/// "70B" of a number that this writes shorter; none of others.
std::optional<std::string> large_count(const Value& value) {
  if (value.dimension != Dimension::count && value.dimension != Dimension::number) return {};
  constexpr std::pair<double, const char*> kUnits[] = {{1e12, "T"}, {1e9, "B"}};
  for (const auto& [unit, name] : kUnits) {
    if (std::abs(value.number) < unit) continue;
    const std::string text = shortest(value.number / unit) + name;
    const auto read = parse_quantity(text, value.dimension).value;
    if (read == value.number && text.size() < shortest(value.number).size()) return text;
  }
  return {};
}

}  // namespace

ResourceName resource_name(std::string_view resource) {
  ResourceName out;
  const std::size_t first = resource.find('.');
  out.role = resource.substr(0, first);
  if (first == std::string_view::npos) return out;
  if (out.role == "fabric") {
    out.part = resource.substr(first + 1);
    return out;
  }
  const std::size_t second = resource.find('.', first + 1);
  out.id = resource.substr(first + 1, second - first - 1);
  if (second != std::string_view::npos) out.part = resource.substr(second + 1);
  return out;
}

std::string component_path(std::string_view role, std::string_view id) {
  if (role == "fabric") return "cluster.fabric";
  const std::string list = role == "host"      ? "cluster.hosts"
                           : role == "storage" ? "storage"
                                               : std::string(role) + "s";
  return list + "[" + std::string(id) + "]";
}

std::vector<std::pair<std::string, const Value*>> values_of(const Design& design) {
  std::vector<std::pair<std::string, const Value*>> out;
  for_each_component(design,
                     [&](const std::string& path, std::string_view, const Component& component) {
                       for (const auto& [key, value] : component.values)
                         out.emplace_back(path + "." + key, &value);
                     });
  return out;
}

std::string plain_path(std::string_view path) {
  std::string out;
  for (const char c : path)
    if (c == '[')
      out += '.';
    else if (c != ']')
      out += c;
  return out;
}

Position position_of(const std::string& where) {
  std::string_view file = where;
  const auto column = take_number(file);
  const auto line = column ? take_number(file) : std::nullopt;
  if (!line) return {where, 0, 0};
  return {std::string(file), *line, *column};
}

std::string pointer_of(const Component& component, std::string_view key) {
  std::string out = component.pointer;
  for (const std::string& part : split(key, '.')) out += pointer_token(part);
  return out;
}

std::string written(const Value& value) {
  switch (value.dimension) {
    case Dimension::text:
      return value.text;
    case Dimension::text_list:
      return join(value.list, ", ");
    case Dimension::boolean:
      return value.number != 0.0 ? "true" : "false";
    default:
      if (!std::isfinite(value.number))
        return value.number > 0.0 ? "unlimited" : shortest(value.number);
      return large_count(value).value_or(exact_quantity(value.number, value.dimension));
  }
}

}  // namespace stallcast::base
