#include "engine/runtime/codec/timeline_codec.hpp"

#include <cmath>
#include <cstdint>

#include "engine/runtime/codec/json_text.hpp"

namespace stallcast::codec {
namespace {

using namespace detail;

constexpr const char* kTimelineSchema = "stallcast.timeline/1";

// Of a span: track, depth, name, cause + 1, number + 1, begin, end, cut.
constexpr std::size_t kSpanNumbers = 8;

template <class Items, class Write>
void write_array(JsonText& out, const char* key, const Items& items, const Write& write) {
  out.key(key);
  out.begin_array();
  for (const auto& item : items) write(item);
  out.end_array();
}

std::uint64_t whole_of(const Json& json) {
  if (!json.is_whole()) throw Malformed("a span holds something that is not a whole number");
  return json.whole();
}

std::uint32_t index_of(const Json& json, std::size_t size) {
  const std::uint64_t index = whole_of(json);
  if (index >= size) throw Malformed("a span names what is not there");
  return static_cast<std::uint32_t>(index);
}

bool flag_of(const Json& object, const char* key) {
  const Json& out = member(object, key);
  if (!out.is_boolean()) throw Malformed("\"" + std::string(key) + "\" is neither true nor false");
  return out.boolean();
}

Timeline::Track read_track(const Json& json) {
  return {.kind = member_text(json, "kind"),
          .job = member_text(json, "job"),
          .name = member_text(json, "name"),
          .rank_class = static_cast<int>(member_unsigned(json, "class")) - 1,
          .members = member_number(json, "members"),
          .chosen = member_text(json, "chosen"),
          .waiting_s = member_number(json, "waiting_s")};
}

Timeline::Counter read_counter(const Json& json) {
  Timeline::Counter out{.resource = member_text(json, "resource"),
                        .what = member_text(json, "what"),
                        .unit = member_text(json, "unit"),
                        .capacity = member_number(json, "capacity"),
                        .values = {}};
  for (const Json& value : member_array(json, "values"))
    out.values.push_back(number_of(value, "values"));
  return out;
}

void read_spans(const Json& numbers, Timeline& out) {
  if (numbers.size() % kSpanNumbers != 0) throw Malformed("the last span is not whole");
  out.spans.reserve(numbers.size() / kSpanNumbers);
  for (auto number = numbers.begin(); number != numbers.end();) {
    Timeline::Span span;
    span.track = index_of(*number++, out.tracks.size());
    span.depth = static_cast<std::uint32_t>(whole_of(*number++));
    span.name = index_of(*number++, out.texts.size());
    span.cause = static_cast<std::int32_t>(index_of(*number++, out.texts.size() + 1)) - 1;
    span.number = static_cast<std::int64_t>(whole_of(*number++)) - 1;
    span.begin_s = number_of(*number++, "spans");
    span.end_s = number_of(*number++, "spans");
    span.cut = whole_of(*number++) != 0;
    out.spans.push_back(span);
  }
}

}  // namespace

namespace detail {

std::string encode(const TimelineRequest& request) {
  JsonText out;
  out.begin_object();
  const auto whole = [&out](const char* key, std::uint64_t value) {
    out.key(key);
    out.whole(value);
  };
  out.member_number("begin_s", request.begin_s);
  whole("best", request.best);
  whole("bins", request.bins);
  out.member_number("end_s", request.end_s);
  whole("median", request.median);
  whole("most_spans", request.most_spans);
  out.key("ranks_first");
  out.boolean(request.ranks_first);
  whole("worst", request.worst);
  out.end_object();
  return out.take();
}

Result<TimelineRequest> timeline_request_of(const Json& json) {
  return read_as("request for a timeline", json, "", [](const Json& json) {
    const TimelineRequest out{.begin_s = member_number(json, "begin_s"),
                              .end_s = member_number(json, "end_s"),
                              .worst = member_unsigned(json, "worst"),
                              .median = member_unsigned(json, "median"),
                              .best = member_unsigned(json, "best"),
                              .most_spans = member_unsigned(json, "most_spans"),
                              .ranks_first = flag_of(json, "ranks_first"),
                              .bins = member_unsigned(json, "bins")};
    if (!(out.begin_s >= 0.0 && out.end_s > out.begin_s && std::isfinite(out.end_s)))
      throw Malformed("\"end_s\" is not after \"begin_s\"");
    if (out.bins == 0) throw Malformed("\"bins\" is 0");
    return out;
  });
}

}  // namespace detail

std::string encode(const Timeline& timeline) {
  JsonText out;
  out.begin_object();
  out.member_number("begin_s", timeline.begin_s);
  out.member_number("bin_s", timeline.bin_s);
  write_array(out, "counters", timeline.counters, [&out](const Timeline::Counter& counter) {
    out.begin_object();
    out.member_number("capacity", counter.capacity);
    out.member("resource", counter.resource);
    out.member("unit", counter.unit);
    write_array(out, "values", counter.values, [&out](double value) { out.number(value); });
    out.member("what", counter.what);
    out.end_object();
  });
  out.member_number("end_s", timeline.end_s);
  write_array(out, "repeats", timeline.repeats, [&out](const Timeline::Repeats& repeats) {
    out.begin_array();
    out.number(repeats.begin_s);
    out.number(repeats.end_s);
    out.end_array();
  });
  out.key("run_ended");
  out.boolean(timeline.run_ended);
  out.member("schema", kTimelineSchema);
  out.key("seed");
  out.whole(timeline.seed);
  write_array(out, "spans", timeline.spans, [&out](const Timeline::Span& span) {
    out.whole(span.track);
    out.whole(span.depth);
    out.whole(span.name);
    out.whole(static_cast<std::uint64_t>(span.cause + 1));
    out.whole(static_cast<std::uint64_t>(span.number + 1));
    out.number(span.begin_s);
    out.number(span.end_s);
    out.whole(span.cut ? 1 : 0);
  });
  out.member_number("spans_end_s", timeline.spans_end_s);
  out.member("texts", timeline.texts);
  write_array(out, "tracks", timeline.tracks, [&out](const Timeline::Track& track) {
    out.begin_object();
    out.member("chosen", track.chosen);
    out.key("class");
    out.whole(static_cast<std::uint64_t>(track.rank_class + 1));
    out.member("job", track.job);
    out.member("kind", track.kind);
    out.member_number("members", track.members);
    out.member("name", track.name);
    out.member_number("waiting_s", track.waiting_s);
    out.end_object();
  });
  out.end_object();
  return out.take();
}

namespace detail {
namespace {

Timeline read_timeline(const Json& json) {
  Timeline out;
  out.seed = member_unsigned(json, "seed");
  out.begin_s = member_number(json, "begin_s");
  out.end_s = member_number(json, "end_s");
  out.spans_end_s = member_number(json, "spans_end_s");
  out.run_ended = flag_of(json, "run_ended");
  out.bin_s = member_number(json, "bin_s");
  out.texts = member_texts(json, "texts");
  for (const Json& track : member_array(json, "tracks")) out.tracks.push_back(read_track(track));
  read_spans(member_array(json, "spans"), out);
  for (const Json& counter : member_array(json, "counters"))
    out.counters.push_back(read_counter(counter));
  for (const Json& repeats : member_array(json, "repeats")) {
    const auto [begin, end] = pair_of(repeats, "repeats");
    out.repeats.push_back({.begin_s = begin, .end_s = end});
  }
  return out;
}

}  // namespace

Result<Timeline> timeline_of(const Json& json) {
  return read_as("timeline", json, kTimelineSchema, read_timeline);
}

}  // namespace detail

Result<Timeline> decode_timeline(std::string_view json) {
  return detail::read_text_as("timeline", json, detail::timeline_of);
}

}  // namespace stallcast::codec
