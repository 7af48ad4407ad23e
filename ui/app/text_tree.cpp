#include "ui/app/text_tree.hpp"

#include "engine/base/jsonc.hpp"
#include "scenarios/scenario_builder.hpp"

namespace stallcast::client {
namespace {

TextNode node_of(const base::JsonDocument& document, const base::Json& json,
                 const std::string& pointer, std::string key) {
  TextNode out;
  const base::Place& place = document.places.at(pointer);
  out.begin = place.value;
  out.end = place.end;
  out.key_begin = place.key;
  out.key = std::move(key);
  if (json.is_object()) {
    out.kind = TextNode::Kind::object;
    for (const auto& [name, child] : json.items())
      out.children.push_back(node_of(document, child, pointer + base::pointer_token(name), name));
  } else if (json.is_array()) {
    out.kind = TextNode::Kind::array;
    for (std::size_t i = 0; i < json.size(); ++i)
      out.children.push_back(node_of(document, json[i], pointer + base::pointer_token(i), ""));
  } else if (json.is_string()) {
    out.kind = TextNode::Kind::text;
    out.literal = json.get<std::string>();
  } else {
    out.literal = document.text.substr(out.begin, out.end - out.begin);
  }
  return out;
}

/// Texts so large that their places are not kept have no tree.
std::optional<TextNode> tree_of(const base::JsonDocument& document) {
  if (!document.places.contains("") || document.places.at("").end == document.places.at("").value)
    return std::nullopt;
  return node_of(document, document.root, "", "");
}

}  // namespace

std::optional<TextNode> text_tree(const std::string& text) {
  Diagnostics faults;
  const base::JsonDocument document = base::parse_jsonc(text, "", faults);
  for (const Diagnostic& d : faults.items())
    if (d.code == "syntax") return std::nullopt;
  return tree_of(document);
}

std::optional<TextNode> text_tree(const Scenario& scenario) {
  return tree_of(ScenarioBuilder::document_of(scenario));
}

}  // namespace stallcast::client
