#include "ui/desktop/range_model.hpp"

#include <QHeaderView>
#include <QLineEdit>
#include <QMouseEvent>
#include <QStyledItemDelegate>
#include <QTableView>
#include <algorithm>

#include "ui/desktop/rows_model.hpp"

namespace stallcast::desktop {
namespace {

constexpr int kMostValues = 50;

/// Names its editor for screen readers.
class RangeDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                        const QModelIndex& index) const override {
    auto* edit = new QLineEdit(parent);
    edit->setFrame(false);
    edit->setAccessibleName(
        tr("%1, %2").arg(index.siblingAtColumn(RangeModel::kInput).data().toString(),
                         index.model()->headerData(index.column(), Qt::Horizontal).toString()));
    return edit;
  }

  /// The style's box keeps its size whatever the letters, and is hard to see on dark ground.
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (!option->features.testFlag(QStyleOptionViewItem::HasCheckIndicator)) return;
    option->features.setFlag(QStyleOptionViewItem::HasCheckIndicator, false);
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    option->text.prepend(on ? QStringLiteral("\u2611 ") : QStringLiteral("\u2610 "));
  }

  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override {
    if (event->type() != QEvent::MouseButtonRelease || index.column() != RangeModel::kInput)
      return QStyledItemDelegate::editorEvent(event, model, option, index);
    const double from_left = static_cast<QMouseEvent*>(event)->position().x() - option.rect.left();
    if (from_left > 1.5 * option.fontMetrics.height()) return false;
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
  }
};

}  // namespace

RangeModel::RangeModel(Workspace& workspace, int values, QObject* parent)
    : QAbstractTableModel(parent),
      workspace_(workspace),
      usual_values_(values),
      rule_([](const SliderSpec& s) { return std::pair(s.minimum, s.maximum); }) {}

void RangeModel::set_rule(Rule rule) {
  rule_ = std::move(rule);
  std::vector<SliderSpec> inputs;
  for (const InputRange& r : ranges_) inputs.push_back(r.slider);
  set_inputs(std::move(inputs));
}

void RangeModel::set_inputs(std::vector<SliderSpec> inputs) {
  std::vector<InputRange> next;
  for (SliderSpec& slider : inputs) {
    InputRange range;
    range.slider = std::move(slider);
    range.values = usual_values_;
    range.on = usual_values_ == 0 || next.size() < 2;  // a sweep begins with two
    if (const InputRange* before = range_of(range.slider.path); before != nullptr) {
      const SliderSpec now = range.slider;
      range = *before;
      range.slider = now;
    }
    if (!range.edited) {
      std::tie(range.low, range.high) = rule_(range.slider);
      range.low = end_that_holds(workspace_, range.slider, range.low);
      range.high = end_that_holds(workspace_, range.slider, range.high);
    }
    next.push_back(std::move(range));
  }
  const auto same = [](const InputRange& a, const InputRange& b) {
    return a.slider.path == b.slider.path;
  };
  const bool stays = std::equal(next.begin(), next.end(), ranges_.begin(), ranges_.end(), same);
  if (!stays) beginResetModel();
  ranges_ = std::move(next);
  if (!stays) endResetModel();
  if (stays && !ranges_.empty())
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  emit changed();
}

void RangeModel::reset_ranges() {
  for (InputRange& r : ranges_) r.edited = false;
  set_rule(rule_);
}

void RangeModel::choose(const QStringList& paths) {
  for (InputRange& r : ranges_)
    r.on = paths.contains(r.slider.path) || paths.contains(r.slider.label);
  set_rule(rule_);
}

bool RangeModel::set_range(const QString& path, const QString& low, const QString& high) {
  for (InputRange& r : ranges_) {
    if (r.slider.path != path && r.slider.label != path) continue;
    InputRange wanted = r;
    const QString fault = read(r, low, wanted.low) + read(r, high, wanted.high);
    if (!fault.isEmpty() || wanted.low >= wanted.high) return false;
    wanted.edited = true;
    r = wanted;
    set_rule(rule_);
    return true;
  }
  return false;
}

bool RangeModel::set_values(const QString& path, int values) {
  const InputRange* range = range_of(path);
  if (range == nullptr || columnCount() <= kValues) return false;
  return setData(index(static_cast<int>(range - ranges_.data()), kValues), values, Qt::EditRole);
}

std::vector<InputRange> RangeModel::chosen() const {
  std::vector<InputRange> out;
  for (const InputRange& r : ranges_)
    if (r.on && r.low < r.high) out.push_back(r);
  return out;
}

const InputRange* RangeModel::range_of(const QString& path) const {
  for (const InputRange& r : ranges_)
    if (r.slider.path == path || r.slider.label == path) return &r;
  return nullptr;
}

int RangeModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(ranges_.size());
}

int RangeModel::columnCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  return usual_values_ > 0 ? kValues + 1 : kHigh + 1;
}

QVariant RangeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const InputRange& r = ranges_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  if (role == Qt::CheckStateRole && column == kInput) return r.on ? Qt::Checked : Qt::Unchecked;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((column == kInput ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && column == kInput)
    return r.slider.doc.isEmpty() ? r.slider.label
                                  : r.slider.label + QStringLiteral(": ") + r.slider.doc;
  if (role == Qt::ToolTipRole && (column == kLow || column == kHigh))
    return r.edited ? tr("Set manually. Double click or F2 to edit")
                    : tr("Double click or F2 to edit");
  if (role == Qt::FontRole && r.edited && (column == kLow || column == kHigh)) {
    QFont bold;
    bold.setBold(true);
    return bold;
  }
  if (role == Qt::UserRole && column == kInput) return r.slider.path;
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  if (column == kInput) return r.slider.label;
  if (column == kValues) return QString::number(r.values);
  const double value = column == kLow ? r.low : column == kHigh ? r.high : r.slider.value;
  return role == Qt::EditRole
             ? QString::fromStdString(client::write_quantity(value, r.slider.dimension))
             : value_text(r.slider, value);
}

QString RangeModel::read(const InputRange& range, const QString& text, double& value) const {
  const client::ReadQuantity quantity =
      client::read_quantity(text.toStdString(), range.slider.dimension);
  if (!quantity.value) return QString::fromStdString(quantity.message + ": " + quantity.hint);
  SliderSpec any = range.slider;  // values lie on its steps, and may lie outside of what it shows
  any.maximum = std::max(any.maximum, *quantity.value);
  if (any.step == 0.0) any.minimum = std::min(any.minimum, *quantity.value);
  value = Workspace::snapped(any, *quantity.value);
  const Move move[] = {{range.slider, value}};
  if (!workspace_.has_errors() && !workspace_.scenario()->with(changes_of(move)).ok())
    return tr("%1 cannot be %2").arg(range.slider.label, value_text(range.slider, value));
  return {};
}

bool RangeModel::set_end(InputRange& range, int column, const QString& text) {
  double value = 0.0;
  QString fault = read(range, text, value);
  if (fault.isEmpty() && (column == kLow ? value >= range.high : value <= range.low))
    fault = tr("The low value of %1 must be below the high one").arg(range.slider.label);
  if (!fault.isEmpty()) {
    emit refused(fault);
    return false;
  }
  (column == kLow ? range.low : range.high) = value;
  range.edited = true;
  return true;
}

bool RangeModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid()) return false;
  InputRange& range = ranges_[static_cast<std::size_t>(index.row())];
  if (index.column() == kInput && role == Qt::CheckStateRole) {
    range.on = value.toInt() == Qt::Checked;
  } else if (role != Qt::EditRole) {
    return false;
  } else if (index.column() == kValues) {
    bool is_number = false;
    const int n = value.toInt(&is_number);
    if (!is_number || n < 2 || n > kMostValues) {
      emit refused(tr("From 2 to %1 values of an input").arg(kMostValues));
      return false;
    }
    range.values = n;
  } else if (index.column() != kLow && index.column() != kHigh) {
    return false;
  } else if (!set_end(range, index.column(), value.toString())) {
    return false;
  }
  emit dataChanged(index.siblingAtColumn(0), index.siblingAtColumn(columnCount() - 1));
  emit changed();
  return true;
}

QVariant RangeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  if (orientation == Qt::Vertical) return section + 1;
  const QString names[] = {tr("input"), tr("low"), tr("now"), tr("high"), tr("values")};
  return section <= kValues ? names[section] : QVariant();
}

Qt::ItemFlags RangeModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return QAbstractTableModel::flags(index);
  Qt::ItemFlags out = QAbstractTableModel::flags(index) | Qt::ItemNeverHasChildren;
  if (index.column() == kInput) out |= Qt::ItemIsUserCheckable;
  if (index.column() == kLow || index.column() == kHigh || index.column() == kValues)
    out |= Qt::ItemIsEditable;
  return out;
}

QTableView* range_table(RangeModel& model, const QString& name, QWidget* parent) {
  QTableView* view = plain_table(model, name, parent);
  view->setObjectName(QStringLiteral("ranges"));
  view->setItemDelegate(new RangeDelegate(view));
  view->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                        QAbstractItemView::AnyKeyPressed);
  view->setTextElideMode(Qt::ElideRight);
  view->horizontalHeader()->setSectionResizeMode(RangeModel::kInput, QHeaderView::Stretch);
  return view;
}

}  // namespace stallcast::desktop
