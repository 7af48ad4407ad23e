#pragma once

#include <QPlainTextEdit>

#include "stallcast/diagnostic.hpp"

class QCompleter;
class QStringListModel;
class QSyntaxHighlighter;

namespace stallcast::desktop {

class Workspace;

/// The scenario as text, with colours, line numbers, marks where something is wrong, and completion
/// of the keys of the component around the cursor (Ctrl+Space).
class JsonEditor : public QPlainTextEdit {
  Q_OBJECT
 public:
  JsonEditor(Workspace& workspace, QWidget* parent);

  /// Puts the cursor where `position` says, if it is in this text.
  void go_to(const Position& position);
  /// Puts the cursor on the value at `path`; false when it is not written here.
  bool go_to_path(const QString& path);
  /// Completes the word at the cursor; the first choice at once with `take_first`.
  void complete(bool take_first = false);
  /// After another theme or size of letters.
  void update_look();
  [[nodiscard]] int margin_width() const;
  void paint_margin(QPainter& painter, const QRect& area);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// Takes over what changed in the document.
  void follow();
  void typed(int at, int removed, int added);
  void mark_problems();
  void insert_key(const QString& key);
  [[nodiscard]] QStringList keys_here() const;
  /// Of the object around the cursor.
  [[nodiscard]] QString path_here() const;

  Workspace& workspace_;
  QWidget* margin_;
  QSyntaxHighlighter* colours_;
  QCompleter* completer_;
  QStringListModel* keys_;
  bool quiet_ = false;  // the text follows the document
  int merge_ = 0;       // letters typed one after the other are one step of undo
  int next_ = -1;
};

}  // namespace stallcast::desktop
