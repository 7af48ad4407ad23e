#pragma once

#include "ui/desktop/screen.hpp"

class QTreeWidget;

namespace stallcast::desktop {

class JsonEditor;
class PartForm;

/// The scenario: its components as a tree, the fields of one as a form, and the text next to them.
class ScenarioScreen : public Screen {
  Q_OBJECT
 public:
  ScenarioScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "part" with a path.
  bool act(const QString& action, const QString& argument) override;
  /// Cursor to where a problem is.
  void go_to(const Position& position);

 private:
  QTreeWidget* tree_;
  PartForm* form_;
  JsonEditor* editor_;
};

}  // namespace stallcast::desktop
