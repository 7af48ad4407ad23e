#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/design.hpp"

/// A calibration profile: what was fitted to measurements, how well, and where it holds. Made by
/// `stallcast calibrate`, applied by `--profile`.
namespace stallcast {

/// One file the profile was fitted to.
struct ProfileInput {
  std::string file;
  std::string sha256;
  std::string tool;
  std::string tool_version;
  std::string date;
};

/// One parameter of a fitted law.
struct FittedParameter {
  std::string name;    ///< as in the equation: "alpha"
  std::string unit;    ///< SI base: "s", "B/s", "1/s", "ratio"
  double value = 0.0;  ///< in `unit`
  double low = 0.0;    ///< 90 % interval
  double high = 0.0;
  bool identified = true;  ///< false: the measurements do not decide it (half-width above 50 %)
};

/// Over what a fit was made. Predictions outside warn.
struct FittedRange {
  std::string quantity;  ///< "size", "depth", "processes"
  std::string unit;      ///< "B", "count"
  double low = 0.0;
  double high = 0.0;
};

/// How far one measured cell lies from the fit.
struct FitResidual {
  std::string cell;         ///< "random read, 4096 B, depth 16"
  double measured = 0.0;    ///< in the unit of the fit's response
  double fitted = 0.0;      ///< same unit
  std::size_t repeats = 0;  ///< runs behind the measured figure, which is their median
  std::string unit = {};    ///< of both figures where the cell is a metric; "" else
};

/// What may be done with a fit.
enum class FitVerdict {
  accepted,  ///< held-out error within the bar
  usable,    ///< inside its range only, reasons say why
  refused    ///< not applied; nothing takes its place silently
};
[[nodiscard]] inline std::string_view name_of(FitVerdict verdict) {
  constexpr std::array<std::string_view, 3> kNames{"accepted", "usable", "refused"};
  return kNames[static_cast<std::size_t>(verdict)];
}

/// The law of the fit to a run that was observed.
inline constexpr std::string_view kObservedLaw = "simulation";

/// One law fitted to one group of measurements.
struct Fit {
  std::string id;        ///< "io.read.random"
  std::string law;       ///< "line", "mva", "hockney", ...
  std::string equation;  ///< "R(n, b) = alpha + n (s + b / B)"
  std::vector<FittedParameter> parameters;
  std::vector<FittedRange> ranges;
  std::size_t cells = 0;
  std::size_t runs = 0;
  double median_error = 0.0;  ///< of held-out cells, relative
  double p90_error = 0.0;
  /// Median relative spread of what was measured more than once, which no fit can beat; 0: not
  /// known.
  double noise = 0.0;
  FitVerdict verdict = FitVerdict::refused;
  std::vector<std::string> reasons;
  std::vector<FitResidual> residuals;
  /// Joint bootstrap draws, a row per draw, in the order of `parameters`: parameters correlate.
  std::vector<std::vector<double>> draws;
};

/// A fitted value for a field of scenario components.
struct ProfileValue {
  std::string role;   ///< of registry: "storage", "loader", "host"
  std::string kind;   ///< registry row: "measured", "pytorch"; "" for all of the role
  std::string field;  ///< "read.latency"
  Dimension dimension = Dimension::number;
  std::string text;    ///< for texts, instead of a number
  double value = 0.0;  ///< base unit of `dimension`
  double low = 0.0;    ///< 90 % interval
  double high = 0.0;
  std::string fit;  ///< id of the fit it comes from
  /// The value under each draw of that fit; draw i of a prediction takes the i-th.
  std::vector<double> draws;

  /// Whether it is for a component of that role.
  [[nodiscard]] bool is_for(std::string_view of_role, const Component& component) const {
    return role == of_role && (kind.empty() || kind == component.kind);
  }
};

/// What observed runs say of a value that is not exact: of every one with a range that it names, in
/// whatever design, but for one that a scenario states with another range than was calibrated.
struct NarrowedInput {
  std::string role;       ///< of registry: "storage"
  std::string kind;       ///< registry row: "lustre"
  std::string component;  ///< id; "" for all of the kind
  std::string field;      ///< "client.stream"
  Dimension dimension = Dimension::number;
  /// `value`, `low`, `high` and `draws` are factors on what the design says; else they take its
  /// place, in the base unit of `dimension`.
  bool scales = false;
  double value = 0.0;
  double low = 0.0;  ///< 90 % interval
  double high = 0.0;
  double low_before = 0.0;  ///< the same before the run was observed
  double high_before = 0.0;
  /// The value and its range when it was calibrated, in the base unit of `dimension`; all 0 where
  /// that is not known.
  double said = 0.0;
  double said_low = 0.0;
  double said_high = 0.0;
  /// Joint with those of all other inputs of the profile: draw i of each belongs together.
  std::vector<double> draws;
  /// How far the draws differ from the prior in mean and width together, on its scale: twice the
  /// logarithm of how much likelier so many independent ones are of what they say than of the
  /// prior. Of a fit that was just made: files do not have it.
  double told = 0.0;

  /// Whether it is for that component of that role.
  [[nodiscard]] bool is_for(std::string_view of_role, const Component& of) const {
    return role == of_role && (kind.empty() || kind == of.kind) &&
           (component.empty() || component == of.id);
  }
};

/// A job of which figures were observed.
struct ObservedJob {
  std::string id;
  std::string readers;  ///< `base::what_reads` of it, without `left_out`
  double use = 0.0;     ///< its GPU utilization in the draws that are left, the middle; 0..1
  /// Values that the profile narrowed when it was seen; files of old do not say.
  std::vector<std::string> left_out{};
  bool operator==(const ObservedJob&) const = default;
};

/// A figure that was observed, on the scale on which its errors add up.
struct SeenFigure {
  std::string design;  ///< `base::what_runs` of it
  std::string metric;
  double at = 0.0;
  double sd = 0.0;  ///< of its measurement
};

struct CalibrationProfile {
  std::string id;
  std::string date;
  std::vector<ProfileInput> inputs;
  std::map<std::string, std::string> environment;
  std::vector<Fit> fits;
  std::vector<ProfileValue> values;
  std::vector<NarrowedInput> narrowed;
  std::vector<ObservedJob> jobs;  ///< files of old do not say
  std::vector<SeenFigure> seen;   ///< likewise
  std::string sha256;             ///< of the file it was read from; "" before it was written
};

}  // namespace stallcast
