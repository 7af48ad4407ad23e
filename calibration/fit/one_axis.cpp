#include "calibration/fit/one_axis.hpp"

#include "calibration/fit/draws.hpp"
#include "calibration/fit/laws.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::fit {
namespace {

/// The parameters of a line that `made` makes of those of `fit`: of the values with one half of
/// what cannot be told apart, of each draw with a part drawn anew.
template <class Made>
void replace(Fit& fit, std::uint64_t seed, Made made) {
  std::vector<double> values;
  for (const FittedParameter& p : fit.parameters) values.push_back(p.value);
  values = made(values, 0.5);
  constexpr std::size_t kParts = 4096;
  Draws draws(seed + 1);  // not those of the bootstrap
  for (std::vector<double>& draw : fit.draws)
    draw = made(draw, (static_cast<double>(draws.below(kParts)) + 0.5) / kParts);
  const Law& line = law("line");
  fit.law = line.id;
  fit.equation = line.equation;
  fit.parameters.clear();
  for (std::size_t j = 0; j < line.parameters.size(); ++j) {
    std::vector<double> column;
    for (const std::vector<double>& draw : fit.draws) column.push_back(draw[j]);
    fit.parameters.push_back(parameter_of(std::string(line.parameters[j].name),
                                          std::string(line.parameters[j].unit), values[j], column));
  }
}

// R(b) = a + b / B1 of n in flight: the device moves n B1, and a = alpha + n s.
//                                                                    [docs/calibration.md, eq. 16]
void of_one_depth(Fit& fit, double depth, std::uint64_t seed) {
  replace(fit, seed, [depth](const std::vector<double>& of, double part) {
    return std::vector<double>{part * of[0], (1.0 - part) * of[0] / depth, depth * of[1]};
  });
}

// R(n) = Z + n D: what bytes do not explain of D cannot be told from what they do.      [eq. 17]
void of_one_size(Fit& fit, double bytes, std::uint64_t seed) {
  replace(fit, seed, [bytes](const std::vector<double>& of, double) {
    return std::vector<double>{of[0], 0.0, bytes / of[1]};
  });
}

}  // namespace

void as_line(Fit& fit, const FitSeries& series, const FitOptions& options) {
  if (series.subject != Subject::io) return;
  std::string left_open;
  if (const FitCell& cell = series.cells.front(); fit.law == "hockney") {
    if (cell.depth > 1.0) of_one_depth(fit, cell.depth, options.seed);
    left_open = "one depth only, " + base::print_quantity(cell.depth, Dimension::number) +
                " in flight: other depths are not known; add depth " +
                (cell.depth > 1.0 ? "1" : "16");
  } else if (fit.law == "station") {
    of_one_size(fit, cell.size.in(unit::B), options.seed);
    left_open = "one size only, " + base::print_quantity(cell.size.in(unit::B), Dimension::bytes) +
                ": other sizes are not known; add a second one";
  }
  if (!left_open.empty() && fit.verdict != FitVerdict::refused) doubt(fit, left_open);
}

}  // namespace stallcast::calibration::fit
