#include "calibration/observe/step_marks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "calibration/observe/builder.hpp"

namespace stallcast::calibration {
namespace {

using Span = StepMarks::Span;
using Lanes = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Span>>;

/// Spans by who they are of, each in the order of their start.
Lanes by_lane(const std::vector<Span>& spans) {
  Lanes lanes;
  for (const Span& span : spans) lanes[{span.rank, span.lane}].push_back(span);
  for (auto& [lane, list] : lanes)
    std::stable_sort(list.begin(), list.end(),
                     [](const Span& a, const Span& b) { return a.start < b.start; });
  return lanes;
}

const std::vector<Span>& of_lane(const Lanes& lanes, const Lanes::key_type& lane) {
  static const std::vector<Span> kNone;
  const auto it = lanes.find(lane);
  return it == lanes.end() ? kNone : it->second;
}

/// Length of the parts of `spans` that begin in [from, to).
Seconds begun_within(const std::vector<Span>& spans, Seconds from, Seconds to) {
  auto it = std::lower_bound(spans.begin(), spans.end(), from,
                             [](const Span& span, Seconds at) { return span.start < at; });
  Seconds sum;
  for (; it != spans.end() && it->start < to; ++it) sum += it->end - it->start;
  return sum;
}

void add_step(ObservationBuilder& builder, std::int64_t rank, Seconds duration, Seconds wait) {
  wait = std::clamp(wait, Seconds{}, std::max(duration, Seconds{}));
  builder.step.add(duration);
  builder.wait.add(wait);
  builder.compute.add(duration - wait);
  ++builder.process(rank).steps;
}

/// Ends of steps, by rank and in order.
using StepEnds = std::map<std::int64_t, std::vector<Seconds>>;

StepEnds whole_steps(const StepMarks& marks, ObservationBuilder& builder) {
  StepEnds ends;
  const Lanes steps = by_lane(marks.steps), waits = by_lane(marks.waits);
  for (const auto& [lane, list] : steps) {
    for (const Span& step : list) {
      const Seconds wait = begun_within(of_lane(waits, lane), step.start, step.end);
      if (marks.waits.empty()) {
        builder.step.add(step.end - step.start);
        ++builder.process(step.rank).steps;
      } else {
        add_step(builder, step.rank, step.end - step.start, wait);
      }
      ends[step.rank].push_back(step.end);
    }
  }
  return ends;
}

StepEnds computed_steps(const StepMarks& marks, ObservationBuilder& builder) {
  StepEnds ends;
  const Lanes computes = by_lane(marks.computes), waits = by_lane(marks.waits),
              epochs = by_lane(marks.epochs), saves = by_lane(marks.saves),
              evaluations = by_lane(marks.evaluations);
  for (const auto& [lane, list] : computes) {
    const std::vector<Span>& blocks = of_lane(epochs, lane);
    const std::vector<Span>& others = of_lane(evaluations, lane);
    std::size_t block = 0, other = 0;
    std::optional<Seconds> before;  // end of the step before, in the same epoch
    bool first = false;
    for (const Span& compute : list) {
      while (block < blocks.size() && blocks[block].start <= compute.start) {
        before = blocks[block++].start;
        first = true;
      }
      while (other < others.size() && others[other].end <= compute.start)
        before = std::max(others[other].end, before.value_or(others[other].end)), ++other;
      if (other < others.size() && others[other].start <= compute.start) continue;
      if (before) {
        const Seconds saved = begun_within(of_lane(saves, lane), *before, compute.start);
        const Seconds gap = std::max(compute.start - *before - saved, Seconds{});
        const Seconds told = begun_within(of_lane(waits, lane), *before, compute.start);
        const Seconds wait = marks.waits.empty() ? gap : std::min(told, gap);
        add_step(builder, compute.rank, compute.end - *before - saved, wait);
        if (first) builder.first_batch.add(wait);
      }
      ends[compute.rank].push_back(compute.end);
      before = std::max(compute.end, before.value_or(compute.end));
      first = false;
    }
  }
  return ends;
}

void saves_of(const StepMarks& marks, StepEnds& ends, ObservationBuilder& builder) {
  for (auto& [rank, list] : ends) std::sort(list.begin(), list.end());
  for (const Span& load : marks.loads) builder.load_time.add(load.end - load.start);
  for (auto [lane, list] : by_lane(marks.saves)) {
    // One that begins inside another is a part of it.
    std::vector<Span> outer;
    for (const Span& span : list)
      if (outer.empty() || span.start >= outer.back().end) outer.push_back(span);
    list = std::move(outer);
    const std::vector<Seconds>& steps = ends[lane.first];
    const auto done = [&](Seconds at) {
      return std::upper_bound(steps.begin(), steps.end(), at) - steps.begin();
    };
    for (std::size_t i = 0; i < list.size(); ++i) {
      builder.save_time.add(list[i].end - list[i].start);
      if (i == 0) continue;
      builder.save_period.add(list[i].start - list[i - 1].start);
      if (!steps.empty())
        builder.save_steps.add(Ops::from(
            static_cast<double>(done(list[i].start) - done(list[i - 1].start)), unit::ops));
    }
  }
}

}  // namespace

void resolve_marks(const StepMarks& marks, ObservationBuilder& builder) {
  StepEnds ends =
      marks.steps.empty() ? computed_steps(marks, builder) : whole_steps(marks, builder);
  saves_of(marks, ends, builder);
  if (!marks.steps.empty() || !marks.computes.empty()) {
    if (!builder.known.steps) builder.known.steps.emplace();
    builder.known.steps->marked_by = marks.marked_by;
  }
  if (marks.left_out > 0)
    builder.note(std::to_string(marks.left_out) +
                 " marks of steps, waits and saves are beyond the bound of memory");
}

}  // namespace stallcast::calibration
