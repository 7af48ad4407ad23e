#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "stallcast/label.hpp"
#include "stallcast/prediction.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/waterfall.hpp"

/// What happened when: how a rank spends its time, and how busy resources are, over the window.
namespace stallcast::report::html {
namespace {

constexpr std::size_t kTimeColumns = 200;  // over the window
constexpr std::size_t kMostBusyRows = 8;
constexpr int kShades = 20;
constexpr double kSeenBusy = 0.005;  // resources less busy at any moment are left out
constexpr double kTimeLabels = 300.0, kTimeRight = 64.0;
constexpr double kTimeLane = 64.0, kHeatRow = 16.0, kHeatGap = 6.0, kTimeAxis = 22.0;

/// Slices of a rank and the cause of lost time they are shown as.
struct Slice {
  std::string_view name;
  std::size_t cause;  ///< of kBreakdownCauses
};
constexpr Slice kSlices[] = {{"compute", 0},
                             {"communication", 1},
                             {"wait for communication", 1},
                             {"wait for data", 2},
                             {"wait for metadata", 3},
                             {"wait for cpu", 4},
                             {"decode on the GPU", 4},
                             {"checkpoint", 5},
                             {"restart", 6},
                             {"wait for ranks", 7},
                             {"barrier", 7}};

/// Seconds of each cause, by column.
using Columns = std::vector<std::array<double, kBreakdownCauses.size()>>;

Columns columns_of(const Timeline& t, std::uint32_t track) {
  Columns out(kTimeColumns);
  const double width = (t.end_s - t.begin_s) / static_cast<double>(kTimeColumns);
  for (const Timeline::Span& span : t.spans) {
    if (span.track != track || span.depth > 1) continue;
    const auto slice = std::find_if(std::begin(kSlices), std::end(kSlices),
                                    [&](const Slice& s) { return t.name(span) == s.name; });
    if (slice == std::end(kSlices)) continue;  // a step: what it is made of is shown
    const double begin = (span.begin_s - t.begin_s) / width, end = (span.end_s - t.begin_s) / width;
    const auto first = static_cast<std::size_t>(std::max(begin, 0.0));
    for (std::size_t i = first; i < kTimeColumns && static_cast<double>(i) < end; ++i)
      out[i][slice->cause] += std::max(
          0.0, std::min(end, static_cast<double>(i + 1)) - std::max(begin, static_cast<double>(i)));
  }
  return out;
}

/// Where things are in a drawing of some width: names stand left of what they are of, on narrow
/// screens above it.
struct TimeFrame {
  explicit TimeFrame(double width)
      : narrow(width < kSvgWidth), left(narrow ? 0.0 : kTimeLabels), right(width - kTimeRight) {}
  bool narrow;
  double left, right;
  [[nodiscard]] double x(double column) const {
    return left + column / static_cast<double>(kTimeColumns) * (right - left);
  }
  /// A name for what is `height` high at `y`. It moves that down where it stands above it, and
  /// takes more of the height where it has several lines.
  [[nodiscard]] std::string name(double& y, double& height, std::string_view text) const {
    if (!narrow) {
      const std::vector<std::string> lines = lines_of(text, kTimeLabels - 12.0);
      height = std::max(height, kTextLine * static_cast<double>(lines.size()));
      const double rest = height - kTextLine * static_cast<double>(lines.size());
      return svg_labels(left - 12.0, y + rest / 2.0 + 13.0, "end", lines);
    }
    const std::vector<std::string> lines = lines_of(text, right);
    const std::string out = svg_labels(0.0, y + 13.0, "start", lines);
    y += kTextLine * static_cast<double>(lines.size()) + 2.0;
    return out;
  }
};

std::string lane(const Columns& columns, const TimeFrame& frame, double y) {
  std::string out;
  for (std::size_t i = 0; i < columns.size();) {
    std::size_t next = i + 1;  // columns that look alike are one
    const auto alike = [&](std::size_t other) {
      for (std::size_t c = 0; c < kBreakdownCauses.size(); ++c)
        if (std::abs(columns[i][c] - columns[other][c]) > 0.01) return false;
      return true;
    };
    while (next < columns.size() && alike(next)) ++next;
    double base = y + kTimeLane;
    for (std::size_t c = 0; c < kBreakdownCauses.size(); ++c) {
      const double height = std::min(columns[i][c], 1.0) * kTimeLane;
      if (height < 0.3) continue;
      base -= height;
      const double x = frame.x(static_cast<double>(i));
      out += svg_rect(x, base, frame.x(static_cast<double>(next)) - x, height, kBreakdownCauses[c]);
    }
    i = next;
  }
  return out;
}

/// Mean of a counter's values in a column.
double mean_in(const Timeline::Counter& counter, std::size_t column) {
  const std::size_t n = counter.values.size();
  const std::size_t begin = column * n / kTimeColumns;
  const std::size_t end = std::max((column + 1) * n / kTimeColumns, begin + 1);
  double sum = 0.0;
  for (std::size_t i = begin; i < std::min(end, n); ++i) sum += counter.values[i];
  return sum / static_cast<double>(std::max<std::size_t>(std::min(end, n) - begin, 1));
}

struct Busy {
  const Timeline::Counter* counter = nullptr;
  double mean = 0.0, most = 0.0;  ///< of its capacity
};

std::vector<Busy> busiest(const Timeline& t) {
  std::vector<Busy> out;
  for (const Timeline::Counter& c : t.counters) {
    if (c.what != "throughput" || !(c.capacity > 0.0) || c.values.empty()) continue;
    const double sum = std::accumulate(c.values.begin(), c.values.end(), 0.0);
    out.push_back({&c, sum / static_cast<double>(c.values.size()) / c.capacity,
                   *std::max_element(c.values.begin(), c.values.end()) / c.capacity});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Busy& a, const Busy& b) { return a.most > b.most; });
  std::erase_if(out, [](const Busy& busy) { return busy.most < kSeenBusy; });
  if (out.size() > kMostBusyRows) out.resize(kMostBusyRows);
  return out;
}

std::string heat_row(const Busy& busy, const TimeFrame& frame, double y) {
  std::string out = svg_rect(frame.left, y, frame.right - frame.left, kHeatRow, "empty");
  const auto shade = [&](std::size_t column) {
    const double share = mean_in(*busy.counter, column) / busy.counter->capacity;
    return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kShades));
  };
  for (std::size_t i = 0; i < kTimeColumns;) {
    const int level = shade(i);
    std::size_t next = i + 1;
    while (next < kTimeColumns && shade(next) == level) ++next;
    if (level > 0)
      out += svg_rect(frame.x(static_cast<double>(i)), y,
                      frame.x(static_cast<double>(next)) - frame.x(static_cast<double>(i)),
                      kHeatRow, "bar", static_cast<double>(level) / kShades);
    i = next;
  }
  return out + svg_label(frame.right + 8.0, y + 13.0, "start", print_share(busy.most));
}

/// A job's rank that waits longest.
struct TimeLane {
  std::string name, job;
  Columns columns;
};

std::vector<TimeLane> lanes_of(const Timeline& t) {
  std::vector<TimeLane> out;
  std::string job;
  for (std::uint32_t i = 0; i < t.tracks.size(); ++i) {
    const Timeline::Track& track = t.tracks[i];
    if (track.kind != "rank" || (!out.empty() && track.job == job)) continue;
    job = track.job;
    out.push_back(
        {"job " + job + ", " + (track.chosen == "only" ? "its ranks" : track.chosen + " rank"), job,
         columns_of(t, i)});
  }
  return out;
}

Drawn timeline_drawn(const Timeline& t, const std::vector<TimeLane>& lanes,
                     const std::vector<Busy>& rows, double width) {
  const TimeFrame frame(width);
  Drawn out;
  double y = 2.0;
  for (const TimeLane& one : lanes) {
    double height = kTimeLane;
    out.content += frame.name(y, height, one.name);
    out.content += lane(one.columns, frame, y);
    y += height + kHeatGap;
  }
  for (const Busy& row : rows) {
    double height = kHeatRow;
    out.content += frame.name(y, height, label::of_resource(row.counter->resource));
    out.content += heat_row(row, frame, y);
    y += height + kHeatGap;
  }
  out.content += svg_label(frame.left, y + 12.0, "start", print_value(t.begin_s, "s")) +
                 svg_label(frame.right, y + 12.0, "end", print_value(t.end_s, "s"));
  out.height = y + kTimeAxis;
  return out;
}

/// What the jobs that are drawn wait for as "cpu".
std::string_view cpu_of_lanes(const std::vector<TimeLane>& lanes, const Prediction& p) {
  std::string_view out;
  for (const TimeLane& lane : lanes) {
    const std::string_view words = cpu_words(p, lane.job);
    if (!out.empty() && out != words) return "waiting for decoders, cores";
    out = words;
  }
  return out;
}

std::string causes_legend(const std::vector<TimeLane>& lanes, const Prediction& p) {
  std::string out;
  for (std::size_t c = 0; c < kBreakdownCauses.size(); ++c) {
    double seconds = 0.0;
    for (const TimeLane& one : lanes)
      for (const auto& column : one.columns) seconds += column[c];
    if (seconds > 0.0)
      out += "<li><i style=\"background:var(--" + std::string(kBreakdownCauses[c]) + ")\"></i>" +
             markup(words_of_cause(c, cpu_of_lanes(lanes, p))) + "</li>";
  }
  return "<ul class=\"legend\">" + out + "</ul>\n";
}

}  // namespace

std::string timeline_section(const Timeline& t, const Prediction& p) {
  const std::vector<TimeLane> lanes = lanes_of(t);
  if (lanes.empty()) return "";
  const std::vector<Busy> rows = busiest(t);
  std::vector<std::vector<std::string>> table_rows;
  for (const Busy& row : rows)
    table_rows.push_back(
        {named(row.counter->resource), print_share(row.mean), print_share(row.most)});
  return element(
             "p",
             "One simulation, " + print_value(t.begin_s, "s") + " to " + print_value(t.end_s, "s") +
                 ": how ranks spend each moment, and below how busy resources are (the darker the "
                 "busier; at the right their busiest moment). --trace FILE has every slice.",
             "soft") +
         svg_twice("time line",
                   [&](double width) { return timeline_drawn(t, lanes, rows, width); }) +
         causes_legend(lanes, p) +
         table({{"resource in the window"}, {"mean", "number"}, {"busiest moment", "number"}},
               table_rows);
}

}  // namespace stallcast::report::html
