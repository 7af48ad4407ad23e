#pragma once

#include <QWidget>
#include <map>
#include <string>
#include <vector>

class QGridLayout;
class QLabel;

namespace stallcast::desktop {

class Workspace;

/// What limits, row by row, each with a button: what would twice of it do? The answer is simulated
/// and stays in the row until the design changes.
class TwicePane : public QWidget {
  Q_OBJECT
 public:
  TwicePane(Workspace& workspace, QWidget* parent);

  /// Rows for the newest simulation; answers to an older one go.
  void refresh();
  /// Asks for `resource`; false when it is not a row, or nothing is simulated.
  bool ask(const std::string& resource);
  /// What is in the row; "" before it was asked for.
  [[nodiscard]] QString answer(const std::string& resource) const;

 private:
  void simulate();
  void show_answer(const std::string& resource, const QString& text);

  Workspace& workspace_;
  QGridLayout* grid_;
  QLabel* none_;
  std::string shown_;    // hash of the design the rows are of
  bool ranked_ = false;  // by gain
  std::map<std::string, QString> answers_;
  std::map<std::string, QLabel*> rows_;
  std::vector<std::string> waiting_;
};

}  // namespace stallcast::desktop
