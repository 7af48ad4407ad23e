#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/prediction.hpp"

/// What changes that were tried would do, in words.
namespace stallcast::report {

/// Targets that are missed with a change, by most first: "kv by 29 %, stall by 3.1 %".
[[nodiscard]] std::string missed_targets(const Alternative& alternative,
                                         const Prediction& prediction);
/// By how much a figure is on the good side of the limit of the target `id`, of `margin` relative
/// to it; of a share in points.
[[nodiscard]] std::string target_margin(const Prediction& prediction, const std::string& id,
                                        double margin);
/// How the targets of the design that `prediction` is of stand with a change: "meets all targets",
/// "targets unsure", "targets still missed: kv by 29 %"; "" without targets.
[[nodiscard]] std::string targets_phrase(const Alternative& alternative,
                                         const Prediction& prediction);
/// The same as a word for tables: "yes", "nominally", "unsure", "no".
[[nodiscard]] std::string_view targets_word(const Alternative& alternative,
                                            const Prediction& prediction);
/// What changes that were tried are judged by where that is not time, with its name for people.
struct GainedFigure {
  std::string name;
  double Alternative::*value;
  double Alternative::*gain;
};
/// Whether a change gains another goodput than utilization, as where work is lost.
[[nodiscard]] bool gains_goodput(const Alternative& alternative);
/// Goodput where a target asks for it, or where changes gain it by themselves; else GPU
/// utilization.
[[nodiscard]] GainedFigure figure_gained(const Prediction& prediction, bool some_gain_goodput);
template <class Change>
[[nodiscard]] GainedFigure figure_gained(const Prediction& prediction,
                                         const std::vector<Change>& changes) {
  return figure_gained(prediction, std::any_of(changes.begin(), changes.end(), gains_goodput));
}
/// "GPU utilization 99.3 % (+0.1 points), meets all targets".
[[nodiscard]] std::string gain_text(const Alternative& alternative, const Prediction& prediction);
/// What it costs more to buy: "+370 kUSD"; "" for nothing, or where nothing has a price.
[[nodiscard]] std::string cost_phrase(const Alternative& alternative);
/// "would meet all targets: boxes 2 -> 3 (95.3 %, +420 kUSD)": what was tried with success, at most
/// two; that nothing did, where targets are missed; "" else.
[[nodiscard]] std::string advice_phrase(const Prediction& prediction);
/// It gains something, or meets targets that are missed or comes closer to them.
[[nodiscard]] bool is_useful(const Alternative& alternative, const Prediction& prediction);

}  // namespace stallcast::report
