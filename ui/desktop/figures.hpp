#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"
#include "ui/desktop/rows_model.hpp"

/// The figures of a prediction as people read them.
namespace stallcast::desktop {

/// A metric that deserves a tile.
struct Headline {
  QString metric;  ///< "job.train.gpu.utilization"
  QString title;   ///< "GPU utilization"
};

/// Those that `prediction` has, in the order they are shown; with several jobs the title names it.
[[nodiscard]] std::vector<Headline> headline_tiles(const Prediction& prediction);

/// "95.1 %", "4.2 s".
[[nodiscard]] QString figure_text(double value, const std::string& unit);
/// The same, sorted and exported by its number.
[[nodiscard]] Cell figure_cell(double value, const std::string& unit);
[[nodiscard]] QString metric_text(const Metric& metric);
/// "90 % of outcomes 88.7 % to 95.7 %", and their middle where that says more; "" where it was not
/// drawn.
[[nodiscard]] QString range_text(const Metric& metric);
/// The same without saying of what: "84.0 % to 95.1 %".
[[nodiscard]] QString ends_text(const Metric& metric);
/// "middle 70.5 ms", of outcomes that the figure itself is outside of; else "".
[[nodiscard]] QString middle_text(const Metric& metric);

/// Of the time, what is saved where `bottleneck` limits less, and how that was tried: "1.5 %",
/// "nothing", and below it "twice as fast", "without them"; a dash where nothing was.
[[nodiscard]] Cell saved_cell(const Bottleneck& bottleneck, const Prediction& prediction);

/// What went wrong, with its hint: "no storage is named \"b\" (known: a)".
[[nodiscard]] QString failure_text(const Failure& failure);

/// "+1.3 points", "-12 %", "\u00d740" of `now` against `before`; "as before" when they read the
/// same.
[[nodiscard]] QString delta_text(const Metric& before, const Metric& now);
/// That, and whether it is for the better: "+1.3 points, better".
[[nodiscard]] QString judged_delta(const QString& metric, const Metric& before, const Metric& now);
/// 1 when the change is for the better, -1 for the worse, 0 otherwise.
[[nodiscard]] int delta_sign(const QString& metric, const Metric& before, const Metric& now);

/// The limit that the first target of `metric` has; nullopt without one.
[[nodiscard]] std::optional<double> target_of(const Prediction& prediction, const QString& metric);

/// What people call `metric`: "longest stall per save"; with the job where there are several.
[[nodiscard]] QString metric_words(const Prediction& prediction, const QString& metric);

/// As it is shown: rates in what they count, "samples/s". nullopt when there is no such metric.
[[nodiscard]] std::optional<Metric> find_metric(const Prediction& prediction, const QString& name);

/// The metric whose target is missed most, else that of the first target, else the first figure; ""
/// of a prediction without figures.
[[nodiscard]] QString metric_that_matters(const Prediction& prediction);

/// That, then the metrics of headline_tiles.
[[nodiscard]] QStringList headline_metrics(const Prediction& prediction);

/// `low` and `high` moved apart until a reader would call them different: a tenth of a point of a
/// share, half a percent of all else. Noise is not drawn as a swing.
[[nodiscard]] std::pair<double, double> told_apart(double low, double high, std::string_view unit);

/// "limited by storage.scratch.ost", or that nothing limits.
[[nodiscard]] QString limit_text(const Prediction& prediction);

/// "pass", "fail", ... with a sign that is not a colour.
[[nodiscard]] QString status_sign(const std::string& status);

}  // namespace stallcast::desktop
