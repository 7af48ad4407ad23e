#pragma once

#include <optional>
#include <vector>

#include "stallcast/diff.hpp"
#include "ui/desktop/compare_base.hpp"
#include "ui/desktop/screen.hpp"

class QComboBox;
class QLabel;
class QPushButton;
class QTabWidget;

namespace stallcast::desktop {

class OnEntry;
class RowsModel;
class SidePane;
class StepChart;
class WaterfallChart;

/// The design on screen against a pinned one, the scenario as it was saved, or a variant of it:
/// what differs in what they resolve to, and in the figures, and which change made which part of a
/// difference; and whole architectures side by side.
class CompareScreen : public Screen {
  Q_OBJECT
 public:
  CompareScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "attribute"; "figure" with the name of a metric that moved; "base" with the name of a pin;
  /// "add_alternative" with a scenario file; "side_by_side".
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 signals:
  /// A scenario file is to become the design on screen.
  void file_chosen(const QString& file);

 private:
  [[nodiscard]] QWidget* pinned_side(QWidget* parent);
  void refresh_inputs();
  void refresh_figures();
  [[nodiscard]] QWidget* shares_side(QWidget* parent);
  void refresh_bases();
  /// nullptr without one.
  [[nodiscard]] CompareBase* base();
  /// What is missing of the comparison: the base's simulation, then the shares of a few changes.
  void fill();
  void predict_base();
  /// Simulates the designs between the two.
  void attribute();
  void offer_figures();
  void show_shares();
  void forget_shares();

  QTabWidget* tabs_;
  SidePane* side_;
  QLabel* empty_;
  QComboBox* base_;
  RowsModel *inputs_, *figures_;
  StepChart* steps_;
  QPushButton* attribute_;
  QComboBox* moved_;
  QLabel* how_;
  WaterfallChart* shares_;
  std::optional<Diff> diff_;
  std::vector<CompareBase> bases_;  ///< one an item of `base_`
  OnEntry* entry_;
};

}  // namespace stallcast::desktop
