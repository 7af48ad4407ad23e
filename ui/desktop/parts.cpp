#include "ui/desktop/parts.hpp"

#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ui/desktop/figures.hpp"
#include "ui/desktop/workspace.hpp"

namespace stallcast::desktop {
namespace {

void add_as_read(QWidget& widget, std::vector<QWidget*>& out);

/// Row and column of an item; those of boxes are in one row.
std::pair<int, int> place_of(QLayout& layout, int i) {
  int row = 0, column = 0, rows = 0, columns = 0;
  if (auto* grid = qobject_cast<QGridLayout*>(&layout)) {
    grid->getItemPosition(i, &row, &column, &rows, &columns);
  } else if (auto* form = qobject_cast<QFormLayout*>(&layout)) {
    QFormLayout::ItemRole role = QFormLayout::LabelRole;
    form->getItemPosition(i, &row, &role);
    column = role;
  }
  return {row, column};
}

void add_as_read(QLayout& layout, std::vector<QWidget*>& out) {
  std::vector<std::pair<std::pair<int, int>, QLayoutItem*>> items;
  for (int i = 0; i < layout.count(); ++i)
    items.emplace_back(place_of(layout, i), layout.itemAt(i));
  std::stable_sort(items.begin(), items.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [place, item] : items) {
    if (item->widget() != nullptr) add_as_read(*item->widget(), out);
    if (item->layout() != nullptr) add_as_read(*item->layout(), out);
  }
}

void add_as_read(QWidget& widget, std::vector<QWidget*>& out) {
  if ((widget.focusPolicy() & Qt::TabFocus) != 0) out.push_back(&widget);
  if (widget.layout() != nullptr) return add_as_read(*widget.layout(), out);
  QList<QWidget*> inside = widget.findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  std::stable_sort(inside.begin(), inside.end(), [](const QWidget* a, const QWidget* b) {
    return std::pair(a->y(), a->x()) < std::pair(b->y(), b->x());
  });
  for (QWidget* child : inside)
    if (!child->isWindow()) add_as_read(*child, out);
}

}  // namespace

bool focus_as_read(QWidget& root, bool next) {
  std::vector<QWidget*> all;
  add_as_read(root, all);
  std::erase_if(all, [](const QWidget* w) {
    return !w->isVisible() || !w->isEnabled() || w->focusProxy() != nullptr;
  });
  if (all.empty()) return false;
  // What has the focus may be an inner part of what takes it.
  auto now = all.end();
  for (QWidget* w = root.window()->focusWidget(); w != nullptr && now == all.end();
       w = w->parentWidget())
    now = std::find(all.begin(), all.end(), w);
  const auto n = static_cast<std::ptrdiff_t>(all.size());
  const std::ptrdiff_t at = now == all.end() ? (next ? -1 : n) : now - all.begin();
  QWidget* to = all[static_cast<std::size_t>((at + (next ? 1 : n - 1)) % n)];
  to->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
  return true;
}

QSize VerticalScroll::minimumSizeHint() const {
  const int inside = widget() == nullptr ? 0 : widget()->minimumSizeHint().width();
  return {inside + verticalScrollBar()->sizeHint().width() + 2, 4 * fontMetrics().height()};
}

bool VerticalScroll::eventFilter(QObject* object, QEvent* event) {
  const bool taken = QScrollArea::eventFilter(object, event);
  if (event->type() == QEvent::LayoutRequest) updateGeometry();
  return taken;
}

PageStack::PageStack(QWidget* parent) : QStackedWidget(parent) {
  connect(this, &QStackedWidget::currentChanged, this, &QWidget::updateGeometry);
}

QSize PageStack::sizeHint() const {
  return currentWidget() == nullptr ? QSize() : currentWidget()->sizeHint();
}

QSize PageStack::minimumSizeHint() const {
  return currentWidget() == nullptr ? QSize() : currentWidget()->minimumSizeHint();
}

QFont mono_font() {
  QFont out(QStringLiteral("DejaVu Sans Mono"));
  out.setPointSizeF(QApplication::font().pointSizeF());
  return out;
}

QLabel* heading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  return label;
}

QLabel* note(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setWordWrap(true);
  label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

QScrollArea* scrolled(QWidget* inside, const QString& name, QWidget* parent) {
  auto* area = new VerticalScroll(parent);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setAccessibleName(name);
  area->setWidget(inside);
  return area;
}

QScrollArea* scrolled_on_ground(QWidget* inside, const QString& name, QWidget* parent) {
  QScrollArea* area = scrolled(inside, name, parent);
  area->viewport()->setAutoFillBackground(false);
  inside->setAutoFillBackground(false);
  return area;
}

void add_page(QTabWidget& tabs, QWidget* inside, const QString& title, const QString& hint) {
  tabs.setTabToolTip(tabs.addTab(scrolled_on_ground(inside, hint, &tabs), title), hint);
}

QPushButton* push_button(const QString& text, const char* object_name, const QString& name,
                         QWidget* parent) {
  auto* button = new QPushButton(text, parent);
  button->setObjectName(QLatin1String(object_name));
  button->setAccessibleName(name);
  return button;
}

QSplitter* splitter(Qt::Orientation orientation, QWidget* parent) {
  auto* split = new QSplitter(orientation, parent);
  split->setChildrenCollapsible(false);
  return split;
}

void stretch(QSplitter& split, std::initializer_list<int> factors) {
  int part = 0;
  for (const int factor : factors) split.setStretchFactor(part++, factor);
}

void set_columns(QSplitter& split, int letters, int lines) {
  const QWidget& around = *split.parentWidget();
  const QFontMetrics metrics = around.fontMetrics();
  const bool wide = around.width() >= letters * metrics.averageCharWidth();
  split.setOrientation(wide ? Qt::Horizontal : Qt::Vertical);
  for (int i = 0; i < split.count(); ++i)
    split.widget(i)->setMinimumHeight(wide ? 0 : lines * metrics.height());
}

QWidget* chain_focus(QWidget* before, const QWidget& inside) {
  for (QWidget* widget : inside.findChildren<QWidget*>())
    if ((widget->focusPolicy() & Qt::TabFocus) != 0 && widget->focusProxy() == nullptr) {
      QWidget::setTabOrder(before, widget);
      before = widget;
    }
  return before;
}

QVBoxLayout* column(QWidget* widget) {
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  return layout;
}

namespace {

/// Its tool tip has all of what is chosen, which may be longer than the box, and its path.
void tell_choice(QComboBox& box) {
  const QString text = box.currentText(), path = chosen_path(box);
  box.setToolTip(path.isEmpty() || path == text ? text : text + u'\n' + path);
}

}  // namespace

QComboBox* choice(const QString& object_name, const QString& name, QWidget* parent) {
  auto* box = new QComboBox(parent);
  box->setObjectName(object_name);
  box->setAccessibleName(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(10);
  QObject::connect(box, &QComboBox::currentTextChanged, box, [box] { tell_choice(*box); });
  return box;
}

void set_items(QComboBox& box, const QStringList& items, int usual) {
  QStringList shown;
  for (int i = 0; i < box.count(); ++i) shown << box.itemText(i);
  if (shown == items) return;
  const auto chosen = static_cast<int>(items.indexOf(box.currentText()));
  const QSignalBlocker quiet(&box);
  box.clear();
  box.addItems(items);
  box.setCurrentIndex(chosen >= 0 ? chosen : std::min(usual, box.count() - 1));
  box.setToolTip(box.currentText());  // where it is cut
}

void set_choices(QComboBox& box, std::vector<NamedPath> items) {
  std::map<QString, int> said;
  for (const NamedPath& item : items) ++said[item.words];
  for (NamedPath& item : items)
    if (said[item.words] > 1) item.words += QStringLiteral(" (%1)").arg(item.path);
  bool same = box.count() == static_cast<int>(items.size());
  for (int i = 0; same && i < box.count(); ++i) {
    const NamedPath& item = items[static_cast<std::size_t>(i)];
    same = box.itemText(i) == item.words && box.itemData(i).toString() == item.path;
  }
  if (same) return;
  const QString before = chosen_path(box);
  const QSignalBlocker quiet(&box);
  box.clear();
  for (const NamedPath& item : items) {
    box.addItem(item.words, item.path);
    box.setItemData(box.count() - 1, item.path, Qt::ToolTipRole);
  }
  if (!choose_path(box, before)) box.setCurrentIndex(box.count() > 0 ? 0 : -1);
  tell_choice(box);
}

QString chosen_path(const QComboBox& box) { return box.currentData().toString(); }

bool choose_path(QComboBox& box, const QString& path) {
  const int at = box.findData(path);
  if (at >= 0) box.setCurrentIndex(at);
  return at >= 0;
}

void offer_metrics(QComboBox& box, const Workspace& workspace, const QString& first) {
  if (!workspace.simulated()) return;
  std::vector<NamedPath> out;
  const Prediction& p = *workspace.simulated();
  std::set<QString> known;
  const auto add = [&](const QString& metric) {
    if (known.insert(metric).second) out.push_back({metric_words(p, metric), metric});
  };
  if (!first.isEmpty()) add(first);
  for (const Headline& h : headline_tiles(p)) add(h.metric);
  for (const auto& [name, metric] : p.metrics) add(QString::fromStdString(name));
  set_choices(box, std::move(out));
}

}  // namespace stallcast::desktop
