#include "ui/desktop/rows_model.hpp"

#include <QFont>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>

namespace stallcast::desktop {

RowsModel::RowsModel(QStringList headers, QObject* parent)
    : QAbstractTableModel(parent), headers_(std::move(headers)) {}

void RowsModel::set(std::vector<Row> rows) {
  if (rows.size() != rows_.size()) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
    return;
  }
  rows_ = std::move(rows);
  if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void RowsModel::set(QStringList headers, std::vector<Row> rows) {
  if (headers == headers_) return set(std::move(rows));
  beginResetModel();
  headers_ = std::move(headers);
  rows_ = std::move(rows);
  endResetModel();
}

int RowsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RowsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(headers_.size());
}

QVariant RowsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const auto column = static_cast<std::size_t>(index.column());
  if (column >= row.size()) return {};
  const Cell& cell = row[column];
  switch (role) {
    case Qt::DisplayRole:
      return cell.text;
    case Qt::ToolTipRole:
      // Also what a narrow column cuts.
      return cell.tip.isEmpty() || cell.tip.contains(cell.text)
                 ? (cell.tip.isEmpty() ? cell.text : cell.tip)
                 : cell.text + u'\n' + cell.tip;
    case Qt::TextAlignmentRole:
      return static_cast<int>((cell.value.isValid() ? Qt::AlignRight : Qt::AlignLeft) |
                              Qt::AlignVCenter);
    case Qt::FontRole: {
      if (!cell.strong) return {};
      QFont bold;
      bold.setBold(true);
      return bold;
    }
    case kSortRole:
      return cell.value.isValid() ? cell.value : QVariant(cell.text);
    default:
      return {};
  }
}

QVariant RowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  if (orientation == Qt::Vertical) return section + 1;
  return section < headers_.size() ? QVariant(headers_[section]) : QVariant();
}

QString RowsModel::csv() const {
  const auto field = [](QString text) {
    if (!text.contains(u',') && !text.contains(u'"') && !text.contains(u'\n')) return text;
    return u'"' + text.replace(QLatin1String("\""), QLatin1String("\"\"")) + u'"';
  };
  QString out;
  QStringList line;
  for (const QString& header : headers_) line << field(header);
  out += line.join(u',') + QLatin1String("\r\n");
  for (const Row& row : rows_) {
    line.clear();
    for (const Cell& cell : row)
      line << (cell.value.isValid() ? QString::number(cell.value.toDouble(), 'g', 12)
                                    : field(cell.text));
    out += line.join(u',') + QLatin1String("\r\n");
  }
  return out;
}

QTableView* plain_table(QAbstractItemModel& model, const QString& name, QWidget* parent) {
  auto* view = new QTableView(parent);
  view->setModel(&model);
  view->setAccessibleName(name);
  view->setAlternatingRowColors(true);
  view->setTabKeyNavigation(false);
  view->setWordWrap(false);
  view->verticalHeader()->hide();
  view->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  return view;
}

QTableView* table_of(RowsModel& model, const QString& name, QWidget* parent,
                     const char* object_name) {
  auto* sorted = new QSortFilterProxyModel;
  sorted->setSourceModel(&model);
  sorted->setSortRole(RowsModel::kSortRole);
  QTableView* view = plain_table(*sorted, name, parent);
  sorted->setParent(view);
  view->setObjectName(QLatin1String(object_name));
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view->setSortingEnabled(true);
  view->sortByColumn(-1, Qt::AscendingOrder);
  view->horizontalHeader()->setStretchLastSection(true);
  return view;
}

}  // namespace stallcast::desktop
