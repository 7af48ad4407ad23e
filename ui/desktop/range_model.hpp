#pragma once

#include <QAbstractTableModel>
#include <functional>
#include <map>
#include <vector>

#include "ui/desktop/variation.hpp"

class QTableView;

namespace stallcast::desktop {

/// An input, and between which values it is moved.
struct InputRange {
  SliderSpec slider;
  double low = 0.0, high = 0.0;
  bool edited = false;  ///< by hand: stays when the rule changes
  bool on = true;       ///< is moved at all
  int values = 0;       ///< of a sweep
};

/// The inputs that are moved, with ranges to edit: input, low, now, high, and how many values where
/// that is asked. A text that is not a value, or a value that makes a wrong design, is refused.
class RangeModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kInput, kLow, kNow, kHigh, kValues };
  using Rule = std::function<std::pair<double, double>(const SliderSpec&)>;

  /// With `values` above 0 there is a column of how many; new inputs have so many.
  RangeModel(Workspace& workspace, int values, QObject* parent);

  /// Ranges of what was not edited.
  void set_rule(Rule rule);
  /// What can be moved now; what was edited or switched off before stays so.
  void set_inputs(std::vector<SliderSpec> inputs);
  /// Forgets what was edited.
  void reset_ranges();
  /// Moves these only; the inputs are named by path.
  void choose(const QStringList& paths);
  /// False when there is no such input, or it cannot have this range.
  bool set_range(const QString& path, const QString& low, const QString& high);

  /// False when there is no such input, or it cannot have so many values.
  bool set_values(const QString& path, int values);

  [[nodiscard]] const std::vector<InputRange>& ranges() const { return ranges_; }
  /// Those that are on, and are two values at least.
  [[nodiscard]] std::vector<InputRange> chosen() const;
  /// nullptr when it is not offered.
  [[nodiscard]] const InputRange* range_of(const QString& path) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

 signals:
  /// A text was not taken, and why.
  void refused(const QString& why);
  /// A range, a number of values, or what is on.
  void changed();

 private:
  /// What is wrong with this value; "" when nothing is.
  [[nodiscard]] QString read(const InputRange& range, const QString& text, double& value) const;
  bool set_end(InputRange& range, int column, const QString& text);

  Workspace& workspace_;
  const int usual_values_;
  Rule rule_;
  std::vector<InputRange> ranges_;
};

/// A view of it for mouse, keyboard and screen readers.
[[nodiscard]] QTableView* range_table(RangeModel& model, const QString& name, QWidget* parent);

}  // namespace stallcast::desktop
