#include "tests/desktop/structure_support.hpp"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSplitterHandle>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTextDocument>
#include <QTreeView>
#include <algorithm>
#include <cmath>

namespace stallcast::desktop::structure {
namespace {

constexpr int kSlack = 2;  // pixels that styles paint over each other

QString name_of(const QWidget& widget) {
  QString out = QLatin1String(widget.metaObject()->className());
  out = out.section(QStringLiteral("::"), -1);
  const QString name =
      widget.objectName().isEmpty() ? widget.accessibleName() : widget.objectName();
  return name.isEmpty() ? out : out + u' ' + name;
}

QString plain(const QString& text) {
  QTextDocument document;
  Qt::mightBeRichText(text) ? document.setHtml(text) : document.setPlainText(text);
  return document.toPlainText().simplified();
}

/// Without the signs that mark a key.
QString shown(QString text) {
  text.replace(QLatin1String("&&"), QLatin1String("\x01"));
  text.remove(u'&');
  return text.replace(u'\x01', u'&');
}

bool says(const QString& tip, const QString& text) { return plain(tip).contains(plain(text)); }

int wide(const QWidget& widget, const QString& text) {
  return widget.fontMetrics().horizontalAdvance(text);
}

void check_label(const QLabel& label, std::vector<Finding>& out) {
  if (label.text().isEmpty() || says(label.toolTip(), label.text())) return;
  const bool fits = label.wordWrap()
                        ? label.heightForWidth(label.width()) <= label.height() + kSlack
                        : label.sizeHint().width() <= label.width() + kSlack &&
                              label.sizeHint().height() <= label.height() + kSlack;
  if (!fits) out.push_back({QStringLiteral("cut"), name_of(label) + u' ' + plain(label.text())});
}

void check_button(const QAbstractButton& button, std::vector<Finding>& out) {
  const QString text = shown(button.text());
  if (text.isEmpty() || says(button.toolTip(), text)) return;
  // Room for the box of a check box is not counted: only less than the text is surely too little.
  if (wide(button, text) > button.width() ||
      button.fontMetrics().height() > button.height() + kSlack)
    out.push_back({QStringLiteral("cut"), name_of(button) + u' ' + text});
}

void check_tabs(const QTabBar& bar, std::vector<Finding>& out) {
  for (int i = 0; i < bar.count(); ++i) {
    const QString text = shown(bar.tabText(i));
    const QRect area = bar.tabRect(i);
    if ((wide(bar, text) > area.width() || !bar.rect().adjusted(0, 0, kSlack, 0).contains(area)) &&
        !says(bar.tabToolTip(i), text))
      out.push_back({QStringLiteral("cut"), QStringLiteral("tab ") + text});
  }
}

void check_header(const QHeaderView& header, std::vector<Finding>& out) {
  if (header.orientation() != Qt::Horizontal || header.model() == nullptr) return;
  for (int i = 0; i < header.count(); ++i) {
    const QString text = header.model()->headerData(i, Qt::Horizontal).toString();
    const QString tip = header.model()->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString();
    if (!header.isSectionHidden(i) && wide(header, text) > header.sectionSize(i) &&
        !says(tip, text))
      out.push_back({QStringLiteral("cut"), QStringLiteral("header ") + text});
  }
}

void check_cells(const QAbstractItemView& view, std::vector<Finding>& out) {
  const QAbstractItemModel* model = view.model();
  if (model == nullptr || view.itemDelegate() == nullptr) return;
  const QRect area = view.viewport()->rect();
  // Rows that are on screen: what holds for them holds for the others.
  for (int row = 0; row < std::min(model->rowCount(view.rootIndex()), 60); ++row)
    for (int column = 0; column < model->columnCount(view.rootIndex()); ++column) {
      const QModelIndex index = model->index(row, column, view.rootIndex());
      const QRect cell = view.visualRect(index);
      const QString text = index.data().toString();
      if (text.isEmpty() || !cell.intersects(area)) continue;
      int most = 0;
      for (const QString& line : text.split(u'\n')) most = std::max(most, wide(view, line));
      if (most > cell.width() && !says(index.data(Qt::ToolTipRole).toString(), text))
        out.push_back({QStringLiteral("cut"), name_of(view) + QStringLiteral(" cell ") + text});
    }
}

void check_field(const QWidget& widget, std::vector<Finding>& out) {
  QString text;
  int room = 0;
  if (const auto* line = qobject_cast<const QLineEdit*>(&widget)) {
    text = line->text().isEmpty() ? line->placeholderText() : line->text();
    room = line->width();
  } else if (const auto* box = qobject_cast<const QComboBox*>(&widget)) {
    text = box->currentText();
    room = box->width() - box->fontMetrics().height();  // its arrow
  }
  if (!text.isEmpty() && wide(widget, text) > room && !says(widget.toolTip(), text))
    out.push_back({QStringLiteral("cut"), name_of(widget) + u' ' + text});
}

std::vector<QWidget*> visible_children(const QWidget& parent) {
  std::vector<QWidget*> out;
  for (QWidget* child : parent.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
    if (child->isVisible() && !child->isWindow() && !child->size().isEmpty()) out.push_back(child);
  return out;
}

/// Widgets whose parts Qt places.
bool places_its_own(const QWidget& widget) {
  return qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
         qobject_cast<const QComboBox*>(&widget) != nullptr ||
         qobject_cast<const QTabBar*>(&widget) != nullptr ||
         qobject_cast<const QLineEdit*>(&widget) != nullptr;
}

void find_overlaps(const QWidget& parent, std::vector<Finding>& out) {
  if (places_its_own(parent)) return;
  const std::vector<QWidget*> children = visible_children(parent);
  const bool scrolls = qobject_cast<const QAbstractScrollArea*>(parent.parentWidget()) != nullptr;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const QRect a = children[i]->geometry();
    if (!scrolls && !parent.rect().adjusted(-kSlack, -kSlack, kSlack, kSlack).contains(a))
      out.push_back({QStringLiteral("overlap"),
                     name_of(*children[i]) + QStringLiteral(" reaches out of ") + name_of(parent)});
    for (std::size_t j = i + 1; j < children.size(); ++j) {
      const QRect both = a & children[j]->geometry();
      if (both.width() > kSlack && both.height() > kSlack &&
          qobject_cast<QSplitterHandle*>(children[j]) == nullptr)
        out.push_back({QStringLiteral("overlap"),
                       name_of(*children[i]) + QStringLiteral(" on ") + name_of(*children[j])});
    }
    find_overlaps(*children[i], out);
  }
}

bool takes_tab(const QWidget& widget) {
  return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.isVisible() && widget.isEnabled() &&
         widget.focusProxy() == nullptr && !is_inner_part(widget);
}

/// Whether `b` is read before `a`: each as a part of what holds both.
bool is_before(const QWidget& b, const QWidget& a) {
  const QWidget *in_a = &a, *in_b = &b;
  if (a.isAncestorOf(&b) || b.isAncestorOf(&a)) return b.isAncestorOf(&a);
  while (!in_a->parentWidget()->isAncestorOf(&b)) in_a = in_a->parentWidget();
  while (in_b->parentWidget() != in_a->parentWidget()) in_b = in_b->parentWidget();
  const QRect ra = in_a->geometry(), rb = in_b->geometry();
  const bool above = rb.bottom() < ra.top() && rb.left() <= ra.right();
  const bool left = rb.right() < ra.left() && rb.bottom() >= ra.top() && rb.top() <= ra.bottom();
  return above || left;
}

}  // namespace

bool is_inner_part(const QWidget& widget) {
  return widget.objectName().startsWith(QLatin1String("qt_")) || widget.inherits("QHeaderView") ||
         widget.inherits("QTableCornerButton") ||
         (widget.parentWidget() != nullptr &&
          (widget.parentWidget()->inherits("QAbstractSpinBox") ||
           widget.parentWidget()->inherits("QComboBox")));
}

std::vector<Finding> cut_texts(const QWidget& root) {
  std::vector<Finding> out;
  for (const QWidget* widget : root.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    if (const auto* label = qobject_cast<const QLabel*>(widget)) check_label(*label, out);
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
      check_button(*button, out);
    if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) check_tabs(*tabs, out);
    const auto* header = qobject_cast<const QHeaderView*>(widget);
    if (header != nullptr) check_header(*header, out);
    if (const auto* view = qobject_cast<const QAbstractItemView*>(widget);
        view != nullptr && header == nullptr)
      check_cells(*view, out);
    check_field(*widget, out);
  }
  return out;
}

std::vector<Finding> overlaps(const QWidget& root) {
  std::vector<Finding> out;
  find_overlaps(root, out);
  return out;
}

std::vector<Finding> nameless(const QWidget& root) {
  std::vector<Finding> out;
  for (const QWidget* widget : root.findChildren<QWidget*>()) {
    if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() || is_inner_part(*widget))
      continue;
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    // A sign such as a cross is no name.
    const bool reads =
        button != nullptr && button->text().contains(QRegularExpression(QStringLiteral("\\w\\w")));
    if (widget->accessibleName().isEmpty() && !reads)
      out.push_back({QStringLiteral("name"), name_of(*widget)});
  }
  return out;
}

std::vector<Finding> out_of_order(QWidget& root) {
  std::vector<Finding> out;
  QWidget* first = nullptr;
  for (QWidget* widget : root.findChildren<QWidget*>())
    if (first == nullptr && takes_tab(*widget)) first = widget;
  if (first == nullptr) return out;
  first->setFocus(Qt::TabFocusReason);
  // Round once, beginning where the Tab key enters.
  constexpr int kMost = 1000;
  std::vector<QWidget*> met;
  bool outside = false;
  for (int i = 0; i < kMost; ++i) {
    QWidget* now = QApplication::focusWidget();
    if (now == nullptr) break;
    if (!root.isAncestorOf(now)) {
      if (outside && !met.empty()) break;
      outside = true;
      met.clear();
    } else if (!outside && i > 0 && now == first) {
      break;
    } else {
      if (std::find(met.begin(), met.end(), now) != met.end()) {
        out.push_back({QStringLiteral("order"), QStringLiteral("Tab stays at ") + name_of(*now)});
        break;
      }
      met.push_back(now);
    }
    QTest::keyClick(now, Qt::Key_Tab);
  }
  for (std::size_t j = 1; j < met.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      if (!is_before(*met[j], *met[i])) continue;
      out.push_back({QStringLiteral("order"),
                     name_of(*met[j]) + QStringLiteral(" after ") + name_of(*met[i])});
      break;
    }
  for (const QWidget* widget : root.findChildren<QWidget*>())
    if (takes_tab(*widget) && std::find(met.begin(), met.end(), widget) == met.end())
      out.push_back(
          {QStringLiteral("order"), QStringLiteral("Tab never reaches ") + name_of(*widget)});
  return out;
}

double contrast(const QColor& a, const QColor& b) {
  const auto luminance = [](const QColor& c) {
    const auto linear = [](double x) {
      return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
  };
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace stallcast::desktop::structure
