#include "calibration/measure/node_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"

namespace stallcast::calibration {

using base::Json;

void NodeReader::error(std::string_view code, const std::string& pointer, std::string message,
                       std::string hint) {
  diagnostics_.add({Severity::error, std::string(code), pointer, base::locate(document_, pointer),
                    std::move(message), std::move(hint)});
}

std::string NodeReader::text_of(const Json& node, const std::string& at, const std::string& key,
                                bool required) {
  const auto it = node.find(key);
  if (it != node.end() && it->is_string() && !it->get_ref<const std::string&>().empty())
    return it->get<std::string>();
  if (it != node.end())
    error("type", at + base::pointer_token(key), "\"" + key + "\" takes a text that is not empty",
          "");
  else if (required)
    error("missing", at, "\"" + key + "\" is missing", "add \"" + key + "\": \"...\"");
  return "";
}

std::vector<std::string> NodeReader::texts_of(const Json& node, const std::string& at,
                                              const std::string& key) {
  std::vector<std::string> out;
  const auto list = node.find(key);
  if (list == node.end()) return out;
  const std::string pointer = at + base::pointer_token(key);
  const std::string hint = R"(write ["storage.ost.count=48"])";
  if (!list->is_array()) {
    error("type", pointer, "\"" + key + "\" takes a list of texts", hint);
    return out;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    if ((*list)[i].is_string())
      out.push_back((*list)[i].get<std::string>());
    else
      error("type", pointer + base::pointer_token(i), "\"" + key + "\" takes texts", hint);
  }
  return out;
}

void NodeReader::check_keys(const Json& node, const std::string& at,
                            std::span<const std::string_view> allowed, const std::string& what) {
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  for (const auto& [key, value] : node.items()) {
    if (key.starts_with("x-") || std::find(names.begin(), names.end(), key) != names.end())
      continue;
    const std::string near = base::nearest(key, names);
    const std::string pointer = at + base::pointer_token(key);
    diagnostics_.add(
        {Severity::error, "unknown-key", pointer,
         base::locate(document_, pointer, base::PointAt::key),
         "\"" + key + "\" is not a key of " + what,
         near.empty() ? "allowed: " + base::join(names, ", ") : "did you mean \"" + near + "\"?"});
  }
}

void NodeReader::take_faults(Diagnostics scenario, const std::string& at, const std::string& key,
                             const std::string& who) {
  for (Diagnostic& d : scenario.items()) {
    if (d.position.line == 0) {
      d.pointer = d.code == "file" ? at + base::pointer_token(key) : at;
      d.position = base::locate(document_, d.pointer);
      d.message = who + ": " + d.message;
    }
    const auto& known = diagnostics_.items();
    const bool seen = std::any_of(known.begin(), known.end(), [&](const Diagnostic& k) {
      return k.position.file == d.position.file && k.position.line == d.position.line &&
             k.position.column == d.position.column && k.message == d.message;
    });
    if (!seen) diagnostics_.add(std::move(d));
  }
}

std::string NodeReader::beside(const std::string& name) const {
  return (std::filesystem::path(document_.file).parent_path() / name).lexically_normal().string();
}

}  // namespace stallcast::calibration
