#pragma once

#include "ui/desktop/screen.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace stallcast::desktop {

class RowsModel;

/// What is expected of the design, how it stands, and a line to expect more.
class ChecksScreen : public Screen {
  Q_OBJECT
 public:
  ChecksScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "assert" with "METRIC OP LIMIT".
  bool act(const QString& action, const QString& argument) override;
  /// Offers an assertion about `metric`, at what it is now.
  void propose(const QString& metric);

 private:
  void suggest_limit();
  bool add(const QString& that);

  RowsModel* model_;
  QLabel *verdict_, *fault_;
  QComboBox *metric_, *operator_;
  QLineEdit* limit_;
};

}  // namespace stallcast::desktop
