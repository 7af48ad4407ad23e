#pragma once

#include "ui/desktop/screen.hpp"

class QLabel;
class QPushButton;
class QTableView;

namespace stallcast::desktop {

class FallChart;
class HopChart;
class OnEntry;
class PictureChart;
class RowsModel;
class TwicePane;

/// What limits: the data path with what each resource does and can do, and what would help.
class BottleneckScreen : public Screen {
  Q_OBJECT
 public:
  BottleneckScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "help"; "twice" with the name of a resource.
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 signals:
  /// The user wants to see the fields of a component: "storage[scratch]".
  void part_wanted(const QString& path);

 private:
  [[nodiscard]] QWidget* twice_side(QWidget* parent);
  void try_changes();
  /// Those that were `found` of the design that `base` predicts.
  void show_changes(const std::vector<Alternative>& found, const Prediction& base);

  PictureChart* picture_;
  FallChart* falls_;
  HopChart* hops_;
  QLabel *headline_, *tried_;
  QPushButton* help_;
  TwicePane* twice_;
  RowsModel* changes_;
  QTableView* table_;
  OnEntry* entry_;
  bool trying_ = false;
};

}  // namespace stallcast::desktop
