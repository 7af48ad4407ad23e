#include "calibration/fit/open_axes.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "calibration/fit/draws.hpp"
#include "calibration/fit/laws.hpp"
#include "calibration/fit/unseen.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::fit {
namespace {

using Parameters = std::vector<double>;

/// Lanes of a device whose lanes were not measured: 1 of a disk, some tens of flash; and up to four
/// times as many as were in flight, where those are more.
constexpr double kMostLanes = 32.0, kLanesPerDepth = 4.0;

/// Where `part` of a range lies whose lower end is a quarter of all cases: one lane, bytes alone.
double from_least(double part) { return std::clamp((part - 0.25) / 0.75, 0.0, 1.0); }
/// The same of a range whose upper end is another quarter.
double between_ends(double part) { return std::clamp((part - 0.25) / 0.5, 0.0, 1.0); }

/// The parameters of `named` that `made` makes of those of `fit`: of the values with the middle of
/// what is not known, of each draw with a part of it drawn anew (two numbers between 0 and 1).
template <class Made>
void replace(Fit& fit, std::string_view named, std::uint64_t seed, Made made) {
  Parameters values;
  for (const FittedParameter& p : fit.parameters) values.push_back(p.value);
  values = made(values, 0.5, 0.5);
  Draws draws(seed + 1);  // not those of the bootstrap
  for (Parameters& draw : fit.draws) {
    const double first = draws.part(), second = draws.part();
    draw = made(draw, first, second);
  }
  const Law& as = law(named);
  fit.law = as.id;
  fit.equation = as.equation;
  fit.parameters.clear();
  for (std::size_t j = 0; j < as.parameters.size(); ++j) {
    Parameters column;
    for (const Parameters& draw : fit.draws) column.push_back(draw[j]);
    fit.parameters.push_back(parameter_of(std::string(as.parameters[j].name),
                                          std::string(as.parameters[j].unit), values[j], column));
  }
}

// R(b) = a + b / B1 of n in flight: with K lanes max(n, K) B1 is what the device moves, and
// a = alpha + max(n, K) s.                                                [calibration.md, eq. 16]
void of_one_depth(Fit& fit, double depth, std::uint64_t seed) {
  const double most = std::max(kMostLanes, kLanesPerDepth * depth);
  replace(fit, "lanes", seed, [=](const Parameters& of, double part, double lanes) {
    const double k = std::pow(most, from_least(lanes)), busy = std::max(depth, k);
    return Parameters{part * of[0], (1.0 - part) * of[0] / busy, busy * of[1], k};
  });
}

// R(b) = max(a, b / B1) of n in flight: the device moves n B1, and a is alpha or n s, the other of
// the two less. One alone moves S, up to n B1 and so much that alpha + b / S is never above max(a,
// b / B1), but for one part in n.                                         [calibration.md, eq. 16]
void of_knee(Fit& fit, double depth, std::uint64_t seed) {
  replace(fit, "throttle", seed, [=](const Parameters& of, double part, double alone) {
    const double alpha = std::min(1.0, part * 2.0), served = std::min(1.0, 2.0 - part * 2.0);
    const double least = 1.0 / std::max(1.0 - alpha, 1.0 / depth);
    return Parameters{alpha * of[0], least * std::pow(depth / least, alone) * of[1],
                      served * of[0] / depth, depth * of[1]};
  });
}

// R(n) = Z + max(n, K) D of b bytes: D is s + b / B, B between b / D and what a drive moves.
//                                                                         [calibration.md, eq. 17]
void of_one_size(Fit& fit, double bytes, std::uint64_t seed) {
  replace(fit, "lanes", seed, [=](const Parameters& of, double, double rate) {
    const double least = bytes / of[1], most = std::max(kMostOfDrive, 2.0 * least);
    const double b = least * std::pow(most / least, from_least(rate));
    return Parameters{of[0], of[1] - bytes / b, b, of.size() > 2 ? of[2] : 1.0};
  });
}

// Of `depth` or more in flight, lanes up to so many say the same.         [calibration.md, eq. 18]
void of_deep(Fit& fit, double depth, std::uint64_t seed) {
  replace(fit, "lanes", seed, [=](const Parameters& of, double, double lanes) {
    return Parameters{of[0], of[1], of[2], std::pow(depth, between_ends(lanes))};
  });
}

/// What there is one of, in a fit that is used.
void doubt_one(Fit& fit, std::string why) {
  if (fit.verdict != FitVerdict::refused) doubt(fit, std::move(why));
}

}  // namespace

std::string too_few(const FitSeries& series) {
  const std::size_t cells = series.cells.size();
  const std::string out = "too few sizes and depths for any law: " + std::to_string(cells) +
                          (cells == 1 ? " cell" : " cells");
  if (series.subject == Subject::metadata) return out + "; three numbers of processes do";
  if (series.subject != Subject::io) return out;
  return out +
         "; three sizes at one depth do, or three depths at one size, and for all of a storage "
         "system three of both: 4 KiB, 64 KiB and 1 MiB, each at depths 1, 8 and 64";
}

std::string only_corners(const FitSeries& series) {
  std::set<Bytes> sizes;
  std::set<double> depths;
  for (const FitCell& cell : series.cells) {
    sizes.insert(cell.size);
    depths.insert(cell.depth);
  }
  if (series.subject != Subject::io || sizes.size() != 2 || depths.size() != 2) return "";
  return "; of two sizes and two depths none lies between others that would tell it: add a third "
         "size and a third depth, between them";
}

void leave_open(Fit& fit, const FitSeries& series, const FitOptions& options) {
  const bool io = series.subject == Subject::io;
  const FitCell& first = series.cells.front();
  if (io && (fit.law == "hockney" || fit.law == "knee")) {
    fit.law == "hockney" ? of_one_depth(fit, first.depth, options.seed)
                         : of_knee(fit, first.depth, options.seed);
    return doubt_one(fit, "one depth only, " +
                              base::print_quantity(first.depth, Dimension::number) +
                              " in flight: other depths are not known; add depth " +
                              (first.depth > 1.0 ? "1" : "16"));
  }
  if (io && (fit.law == "station" || fit.law == "lane station")) {
    of_one_size(fit, first.size.in(unit::B), options.seed);
    return doubt_one(fit, "one size only, " +
                              base::print_quantity(first.size.in(unit::B), Dimension::bytes) +
                              ": other sizes are not known; add a second one");
  }
  doubt_undecided(fit);
  const double shallowest = std::ranges::min(series.cells, {}, &FitCell::depth).depth;
  if (io && fit.law == "line" && shallowest > 1.0) of_deep(fit, shallowest, options.seed);
}

}  // namespace stallcast::calibration::fit
