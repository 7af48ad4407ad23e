#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <QString>
#include <QStringList>
#include <QVariant>
#include <string>
#include <vector>

class QTableView;

namespace stallcast::desktop {

/// One cell: what is shown, and what it is sorted and exported by.
struct Cell {
  Cell(QString shown) : text(std::move(shown)) {}  // NOLINT(google-explicit-constructor)
  explicit Cell(const std::string& shown) : text(QString::fromStdString(shown)) {}
  Cell(QString shown, double number) : text(std::move(shown)), value(number) {}
  QString text;
  QVariant value = {};
  QString tip = {};
  bool strong = false;  ///< bold: a heading, or the best of several
};
using Row = std::vector<Cell>;

/// A table of texts: problems, checks, resources, the twin of each chart.
class RowsModel : public QAbstractTableModel {
 public:
  /// Role of Cell::value, or of the text where there is none.
  static constexpr int kSortRole = Qt::UserRole;

  explicit RowsModel(QStringList headers, QObject* parent = nullptr);

  /// Other contents. Rows that stay keep what is selected.
  void set(std::vector<Row> rows);
  void set(QStringList headers, std::vector<Row> rows);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;

  /// RFC 4180, with numbers where there are any.
  [[nodiscard]] QString csv() const;

 private:
  QStringList headers_;
  std::vector<Row> rows_;
};

/// A view of any model with rows that grow with their texts, ready for keyboard and screen readers.
[[nodiscard]] QTableView* plain_table(QAbstractItemModel& model, const QString& name,
                                      QWidget* parent);
/// A sortable view of `model`. `object_name` is for scripts and tests.
[[nodiscard]] QTableView* table_of(RowsModel& model, const QString& name, QWidget* parent,
                                   const char* object_name = "");

}  // namespace stallcast::desktop
