#pragma once

#include <QFont>
#include <QScrollArea>
#include <QStackedWidget>
#include <QString>
#include <initializer_list>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QTabWidget;
class QVBoxLayout;
class QWidget;

/// Small pieces that several screens are made of.
namespace stallcast::desktop {

class Workspace;

/// Scrolls up and down only: as wide as what is inside needs.
class VerticalScroll : public QScrollArea {
 public:
  using QScrollArea::QScrollArea;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
};

/// Needs no more room than the page on top.
class PageStack : public QStackedWidget {
 public:
  explicit PageStack(QWidget* parent);
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
};

/// Gives the focus to what is read after (or before) the widget that has it, inside of `root`: rows
/// of its layouts from the top, each from the left; at the end to the first. False where nothing
/// takes it. Qt's own chain (setTabOrder) is left as it is: rows and tiles come and go.
bool focus_as_read(QWidget& root, bool next);

/// For texts whose columns matter, as large as other letters.
[[nodiscard]] QFont mono_font();
[[nodiscard]] QLabel* heading(const QString& text, QWidget* parent);
/// A line of explanation: breaks, and is fainter than what it explains.
[[nodiscard]] QLabel* note(const QString& text, QWidget* parent);
/// `inside` with bars when it does not fit; `name` is for screen readers.
[[nodiscard]] QScrollArea* scrolled(QWidget* inside, const QString& name, QWidget* parent);
/// The same on the ground of what it is in: a card, a tab.
[[nodiscard]] QScrollArea* scrolled_on_ground(QWidget* inside, const QString& name,
                                              QWidget* parent);
/// A button, named for scripts and for screen readers.
[[nodiscard]] QPushButton* push_button(const QString& text, const char* object_name,
                                       const QString& name, QWidget* parent);
/// A page of `tabs` that scrolls: what one needs leaves the others as high as they are.
void add_page(QTabWidget& tabs, QWidget* inside, const QString& title, const QString& hint);
/// Parts next to or below each other, all of which stay in sight.
[[nodiscard]] QSplitter* splitter(Qt::Orientation orientation, QWidget* parent);
/// How the parts share room that is left, from the first on.
void stretch(QSplitter& split, std::initializer_list<int> factors);
/// Its parts beside each other where there is room for so many letters in a line; else below each
/// other, each as high as so many lines, and the view scrolls.
void set_columns(QSplitter& split, int letters, int lines);
/// Puts what takes the focus in `inside`, in the order it was made, behind `before`; the last of
/// it.
QWidget* chain_focus(QWidget* before, const QWidget& inside);
/// Fills `widget` from top to bottom, without a margin.
[[nodiscard]] QVBoxLayout* column(QWidget* widget);
/// A list to choose from, named for scripts and for screen readers.
[[nodiscard]] QComboBox* choice(const QString& object_name, const QString& name, QWidget* parent);
/// Other items in `box`, without a signal; the choice stays where it can, else it is `usual`.
void set_items(QComboBox& box, const QStringList& items, int usual = 0);
/// An item: what people call it, and the path that scripts and tooltips know it by.
struct NamedPath {
  QString words, path;
};
/// The same with paths; where two have the same words, the path stands beside them.
void set_choices(QComboBox& box, std::vector<NamedPath> items);
/// The path of what is chosen in `box`.
[[nodiscard]] QString chosen_path(const QComboBox& box);
/// Chooses what has this path; false where nothing has.
bool choose_path(QComboBox& box, const QString& path);
/// Puts the metrics of the newest prediction into `box`, `first` and headlines before
/// others; the choice stays.
void offer_metrics(QComboBox& box, const Workspace& workspace, const QString& first = {});

}  // namespace stallcast::desktop
