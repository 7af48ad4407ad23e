#include "ui/report/waterfall.hpp"

#include <algorithm>
#include <cmath>

#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::report {
namespace {

constexpr int kWhole = 1000;  // tenths of a percent
constexpr std::size_t kNameColumns = 30;
constexpr std::size_t kFigureColumns = 9;

}  // namespace

std::string_view words_of_cause(std::size_t cause, std::string_view cpu) {
  const std::string_view name = kBreakdownCauses[cause];
  return name == "cpu" ? cpu : label::of_cause(name);
}

std::vector<Fall> waterfall(const std::map<std::string, double>& shares, std::string_view cpu) {
  const std::vector<int> tenths = tenths_of_percent(shares);
  std::vector<Fall> out;
  for (std::size_t i = 1; i < tenths.size(); ++i)
    if (tenths[i] > 0)
      out.push_back(
          {std::string(kBreakdownCauses[i]), std::string(words_of_cause(i, cpu)), tenths[i], 0});
  std::stable_sort(out.begin(), out.end(),
                   [](const Fall& a, const Fall& b) { return a.from > b.from; });
  int left_over = kWhole;
  for (Fall& fall : out) {
    const int part = fall.from;
    fall.from = left_over;
    fall.to = left_over -= part;
  }
  const std::string_view compute = kBreakdownCauses.front();
  out.push_back({std::string(compute), std::string(label::of_cause(compute)), tenths.front(), 0});
  return out;
}

std::string waterfall_sum(const std::vector<Fall>& falls) {
  std::string out = "100 %";
  for (const Fall& fall : falls)
    out += (&fall == &falls.back() ? " = " : " - ") + fall.label + " " + print_tenths(fall.part());
  return out;
}

std::string waterfall_lines(const std::vector<Fall>& falls) {
  const std::size_t room =
      page_columns() - std::min(page_columns(), 4 + kNameColumns + kFigureColumns);
  const auto cell = [&](int tenths) {
    return static_cast<std::size_t>(
        std::lround(static_cast<double>(tenths) / kWhole * static_cast<double>(room)));
  };
  std::string out;
  for (const Fall& fall : falls) {
    const std::size_t from = std::min(cell(fall.to), room - std::min<std::size_t>(room, 1));
    const std::size_t length = std::max<std::size_t>(cell(fall.from) - cell(fall.to), room > 0);
    const bool rest = &fall == &falls.back();
    out += "  " + left(fall.label, kNameColumns) +
           right((rest ? "" : "-") + print_tenths(fall.part()), kFigureColumns);
    if (fall.part() > 0) out += "  " + std::string(from, ' ') + std::string(length, '#');
    out += "\n";
  }
  return out;
}

std::string undone_phrase(const Prediction& p, const std::string& job) {
  const std::optional<double> left = goodput_left(p, job);
  if (!left) return "";
  const double busy = p.metrics.at(metric::gpu_utilization(job)).value;
  return "GPUs were busy " + print_share(busy) + " of it: " + points(busy - *left, 1) +
         " are compute that failures undid";
}

}  // namespace stallcast::report
