#pragma once

#include <QWidget>

#include "ui/desktop/engine.hpp"
#include "ui/desktop/workspace.hpp"

class QLabel;
class QPlainTextEdit;
class QTabWidget;

namespace stallcast::desktop {

class HeatChart;
class RowsModel;

/// One part of the system: how busy it is when, its fields with who set them, and how its figures
/// come about.
class PartPane : public QWidget {
  Q_OBJECT
 public:
  PartPane(Workspace& workspace, QWidget* parent);
  /// `path` is that of a box of the picture.
  void show_part(const QString& path);
  [[nodiscard]] const QString& path() const { return path_; }
  void refresh();
  [[nodiscard]] bool working() const { return engine_.busy(); }

 signals:
  void edit_wanted(const QString& path);
  void closed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void show_fields();
  void show_load(const std::vector<std::string>& resources);
  void derive(const std::vector<std::string>& resources);

  Workspace& workspace_;
  Engine engine_;
  QString path_;
  std::string derived_;  // of which design
  QLabel* title_;
  QTabWidget* tabs_;
  HeatChart* load_;
  RowsModel* fields_;
  QPlainTextEdit* derivation_;
};

}  // namespace stallcast::desktop
