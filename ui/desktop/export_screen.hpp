#pragma once

#include <memory>

#include "ui/desktop/screen.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace stallcast::desktop {

class ChartPane;

/// Charts and their figures as files, the whole as a report, and the design as text, patch or
/// command line.
class ExportScreen : public Screen {
  Q_OBJECT
 public:
  ExportScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "write" with "CHART FILE", CHART as in chart:steps; "report" with a file.
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;
  [[nodiscard]] QString fault() const override { return fault_; }
  [[nodiscard]] bool writing() const override { return !making_.isEmpty(); }
  /// Asks for a file and writes the report to it.
  void ask_and_report();

 private:
  void ask_and_write();
  bool write(const ChartPane& pane, const QString& file);
  /// Makes the report of the design as it is now; false when it has errors or `file` cannot be
  /// written.
  bool report(const QString& file);
  /// Says how it ended; `why_not` is empty where it is written.
  void ended(const QString& file, const QString& why_not);
  void show_text();
  [[nodiscard]] QString command_line() const;
  /// As the command line would read it: the file, and what differs from it as options.
  [[nodiscard]] Scenario scenario_of_command() const;
  [[nodiscard]] std::vector<ChartPane*> panes() const;

  QComboBox *chart_, *format_, *what_;
  QLabel* status_;
  QPushButton* report_;
  QPlainTextEdit* text_;
  QString opened_;                  // the text as it was opened: what a patch is made against
  QString fault_;                   // of the last report
  QString making_;                  // the file of one that is under way
  std::unique_ptr<Engine> engine_;  // of reports: nothing else ends one; none before the first
  bool take_next_ = true;
};

}  // namespace stallcast::desktop
