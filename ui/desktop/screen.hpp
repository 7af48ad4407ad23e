#pragma once

#include <QEvent>
#include <QWidget>

#include "ui/desktop/workspace.hpp"

namespace stallcast::desktop {

/// One page of the window. It shows the workspace, and is told to when it comes to the front.
class Screen : public QWidget {
  Q_OBJECT
 public:
  /// `key` names it in scripts; `purpose` is the line below its title.
  Screen(Workspace& workspace, const QString& key, const QString& title, QWidget* parent)
      : QWidget(parent), workspace_(workspace), title_(title) {
    setObjectName(key);
    setAccessibleName(title);
  }

  [[nodiscard]] const QString& title() const { return title_; }
  /// Brings what is shown up to date; called when it is on screen only.
  virtual void refresh() {}
  /// What scripts may ask for by name, with one argument. False when there is no such thing.
  virtual bool act(const QString& action, const QString& argument) {
    Q_UNUSED(action);
    Q_UNUSED(argument);
    return false;
  }
  /// True while results are on their way: scripts wait for it to end.
  [[nodiscard]] virtual bool working() const { return false; }
  /// True while a file is on its way that was asked for: scripts do not end before, whatever screen
  /// is shown.
  [[nodiscard]] virtual bool writing() const { return false; }
  /// Why the last of these did not come about: where scripts end. Empty when it did.
  [[nodiscard]] virtual QString fault() const { return {}; }

 protected:
  void showEvent(QShowEvent*) override {
    arrange();
    refresh();
  }
  void resizeEvent(QResizeEvent*) override { arrange(); }
  void changeEvent(QEvent* event) override {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) arrange();
  }
  /// Puts parts beside or below each other, by how many letters fit into a line.
  virtual void arrange() {}
  /// Refreshes on this signal of the workspace, when on screen.
  template <class Signal>
  void refresh_on(Signal signal) {
    connect(&workspace_, signal, this, [this] {
      if (isVisible()) refresh();
    });
  }
  [[nodiscard]] Workspace& workspace() const { return workspace_; }

 private:
  Workspace& workspace_;
  QString title_;
};

}  // namespace stallcast::desktop
