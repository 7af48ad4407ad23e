#include "models/record/choose.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace stallcast::models {
namespace {

constexpr std::uint32_t kGone = 0xffffffff;
constexpr std::array<std::string_view, 4> kOrder = {"only", "worst", "median", "best"};

using RankClass = std::pair<std::string, int>;

RankClass class_of(const Timeline::Track& track) { return {track.job, track.rank_class}; }

// What a rank waits for its batches: the spans that its loader names, and no others.
void sum_waits(Timeline& timeline) {
  for (const Timeline::Span& span : timeline.spans) {
    const std::string_view name = timeline.name(span);
    Timeline::Track& track = timeline.tracks[span.track];
    if (track.kind == "rank" && name != "wait for ranks" && name.starts_with("wait for "))
      track.waiting_s += span.end_s - span.begin_s;
  }
}

// Of one job: its classes by how long they wait. Equal ones stay in their order.
void choose(const TimelineRequest& request, std::vector<Timeline::Track*>& ranks) {
  if (ranks.size() == 1) {
    ranks.front()->chosen = "only";
    return;
  }
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const Timeline::Track* a, const Timeline::Track* b) {
                     return a->waiting_s > b->waiting_s;
                   });
  const auto count = static_cast<std::uint64_t>(ranks.size());
  const auto take = [&](std::uint64_t first, std::uint64_t some, const char* why) {
    for (std::uint64_t i = first; i < count && i - first < some; ++i)
      if (ranks[i]->chosen.empty()) ranks[i]->chosen = why;
  };
  const bool none = request.worst + request.median + request.best == 0;
  take(0, none ? 1 : request.worst, "worst");
  take(count - std::min(count, request.best), request.best, "best");
  take((count - std::min(count, request.median)) / 2, request.median, "median");
}

/// Numbers of the tracks that are kept, in their new order.
std::vector<std::uint32_t> order(Timeline& timeline, const TimelineRequest& request) {
  std::map<std::string, std::vector<Timeline::Track*>> ranks;
  for (Timeline::Track& track : timeline.tracks)
    if (track.kind == "rank") ranks[track.job].push_back(&track);
  std::map<RankClass, std::string> chosen;
  for (auto& [job, classes] : ranks) {
    choose(request, classes);
    for (const Timeline::Track* track : classes)
      if (!track->chosen.empty()) chosen[class_of(*track)] = track->chosen;
  }
  // A lane of the job as a whole on which nothing happened is not a lane.
  std::vector<bool> used(timeline.tracks.size());
  for (const Timeline::Span& span : timeline.spans) used[span.track] = true;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t t = 0; t < timeline.tracks.size(); ++t) {
    Timeline::Track& track = timeline.tracks[t];
    const auto found = chosen.find(class_of(track));
    if (found != chosen.end()) track.chosen = found->second;
    if (track.rank_class < 0 ? used[t] : found != chosen.end()) kept.push_back(t);
  }
  // Those that wait longest first; what concerns the job as a whole last.
  const auto place = [&](std::uint32_t t) {
    const Timeline::Track& track = timeline.tracks[t];
    const auto why = std::find(kOrder.begin(), kOrder.end(), track.chosen) - kOrder.begin();
    const bool job = track.kind != "tenant" && !track.job.empty();
    return std::tuple(!job, std::string_view(track.job), why, track.rank_class);
  };
  std::stable_sort(kept.begin(), kept.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  return kept;
}

// These tracks, in this order, and their spans.
void keep(const std::vector<std::uint32_t>& kept, Timeline& timeline) {
  std::vector<std::uint32_t> number(timeline.tracks.size(), kGone);
  std::vector<Timeline::Track> tracks;
  for (const std::uint32_t t : kept) {
    number[t] = static_cast<std::uint32_t>(tracks.size());
    tracks.push_back(std::move(timeline.tracks[t]));
  }
  timeline.tracks = std::move(tracks);
  for (Timeline::Span& span : timeline.spans) span.track = number[span.track];
  std::erase_if(timeline.spans, [](const Timeline::Span& s) { return s.track == kGone; });
}

void leave_out_details(Timeline& timeline) {
  const auto is_detail = [&](std::uint32_t track) {
    const std::string& kind = timeline.tracks[track].kind;
    return kind == "loader" || kind == "tenant";
  };
  std::vector<std::uint32_t> kept;
  for (std::uint32_t t = 0; t < timeline.tracks.size(); ++t)
    if (!is_detail(t)) kept.push_back(t);
  keep(kept, timeline);
}

void limit(std::uint64_t most, Timeline& timeline) {
  std::vector<Timeline::Span>& spans = timeline.spans;
  if (spans.size() <= most) return;
  std::vector<double> begins;
  for (const Timeline::Span& span : spans) begins.push_back(span.begin_s);
  const auto first_out = begins.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(begins.begin(), first_out, begins.end());
  timeline.spans_end_s = *first_out;
  std::erase_if(spans, [&](const Timeline::Span& s) { return s.begin_s >= timeline.spans_end_s; });
  for (Timeline::Span& span : spans) {
    span.cut = span.cut || span.end_s > timeline.spans_end_s;
    span.end_s = std::min(span.end_s, timeline.spans_end_s);
  }
}

// Those of tracks that went are named no more.
void keep_texts(Timeline& timeline) {
  std::vector<std::uint32_t> number(timeline.texts.size(), kGone);
  std::vector<std::string> texts;
  const auto keep = [&](std::uint32_t text) {
    if (number[text] == kGone) {
      number[text] = static_cast<std::uint32_t>(texts.size());
      texts.push_back(std::move(timeline.texts[text]));
    }
    return number[text];
  };
  for (Timeline::Span& span : timeline.spans) {
    span.name = keep(span.name);
    if (span.cause >= 0)
      span.cause = static_cast<std::int32_t>(keep(static_cast<std::uint32_t>(span.cause)));
  }
  timeline.texts = std::move(texts);
}

}  // namespace

void keep_chosen(const TimelineRequest& request, Timeline& timeline) {
  sum_waits(timeline);
  keep(order(timeline, request), timeline);
  timeline.spans_end_s = timeline.end_s;
  if (request.ranks_first && timeline.spans.size() > request.most_spans)
    leave_out_details(timeline);
  limit(request.most_spans, timeline);
  std::sort(timeline.spans.begin(), timeline.spans.end(),
            [](const Timeline::Span& a, const Timeline::Span& b) {
              return std::tie(a.track, a.begin_s, a.depth) < std::tie(b.track, b.begin_s, b.depth);
            });
  keep_texts(timeline);
}

}  // namespace stallcast::models
