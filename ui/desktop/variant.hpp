#pragma once

#include <QString>
#include <QStringList>

namespace stallcast::desktop {

/// A scenario that extends another.
struct Variant {
  QString text;
  QStringList left_out;  ///< paths of list items that the base has and a variant cannot take away
};

/// What makes `after` of `before`, as a scenario with the id `id` that extends `base`: members that
/// changed, null for those that are gone, items of lists by their `id`, other lists whole. Both
/// REQUIRE JSON texts; comments are not taken over.
[[nodiscard]] Variant variant_of(const QString& before, const QString& after, const QString& base,
                                 const QString& id);

/// Writes the design of `text` to `file` as a variant of the scenario in the file `base`. False
/// with a reason; `said` is what became of it.
[[nodiscard]] bool save_variant(const QString& text, const QString& base, const QString& file,
                                QString& said);

}  // namespace stallcast::desktop
