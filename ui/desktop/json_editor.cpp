#include "ui/desktop/json_editor.hpp"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStringListModel>
#include <QSyntaxHighlighter>
#include <QTextBlock>

#include "ui/desktop/parts.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/desktop/workspace.hpp"

namespace stallcast::desktop {
namespace {

/// Keys, texts, numbers and comments of one line each (comments over several lines are rare).
class Highlighter : public QSyntaxHighlighter {
 public:
  Highlighter(QTextDocument* document, const QWidget& look)
      : QSyntaxHighlighter(document), look_(look) {}

 protected:
  void highlightBlock(const QString& text) override {
    static const QRegularExpression parts(QStringLiteral(
        R"((?<comment>//.*$|/\*.*?\*/)|(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\]|\\.)*")|(?<number>-?\b[0-9][0-9.eE+-]*))"));
    const Theme& theme = Theme::of(look_);
    for (auto it = parts.globalMatch(text); it.hasNext();) {
      const QRegularExpressionMatch match = it.next();
      QColor colour = theme.warn;
      if (match.hasCaptured(QStringLiteral("comment"))) colour = theme.faint;
      if (match.hasCaptured(QStringLiteral("key"))) colour = theme.accent;
      if (match.hasCaptured(QStringLiteral("text"))) colour = theme.good;
      setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()),
                colour);
    }
  }

 private:
  const QWidget& look_;
};

class Margin : public QWidget {
 public:
  explicit Margin(JsonEditor* editor) : QWidget(editor), editor_(*editor) {}

 protected:
  void paintEvent(QPaintEvent* event) override {
    QPainter painter(this);
    editor_.paint_margin(painter, event->rect());
  }

 private:
  JsonEditor& editor_;
};

/// The letters around `cursor` that may be a key. Qt's own word ends elsewhere at quotes.
QTextCursor word_at(QTextCursor cursor) {
  const QTextDocument& document = *cursor.document();
  const auto is_letter = [&](int at) {
    const QChar c = document.characterAt(at);
    return c.isLetterOrNumber() || c == u'_';
  };
  int begin = cursor.position(), end = begin;
  while (begin > 0 && is_letter(begin - 1)) --begin;
  while (end < document.characterCount() && is_letter(end)) ++end;
  cursor.setPosition(begin);
  cursor.setPosition(end, QTextCursor::KeepAnchor);
  return cursor;
}

/// Byte columns of diagnostics as places in the text.
int place_of(const QTextDocument& document, const Position& position) {
  const QTextBlock block = document.findBlockByNumber(position.line - 1);
  if (position.line <= 0 || !block.isValid()) return -1;
  const QByteArray bytes = block.text().toUtf8().left(std::max(0, position.column - 1));
  return block.position() + static_cast<int>(QString::fromUtf8(bytes).size());
}

}  // namespace

JsonEditor::JsonEditor(Workspace& workspace, QWidget* parent)
    : QPlainTextEdit(parent), workspace_(workspace) {
  setObjectName(QStringLiteral("editor"));
  setAccessibleName(tr("Scenario as text"));
  setUndoRedoEnabled(false);  // the document has the one undo stack
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabChangesFocus(true);
  setFont(mono_font());
  colours_ = new Highlighter(document(), *this);
  margin_ = new Margin(this);
  keys_ = new QStringListModel(this);
  completer_ = new QCompleter(keys_, this);
  completer_->setWidget(this);
  completer_->setCaseSensitivity(Qt::CaseInsensitive);
  completer_->popup()->setAccessibleName(tr("Keys that fit here"));
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this,
          &JsonEditor::insert_key);
  connect(this, &QPlainTextEdit::blockCountChanged, this,
          [this] { setViewportMargins(margin_width(), 0, 0, 0); });
  connect(this, &QPlainTextEdit::updateRequest, this, [this] { margin_->update(); });
  setViewportMargins(margin_width(), 0, 0, 0);
  setPlainText(workspace.document().text());
  connect(document(), &QTextDocument::contentsChange, this, &JsonEditor::typed);
  connect(&workspace.document(), &Document::edited, this, &JsonEditor::follow);
  connect(&workspace, &Workspace::read, this, &JsonEditor::mark_problems);
}

void JsonEditor::follow() {
  const TextEdit edit = edit_between(toPlainText(), workspace_.document().text());
  if (edit.removed == edit.inserted) return;
  quiet_ = true;
  QTextCursor cursor(document());
  cursor.setPosition(static_cast<int>(edit.at));
  cursor.setPosition(static_cast<int>(edit.at + edit.removed.size()), QTextCursor::KeepAnchor);
  cursor.insertText(edit.inserted);
  quiet_ = false;
}

void JsonEditor::typed(int at, int removed, int added) {
  if (quiet_ || (removed == 0 && added == 0)) return;
  const QString now = toPlainText();
  if (now == workspace_.document().text()) return;  // only colours changed
  if (at != next_ || added != 1 || now.mid(at, 1) == QLatin1String("\n"))
    merge_ = workspace_.document().new_merge();
  next_ = at + added;
  workspace_.document().replace_text(now, tr("typed in the text"), merge_);
}

void JsonEditor::mark_problems() {
  follow();  // the workspace reads before this is told of the edit
  QList<QTextEdit::ExtraSelection> marks;
  const Theme& theme = Theme::of(*this);
  for (const Diagnostic& d : workspace_.diagnostics().items()) {
    if (QString::fromStdString(d.position.file) != workspace_.document().name()) continue;
    const int place = place_of(*document(), d.position);
    if (place < 0) continue;
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(document());
    mark.cursor.setPosition(place);
    mark.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor(d.severity == Severity::error ? theme.bad : theme.warn);
    mark.format.setToolTip(QString::fromStdString(d.message));
    marks.push_back(mark);
  }
  setExtraSelections(marks);
}

void JsonEditor::go_to(const Position& position) {
  if (QString::fromStdString(position.file) != workspace_.document().name()) return;
  const int place = place_of(*document(), position);
  if (place < 0) return;
  QTextCursor cursor(document());
  cursor.setPosition(place);
  setTextCursor(cursor);
  centerCursor();
}

bool JsonEditor::go_to_path(const QString& path) {
  const JsonNode* root = workspace_.document().tree();
  const JsonNode* node = root != nullptr ? desktop::find(*root, parse_path(path)) : nullptr;
  if (node == nullptr) return false;
  QTextCursor cursor(document());
  cursor.setPosition(static_cast<int>(node->key_begin));
  setTextCursor(cursor);
  centerCursor();
  return true;
}

/// The word that is being typed is not JSON yet: something that is stands in for it.
QString JsonEditor::path_here() const {
  const QTextCursor word = word_at(textCursor());
  const QString text = toPlainText();
  qsizetype begin = word.selectionStart(), end = word.selectionEnd();
  if (const auto root = parse_tree(text)) return path_at(*root, begin);
  const bool quoted_before = begin > 0 && text[begin - 1] == u'"';
  const bool quoted_behind = end < text.size() && text[end] == u'"';
  if (quoted_before) --begin;
  if (quoted_before && quoted_behind) ++end;
  for (const char* instead : {"", "\"?\":0", "\"?\":0,", ",\"?\":0", ",\"?\":0,"}) {
    const QString stand_in = QLatin1String(instead);
    const auto root = parse_tree(text.left(begin) + stand_in + text.mid(end));
    if (!root) continue;
    const QString path = path_at(*root, begin + stand_in.indexOf(u'?'));
    return path.endsWith(QLatin1String(".?")) ? path.chopped(2) : path;
  }
  return {};
}

QStringList JsonEditor::keys_here() const {
  const QString path = path_here();
  QStringList out;
  for (const client::FormPart& part : workspace_.form().parts) {
    const QString at = QString::fromStdString(part.path);
    if (!path.startsWith(at)) continue;
    const QString inside = path.mid(at.size() + 1);
    for (const client::FormField& field : part.fields) {
      const QString key = QString::fromStdString(field.key);
      out << key.section(u'.', 0, 0);
      if (!inside.isEmpty() && key.startsWith(inside.section(u'.', 0, 0) + u'.'))
        out << key.section(u'.', 1);
    }
  }
  if (out.isEmpty())
    out = QStringList{"id",       "params", "cluster", "storage",   "jobs",  "tenants", "stages",
                      "failures", "run",    "expect",  "scenarios", "sweep", "extends"};
  out.removeDuplicates();
  out.sort();
  return out;
}

void JsonEditor::complete(bool take_first) {
  const QTextCursor word = word_at(textCursor());
  keys_->setStringList(keys_here());
  completer_->setCompletionPrefix(word.selectedText());
  if (completer_->completionCount() == 0) return;
  if (take_first) return insert_key(completer_->currentCompletion());
  QRect place = cursorRect();
  place.setWidth(fontMetrics().averageCharWidth() * 30);
  completer_->complete(place);
}

void JsonEditor::insert_key(const QString& key) {
  QTextCursor cursor = word_at(textCursor());
  const int begin = cursor.selectionStart();
  const bool open = begin > 0 && document()->characterAt(begin - 1) == u'"';
  const bool closed = open && document()->characterAt(cursor.selectionEnd()) == u'"';
  cursor.insertText((open ? QString() : QStringLiteral("\"")) + key +
                    (closed ? QString() : QStringLiteral("\"")));
  setTextCursor(cursor);
}

void JsonEditor::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) return complete();
  const bool choosing = completer_->popup()->isVisible();
  const bool taken = event->key() == Qt::Key_Enter || event->key() == Qt::Key_Return ||
                     event->key() == Qt::Key_Escape || event->key() == Qt::Key_Tab;
  if (choosing && taken) return event->ignore();
  if (event->matches(QKeySequence::Undo) || event->matches(QKeySequence::Redo))
    return event->ignore();  // the window's
  QPlainTextEdit::keyPressEvent(event);
  if (choosing) complete();
}

int JsonEditor::margin_width() const {
  const auto digits = static_cast<int>(QString::number(std::max(1, blockCount())).size());
  return fontMetrics().horizontalAdvance(u'9') * (digits + 2);
}

void JsonEditor::paint_margin(QPainter& painter, const QRect& area) {
  painter.fillRect(area, palette().color(QPalette::AlternateBase));
  painter.setPen(Theme::of(*this).faint);
  painter.setFont(font());
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF line = blockBoundingGeometry(block).translated(contentOffset());
    if (line.top() > area.bottom()) break;
    painter.drawText(
        QRectF(0, line.top(), margin_->width() - fontMetrics().averageCharWidth(), line.height()),
        Qt::AlignRight, QString::number(block.blockNumber() + 1));
  }
}

void JsonEditor::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  margin_->setGeometry(contentsRect().left(), contentsRect().top(), margin_width(),
                       viewport()->height());
}

void JsonEditor::update_look() {
  setFont(mono_font());
  setViewportMargins(margin_width(), 0, 0, 0);
  colours_->rehighlight();
}

}  // namespace stallcast::desktop
