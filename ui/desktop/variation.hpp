#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ui/desktop/workspace.hpp"

/// Designs that differ from the one on screen in a few values.
namespace stallcast::desktop {

/// A value moved to another number.
struct Move {
  SliderSpec slider;
  double value = 0.0;
};

/// The text with all moves made. nullopt when one cannot be written.
[[nodiscard]] std::optional<QString> text_with(Workspace& workspace, std::span<const Move> moves);
/// What that text reads to; nullopt when it has errors.
[[nodiscard]] std::optional<Design> design_with(Workspace& workspace, std::span<const Move> moves);

/// Everything that is worth varying: the sliders, then other numbers the scenario itself sets.
[[nodiscard]] std::vector<SliderSpec> variables(const Workspace& workspace, std::size_t most);

/// `n` values from `low` to `high`, equal steps or ratios, whole where the slider is.
[[nodiscard]] std::vector<double> values_between(const SliderSpec& slider, double low, double high,
                                                 int n);
/// "63", "4.2 GB/s".
[[nodiscard]] QString value_text(const SliderSpec& slider, double value);

}  // namespace stallcast::desktop
