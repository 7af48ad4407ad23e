#pragma once

#include <functional>

#include "ui/desktop/screen.hpp"
#include "ui/desktop/session_file.hpp"

class QLabel;
class QListWidget;
class QPushButton;

namespace stallcast::desktop {

/// Where to begin: a file, a template, what was open last, or what a crash left behind.
class StartScreen : public Screen {
  Q_OBJECT
 public:
  StartScreen(Workspace& workspace, SessionFile& recovery, QWidget* parent);

  void refresh() override;
  /// "template" with a name.
  bool act(const QString& action, const QString& argument) override;
  /// Puts `file` in front of what was open last.
  static void remember(const QString& file);

 signals:
  void open_requested();
  void file_chosen(const QString& file);
  /// A text without a file is open now, and `screen` suits what the user wants.
  void text_opened(const QString& screen);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void open_template(int row);
  void recover();

  SessionFile& recovery_;
  std::vector<client::StartingPoint> templates_;
  std::vector<Recovered> lost_;
  QListWidget *template_list_, *recent_list_;
  QPushButton* recover_;
  QLabel* about_;
  QString next_screen_;
};

}  // namespace stallcast::desktop
