#include "tests/support/recorded.hpp"

#include <algorithm>

#include "engine/sim/fluid_context.hpp"
#include "models/run/simulate.hpp"

namespace stallcast::testing {

Timeline recorded(const Design& design, const TimelineRequest& request, std::uint64_t seed) {
  const auto context = sim::make_fluid_context();
  return models::Simulation(design).record(seed, *context, request);
}

std::vector<Timeline::Span> spans(const Timeline& timeline, const std::string& kind,
                                  const std::string& name) {
  std::vector<Timeline::Span> out;
  std::copy_if(timeline.spans.begin(), timeline.spans.end(), std::back_inserter(out),
               [&](const Timeline::Span& span) {
                 return timeline.tracks[span.track].kind == kind && timeline.name(span) == name;
               });
  return out;
}

std::string fault_of(const Timeline& timeline) {
  std::vector<Timeline::Span> open;  // that enclose the present one
  const Timeline::Span* before = nullptr;
  for (const Timeline::Span& span : timeline.spans) {
    const std::string what = timeline.name(span) + " at " + std::to_string(span.begin_s);
    if (before != nullptr && before->track > span.track) return what + " is out of order";
    if (before == nullptr || before->track != span.track) open.clear();
    if (before != nullptr && before->track == span.track && before->begin_s > span.begin_s)
      return what + " is out of order";
    if (!(span.begin_s < span.end_s)) return what + " takes no time";
    if (span.begin_s < timeline.begin_s || span.end_s > timeline.spans_end_s)
      return what + " is outside of the window";
    while (open.size() > span.depth) {
      if (open.back().end_s > span.begin_s) return what + " begins before another ended";
      open.pop_back();
    }
    if (open.size() < span.depth) return what + " has nothing around it";
    if (!open.empty() && (span.begin_s < open.back().begin_s || span.end_s > open.back().end_s))
      return what + " reaches beyond what is around it";
    open.push_back(span);
    before = &span;
  }
  return "";
}

}  // namespace stallcast::testing
