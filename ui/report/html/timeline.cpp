#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "stallcast/prediction.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"

/// What happened when: how a rank spends its time, and how busy resources are, over the window.
namespace stallcast::report::html {
namespace {

constexpr std::size_t kColumns = 200;  // over the window
constexpr std::size_t kMostBusyRows = 8;
constexpr int kShades = 20;
constexpr double kSeenBusy = 0.005;  // resources less busy at any moment are left out
constexpr double kLabels = 300.0, kRight = 70.0;
constexpr double kLane = 64.0, kRow = 22.0, kAxis = 22.0;

/// Slices of a rank and the cause of lost time they are shown as.
struct Slice {
  std::string_view name;
  std::size_t cause;  ///< of kBreakdownCauses
};
constexpr Slice kSlices[] = {{"compute", 0},    {"communication", 1}, {"wait for data", 2},
                             {"metadata", 3},   {"cpu", 4},           {"decode on the GPU", 4},
                             {"checkpoint", 5}, {"restart", 6},       {"wait for ranks", 7},
                             {"barrier", 7}};

/// Seconds of each cause, by column.
using Columns = std::vector<std::array<double, kBreakdownCauses.size()>>;

Columns columns_of(const Timeline& t, std::uint32_t track) {
  Columns out(kColumns);
  const double width = (t.end_s - t.begin_s) / static_cast<double>(kColumns);
  for (const Timeline::Span& span : t.spans) {
    if (span.track != track || span.depth > 1) continue;
    const auto slice = std::find_if(std::begin(kSlices), std::end(kSlices),
                                    [&](const Slice& s) { return t.name(span) == s.name; });
    if (slice == std::end(kSlices)) continue;  // a step: what it is made of is shown
    const double begin = (span.begin_s - t.begin_s) / width, end = (span.end_s - t.begin_s) / width;
    const auto first = static_cast<std::size_t>(std::max(begin, 0.0));
    for (std::size_t i = first; i < kColumns && static_cast<double>(i) < end; ++i)
      out[i][slice->cause] += std::max(
          0.0, std::min(end, static_cast<double>(i + 1)) - std::max(begin, static_cast<double>(i)));
  }
  return out;
}

double x_of(double column) {
  return kLabels + column / static_cast<double>(kColumns) * (1000.0 - kLabels - kRight);
}

std::string lane(const Columns& columns, double y) {
  std::string out;
  for (std::size_t i = 0; i < columns.size();) {
    std::size_t next = i + 1;  // columns that look alike are one
    const auto alike = [&](std::size_t other) {
      for (std::size_t c = 0; c < kBreakdownCauses.size(); ++c)
        if (std::abs(columns[i][c] - columns[other][c]) > 0.01) return false;
      return true;
    };
    while (next < columns.size() && alike(next)) ++next;
    double base = y + kLane;
    for (std::size_t c = 0; c < kBreakdownCauses.size(); ++c) {
      const double height = std::min(columns[i][c], 1.0) * kLane;
      if (height < 0.3) continue;
      base -= height;
      out += svg_rect(x_of(static_cast<double>(i)), base,
                      x_of(static_cast<double>(next)) - x_of(static_cast<double>(i)), height,
                      kBreakdownCauses[c]);
    }
    i = next;
  }
  return out;
}

/// Mean of a counter's values in a column.
double mean_in(const Timeline::Counter& counter, std::size_t column) {
  const std::size_t n = counter.values.size();
  const std::size_t begin = column * n / kColumns;
  const std::size_t end = std::max((column + 1) * n / kColumns, begin + 1);
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

std::string heat_row(const Busy& busy, double y) {
  std::string out =
      svg_label(kLabels - 12.0, y + 15.0, "end", shortened(busy.counter->resource, 40));
  out += svg_rect(kLabels, y + 3.0, 1000.0 - kLabels - kRight, kRow - 6.0, "empty");
  const auto shade = [&](std::size_t column) {
    const double share = mean_in(*busy.counter, column) / busy.counter->capacity;
    return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kShades));
  };
  for (std::size_t i = 0; i < kColumns;) {
    const int level = shade(i);
    std::size_t next = i + 1;
    while (next < kColumns && shade(next) == level) ++next;
    if (level > 0)
      out += svg_rect(x_of(static_cast<double>(i)), y + 3.0,
                      x_of(static_cast<double>(next)) - x_of(static_cast<double>(i)), kRow - 6.0,
                      "bar", static_cast<double>(level) / kShades);
    i = next;
  }
  return out + svg_label(1000.0 - kRight + 8.0, y + 15.0, "start", print_share(busy.most));
}

}  // namespace

std::string timeline_section(const Timeline& t) {
  std::string chart;
  double y = 0.0;
  std::string job;
  std::array<double, kBreakdownCauses.size()> seconds{};
  for (std::uint32_t i = 0; i < t.tracks.size(); ++i) {
    const Timeline::Track& track = t.tracks[i];
    if (track.kind != "rank" || track.job == job) continue;  // the one that waits longest
    job = track.job;
    const Columns columns = columns_of(t, i);
    for (const auto& column : columns)
      for (std::size_t c = 0; c < kBreakdownCauses.size(); ++c) seconds[c] += column[c];
    chart += svg_label(kLabels - 12.0, y + kLane / 2.0, "end", "job " + job);
    chart += svg_label(kLabels - 12.0, y + kLane / 2.0 + 17.0, "end",
                       track.chosen == "only" ? "its ranks" : track.chosen + " rank");
    chart += lane(columns, y);
    y += kLane + 6.0;
  }
  if (chart.empty()) return "";
  const std::vector<Busy> rows = busiest(t);
  for (const Busy& row : rows) {
    chart += heat_row(row, y);
    y += kRow;
  }
  chart += svg_label(x_of(0.0), y + 16.0, "start", print_value(t.begin_s, "s"));
  chart +=
      svg_label(x_of(static_cast<double>(kColumns)), y + 16.0, "end", print_value(t.end_s, "s"));
  std::string legend;
  for (std::size_t c = 0; c < kBreakdownCauses.size(); ++c)
    if (seconds[c] > 0.0)
      legend += "<li><i style=\"background:var(--" + std::string(kBreakdownCauses[c]) + ")\"></i>" +
                markup(kBreakdownCauses[c]) + "</li>";
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
         svg("time line", y + kAxis, chart) + "<ul class=\"legend\">" + legend + "</ul>\n" +
         table({{"resource in the window"}, {"mean", "number"}, {"busiest moment", "number"}},
               table_rows);
}

}  // namespace stallcast::report::html
