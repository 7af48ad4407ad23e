#pragma once

#include <QMainWindow>
#include <initializer_list>
#include <vector>

#include "ui/desktop/places.hpp"
#include "ui/desktop/session_file.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/desktop/workspace.hpp"

class QLabel;
class QProgressBar;
class QToolButton;

namespace stallcast::desktop {

class ExportScreen;
class OverviewScreen;
class Screen;

/// The window: places on the left, the view chosen next to them, problems and progress below.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(const client::Settings& settings, const QString& recovery_folder);
  ~MainWindow() override;

  [[nodiscard]] Workspace& workspace() { return workspace_; }
  [[nodiscard]] const std::vector<Screen*>& screens() const { return places_->screens(); }
  [[nodiscard]] Screen* current() const { return places_->current(); }
  [[nodiscard]] Places& places() { return *places_; }

  /// A scenario or a project. False with a reason in the status bar, as with all of these.
  bool open_file(const QString& file);
  bool save_project(const QString& file);
  /// What was changed since the file was saved, as a scenario that extends it.
  bool save_variant(const QString& file);
  /// A view, or a place with the view that was last on screen there.
  bool show_screen(const QString& key) { return places_->show(key); }
  /// Colours, and the size of letters in percent.
  void set_look(Look look, int percent);

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void add_screens();
  // Menus, toolbar and the list of keys are in main_menus.cpp.
  void add_menus();
  void add_file_menu();
  void add_go_menu();
  void add_view_menu();
  void add_toolbar(std::initializer_list<QAction*> actions);
  void add_status();
  void open_dialog();
  bool open_project(const QByteArray& text, const QString& file);
  bool save(bool ask);
  void show_shortcuts();
  void update_title();
  void say(const QString& text);

  Workspace workspace_;
  SessionFile recovery_;
  Places* places_;
  OverviewScreen* overview_;
  ExportScreen* export_;
  QAction *open_, *save_, *report_;
  QLabel* message_;
  QProgressBar* progress_;
  QToolButton* cancel_;
};

}  // namespace stallcast::desktop
