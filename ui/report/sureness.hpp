#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/prediction.hpp"

/// How sure a prediction is, in words that text and pages share.
namespace stallcast::report {

/// "middle 93.9 %; by inputs 91.3 % to 94.8 %, by seeds 94.4 % to 94.6 %": what the interval of
/// `metric` is made of; "" without draws.
[[nodiscard]] std::string parts_phrase(const Prediction& prediction, const std::string& metric);

/// "90 % of outcomes 84.0 % to 95.2 %"; "" without draws, and where all of them print alike.
[[nodiscard]] std::string outcomes_phrase(const Prediction& prediction, const std::string& metric);
/// The same, and their middle where the figure itself is outside of them: ", middle 70.5 ms".
[[nodiscard]] std::string outcomes_and_middle(const Prediction& prediction,
                                              const std::string& metric);

/// Figures that somebody asks for: the utilization of each job, and what targets are about.
[[nodiscard]] std::vector<std::string> asked_figures(const Prediction& prediction);

/// An input that is worth measuring.
struct MeasureRow {
  std::string input;  ///< "storage[scratch].ost.write"
  std::string share;  ///< of the spread: "71 %"
  std::string range;  ///< "4 GB/s, may be 2 GB/s to 8 GB/s"
  std::string rest;   ///< what would remain of the interval, were it known: "92.1 % to 94.0 %"
  std::string with;   ///< "stallcast probe io"; may be ""
};

/// "4 GB/s, may be 2 GB/s to 8 GB/s".
[[nodiscard]] std::string input_range(const UncertainInput& input);

/// The figure whose spread matters most: that of the target least decided, else the utilization of
/// the first job that has shares; "" without any, and where a target is in doubt and draws do not
/// tell what it hangs on.
[[nodiscard]] std::string figure_to_settle(const Prediction& prediction);

/// What to measure first to know `metric` better, most first; nothing of "".
[[nodiscard]] std::vector<MeasureRow> measure_first(const Prediction& prediction,
                                                    const std::string& metric);

/// So many draws may tell which inputs to measure, where those that were made tell none and inputs
/// do widen what may come out; 0 elsewhere.
[[nodiscard]] std::size_t draws_to_ask_for(const Prediction& prediction);

/// "64 draws of 45 uncertain inputs", of `inputs` drawn one by one and `fitted` values
/// that a profile drew jointly.
[[nodiscard]] std::string drawn_phrase(std::size_t draws, std::size_t inputs, std::size_t fitted);

/// The same with what was left out, and why there are so few.
[[nodiscard]] std::string draws_phrase(const Prediction& prediction);

/// "meets all targets", of a change that was tried; "nominally meets all targets" where only draws
/// would tell.
[[nodiscard]] std::string meets_phrase(const Prediction& prediction);

/// "71 of 100 cases", on the same side of `asked` as the probability: "79.9 of 100 cases" of 0.7989
/// where 80 % are asked for.
[[nodiscard]] std::string cases_of(double probability, std::optional<double> asked);

/// "71 of 100 cases"; "" without draws.
[[nodiscard]] std::string cases_phrase(const AssertionOutcome& outcome);

/// Whether a target that holds as stated is missed in most cases: coloured as what is in doubt.
[[nodiscard]] bool is_unlikely(const AssertionOutcome& outcome);
/// The same of any target that a design passes.
[[nodiscard]] bool is_unlikely(const Prediction& prediction);
/// "holds in 71 of 100 cases"; "" without draws.
[[nodiscard]] std::string probability_phrase(const AssertionOutcome& outcome);
/// "holds in 71 %, need 80"; "" without draws.
[[nodiscard]] std::string probability_in_short(const AssertionOutcome& outcome);

}  // namespace stallcast::report
