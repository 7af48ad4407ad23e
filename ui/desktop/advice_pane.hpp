#pragma once

#include <vector>

#include "ui/desktop/card.hpp"
#include "ui/desktop/engine.hpp"
#include "ui/desktop/workspace.hpp"

class QLabel;

namespace stallcast::desktop {

/// Changes that were tried by simulation and help, as reports list them: each can be applied, which
/// undo takes back, or pinned to compare with.
class AdvicePane : public QWidget {
  Q_OBJECT
 public:
  AdvicePane(Workspace& workspace, QWidget* parent);
  void refresh();
  /// By its place in the list, from 0.
  bool apply(std::size_t card);
  bool pin(std::size_t card);
  [[nodiscard]] bool working() const { return engine_.busy(); }

 private:
  void clear();
  void add_card(std::size_t i, const Prediction& prediction);

  Workspace& workspace_;
  Engine engine_;
  QLabel* status_;
  QVBoxLayout* list_;
  std::vector<Card*> cards_;
  std::vector<Alternative> shown_;
  std::string shown_of_;  ///< the hash of the design that they are changes of
};

/// What one of its cards says below the change: "GPU utilization 95.3 % (+0.8 points), meets all
/// targets, +370 kUSD".
[[nodiscard]] QString advice_text(const Alternative& alternative, const Prediction& prediction);

}  // namespace stallcast::desktop
