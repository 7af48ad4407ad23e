#pragma once

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

#include "calibration/fit/fit.hpp"

/// Cells that follow a law, and what a fit makes of them.
namespace stallcast::calibration::fit {

/// Cells at 8 sizes and 7 depths whose response follows `law` under `theta`, `noise` apart in three
/// runs each.
inline FitSeries follow(const Law& law, const std::vector<double>& theta, double noise = 0.0) {
  FitSeries series;
  series.id = "io.read.random";
  for (double size = 4096; size <= 16777216; size *= 4)
    for (double depth = 1; depth <= 64; depth *= 2) {
      FitCell cell{Bytes::from(size, unit::B), depth, depth, {}, {}};
      const double response = law.response(theta, cell);
      for (const double off : {1.0, 1.0 - noise, 1.0 + noise})
        cell.runs.push_back(Seconds::from(response * off, unit::s));
      series.cells.push_back(cell);
    }
  return series;
}

inline const FittedParameter& parameter(const Fit& fit, std::string_view name) {
  for (const FittedParameter& p : fit.parameters)
    if (p.name == name) return p;
  FAIL("no parameter " << name);
  throw 0;
}

}  // namespace stallcast::calibration::fit
