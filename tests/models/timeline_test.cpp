#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/runtime/codec/timeline_codec.hpp"
#include "tests/support/course.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/reading_job.hpp"
#include "tests/support/recorded.hpp"

namespace timeline_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

/// 32 ranks that read 2 samples of `sample` MB a step with 2 workers each.
Design reading(const char* sample, const char* steps = "200") {
  return reading_job(sample, "2", steps);
}

double time_of(const std::vector<Timeline::Span>& spans) {
  return std::accumulate(spans.begin(), spans.end(), 0.0, [](double sum, const auto& span) {
    return sum + span.end_s - span.begin_s;
  });
}

/// Value times time, over all bins.
double integral(const Timeline& timeline, const Timeline::Counter& counter) {
  double sum = 0.0;
  for (std::size_t i = 0; i < counter.values.size(); ++i) {
    const double begin = timeline.begin_s + static_cast<double>(i) * timeline.bin_s;
    sum += counter.values[i] * (std::min(begin + timeline.bin_s, timeline.end_s) - begin);
  }
  return sum;
}

const ResourceUse* use_of(const RunResult& result, const std::string& name) {
  for (const ResourceUse& use : result.resources)
    if (use.name == name) return &use;
  return nullptr;
}

std::map<std::string, Design> designs() {
  std::map<std::string, Design> out;
  out["bound by storage"] = reading("200 MB");
  out["bound by compute"] = reading("1 MB");
  out["without data"] = small_design();
  out["saves side by side"] = reading("10 MB");
  save(out["saves side by side"], "async",
       {{"every_steps", "10"}, {"size", "640 GB"}, {"buffers", "3"}});
  out["synchronous saves"] = reading("10 MB");
  save(out["synchronous saves"], "sync", {{"every_steps", "50"}});
  out["threads that share a batch"] = reading("20 MB");
  out["threads that share a batch"].jobs[0].loader =
      component(Role::loader, "tensorflow", "loader", {{"batch", "2"}, {"workers", "4"}});
  out["no workers"] = reading("20 MB");
  set(*out["no workers"].jobs[0].loader, Role::loader, "workers", "0");
  out["every rank by itself"] = reading("200 MB");
  set(out["every rank by itself"].run, Role::run, "fold", "false");
  return out;
}

}  // namespace

TEST_CASE("spans of a track nest and follow one another, within the window") {
  for (const auto& [name, design] : designs()) {
    INFO(name);
    const Timeline timeline = recorded(design, {.end_s = 12.0});
    CHECK(fault_of(timeline) == "");
    CHECK(timeline.begin_s == 0.0);
    CHECK(timeline.end_s <= 12.0);
    CHECK_FALSE(timeline.spans.empty());
  }
}

TEST_CASE("steps, saves and restarts fill the time of a rank, and its parts fill a step") {
  for (const auto& [name, design] : designs()) {
    INFO(name);
    const Timeline timeline = recorded(design, {.end_s = 12.0});
    std::map<std::uint32_t, double> top, parts;
    double steps = 0.0;
    for (const Timeline::Span& span : timeline.spans) {
      if (timeline.tracks[span.track].kind != "rank") continue;
      if (span.depth == 0) top[span.track] += span.end_s - span.begin_s;
      if (span.depth == 1) parts[span.track] += span.end_s - span.begin_s;
    }
    for (std::uint32_t t = 0; t < timeline.tracks.size(); ++t) {
      if (timeline.tracks[t].kind != "rank") continue;
      CHECK(top[t] == Approx(timeline.end_s - timeline.begin_s).epsilon(1e-9));
      steps = 0.0;
      for (const Timeline::Span& span : timeline.spans)
        if (span.track == t && timeline.name(span) == "step") steps += span.end_s - span.begin_s;
      CHECK(parts[t] == Approx(steps).epsilon(1e-9));
    }
  }
}

TEST_CASE("recorded steps are those of a run that is not recorded") {
  for (const char* name : {"bound by storage", "threads that share a batch", "no workers"}) {
    INFO(name);
    const Design design = designs().at(name);
    const Course course = course_of(design, false);
    const Timeline timeline = recorded(design, {.end_s = 1e6});
    CHECK(timeline.run_ended);
    std::size_t step = 0;
    for (const Timeline::Span& span : spans(timeline, "rank", "step")) {
      if (span.track != spans(timeline, "rank", "step").front().track) continue;
      REQUIRE(step < course.ends.size());
      CHECK(span.number == static_cast<std::int64_t>(step));
      CHECK(span.end_s == Approx(course.ends[step++]).epsilon(1e-12));
    }
    CHECK(step == course.ends.size());
  }
}

// Every flow has ended when the run has: what a link carried is its mean throughput times the wall
// time, as the run reports it.
TEST_CASE("counters of a whole run add up to what every resource carried") {
  for (const char* name : {"bound by storage", "synchronous saves", "threads that share a batch"}) {
    INFO(name);
    const Design design = designs().at(name);
    const RunResult result = run(design);
    const double wall = course_of(design, false).wall.in(unit::s);
    const Timeline timeline = recorded(design, {.end_s = 1e6, .bins = 100000});
    std::size_t links = 0;
    for (const Timeline::Counter& counter : timeline.counters) {
      const ResourceUse* use = use_of(result, counter.resource);
      if (counter.what != "throughput" || counter.unit != "B/s") continue;
      REQUIRE(use != nullptr);
      INFO(counter.resource);
      CHECK(integral(timeline, counter) == Approx(use->throughput * wall).epsilon(1e-9));
      CHECK(counter.capacity == Approx(use->capacity));
      ++links;
    }
    CHECK(links > 0);
  }
}

// A read takes more than a second here, so if it counted where it ends most bins of 20 ms were
// empty.
TEST_CASE("a bin counts what flows moved in it, not what ended in it") {
  const Timeline timeline = recorded(reading("2000 MB", "20"), {.end_s = 10.0, .bins = 500});
  const Timeline::Counter* busiest = nullptr;
  for (const Timeline::Counter& counter : timeline.counters) {
    if (counter.what != "throughput" || counter.unit != "B/s" || counter.capacity <= 0.0) continue;
    const double most = *std::max_element(counter.values.begin(), counter.values.end());
    CHECK(most <= counter.capacity * (1.0 + 1e-9));
    if (most > 0.99 * counter.capacity) busiest = &counter;
  }
  REQUIRE(busiest != nullptr);
  REQUIRE(busiest->values.size() == 500);
  CHECK(std::count_if(busiest->values.begin(), busiest->values.end(),
                      [&](double value) { return value > 0.9 * busiest->capacity; }) > 400);
}

TEST_CASE("what is waited for is named: a step that storage holds up blames storage") {
  const Timeline timeline = recorded(designs().at("bound by storage"), {.end_s = 12.0});
  const std::vector<Timeline::Span> waits = spans(timeline, "rank", "wait for data");
  CHECK(time_of(waits) > 0.5 * time_of(spans(timeline, "rank", "step")));
  double storage = 0.0;
  for (const Timeline::Span& wait : waits)
    if (timeline.cause(wait).starts_with("storage.scratch.") ||
        timeline.cause(wait).starts_with("host.gpu."))
      storage += wait.end_s - wait.begin_s;
  CHECK(storage == Approx(time_of(waits)));
  CHECK(time_of(spans(timeline, "rank", "compute")) > 0.0);
}

// Threads of two kinds of wait: every second of the run is in the span of what it was waited for.
TEST_CASE("spans of waiting add up to the shares of the run, cause by cause") {
  Design design = reading("20 MB", "40");
  set(*design.jobs[0].dataset, Role::dataset, "decode", "10 ms");
  set(design.run, Role::run, "fold", "true");
  const Timeline timeline = recorded(design, {.end_s = 1e6});
  const RunResult result = run(design);
  const auto& shares = result.breakdown.at("train");
  const double wall = metric(result, "job.train.time.wall");
  std::size_t causes = 0;
  for (const char* cause : {"data", "metadata", "cpu"}) {
    INFO(cause);
    const auto waits = spans(timeline, "rank", std::string("wait for ") + cause);
    CHECK(time_of(waits) / wall == Approx(shares.at(cause)).margin(1e-9));
    if (shares.at(cause) > 0.0) ++causes;
    for (const Timeline::Span& wait : waits)
      if (const std::string resource(timeline.cause(wait)); !resource.empty())
        CHECK(resource.ends_with(".cpu") == (std::string(cause) == "cpu"));
  }
  CHECK(causes > 1);
}

TEST_CASE("the compute of a step says which batch it takes, and a worker loaded that before") {
  const Timeline timeline = recorded(designs().at("bound by storage"), {.end_s = 12.0});
  std::map<std::int64_t, double> ready;
  for (const Timeline::Span& batch : spans(timeline, "loader", "batch"))
    if (!batch.cut) ready[batch.number] = batch.end_s;
  std::size_t taken = 0;
  for (const Timeline::Span& compute : spans(timeline, "rank", "compute")) {
    REQUIRE(ready.contains(compute.number));
    CHECK(ready[compute.number] <= compute.begin_s);
    ++taken;
  }
  CHECK(taken > 5);
}

// 64 GB over 8 OSTs: what the run says of a save is what its span shows.
TEST_CASE("a save is recorded with what it waits for, and ranks wait as long as the run says") {
  const Design design = designs().at("synchronous saves");
  const Timeline timeline = recorded(design, {.end_s = 1e6});
  const RunResult result = run(design);
  const std::vector<Timeline::Span> saves = spans(timeline, "checkpoint", "save");
  REQUIRE(saves.size() == 4);
  CHECK(time_of(saves) == Approx(metric(result, "job.train.checkpoint.stall.total")).epsilon(1e-9));
  CHECK(time_of(spans(timeline, "rank", "checkpoint")) ==
        Approx(metric(result, "job.train.checkpoint.stall.total")).epsilon(1e-9));
  const std::vector<Timeline::Span> writes = spans(timeline, "checkpoint", "write to scratch");
  REQUIRE(writes.size() == 4);
  CHECK_FALSE(timeline.cause(writes.front()).empty());
}

TEST_CASE("saves that overlap are on lanes of their own") {
  const Timeline timeline = recorded(designs().at("saves side by side"), {.end_s = 12.0});
  std::size_t lanes = 0;
  for (const Timeline::Track& track : timeline.tracks) lanes += track.kind == "checkpoint" ? 1 : 0;
  CHECK(lanes > 1);
  CHECK_FALSE(spans(timeline, "checkpoint", "wait for a buffer").empty());
}

TEST_CASE("a window begins with a step, and what repeats before it is counted") {
  Design design = reading("1 MB", "20000");
  Design every = design;
  set(every.run, Role::run, "fast_forward", "false");
  const TimelineRequest window{.begin_s = 1000.05, .end_s = 1003.0};
  const Timeline some = recorded(design, window), all = recorded(every, window);
  CHECK(some.begin_s >= 1000.05);
  CHECK(some.begin_s < 1000.25);
  CHECK(some.end_s == Approx(1003.0).epsilon(1e-12));
  REQUIRE_FALSE(some.repeats.empty());
  CHECK(all.repeats.empty());
  double left_out = 0.0;
  for (const Timeline::Repeats& repeats : some.repeats) {
    CHECK(repeats.end_s <= some.begin_s);
    left_out += repeats.end_s - repeats.begin_s;
  }
  CHECK(left_out > 900.0);
  REQUIRE(some.spans.size() == all.spans.size());
  for (std::size_t i = 0; i < some.spans.size(); ++i) {
    CHECK(some.spans[i].begin_s == Approx(all.spans[i].begin_s).epsilon(1e-9));
    CHECK(some.name(some.spans[i]) == all.name(all.spans[i]));
  }
  CHECK(fault_of(some) == "");
}

TEST_CASE("a window after the end of the run is empty and says so") {
  const Timeline timeline = recorded(reading("1 MB"), {.begin_s = 1e6, .end_s = 2e6});
  CHECK(timeline.spans.empty());
  CHECK(timeline.counters.empty());
  CHECK(timeline.run_ended);
  CHECK(timeline.begin_s == timeline.end_s);
}

TEST_CASE("no more spans than allowed are kept, the earliest") {
  const Design design = designs().at("every rank by itself");
  const Timeline all = recorded(design, {.end_s = 12.0});
  const Timeline some = recorded(design, {.end_s = 12.0, .most_spans = 100});
  REQUIRE(all.spans.size() > 200);
  CHECK(some.spans.size() <= 100);
  CHECK(some.spans.size() > 50);
  CHECK(some.spans_end_s < some.end_s);
  CHECK(fault_of(some) == "");
}

// 12 s without the workers are fewer spans than with them: with room for those of ranks, they are
// all there.
TEST_CASE("where ranks come first, workers are left out before time is") {
  const Design design = designs().at("every rank by itself");
  const Timeline all = recorded(design, {.end_s = 12.0});
  const auto of_ranks = [](const Timeline& timeline) {
    return std::count_if(timeline.spans.begin(), timeline.spans.end(), [&](const auto& span) {
      return timeline.tracks[span.track].kind == "rank";
    });
  };
  const auto most = static_cast<std::uint64_t>(of_ranks(all)) + 1;
  REQUIRE(all.spans.size() > most);
  const Timeline some = recorded(design, {.end_s = 12.0, .most_spans = most, .ranks_first = true});
  CHECK(some.spans_end_s == some.end_s);
  CHECK(of_ranks(some) == of_ranks(all));
  for (const Timeline::Track& track : some.tracks) CHECK(track.kind != "loader");
  CHECK(fault_of(some) == "");
  // Not even those of ranks have room: time ends.
  const Timeline few = recorded(design, {.end_s = 12.0, .most_spans = 10, .ranks_first = true});
  CHECK(few.spans.size() <= 10);
  CHECK(few.spans_end_s < few.end_s);
}

TEST_CASE("of many classes of ranks those are shown that wait longest, in the middle, least") {
  Design design = designs().at("every rank by itself");
  const auto ranks = [&](const TimelineRequest& request) {
    std::vector<Timeline::Track> out;
    for (const Timeline::Track& track : recorded(design, request).tracks)
      if (track.kind == "rank") out.push_back(track);
    return out;
  };
  const std::vector<Timeline::Track> all =
      ranks({.end_s = 12.0, .worst = 100, .median = 0, .best = 0});
  REQUIRE(all.size() == 32);
  std::vector<double> waits;
  for (const Timeline::Track& track : all) waits.push_back(track.waiting_s);
  std::sort(waits.begin(), waits.end());
  std::map<std::string, double> shown;
  for (const Timeline::Track& track : ranks({.end_s = 12.0})) shown[track.chosen] = track.waiting_s;
  CHECK(shown.size() == 3);
  CHECK(shown["worst"] == waits.back());
  CHECK(shown["best"] == waits.front());
  CHECK(shown["median"] >= waits[15]);
  CHECK(shown["median"] <= waits[16]);
  CHECK(ranks({.end_s = 12.0, .worst = 2, .median = 1, .best = 1}).size() == 4);
  CHECK(ranks({.end_s = 12.0, .worst = 0, .median = 0, .best = 0}).size() == 1);
}

TEST_CASE("a class of ranks says for how many it stands") {
  const Timeline timeline = recorded(reading("1 MB"), {.end_s = 2.0});
  double members = 0.0;
  for (const Timeline::Track& track : timeline.tracks)
    if (track.kind == "rank") members += track.members;
  CHECK(members == 32.0);
}

TEST_CASE("the same design and seed give the same bytes, which read back to the same timeline") {
  const Design design = designs().at("saves side by side");
  const std::string text = codec::encode(recorded(design, {.end_s = 5.0}));
  CHECK(text == codec::encode(recorded(design, {.end_s = 5.0})));
  const Result<Timeline> back = codec::decode_timeline(text);
  REQUIRE(back.ok());
  CHECK(*back == recorded(design, {.end_s = 5.0}));
  CHECK_FALSE(codec::decode_timeline(text.substr(0, text.size() / 2)).ok());
  CHECK_FALSE(codec::decode_timeline("{}").ok());
}

}  // namespace timeline_test
