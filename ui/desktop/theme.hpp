#pragma once

#include <QColor>
#include <QPalette>
#include <QString>
#include <array>

class QWidget;

namespace stallcast::desktop {

/// Light, dark, black with colours that stand out from it, or what the desktop has.
enum class Look { light, dark, high_contrast, system };

/// Distances between widgets, in pixels: within a thing, between things, between groups of them.
namespace space {
inline constexpr int kInner = 4, kThings = 8, kGroups = 16;
}

/// Colours of everything that is painted. Charts never rely on them alone: each part has a text.
struct Theme {
  QPalette palette;
  QColor text, faint, grid, good, bad, warn, accent;
  std::array<QColor, 8> causes;  ///< in the order of kBreakdownCauses
  std::array<QColor, 4> pins;    ///< of pinned designs

  [[nodiscard]] static const Theme& light();
  [[nodiscard]] static const Theme& dark();
  [[nodiscard]] static const Theme& high_contrast();
  /// That of the widget's palette.
  [[nodiscard]] static const Theme& of(const QWidget& widget);

  /// Viridis at 0..1, readable for the colour-blind (S. van der Walt, N. Smith, 2015; public
  /// domain).
  [[nodiscard]] static QColor viridis(double at);
};

/// For letters on `ground`: black or white, whichever stands out more.
[[nodiscard]] QColor readable_on(const QColor& ground);

/// Palette and letters for the whole program, in Fusion style. `percent` of the usual font size.
void apply_look(Look look, int percent);
[[nodiscard]] Look look_now();
[[nodiscard]] int look_percent();
/// "light", "dark", "high-contrast", "system"; anything else is what the desktop has.
[[nodiscard]] Look look_named(const QString& name);

}  // namespace stallcast::desktop
