#include "ui/desktop/recorded.hpp"

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
      text += QStringLiteral(", ") + QString::fromStdString(cause);
    out.lanes[span.track].spans.push_back(
        {span.begin_s, span.end_s, what_of(recorded.name(span)), std::move(text)});
  }
  std::erase_if(out.lanes, [](const GanttData::Lane& lane) { return lane.spans.empty(); });
  return out;
}

}  // namespace stallcast::desktop
