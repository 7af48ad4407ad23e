#pragma once

#include <QObject>
#include <optional>
#include <utility>
#include <vector>

#include "ui/desktop/engine.hpp"
#include "ui/desktop/workspace.hpp"

namespace stallcast::desktop {

/// What a design does over the range of a slider.
struct SliderResponse {
  enum class From { nothing, bounds, simulation, draws };
  SliderSpec slider;
  From from = From::nothing;
  std::vector<std::pair<double, Prediction>> points;  ///< by value of the slider
  QString others;  ///< the text with the slider at its least: what the points depend on
};

/// Follows the first sliders of the workspace: bounds of each point at once, then simulations, then
/// draws of their inputs, in a thread of its own. Moving a slider leaves its own curve as it is.
class Responses : public QObject {
  Q_OBJECT
 public:
  Responses(Workspace& workspace, std::size_t count, QObject* parent);

  [[nodiscard]] const std::vector<SliderResponse>& all() const { return all_; }
  /// Simulations and draws begin once the design itself has had its turn.
  [[nodiscard]] bool working() const { return engine_.busy(); }
  /// Nothing is followed while nobody looks.
  void set_active(bool active);

 signals:
  void changed();

 private:
  void follow();
  void estimate();
  void next();
  void simulate(std::size_t i);
  void draw(std::size_t i);
  [[nodiscard]] std::vector<std::vector<Change>> changes_of_points(const SliderResponse& of) const;

  Workspace& workspace_;
  std::size_t count_;
  Engine engine_;
  std::vector<SliderResponse> all_;
  QString of_text_;  ///< that they are of, without errors
  bool active_ = false;
};

}  // namespace stallcast::desktop
