#pragma once

#include <QSet>
#include <vector>

#include "ui/desktop/parts.hpp"
#include "ui/desktop/workspace.hpp"

class QFormLayout;
class QVBoxLayout;

namespace stallcast::desktop {

/// The fields of one component, made from its field table: an editor of the right kind for each,
/// with its unit, and who set the value.
class PartForm : public VerticalScroll {
  Q_OBJECT
 public:
  PartForm(Workspace& workspace, QWidget* parent);

  /// Shows the component at `path`; only what differs is changed when it is shown already.
  void show_part(const QString& path);
  [[nodiscard]] const QString& path() const { return path_; }
  void refresh();

 private:
  void rebuild(const client::FormPart& part);
  static std::vector<const client::FormField*> fields_in(const client::FormPart& part, int group);
  /// What somebody set, and behind a button what is left at its default.
  void add_group(const client::FormPart& part, int group, bool titled, QVBoxLayout& all,
                 QWidget* inside);
  void add_row(const client::FormPart& part, const client::FormField& field, QWidget* inside,
               QFormLayout& layout);
  void add_products(const client::FormPart& part, QFormLayout* layout);
  [[nodiscard]] QWidget* editor_of(const client::FormField& field);
  [[nodiscard]] QString signature(const client::FormPart& part) const;
  void write(const client::FormField& field, const QString& literal);
  void context_menu(QWidget* editor, const client::FormField& field);

  Workspace& workspace_;
  QString path_, shown_;
  QSet<QString> opened_;  ///< groups whose other fields are shown
  int label_width_ = 0;
};

/// Who set a value, in a few words: "scenario", "inherited" when that is another file than
/// `own_file`, "default, assumed", "catalogue".
[[nodiscard]] QString provenance(const Value& value, const QString& own_file);

}  // namespace stallcast::desktop
