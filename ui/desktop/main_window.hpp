#pragma once

#include <QMainWindow>
#include <vector>

#include "ui/desktop/session_file.hpp"
#include "ui/desktop/workspace.hpp"

class QLabel;
class QListWidget;
class QProgressBar;
class QStackedWidget;
class QToolButton;

namespace stallcast::desktop {

class ExportScreen;
class Screen;

/// The window: screens on the left, the one chosen next to them, problems and progress below.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(const client::Settings& settings, const QString& recovery_folder);
  ~MainWindow() override;

  [[nodiscard]] Workspace& workspace() { return workspace_; }
  [[nodiscard]] const std::vector<Screen*>& screens() const { return screens_; }
  [[nodiscard]] Screen* current() const;

  /// A scenario or a project. False with a reason in the status bar, as with all of these.
  bool open_file(const QString& file);
  bool save_project(const QString& file);
  /// What was changed since the file was saved, as a scenario that extends it.
  bool save_variant(const QString& file);
  bool show_screen(const QString& key);
  /// Light or dark, and the size of letters in percent.
  void set_look(bool dark, int percent);

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void add_screens();
  void add_menus();
  void add_status();
  void add_screen(Screen* screen);
  void open_dialog();
  bool open_project(const QByteArray& text, const QString& file);
  bool save(bool ask);
  void show_shortcuts();
  void update_title();
  void say(const QString& text);

  Workspace workspace_;
  SessionFile recovery_;
  QListWidget* list_;
  QStackedWidget* stack_;
  std::vector<Screen*> screens_;
  ExportScreen* export_;
  QLabel* message_;
  QProgressBar* progress_;
  QToolButton* cancel_;
};

}  // namespace stallcast::desktop
