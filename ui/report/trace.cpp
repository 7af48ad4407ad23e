#include "ui/report/trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::report {
namespace {

// The Chrome trace event format: X a slice, M what a process or thread is called, C a counter,
// s and f the ends of an arrow.
//    [https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU]

/// A group of lanes or counters that viewers show as one process.
struct Process {
  int pid = 0;
  std::string name;
  std::string labels;
};

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

/// In us: whole ns have three digits.
std::string microseconds(std::int64_t ns) {
  const std::string rest = std::to_string(1000 + ns % 1000);
  return std::to_string(ns / 1000) + "." + rest.substr(1);
}

std::string json_number(double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(digits.data(), end);
}

std::string plain(double count) {
  const double whole = std::round(count);
  return count == whole && count < 1e15 ? std::to_string(static_cast<std::int64_t>(whole))
                                        : base::significant(count, 6);
}

/// "storage.scratch" and "oss.nic" of "storage.scratch.oss.nic".
std::pair<std::string, std::string> owner_and_part(const std::string& resource) {
  std::size_t dot = resource.find('.');
  if (dot != std::string::npos) dot = resource.find('.', dot + 1);
  if (dot == std::string::npos) return {resource, resource};
  return {resource.substr(0, dot), resource.substr(dot + 1)};
}

/// What a lane that belongs to no class of ranks stands under.
std::string group(const Timeline::Track& track) {
  if (track.kind == "tenant") return "tenant " + track.job;
  if (track.kind == "stage") return "stages";
  if (track.job.empty()) return "failures of storage";
  const bool saves = track.kind == "checkpoint";
  const std::string what = track.kind == "failure" ? "failures" : saves ? "saves" : track.kind;
  return "job " + track.job + ": " + what;
}

class Writer {
 public:
  explicit Writer(const Timeline& timeline) : t_(timeline) {}

  std::string write(const TraceOrigin& origin) {
    name_tracks();
    slices();
    arrows();
    counters();
    return "{\"displayTimeUnit\":\"ms\",\"otherData\":" + other(origin) + ",\"traceEvents\":[\n" +
           out_ + "\n]}\n";
  }

 private:
  void event(const std::string& members) {
    if (!out_.empty()) out_ += ",\n";
    out_ += "{" + members + "}";
  }

  /// The pid of a process, which is named when it first comes.
  int process(const std::string& key, const std::string& name, const std::string& labels = "") {
    const auto found = pids_.find(key);
    if (found != pids_.end()) return found->second;
    const int pid = static_cast<int>(pids_.size()) + 1;
    pids_.emplace(key, pid);
    const auto say = [&](const char* what, const std::string& args) {
      event("\"ph\":\"M\",\"pid\":" + std::to_string(pid) + ",\"tid\":0,\"name\":\"" + what +
            "\",\"args\":{" + args + "}");
    };
    say("process_name", "\"name\":" + base::json_text(name));
    if (!labels.empty()) say("process_labels", "\"labels\":" + base::json_text(labels));
    say("process_sort_index", "\"sort_index\":" + std::to_string(pid));
    return pid;
  }

  void name_tracks() {
    std::map<int, int> lanes;  // by pid
    for (const Timeline::Track& track : t_.tracks) {
      std::string key = track.kind + "/" + track.job, name = group(track);
      std::string labels;
      if (track.rank_class >= 0) {
        name = "job " + track.job + ": " + track.chosen + " rank";
        if (track.chosen == "only") name = "job " + track.job + ": rank";
        key = track.job + "/" + std::to_string(track.rank_class);
        if (track.chosen != "only") name += ", class " + std::to_string(track.rank_class);
        labels = "stands for " + plain(track.members) + (track.members == 1.0 ? " rank" : " ranks");
      }
      const int pid = process(key, name, labels);
      const int tid = ++lanes[pid];
      place_.emplace_back(pid, tid);
      const auto say = [&](const char* what, const std::string& args) {
        event("\"ph\":\"M\",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) +
              ",\"name\":\"" + what + "\",\"args\":{" + args + "}");
      };
      say("thread_name", "\"name\":" + base::json_text(track.name));
      say("thread_sort_index", "\"sort_index\":" + std::to_string(tid));
    }
  }

  [[nodiscard]] std::string at(std::uint32_t track, std::int64_t ns) const {
    const auto& [pid, tid] = place_[track];
    return "\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) +
           ",\"ts\":" + microseconds(ns);
  }

  void slices() {
    for (const Timeline::Span& span : t_.spans) {
      const std::int64_t begin = nanoseconds(span.begin_s), end = nanoseconds(span.end_s);
      if (end <= begin) continue;
      // As the PyTorch profiler writes them, so that tools that read its traces find the steps.
      const bool step = t_.name(span) == "step";
      std::string name = step ? "ProfilerStep" : t_.name(span);
      if (span.number >= 0) name += "#" + std::to_string(span.number);
      std::string args;
      if (span.cause >= 0) args += "\"limited by\":" + base::json_text(t_.cause(span));
      if (span.cut) args += std::string(args.empty() ? "" : ",") + "\"cut\":true";
      event("\"ph\":\"X\"," + at(span.track, begin) + ",\"dur\":" + microseconds(end - begin) +
            ",\"name\":" + base::json_text(name) + ",\"cat\":\"" +
            (step ? "user_annotation" : t_.tracks[span.track].kind) + "\"" +
            (args.empty() ? "" : ",\"args\":{" + args + "}"));
    }
  }

  /// From each batch to the compute that takes it.
  void arrows() {
    std::map<std::pair<std::pair<std::string, int>, std::int64_t>, const Timeline::Span*> loaded;
    const auto key = [&](const Timeline::Span& span) {
      const Timeline::Track& track = t_.tracks[span.track];
      return std::pair{std::pair{track.job, track.rank_class}, span.number};
    };
    for (const Timeline::Span& span : t_.spans)
      if (t_.tracks[span.track].kind == "loader" && t_.name(span) == "batch" && !span.cut)
        loaded[key(span)] = &span;
    int id = 0;
    for (const Timeline::Span& span : t_.spans) {
      if (t_.tracks[span.track].kind != "rank" || t_.name(span) != "compute") continue;
      const auto found = span.number < 0 ? loaded.end() : loaded.find(key(span));
      if (found == loaded.end()) continue;
      const Timeline::Span& batch = *found->second;
      const std::int64_t from = nanoseconds(batch.end_s), to = nanoseconds(span.begin_s);
      if (from <= nanoseconds(batch.begin_s) || nanoseconds(span.end_s) <= to) continue;
      const std::string rest =
          ",\"id\":" + std::to_string(++id) + ",\"name\":\"batch\",\"cat\":\"batch\"";
      // An arrow begins within the slice it begins in.
      event("\"ph\":\"s\"," + at(batch.track, from - 1) + rest);
      event("\"ph\":\"f\",\"bp\":\"e\"," + at(span.track, to) + rest);
    }
  }

  void counters() {
    for (const Timeline::Counter& counter : t_.counters) {
      const auto [owner, part] = owner_and_part(counter.resource);
      const int pid = process("resource/" + owner, owner);
      const bool bytes = counter.unit == "B/s";
      const bool queue = counter.what == "queue";
      values(pid, part + (queue ? " queue" : ""), bytes ? "GB/s" : counter.unit, counter,
             bytes ? 1e-9 : 1.0);
      if (!queue && counter.capacity > 0.0)
        values(pid, part + " utilization", "%", counter, 100.0 / counter.capacity);
    }
  }

  /// A value holds until the next; the last one ends the window.
  void values(int pid, const std::string& name, const std::string& unit,
              const Timeline::Counter& counter, double scale) {
    const std::string head = "\"ph\":\"C\",\"pid\":" + std::to_string(pid) +
                             ",\"name\":" + base::json_text(name) + ",\"ts\":";
    const std::string tail = ",\"args\":{" + base::json_text(unit) + ":";
    double before = -1.0;
    for (std::size_t i = 0; i < counter.values.size(); ++i) {
      if (counter.values[i] == before) continue;
      before = counter.values[i];
      event(head + microseconds(nanoseconds(t_.begin_s + static_cast<double>(i) * t_.bin_s)) +
            tail + json_number(before * scale) + "}");
    }
    event(head + microseconds(nanoseconds(t_.end_s)) + tail + "0}");
  }

  [[nodiscard]] std::string other(const TraceOrigin& origin) const {
    nlohmann::ordered_json out;
    out["tool"] = "stallcast " + origin.version;
    out["model"] = origin.model_version;
    out["scenario"] = origin.scenario;
    out["design"] = origin.design_sha256;
    out["seed"] = t_.seed;
    out["window_s"] = {t_.begin_s, t_.end_s};
    out["spans_until_s"] = t_.spans_end_s;
    out["run_ended"] = t_.run_ended;
    out["repeats_s"] = nlohmann::ordered_json::array();
    for (const Timeline::Repeats& repeats : t_.repeats)
      out["repeats_s"].push_back({repeats.begin_s, repeats.end_s});
    return base::one_line(out);
  }

  const Timeline& t_;
  std::string out_;
  std::map<std::string, int> pids_;
  std::vector<std::pair<int, int>> place_;  ///< pid and tid of each track
};

}  // namespace

std::string chrome_trace(const Timeline& timeline, const TraceOrigin& origin) {
  return Writer(timeline).write(origin);
}

}  // namespace stallcast::report
