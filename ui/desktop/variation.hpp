#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ui/desktop/engine.hpp"
#include "ui/desktop/workspace.hpp"

/// Designs that differ from the one on screen in a few values.
namespace stallcast::desktop {

/// A value moved to another number.
struct Move {
  SliderSpec slider;
  double value = 0.0;
};

/// The text with all moves made. nullopt when one cannot be written.
[[nodiscard]] std::optional<QString> text_with(const QString& text, std::span<const Move> moves);
/// The moves as changes of a scenario.
[[nodiscard]] std::vector<Change> changes_of(std::span<const Move> moves);

/// Simulates `scenario` with each of `changes`, in the thread of `session`; nullopt for those that
/// make no valid design or fail.
[[nodiscard]] std::vector<std::optional<Prediction>> predict_changes(
    client::Session& session, const Scenario& scenario,
    std::span<const std::vector<Change>> changes, const Engine::Progress& progress);
/// The same for texts.
[[nodiscard]] std::vector<std::optional<Prediction>> predict_texts(
    client::Session& session, const ScenarioFile& source, std::span<const QString> texts,
    const Engine::Progress& progress);

/// `slider` down and up by `span` of its value, as far as its parameter allows.
[[nodiscard]] std::pair<double, double> range_around(const SliderSpec& slider, double span);
/// `end` where that value of the input still makes a design; else the farthest towards it that
/// does, as 100 % of a share.
[[nodiscard]] double end_that_holds(const Workspace& workspace, const SliderSpec& slider,
                                    double end);

/// What a path of `--set` moves in this scenario; nullopt when it is not a number there.
[[nodiscard]] std::optional<SliderSpec> input_of(const Workspace& workspace, const QString& path);

/// "storage[scratch].ost.count" as `--set` takes it: "storage.scratch.ost.count".
[[nodiscard]] QString set_path(const QString& path);

/// What is worth varying, and how much more there would be.
struct Variables {
  std::vector<SliderSpec> shown;
  std::size_t left_out = 0;
};
/// The sliders, then other numbers the scenario itself sets, one of each part in turn, so that none
/// is without a say; prices and power last. At most `most`.
[[nodiscard]] Variables variables(const Workspace& workspace, std::size_t most);

/// `n` values from `low` to `high`, equal steps or ratios, whole where the slider is.
[[nodiscard]] std::vector<double> values_between(const SliderSpec& slider, double low, double high,
                                                 int n);
/// "63", "4.2 GB/s"; in the unit in which the slider's own value is written, "37.5 Gb/s".
[[nodiscard]] QString value_text(const SliderSpec& slider, double value);

}  // namespace stallcast::desktop
