#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "ui/desktop/jsonc_tree.hpp"

namespace stallcast::desktop {

/// One value that two texts have differently. "" = absent.
struct TextChange {
  QString path;           ///< for people: "storage[scratch].ost.count"
  QString pointer;        ///< RFC 6901
  QString before, after;  ///< as JSON
};

/// A value in one line, without its comments.
[[nodiscard]] QString compact(const JsonNode& node);

/// The differences of two scenario texts, value by value; lists of other lengths as one change.
[[nodiscard]] std::vector<TextChange> changes_between(const QString& before, const QString& after);

/// The same down to single values, as people read them.
[[nodiscard]] std::vector<TextChange> value_changes(const QString& before, const QString& after);

/// Changes as JSON Patch (RFC 6902).
[[nodiscard]] QString json_patch(const std::vector<TextChange>& changes);

/// What options of `stallcast` can say of changes of single values: --set params.n=4.
struct SetOptions {
  QStringList sets;      ///< "params.n=4"
  QStringList left_out;  ///< paths: values that go away, and items of lists that have no id
};
[[nodiscard]] SetOptions set_options(const std::vector<TextChange>& values);

}  // namespace stallcast::desktop
