#pragma once

#include <string>
#include <string_view>

#include "stallcast/limit.hpp"
#include "stallcast/prediction.hpp"

/// What limits a design: said once, for every view.
namespace stallcast::report {

using stallcast::Limit;
using stallcast::limit_of;

/// "failures", "gain", ...: as JSON names the kind.
[[nodiscard]] std::string_view kind_name(Limit::Kind kind);

/// What limits, with the target that is missed for it, and what that costs: {"OSTs of scratch,
/// target busy", "twice as fast saves 3 % of the time"}; "" where there is nothing to say.
struct LimitWords {
  std::string what, cost;
};
[[nodiscard]] LimitWords limit_words(const Prediction& prediction);

/// "limited by the OSTs of scratch: twice as fast saves 3 % of the time"; "" when nothing can be
/// said.
[[nodiscard]] std::string limit_phrase(const Prediction& prediction);

/// Of one target: "limited by the OSTs of scratch", or "waits most for" them where nothing was
/// tried.
[[nodiscard]] std::string limited_phrase(const AssertionOutcome& outcome);
/// The same in a column of what limits: "OSTs of scratch (waited for most)".
[[nodiscard]] std::string limited_cell(const AssertionOutcome& outcome);

/// What is tried of a resource: "twice as fast"; "twice as high" of a limit that somebody set,
/// "twice as many" of threads, "half of it" of what ranks wait for each other, "without it" of an
/// outage.
[[nodiscard]] std::string_view what_is_tried(std::string_view resource);

/// "twice as fast cuts FIGURE by 33.2 %", "without it FIGURE is 3 % less": what is tried of a
/// resource does to a figure, relative.
[[nodiscard]] std::string changed_words(const std::string& figure, std::string_view resource,
                                        double change);

/// What the "cpu" of a job's time is waited for: most of it CPU cores, GPUs that decode, or
/// copies to pinned memory.
[[nodiscard]] std::string_view cpu_words(const Prediction& prediction, const std::string& job);

/// " of the time", or of that of what tenants ask for: what a share is of.
[[nodiscard]] std::string of_the_time(const Prediction& prediction);
/// What gains are of where a run goes on beyond what was simulated, and its start matters; "" else.
[[nodiscard]] std::string lasting_note(const Prediction& prediction);

}  // namespace stallcast::report
