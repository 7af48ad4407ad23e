#pragma once

#include "ui/desktop/card.hpp"

class QBoxLayout;
class QLabel;

namespace stallcast::desktop {

class ChartPane;
class GaugeChart;
class Workspace;

/// What a reader needs first: the system in a sentence, what became of its targets, what limits and
/// what would help, and warnings, as reports say it; beside it each target with its margin, and
/// costs.
class VerdictStrip : public Card {
 public:
  explicit VerdictStrip(QWidget* parent);
  void refresh(const Workspace& workspace);
  /// Targets beside the verdict, or below it.
  void set_narrow(bool narrow);

 private:
  QBoxLayout* sides_;
  QLabel *system_, *verdict_, *figures_, *limit_, *advice_, *warnings_, *costs_;
  GaugeChart* gauges_;
};

}  // namespace stallcast::desktop
