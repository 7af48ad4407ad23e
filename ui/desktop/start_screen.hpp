#pragma once

#include "ui/desktop/engine.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/session_file.hpp"

class QBoxLayout;
class QListWidget;
class QPushButton;
class QTreeWidget;

namespace stallcast::desktop {

/// Where to begin: what one wants, each with a working example; a template, what was open last, a
/// file, or what a crash left behind. One click opens.
class StartScreen : public Screen {
  Q_OBJECT
 public:
  StartScreen(Workspace& workspace, SessionFile& recovery, QWidget* parent);

  void refresh() override;
  /// "template" with a name; "begin" with size, explain or compare.
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override { return engine_.busy(); }
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
  void showEvent(QShowEvent* event) override;
  void arrange() override;

 private:
  QWidget* cards();
  QWidget* templates();
  QWidget* files();
  /// False when no wish is called so.
  bool begin(const QString& wish);
  bool open_template(const QString& name);
  void recover();

  SessionFile& recovery_;
  Engine engine_;  // simulates what is compared with
  std::vector<client::StartingPoint> templates_;
  std::vector<Recovered> lost_;
  QBoxLayout *cards_, *lists_;
  QTreeWidget* template_list_;
  QListWidget* recent_list_;
  QPushButton* recover_;
};

}  // namespace stallcast::desktop
