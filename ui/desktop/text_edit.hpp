#pragma once

#include <QString>
#include <optional>

#include "ui/desktop/jsonc_tree.hpp"

/// Changes of single values of a scenario's text.
namespace stallcast::desktop {

/// Replaces `removed` at `at` by `inserted`.
struct TextEdit {
  qsizetype at = 0;
  QString removed;
  QString inserted;
};

/// The smallest edit that makes `after` of `before`.
[[nodiscard]] TextEdit edit_between(const QString& before, const QString& after);
[[nodiscard]] QString apply(const TextEdit& edit, const QString& text);
[[nodiscard]] TextEdit inverse(const TextEdit& edit);

/// Writes `literal` (JSON) at `path`: over what stands there, else as a new member behind the last
/// one, making objects and list items on the way. nullopt when the text is not JSON or a parent is
/// neither object nor list.
[[nodiscard]] std::optional<TextEdit> set_value(const QString& text, const JsonNode& root,
                                                const ScenarioPath& path, const QString& literal);

/// Adds `literal` to the end of the list at `path`, making the list if there is none.
[[nodiscard]] std::optional<TextEdit> append_item(const QString& text, const JsonNode& root,
                                                  const ScenarioPath& path, const QString& literal);

/// Removes the member at `path` with its comma; nullopt when it is not written in this text.
[[nodiscard]] std::optional<TextEdit> remove_value(const QString& text, const JsonNode& root,
                                                   const ScenarioPath& path);

}  // namespace stallcast::desktop
