#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/result.hpp"
#include "stallcast/row_validation.hpp"
#include "stallcast/uncertainty.hpp"

/// Rows by simulation of their scenarios: with inputs drawn from their ranges, or from what one
/// measured row of the same system leaves of them.
namespace stallcast::calibration::mlperf {

/// Of one host: a search goes no further.
inline constexpr double kMostRanks = 4096;

struct RowOptions {
  predict::PredictOptions predict;
  std::size_t draws = 16;        ///< of a row
  std::size_t search_draws = 4;  ///< of the search for a number of accelerators
  /// Where the scenarios of rows are written, and profiles of those that others calibrate; "" for
  /// nowhere.
  std::string folder = {};
};

/// With `draws` of a row, and of the rest as many as go with these; 0: as many as usual.
[[nodiscard]] RowOptions row_options(const predict::PredictOptions& predict, std::size_t draws,
                                     std::string folder);

/// What a scenario gave of a metric: with its inputs at their middles, and drawn. Draws that have
/// not ended are left out.
struct DrawnFigure {
  double middle = 0.0;
  std::vector<double> draws;
  double model = 0.0;  ///< half a width of what no input explains: uncertain::discrepancy_of
};
using DrawnFigures = std::map<std::string, DrawnFigure>;

/// How far a run lies outside of the 90 % interval of its own prediction, on the scale of errors:
/// what its system may be slower and faster than draws of its inputs are.
struct Beyond {
  double slower = 0.0, faster = 0.0;
  std::string what;  ///< the figure that says so, with its interval; "" where none is outside
};
/// What a measured row says of others of its system.
struct Calibrated {
  CalibrationProfile profile;  ///< no inputs where nothing explains the row
  Beyond beyond;
};

/// How many are enough.
struct Most {
  DrawnFigure count;
  /// Of one, where it is too many already at the middles and in every draw.
  std::optional<DrawnFigure> of_one;
  std::string full;  ///< why no more can be built, where that ends the search at the middles
};

class RowSimulator {
 public:
  explicit RowSimulator(RowOptions options) : options_(std::move(options)) {}

  /// Draws of the scenario `document` for each of `metrics`. `profile` may be absent.
  [[nodiscard]] Result<DrawnFigures> figures(const base::Json& document, const std::string& name,
                                             const CalibrationProfile* profile,
                                             const std::vector<std::string>& metrics);

  /// What `observed` says of the inputs of the scenario `document`, from as many draws as
  /// `stallcast calibrate` takes, however many a row has.
  [[nodiscard]] Result<Calibrated> calibrate(const base::Json& document, const std::string& name,
                                             std::span<const ObservedFigure> observed);

  /// With inputs at their middles and of each draw the most, in whole ones per host, at which
  /// `metric` is at least `bar`; 0 where one is too many. Numbers that no host has the memory for
  /// are too many. `scenario` writes the scenario with so many per host; the search begins at
  /// `guess`.
  [[nodiscard]] Result<Most> most_per_host(const std::function<base::Json(double)>& scenario,
                                           const std::string& name,
                                           const CalibrationProfile* profile,
                                           const std::string& metric, double bar, double guess);

 private:
  std::optional<Failure> write(base::Json document, const std::string& name,
                               const CalibrationProfile* profile) const;

  RowOptions options_;
};

/// The figure with inputs at their middles, and intervals around it and the median of the draws: of
/// nine in ten, what holds so many of these, widened by its `model` on the error scale of its unit
/// (odds for shares, factors for all else); of other levels alike, as a normal's quantiles have it
/// of `model`. What a run was `beyond` its own interval is added. REQUIRES: there are draws.
[[nodiscard]] PredictedFigure figure_of(DrawnFigure drawn, const std::string& unit,
                                        const Beyond& beyond = {});

}  // namespace stallcast::calibration::mlperf
