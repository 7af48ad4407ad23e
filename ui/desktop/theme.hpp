#pragma once

#include <QColor>
#include <QPalette>
#include <QString>
#include <array>

class QWidget;

namespace stallcast::desktop {

/// Colours of everything that is painted. Charts never rely on them alone: each part has a text.
struct Theme {
  QPalette palette;
  QColor text, faint, grid, good, bad, warn, accent;
  std::array<QColor, 8> causes;  ///< in the order of kBreakdownCauses
  std::array<QColor, 4> pins;    ///< of pinned designs

  [[nodiscard]] static const Theme& light();
  [[nodiscard]] static const Theme& dark();
  /// That of the widget's palette.
  [[nodiscard]] static const Theme& of(const QWidget& widget);

  /// Viridis at 0..1, readable for the colour-blind (S. van der Walt, N. Smith, 2015; public
  /// domain).
  [[nodiscard]] static QColor viridis(double at);
};

/// Fusion style, palette and font size for the whole program. `percent` of the usual font size.
void apply_look(bool dark, int percent);
[[nodiscard]] bool is_dark();
[[nodiscard]] int look_percent();

}  // namespace stallcast::desktop
