#include "ui/desktop/theme.hpp"

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QStyle>
#include <QStyleFactory>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/report/palette.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kPointSize = 10.0;

QPalette palette_of(const char* window, const char* base, const char* other, const char* text,
                    const char* accent, const char* faint) {
  QPalette out{QColor(window)};
  out.setColor(QPalette::Window, QColor(window));
  out.setColor(QPalette::WindowText, QColor(text));
  out.setColor(QPalette::Base, QColor(base));
  out.setColor(QPalette::AlternateBase, QColor(other));
  out.setColor(QPalette::Text, QColor(text));
  out.setColor(QPalette::PlaceholderText, QColor(faint));
  out.setColor(QPalette::Button, QColor(other));
  out.setColor(QPalette::ButtonText, QColor(text));
  out.setColor(QPalette::ToolTipBase, QColor(base));
  out.setColor(QPalette::ToolTipText, QColor(text));
  out.setColor(QPalette::Link, QColor(accent));
  out.setColor(QPalette::Highlight, QColor(accent));
  out.setColor(QPalette::HighlightedText, readable_on(QColor(accent)));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    out.setColor(QPalette::Disabled, role, QColor(faint));
  return out;
}

std::array<QColor, 8> cause_colours(const char* report::CauseColour::*ground) {
  std::array<QColor, 8> out;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = QColor(QLatin1String(report::kCauseColours[i].*ground));
  return out;
}

/// The desktop's own colours, with those of ours for what it has none for.
Theme of_desktop(const QPalette& palette) {
  const bool is_dark = palette.color(QPalette::Window).lightness() < 128;
  Theme out = is_dark ? Theme::dark() : Theme::light();
  // Each colour is set: a palette without a word of its own would change nothing.
  for (const auto group : {QPalette::Active, QPalette::Disabled, QPalette::Inactive})
    for (int role = 0; role < QPalette::NColorRoles; ++role) {
      const auto one = static_cast<QPalette::ColorRole>(role);
      if (one != QPalette::NoRole) out.palette.setBrush(group, one, palette.brush(group, one));
    }
  out.text = palette.color(QPalette::WindowText);
  return out;
}

/// What apply_look chose.
struct Chosen {
  Look look = Look::light;
  int percent = 100;
  std::optional<Theme> theme = std::nullopt;
};
Chosen& chosen() {
  static Chosen one;
  return one;
}

}  // namespace

// Above a luminance of 0.179 black stands out more (WCAG 2.1).
QColor readable_on(const QColor& ground) {
  const auto linear = [](double x) {
    return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * linear(ground.redF()) + 0.7152 * linear(ground.greenF()) +
                           0.0722 * linear(ground.blueF());
  return luminance > 0.179 ? Qt::black : Qt::white;
}

const Theme& Theme::light() {
  static const Theme theme{
      palette_of("#f4f5f7", "#ffffff", "#e9ebef", "#1d2129", "#1f5fbf", "#5f6673"),
      "#1d2129",
      "#5f6673",
      "#d5d9e0",
      "#1a7a3c",
      "#b3261e",
      "#8a5a00",
      "#1f5fbf",
      cause_colours(&report::CauseColour::light),
      {"#7b3fa0", "#00796b", "#b8860b", "#c2185b"}};
  return theme;
}

const Theme& Theme::dark() {
  static const Theme theme{
      palette_of("#1e2127", "#17191e", "#2a2e36", "#e6e8ec", "#5c96ea", "#9aa1ad"),
      "#e6e8ec",
      "#a0a7b4",
      "#3a3f49",
      "#66d28a",
      "#ff8a80",
      "#ffca6b",
      "#6aa5ff",
      cause_colours(&report::CauseColour::dark),
      {"#ce93d8", "#4db6ac", "#ffd54f", "#f48fb1"}};
  return theme;
}

const Theme& Theme::high_contrast() {
  static const Theme theme{
      palette_of("#000000", "#000000", "#1a1a1a", "#ffffff", "#ffff00", "#e0e0e0"),
      "#ffffff",
      "#e0e0e0",
      "#9a9a9a",
      "#00ff7f",
      "#ff7a7a",
      "#ffd000",
      "#ffff00",
      {"#33ff99", "#66ccff", "#ffb000", "#ff8bd5", "#c8a2ff", "#5fb0ff", "#ff7a7a", "#ffff66"},
      {"#ff9df5", "#5fffe0", "#ffd54f", "#ffa0a0"}};
  return theme;
}

const Theme& Theme::of(const QWidget& widget) {
  // Palettes of widgets follow a look one after the other.
  if (chosen().theme) return *chosen().theme;
  const QColor window = widget.palette().color(QPalette::Window);
  return window.lightness() < 128 ? dark() : light();
}

QColor Theme::viridis(double at) {
  constexpr std::array<int, 9> kColours = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                           0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
  const double place = std::clamp(at, 0.0, 1.0) * (kColours.size() - 1);
  const std::size_t i = std::min<std::size_t>(static_cast<std::size_t>(place), kColours.size() - 2);
  const QColor a = QColor::fromRgb(static_cast<QRgb>(kColours[i]));
  const QColor b = QColor::fromRgb(static_cast<QRgb>(kColours[i + 1]));
  const double f = place - static_cast<double>(i);
  const auto mix = [f](int x, int y) { return static_cast<int>(std::lround(x + f * (y - x))); };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

void apply_look(Look look, int percent) {
  if (qApp->style()->objectName() != QLatin1String("fusion"))
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  const bool own = look != Look::system;
  QFont font = own ? QFont(QStringLiteral("DejaVu Sans"))
                   : QFontDatabase::systemFont(QFontDatabase::GeneralFont);
  const double points = own || font.pointSizeF() <= 0.0 ? kPointSize : font.pointSizeF();
  font.setPointSizeF(points * percent / 100.0);
  QApplication::setFont(font);
  static const QPalette desktop = QApplication::palette();  // before it was ever changed
  const Theme theme = look == Look::light           ? Theme::light()
                      : look == Look::dark          ? Theme::dark()
                      : look == Look::high_contrast ? Theme::high_contrast()
                                                    : of_desktop(desktop);
  chosen() = {look, percent, theme};
  QApplication::setPalette(theme.palette);
}

Look look_now() { return chosen().look; }

int look_percent() { return chosen().percent; }

Look look_named(const QString& name) {
  return name == QLatin1String("light")           ? Look::light
         : name == QLatin1String("dark")          ? Look::dark
         : name == QLatin1String("high-contrast") ? Look::high_contrast
                                                  : Look::system;
}

}  // namespace stallcast::desktop
