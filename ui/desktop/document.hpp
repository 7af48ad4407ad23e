#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <optional>

#include "ui/desktop/text_edit.hpp"

namespace stallcast::desktop {

/// The one document that form, text editor and sliders change: the text of a scenario file. Every
/// change is an edit on one undo stack.
class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(QObject* parent = nullptr);

  [[nodiscard]] const QString& text() const { return text_; }
  /// Where it was read from or saved to; "" when it never was. `extends` starts from its folder.
  [[nodiscard]] const QString& file() const { return file_; }
  /// Where each value of the text is; nullptr when it is not JSON. Parsed at most once a text.
  [[nodiscard]] const JsonNode* tree() const;
  /// `scenario` was read from the present text: its tree is taken from there.
  void set_read(const Scenario& scenario);
  /// For messages: the file, or "untitled.json".
  [[nodiscard]] QString name() const;
  [[nodiscard]] QUndoStack& undo_stack() { return undo_; }
  [[nodiscard]] const QUndoStack& undo_stack() const { return undo_; }
  /// What was edited since the undo stack was at `before`: "set n_ost to 4 and set batch to 8", of
  /// steps that went back "undid: set n_ost to 4"; "" where nothing was.
  [[nodiscard]] QString edits_since(int before) const;
  [[nodiscard]] bool modified() const { return !undo_.isClean(); }

  /// The text that the file has, as far as it is known here: as opened, or as saved last.
  [[nodiscard]] const QString& saved_text() const { return saved_; }

  /// Another text; forgets what could be undone. `changed` is the text now, where it differs from
  /// that of the file. Lines end with "\n" here; in the file they go on to end as they do.
  void open(const QString& text, const QString& file,
            const std::optional<QString>& changed = std::nullopt);
  /// False with a reason when the file could not be written.
  [[nodiscard]] bool save(const QString& file, QString& why_not);

  /// Consecutive edits with the same `merge`, if it is not 0, are undone as one. An edit that
  /// changes nothing is not kept.
  void change(const TextEdit& edit, const QString& label, int merge = 0);
  void replace_text(const QString& text, const QString& label, int merge = 0);
  /// False when the text is not JSON, or something else is in the way.
  bool set(const QString& path, const QString& literal, int merge = 0);
  bool append(const QString& path, const QString& literal);
  bool remove(const QString& path);

  /// A number for `merge` that nobody had before.
  [[nodiscard]] int new_merge() { return ++last_merge_; }

 signals:
  /// After each change of the text, undo and redo included.
  void edited(const stallcast::desktop::TextEdit& edit);
  /// Another text is about to come: in open(), before edited().
  void opened();
  /// After open() and save().
  void renamed();

 private:
  friend class EditCommand;
  void apply_edit(const TextEdit& edit);
  void forget_tree();

  QString text_, saved_;
  QString file_;
  bool returns_ = false;                                 ///< lines of the file end with "\r\n"
  std::optional<Scenario> read_;                         ///< from the present text
  mutable std::optional<std::optional<JsonNode>> tree_;  ///< once somebody asked for it
  QUndoStack undo_;
  int last_merge_ = 0;
};

}  // namespace stallcast::desktop
