#include "ui/desktop/recorded.hpp"

#include <algorithm>

#include "stallcast/label.hpp"

namespace stallcast::desktop {
namespace {

/// docs/guide/trace.md lists the names.
GanttData::What what_of(const std::string& name) {
  using enum GanttData::What;
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (name == "compute" || has("ProfilerStep")) return step;
  if (has("checkpoint") || has("restart") || has("restore") || has("lost") || has("detect") ||
      has("start"))
    return checkpoint;
  if (has("wait") || name == "metadata" || name == "cpu") return stall;
  if (has("write to") || has("snapshot") || has("commit") || has("save") || has("quiesce"))
    return flush;
  if (has("read") || has("open") || has("decode") || has("batch")) return transfer;
  return other;
}

QString lane_name(const Timeline::Track& track) {
  if (track.job.empty()) return QString::fromStdString(track.name);
  std::string out = track.job;
  if (!track.chosen.empty() && track.chosen != "only") out += ", " + track.chosen + " rank";
  if (track.kind != "rank" || track.chosen.empty()) out += ": " + track.name;
  return QString::fromStdString(out);
}

}  // namespace

GanttData lanes_of(const Timeline& recorded) {
  GanttData out;
  out.begin = recorded.begin_s;
  out.end = recorded.end_s;
  for (const Timeline::Track& track : recorded.tracks) out.lanes.push_back({lane_name(track), {}});
  for (std::size_t i = 0; i < recorded.spans.size(); ++i) {
    const Timeline::Span& span = recorded.spans[i];
    const bool encloses = i + 1 < recorded.spans.size() &&
                          recorded.spans[i + 1].track == span.track &&
                          recorded.spans[i + 1].depth > span.depth;
    if (encloses || span.end_s <= span.begin_s) continue;
    QString text = QString::fromStdString(recorded.name(span));
    if (span.number >= 0) text += QStringLiteral(" %1").arg(span.number);
    if (const std::string cause = recorded.cause(span); !cause.empty())
      text += QStringLiteral(", ") + QString::fromStdString(label::of_resource(cause));
    out.lanes[span.track].spans.push_back(
        {span.begin_s, span.end_s, what_of(recorded.name(span)), std::move(text)});
  }
  std::erase_if(out.lanes, [](const GanttData::Lane& lane) { return lane.spans.empty(); });
  return out;
}

std::optional<TimeRange> first_save(const GanttData& lanes) {
  const GanttData::Span* first = nullptr;
  for (const GanttData::Lane& lane : lanes.lanes)
    for (const GanttData::Span& span : lane.spans) {
      const bool save =
          span.what == GanttData::What::flush || span.text.startsWith(QLatin1String("checkpoint"));
      if (!save) continue;
      if (first == nullptr || span.begin < first->begin) first = &span;
      break;
    }
  if (first == nullptr) return std::nullopt;
  return TimeRange{first->begin, first->end};
}

std::optional<TimeRange> worst_stall(const GanttData& lanes) {
  const GanttData::Span* worst = nullptr;
  for (const GanttData::Lane& lane : lanes.lanes)
    for (const GanttData::Span& span : lane.spans)
      if (span.what == GanttData::What::stall &&
          (worst == nullptr || span.end - span.begin > worst->end - worst->begin))
        worst = &span;
  if (worst == nullptr) return std::nullopt;
  return TimeRange{worst->begin, worst->end};
}

TimeRange notable_range(const GanttData& lanes) {
  constexpr double kAround = 0.25, kLeast = 10.0;  // of the range; seconds
  TimeRange out{lanes.end, lanes.begin};
  for (const std::optional<TimeRange>& one : {first_save(lanes), worst_stall(lanes)})
    if (one) out = {std::min(out.first, one->first), std::max(out.second, one->second)};
  if (out.second <= out.first) return {lanes.begin, lanes.end};
  const double around = std::max(kAround * (out.second - out.first), kLeast / 2.0);
  return {std::max(lanes.begin, out.first - around), std::min(lanes.end, out.second + around)};
}

double save_or_stall(const GanttData& lanes) {
  const std::optional<TimeRange> save = first_save(lanes);
  const std::optional<TimeRange> at = save ? save : worst_stall(lanes);
  return at ? (at->first + at->second) / 2.0 : lanes.begin;
}

}  // namespace stallcast::desktop
