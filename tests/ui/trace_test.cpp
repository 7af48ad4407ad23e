#include "ui/report/trace.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/designs.hpp"
#include "tests/support/recorded.hpp"

namespace trace_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;
using nlohmann::json;

namespace {

using Track = std::pair<int, int>;  // pid and tid

struct Slice {
  std::int64_t begin, end;  // ns
  std::string name;
};

/// A time of an event: us, with whole ns, as Perfetto keeps them.
std::int64_t nanoseconds(const json& us) {
  REQUIRE(us.is_number());
  const double ns = us.get<double>() * 1000.0;
  CHECK(std::abs(ns - std::round(ns)) < 1e-3);
  return std::llround(ns);
}

/// What is in a trace, after every rule that Perfetto's reader has for it was checked: names of all
/// processes and threads, slices that nest, counters in order of time, arrows with both ends in
/// slices. [https://perfetto.dev/docs/getting-started/other-formats, Chrome JSON;
/// perfetto issue 4280: slices of one track that overlap are moved to another]
struct Checked {
  std::map<Track, std::vector<Slice>> slices;
  std::map<std::pair<int, std::string>, std::vector<std::pair<std::int64_t, double>>> counters;
  std::map<int, std::string> processes;
  std::map<Track, std::string> threads;
  std::size_t arrows = 0;
  json other;

  explicit Checked(const std::string& text) {
    const json trace = json::parse(text);
    CHECK(trace.at("displayTimeUnit") == "ms");
    other = trace.at("otherData");
    std::map<int, json> starts, ends;
    for (const json& event : trace.at("traceEvents")) {
      const std::string ph = event.at("ph");
      const int pid = event.at("pid");
      REQUIRE(pid > 0);
      REQUIRE(event.at("name").is_string());
      if (ph == "M")
        meta(event, pid);
      else if (ph == "X")
        slice(event, pid);
      else if (ph == "C")
        counter(event, pid);
      else if (ph == "s")
        CHECK(starts.emplace(event.at("id").get<int>(), event).second);
      else if (ph == "f")
        CHECK(ends.emplace(event.at("id").get<int>(), event).second);
      else
        FAIL("an event of kind " + ph);
    }
    for (const auto& [track, all] : slices) {
      CHECK(threads.contains(track));
      nest(all);
    }
    for (const auto& [key, values] : counters) CHECK(processes.contains(key.first));
    REQUIRE(starts.size() == ends.size());
    arrows = starts.size();
    for (const auto& [id, start] : starts) {
      const json& end = ends.at(id);
      const std::int64_t from = nanoseconds(start.at("ts")), to = nanoseconds(end.at("ts"));
      CHECK(from < to);
      CHECK(end.at("bp") == "e");
      CHECK(inside(start, from));
      CHECK(inside(end, to));
    }
  }

  void meta(const json& event, int pid) {
    const std::string what = event.at("name");
    const json& args = event.at("args");
    if (what == "process_name")
      CHECK(processes.emplace(pid, args.at("name").get<std::string>()).second);
    else if (what == "thread_name")
      CHECK(
          threads.emplace(Track{pid, event.at("tid")}, args.at("name").get<std::string>()).second);
    else if (what == "process_labels")
      CHECK(args.at("labels").is_string());
    else
      CHECK(args.at("sort_index").is_number_integer());
  }

  void slice(const json& event, int pid) {
    const std::int64_t begin = nanoseconds(event.at("ts")), dur = nanoseconds(event.at("dur"));
    CHECK(begin >= 0);
    CHECK(dur > 0);
    CHECK(event.at("cat").is_string());
    slices[{pid, event.at("tid")}].push_back({begin, begin + dur, event.at("name")});
  }

  void counter(const json& event, int pid) {
    const std::int64_t at = nanoseconds(event.at("ts"));
    const json& args = event.at("args");
    REQUIRE(args.size() == 1);
    auto& values = counters[{pid, event.at("name")}];
    if (!values.empty()) CHECK(values.back().first < at);
    values.emplace_back(at, args.begin()->get<double>());
  }

  static void nest(const std::vector<Slice>& all) {
    std::vector<Slice> open;
    std::int64_t before = 0;
    for (const Slice& slice : all) {
      INFO(slice.name);
      CHECK(slice.begin >= before);
      before = slice.begin;
      while (!open.empty() && open.back().end <= slice.begin) open.pop_back();
      if (!open.empty()) CHECK(slice.end <= open.back().end);
      open.push_back(slice);
    }
  }

  [[nodiscard]] bool inside(const json& event, std::int64_t at) const {
    const auto found = slices.find({event.at("pid"), event.at("tid")});
    if (found == slices.end()) return false;
    for (const Slice& slice : found->second)
      if (slice.begin <= at && at < slice.end) return true;
    return false;
  }
};

/// 32 ranks that wait for storage, two workers each, and save 640 GB every 20 steps alongside that.
Design busy() {
  Design design = small_design();
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "200 MB"}, {"samples", "1e9"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "2"}, {"workers", "2"}});
  job.checkpoint =
      component(Role::checkpoint, "async", "checkpoint",
                {{"to", "scratch"}, {"size", "640 GB"}, {"every_steps", "5"}, {"buffers", "3"}});
  return design;
}

report::TraceOrigin origin() {
  return {.version = "1", .model_version = "2", .scenario = "a \"b\"", .design_sha256 = "c"};
}

}  // namespace

TEST_CASE("a trace keeps every rule of its readers") {
  for (const char* fold : {"true", "false"}) {
    Design design = busy();
    set(design.run, Role::run, "fold", fold);
    const Timeline timeline = recorded(design, {.end_s = 20.0});
    const Checked trace(report::chrome_trace(timeline, origin()));
    std::size_t slices = 0;
    for (const auto& [track, all] : trace.slices) slices += all.size();
    CHECK(slices == timeline.spans.size());
    CHECK(trace.threads.size() == timeline.tracks.size());
    CHECK(trace.arrows > 5);
    std::set<std::string> names;
    for (const auto& [pid, name] : trace.processes) CHECK(names.insert(name).second);
    CHECK(names.contains("job train: saves"));
    CHECK(names.contains("storage.scratch"));
    CHECK(trace.other.at("scenario") == "a \"b\"");
  }
}

// Steps are named as the PyTorch profiler does, one after the other from 0.
TEST_CASE("steps are numbered, and their slices are as long as those of the timeline") {
  const Timeline timeline = recorded(busy(), {.end_s = 20.0});
  const Checked trace(report::chrome_trace(timeline, origin()));
  double recorded_s = 0.0;
  for (const Timeline::Span& span : spans(timeline, "rank", "step"))
    recorded_s += span.end_s - span.begin_s;
  std::int64_t shown = 0;
  for (const auto& [track, all] : trace.slices) {
    int next = 0;
    for (const Slice& slice : all) {
      if (!slice.name.starts_with("ProfilerStep#")) continue;
      CHECK(slice.name == "ProfilerStep#" + std::to_string(next++));
      shown += slice.end - slice.begin;
    }
  }
  CHECK(static_cast<double>(shown) / 1e9 == Approx(recorded_s).epsilon(1e-9));
}

TEST_CASE("a counter of a trace adds up to what the timeline counted") {
  const Timeline timeline = recorded(busy(), {.end_s = 20.0});
  const Checked trace(report::chrome_trace(timeline, origin()));
  std::size_t compared = 0;
  for (const Timeline::Counter& counter : timeline.counters) {
    if (counter.unit != "B/s") continue;
    double bytes = 0.0;
    for (const double value : counter.values) bytes += value * timeline.bin_s;
    const std::size_t dot = counter.resource.find('.', counter.resource.find('.') + 1);
    if (dot == std::string::npos) continue;
    for (const auto& [key, values] : trace.counters) {
      if (trace.processes.at(key.first) != counter.resource.substr(0, dot) ||
          key.second != counter.resource.substr(dot + 1))
        continue;
      double sum = 0.0;
      for (std::size_t i = 0; i + 1 < values.size(); ++i)
        sum += values[i].second * static_cast<double>(values[i + 1].first - values[i].first);
      CHECK(values.back().second == 0.0);
      CHECK(sum == Approx(bytes).epsilon(1e-6));
      ++compared;
    }
  }
  CHECK(compared > 3);
}

TEST_CASE("the same timeline gives the same bytes") {
  const Timeline timeline = recorded(busy(), {.end_s = 5.0});
  CHECK(report::chrome_trace(timeline, origin()) == report::chrome_trace(timeline, origin()));
}

TEST_CASE("a timeline of nothing is a trace of nothing") {
  const Checked trace(report::chrome_trace(Timeline{}, origin()));
  CHECK(trace.slices.empty());
}

TEST_CASE("the summary of a trace fits a terminal and says what is in the file") {
  Design design = busy();
  set(design.run, Role::run, "fold", "false");
  Timeline timeline = recorded(design, {.end_s = 5.0});
  const std::string summary = report::trace_summary(timeline, "t.json");
  std::size_t line = 0;
  for (const char c : summary) {
    line = c == '\n' ? 0 : line + 1;
    CHECK(line <= 80);
  }
  CHECK(summary.find("worst rank") != std::string::npos);
  CHECK(summary.find("0 s to 5 s") != std::string::npos);
  timeline.spans_end_s = 2.0;
  CHECK(report::trace_summary(timeline, "t.json").find("too many") != std::string::npos);
}

}  // namespace trace_test
