#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/quantity_text.hpp"
#include "ui/report/trace.hpp"

namespace stallcast::report {
namespace {

std::string time(double seconds) { return base::print_quantity(seconds, Dimension::time); }

std::string counted(std::size_t count, const std::string& what) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits + " " + what + (count == 1 ? "" : "s");
}

/// "train: ranks worst, median, best".
std::string shown(const Timeline& timeline) {
  std::map<std::string, std::string> jobs;
  for (const Timeline::Track& track : timeline.tracks) {
    if (track.kind != "rank") continue;
    std::string& text = jobs[track.job];
    text += text.empty() ? "job " + track.job + ": " : ", ";
    text += track.chosen == "only" ? "the one class of ranks" : track.chosen + " rank";
  }
  std::string out;
  for (const auto& [job, text] : jobs) out += "       " + text + "\n";
  return out;
}

}  // namespace

std::string trace_summary(const Timeline& timeline, std::string_view file) {
  std::string out = "trace: " + std::string(file) + "\n       " + time(timeline.begin_s) + " to " +
                    time(timeline.end_s) + " of the run";
  if (timeline.run_ended) out += ", which ends there";
  out += ": " + counted(timeline.spans.size(), "span") + ", " +
         counted(timeline.counters.size(), "counter") + "\n" + shown(timeline);
  if (timeline.spans_end_s < timeline.end_s)
    out += "       the spans end at " + time(timeline.spans_end_s) +
           ": there are too many; choose a shorter --trace-window\n";
  if (timeline.spans.empty() && timeline.run_ended)
    out += "       the run ends before the window begins\n";
  return out + "       open it in https://ui.perfetto.dev\n";
}

}  // namespace stallcast::report
