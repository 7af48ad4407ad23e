#include "ui/desktop/document.hpp"

#include <QUndoCommand>
#include <algorithm>
#include <optional>

#include "stallcast/label.hpp"
#include "ui/desktop/saved_file.hpp"

namespace stallcast::desktop {
namespace {

constexpr QLatin1String kReturn("\r\n"), kLine("\n");

}  // namespace

/// One change of the text.
class EditCommand : public QUndoCommand {
 public:
  EditCommand(Document& document, TextEdit edit, const QString& label, int merge)
      : QUndoCommand(label), document_(document), edit_(std::move(edit)), merge_(merge) {}

  void redo() override { document_.apply_edit(edit_); }
  void undo() override { document_.apply_edit(inverse(edit_)); }
  [[nodiscard]] int id() const override { return merge_ == 0 ? -1 : merge_; }

  /// The later one was applied already: what is kept is the way from before the first to now.
  bool mergeWith(const QUndoCommand* other) override {
    const auto* later = static_cast<const EditCommand*>(other);
    const QString now = document_.text();
    const QString before = apply(inverse(edit_), apply(inverse(later->edit_), now));
    edit_ = edit_between(before, now);
    if (before == now) setObsolete(true);
    setText(later->text());
    return true;
  }

 private:
  Document& document_;
  TextEdit edit_;
  int merge_;
};

Document::Document(QObject* parent) : QObject(parent) { undo_.setUndoLimit(10000); }

const JsonNode* Document::tree() const {
  if (!tree_) tree_ = read_ ? tree_of(*read_) : parse_tree(text_);
  return *tree_ ? &**tree_ : nullptr;
}

void Document::set_read(const Scenario& scenario) { read_ = scenario; }

void Document::forget_tree() {
  read_.reset();
  tree_.reset();
}

QString Document::name() const { return file_.isEmpty() ? QStringLiteral("untitled.json") : file_; }

void Document::open(const QString& text, const QString& file,
                    const std::optional<QString>& changed) {
  const auto plain = [](QString lines) { return lines.replace(kReturn, kLine); };
  returns_ = text.contains(kReturn);
  saved_ = plain(text);
  const QString now = changed ? plain(*changed) : saved_;
  const TextEdit edit = edit_between(text_, now);
  undo_.clear();
  text_ = now;
  forget_tree();
  file_ = file;
  if (changed) undo_.resetClean();
  emit opened();
  emit renamed();
  emit edited(edit);
}

bool Document::save(const QString& file, QString& why_not) {
  QString out = text_;
  if (returns_) out.replace(kLine, kReturn);
  if (!save_file(file, out.toUtf8(), why_not)) return false;
  saved_ = text_;
  file_ = file;
  undo_.setClean();
  emit renamed();
  return true;
}

void Document::change(const TextEdit& edit, const QString& label, int merge) {
  if (edit.removed == edit.inserted) return;
  undo_.push(new EditCommand(*this, edit, label, merge));  // the stack owns it
}

void Document::replace_text(const QString& text, const QString& label, int merge) {
  change(edit_between(text_, text), label, merge);
}

QString Document::edits_since(int before) const {
  constexpr qsizetype kMost = 3;
  const int now = undo_.index();
  QStringList made;
  // An edit that went on with the one before is the same step.
  for (int i = before == now ? now - 1 : std::min(before, now); i < std::max(before, now); ++i)
    if (i >= 0 && i < undo_.count() && !made.contains(undo_.text(i))) made << undo_.text(i);
  if (made.isEmpty()) return {};
  const QString last = made.takeLast();
  const QString out = made.isEmpty() ? last
                      : made.size() < kMost
                          ? tr("%1 and %2").arg(made.join(QStringLiteral(", ")), last)
                          : tr("%1 and made %2 other changes").arg(last).arg(made.size());
  return before > now ? tr("undid: %1").arg(out) : out;
}

bool Document::set(const QString& path, const QString& literal, int merge) {
  if (tree() == nullptr) return false;
  const std::optional<TextEdit> edit = set_value(text_, *tree(), parse_path(path), literal);
  if (edit)
    change(*edit,
           QStringLiteral("set %1 to %2")
               .arg(QString::fromStdString(label::of_input(path.toStdString())), literal),
           merge);
  return edit.has_value();
}

bool Document::append(const QString& path, const QString& literal) {
  if (tree() == nullptr) return false;
  const std::optional<TextEdit> edit = append_item(text_, *tree(), parse_path(path), literal);
  if (edit) change(*edit, QStringLiteral("add to %1").arg(path));
  return edit.has_value();
}

bool Document::remove(const QString& path) {
  if (tree() == nullptr) return false;
  const std::optional<TextEdit> edit = remove_value(text_, *tree(), parse_path(path));
  if (edit) change(*edit, QStringLiteral("remove %1").arg(path));
  return edit.has_value();
}

void Document::apply_edit(const TextEdit& edit) {
  text_.replace(edit.at, edit.removed.size(), edit.inserted);
  forget_tree();
  emit edited(edit);
}

}  // namespace stallcast::desktop
