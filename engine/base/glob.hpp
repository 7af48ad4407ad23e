#pragma once

#include <string_view>

namespace stallcast::base {

/// Whether `text` is what `pattern` says: "*" stands for any text, also for none, dots and slashes
/// included; everything else for itself.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view text);
/// The same of the name of a metric, but that "*" in the place of an id ("job.*.step.time") stands
/// for one id, which has no dots: "job.train.steady.step.time" is another figure of the same job.
[[nodiscard]] bool matches_metric(std::string_view pattern, std::string_view name);
/// Whether some text is what both patterns say.
[[nodiscard]] bool globs_meet(std::string_view a, std::string_view b);

}  // namespace stallcast::base
