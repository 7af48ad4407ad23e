#include "scenarios/document/keys.hpp"

#include <algorithm>
#include <vector>

#include "engine/base/text.hpp"

namespace stallcast::scenarios {

std::string allowed_hint(std::string_view word, std::span<const std::string> allowed) {
  if (std::all_of(allowed.begin(), allowed.end(), [](const std::string& a) { return a.empty(); }))
    return "";
  const std::string near = base::nearest(word, allowed);
  const std::string list = "allowed: " + base::join(allowed, ", ");
  return near.empty() ? list : "did you mean \"" + near + "\"? " + list;
}

void unknown_key(const std::string& key, const std::string& object, const std::string& what,
                 std::span<const std::string> allowed, Reporter& report) {
  std::string hint = allowed_hint(key, allowed);
  const std::vector<std::string> parts = base::split(key, '.');
  if (parts.size() > 1 && std::find(parts.begin(), parts.end(), "") == parts.end()) {
    std::string nested = "...";
    for (std::size_t i = parts.size(); i-- > 0;)
      nested = (i > 0 ? "{ \"" : "\"") + parts[i] + "\": " + nested + (i > 0 ? " }" : "");
    hint = "write nested objects: " + nested;
  }
  report.error("unknown-key", object + base::pointer_token(key),
               "unknown key \"" + key + "\" in " + what, hint, base::PointAt::key);
}

void check_keys(const Json& node, const std::string& pointer,
                std::span<const std::string_view> allowed, const std::string& what,
                Reporter& report) {
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  for (const auto& [key, value] : node.items())
    if (!key.starts_with("x-") && std::find(names.begin(), names.end(), key) == names.end())
      unknown_key(key, pointer, what, names, report);
}

std::string_view type_name(const Json& node) {
  switch (node.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::string:
      return "a text";
    case Json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

}  // namespace stallcast::scenarios
