#include "calibration/fit/laws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace stallcast::calibration::fit {
namespace {

double bytes(const FitCell& cell) { return cell.size.in(unit::B); }
double seconds(const FitCell& cell) { return cell.response().in(unit::s); }

/// The quickest response: what is left when nothing queues.
double quickest(std::span<const FitCell> cells) {
  double least = seconds(cells.front());
  for (const FitCell& cell : cells) least = std::min(least, seconds(cell));
  return least;
}

/// Most operations per second of any cell.
double most_ops(std::span<const FitCell> cells) {
  double most = 0.0;
  for (const FitCell& cell : cells) most = std::max(most, cell.depth / seconds(cell));
  return most;
}

/// Most bytes per second of any cell.
double most_bytes(std::span<const FitCell> cells) {
  double most = 1.0;
  for (const FitCell& cell : cells) most = std::max(most, cell.depth * bytes(cell) / seconds(cell));
  return most;
}

// R = alpha + b / B                                                        [calibration.md, eq. 2]
constexpr std::array kHockneyParameters{LawParameter{"alpha", "s"}, LawParameter{"B", "B/s"}};
double hockney(std::span<const double> p, const FitCell& cell) { return p[0] + bytes(cell) / p[1]; }
std::vector<double> hockney_start(std::span<const FitCell> cells) {
  return {0.9 * quickest(cells), 1.1 * most_bytes(cells)};
}

// R = max(a, b / B)                                                       [calibration.md, eq. 16]
constexpr std::array kKneeParameters{LawParameter{"a", "s"}, LawParameter{"B", "B/s"}};
double knee(std::span<const double> p, const FitCell& cell) {
  return std::max(p[0], bytes(cell) / p[1]);
}
std::vector<double> knee_start(std::span<const FitCell> cells) {
  return {quickest(cells), most_bytes(cells) / cells.front().depth};
}

// R = Z + n D                                                              [calibration.md, eq. 3]
constexpr std::array kStationParameters{LawParameter{"Z", "s"}, LawParameter{"D", "s"}};
double station(std::span<const double> p, const FitCell& cell) { return p[0] + cell.depth * p[1]; }
std::vector<double> station_start(std::span<const FitCell> cells) {
  return {0.9 * quickest(cells), 0.9 / most_ops(cells)};
}

// As many are served at one time, at least one.
constexpr LawParameter kLanes{"K", "1", 1.0};

// R = Z + max(n, K) D                                                     [calibration.md, eq. 17]
constexpr std::array kLaneStationParameters{LawParameter{"Z", "s"}, LawParameter{"D", "s"}, kLanes};
double lane_station(std::span<const double> p, const FitCell& cell) {
  return p[0] + std::max(cell.depth, p[2]) * p[1];
}
std::vector<double> lane_station_start(std::span<const FitCell> cells) {
  return {0.5 * quickest(cells), 0.9 / most_ops(cells), 0.5 * most_ops(cells) * quickest(cells)};
}

// R = alpha + n (s + b / B)                                                [calibration.md, eq. 4]
constexpr LawParameter kAlpha{"alpha", "s"}, kPerOp{"s", "s"}, kBytes{"B", "B/s"};
constexpr std::array kLineParameters{kAlpha, kPerOp, kBytes};
double line(std::span<const double> p, const FitCell& cell) {
  return p[0] + cell.depth * (p[1] + bytes(cell) / p[2]);
}
std::vector<double> line_start(std::span<const FitCell> cells) {
  return {0.8 * quickest(cells), 0.5 / most_ops(cells), 1.1 * most_bytes(cells)};
}

// R = alpha + max(n, K) (s + b / B)                                       [calibration.md, eq. 18]
constexpr std::array kLanesParameters{kAlpha, kPerOp, kBytes, kLanes};
double lanes(std::span<const double> p, const FitCell& cell) {
  return p[0] + std::max(cell.depth, p[3]) * (p[1] + bytes(cell) / p[2]);
}
std::vector<double> lanes_start(std::span<const FitCell> cells) {
  std::vector<double> out = line_start(cells);
  out.push_back(4.0);
  return out;
}

// Closed network of a delay alpha and K lanes, drawn at random, of demand D = s + b / B all
// together, by exact mean value analysis: R(n) = D (K + Q(n - 1)), X(n) = n / (alpha + R(n)),
// Q(n) = X(n) R(n); of one lane as well. Between whole n in proportion: tools may hold 6.1 requests
// in the mean.                                                  [calibration.md, eq. 5 and eq. 19]
double closed_network(std::span<const double> p, const FitCell& cell, double lanes_of_device) {
  const double demand = p[1] + bytes(cell) / p[2];
  double queue = 0.0, at_server = demand, of_fewer = demand;
  const double population = std::max(1.0, cell.depth);
  const auto whole = static_cast<int>(std::ceil(population));
  for (int n = 1; n <= whole; ++n) {
    of_fewer = n == 1 ? demand * lanes_of_device : at_server;
    at_server = demand * (lanes_of_device + queue);
    queue = n / (p[0] + at_server) * at_server;
  }
  return p[0] + at_server - (whole - population) * (at_server - of_fewer);
}
double mva(std::span<const double> p, const FitCell& cell) { return closed_network(p, cell, 1.0); }
double random_lanes(std::span<const double> p, const FitCell& cell) {
  return closed_network(p, cell, p[3]);
}

// R = max(alpha + b / S, n (s + b / B)): each stream moves S by itself, all together s and B.
//                                                                          [calibration.md, eq. 6]
constexpr std::array kRooflineParameters{kAlpha, LawParameter{"S", "B/s"}, kPerOp, kBytes};
double roofline(std::span<const double> p, const FitCell& cell) {
  return std::max(p[0] + bytes(cell) / p[1], cell.depth * (p[2] + bytes(cell) / p[3]));
}
std::vector<double> roofline_start(std::span<const FitCell> cells) {
  return {0.9 * quickest(cells), most_bytes(cells), 0.9 / most_ops(cells), 1.1 * most_bytes(cells)};
}

// R = max(alpha + b / S, n max(s, b / B)): a volume with a limit of operations and one of bytes.
//                                                                         [calibration.md, eq. 12]
double throttle(std::span<const double> p, const FitCell& cell) {
  return std::max(p[0] + bytes(cell) / p[1], cell.depth * std::max(p[2], bytes(cell) / p[3]));
}

// T = a + d log2(n) + q sqrt(n), with both terms or one            [calibration.md, eq. 11]
constexpr LawParameter kBase{"a", "s"}, kDoubling{"d", "s"}, kRoot{"q", "s"};
constexpr std::array kDoublingParameters{kBase, kDoubling};
constexpr std::array kRootParameters{kBase, kRoot};
constexpr std::array kMeetingParameters{kBase, kDoubling, kRoot};
double doublings(std::span<const double> p, const FitCell& cell) {
  return p[0] + p[1] * std::log2(cell.processes);
}
double root(std::span<const double> p, const FitCell& cell) {
  return p[0] + p[1] * std::sqrt(cell.processes);
}
double meeting(std::span<const double> p, const FitCell& cell) {
  return p[0] + p[1] * std::log2(cell.processes) + p[2] * std::sqrt(cell.processes);
}
std::vector<double> one_term_start(std::span<const FitCell> cells) {
  return {0.5 * quickest(cells), 0.25 * quickest(cells)};
}
std::vector<double> meeting_start(std::span<const FitCell> cells) {
  return {0.5 * quickest(cells), 0.25 * quickest(cells), 0.25 * quickest(cells)};
}

// R = T max(1, x / s) for x processes a core                      [calibration.md, eq. 15]
constexpr std::array kCoresParameters{LawParameter{"T", "s"}, LawParameter{"s", "1"}};
double sharing(std::span<const double> p, const FitCell& cell) {
  return p[0] * std::max(1.0, cell.depth / p[1]);
}
std::vector<double> sharing_start(std::span<const FitCell> cells) { return {quickest(cells), 1.0}; }

constexpr std::array kLaws{
    Law{"hockney", "R(b) = alpha + b / B", kHockneyParameters, hockney, hockney_start, true, false},
    Law{"knee", "R(b) = max(a, b / B)", kKneeParameters, knee, knee_start, true, false,
        LawOf::queues},
    Law{"station", "R(n) = Z + n D", kStationParameters, station, station_start, false, true},
    Law{"lane station", "R(n) = Z + max(n, K) D", kLaneStationParameters, lane_station,
        lane_station_start, false, true, LawOf::devices},
    Law{"line", "R(n, b) = alpha + n (s + b / B)", kLineParameters, line, line_start, true, true},
    Law{"mva", "closed network of a delay alpha and one server of demand s + b / B",
        kLineParameters, mva, line_start, true, true},
    Law{"lanes", "R(n, b) = alpha + max(n, K) (s + b / B)", kLanesParameters, lanes, lanes_start,
        true, true, LawOf::devices},
    Law{"random lanes", "closed network of a delay alpha and K lanes of demand s + b / B together",
        kLanesParameters, random_lanes, lanes_start, true, true, LawOf::devices},
    Law{"roofline", "R(n, b) = max(alpha + b / S, n (s + b / B))", kRooflineParameters, roofline,
        roofline_start, true, true},
    Law{"throttle", "R(n, b) = max(alpha + b / S, n max(s, b / B))", kRooflineParameters, throttle,
        roofline_start, true, true},
    Law{"doublings", "T(n) = a + d log2(n)", kDoublingParameters, doublings, one_term_start, false,
        false, LawOf::ranks},
    Law{"root", "T(n) = a + q sqrt(n)", kRootParameters, root, one_term_start, false, false,
        LawOf::ranks},
    Law{"doublings and root", "T(n) = a + d log2(n) + q sqrt(n)", kMeetingParameters, meeting,
        meeting_start, false, false, LawOf::ranks},
    Law{"cores", "R(x) = T max(1, x / s)", kCoresParameters, sharing, sharing_start, false, true,
        LawOf::cores},
};

/// Whether `series` may follow a law of `of`.
bool of_subject(LawOf of, const FitSeries& series) {
  switch (of) {
    case LawOf::ranks:
      return series.over_ranks;
    case LawOf::cores:
      return series.over_cores;
    case LawOf::devices:
      return series.subject == Subject::io && !series.over_ranks;
    case LawOf::queues:
      return of_subject(LawOf::devices, series) && series.cells.front().depth > 1.0;
    case LawOf::sizes:
      return !series.over_ranks && !series.over_cores;
  }
  return false;
}

}  // namespace

std::span<const Law> laws() { return kLaws; }

const Law& law(std::string_view id) {
  return *std::find_if(kLaws.begin(), kLaws.end(), [&](const Law& row) { return row.id == id; });
}

std::vector<const Law*> candidates(const FitSeries& series) {
  if (series.cells.empty()) return {};
  std::set<Bytes> sizes;
  std::set<double> depths;
  for (const FitCell& cell : series.cells) {
    sizes.insert(cell.size);
    depths.insert(cell.depth);
  }
  std::vector<const Law*> out;
  for (const Law& row : kLaws) {
    if (!of_subject(row.of, series)) continue;
    const bool by_size = row.needs_sizes == (sizes.size() > 1);
    const bool by_depth = row.needs_depths == (depths.size() > 1);
    if (by_size && by_depth && series.cells.size() > row.parameters.size()) out.push_back(&row);
  }
  return out;
}

}  // namespace stallcast::calibration::fit
