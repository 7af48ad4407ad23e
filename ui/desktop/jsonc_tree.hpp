#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "ui/app/text_tree.hpp"

/// Where each value of a text stands, so that an editor can change one value and leave the rest of
/// the text, comments included, as it is. Whether the text is a good scenario is for
/// client::Session::read to say.
namespace stallcast::desktop {

/// One value of a JSON text with comments. Places count UTF-16 units, as QString does.
struct JsonNode {
  using Kind = client::TextNode::Kind;
  Kind kind = Kind::other;
  qsizetype begin = 0, end = 0;  ///< of the value
  qsizetype key_begin = 0;       ///< of its key; `begin` without one
  QString key;                   ///< unescaped; "" for items of arrays
  QString literal;               ///< unescaped text, or the letters of a number, true, false, null
  std::vector<JsonNode> children;

  /// nullptr when there is no such member / no item with that `id`.
  [[nodiscard]] const JsonNode* member(const QString& name) const;
  [[nodiscard]] const JsonNode* item(const QString& id) const;
};

/// nullopt when the text is not JSON with comments and trailing commas.
[[nodiscard]] std::optional<JsonNode> parse_tree(const QString& text);
/// The same of the text of a scenario, which is not parsed again.
[[nodiscard]] std::optional<JsonNode> tree_of(const Scenario& scenario);

/// One step of a path: a member, and then perhaps the item of it that has this `id`.
struct PathStep {
  QString key;
  QString id;  ///< "" when the step ends with the member
};
using ScenarioPath = std::vector<PathStep>;

/// Reads "cluster.hosts[gpu].nic.rate".
[[nodiscard]] ScenarioPath parse_path(const QString& path);

/// The value at `path`; nullptr when it is not written in this text. A single object counts as a
/// list of one.
[[nodiscard]] const JsonNode* find(const JsonNode& root, const ScenarioPath& path);

/// The innermost value around `at`, as a path; items without an `id` end it.
[[nodiscard]] QString path_at(const JsonNode& root, qsizetype at);

/// `text` as a JSON string with its quotes.
[[nodiscard]] QString quoted(const QString& text);

}  // namespace stallcast::desktop
