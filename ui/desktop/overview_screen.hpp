#pragma once

#include "ui/desktop/screen.hpp"

class QBoxLayout;
class QScrollArea;
class QStackedWidget;
class QVBoxLayout;

namespace stallcast::desktop {

class AdvicePane;
class Gantt;
class KnobsPane;
class PartPane;
class PictureChart;
class VerdictStrip;

/// The first screen: the verdict on top, the system and two minutes of its time in the middle, what
/// can be moved and what would help at the right.
class OverviewScreen : public Screen {
  Q_OBJECT
 public:
  OverviewScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "slide" with "PATH VALUE", "apply" and "pin_advice" with the place of a card (from 1), "pin"
  /// with a name, "inspect" with the path of a part, "" for none.
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 signals:
  /// The fields of this part are to be edited.
  void part_wanted(const QString& path);

 protected:
  void arrange() override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* middle();
  QWidget* side();
  void show_time();
  void share_height();
  void inspect(const QString& path);

  QBoxLayout* columns_;
  VerdictStrip* verdict_;
  QVBoxLayout* middle_;
  QScrollArea* system_;
  PictureChart* picture_;
  Gantt* time_;
  PartPane* part_;
  QStackedWidget* below_;
  KnobsPane* knobs_;
  AdvicePane* advice_;
};

}  // namespace stallcast::desktop
