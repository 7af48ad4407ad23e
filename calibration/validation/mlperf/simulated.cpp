#include "calibration/validation/mlperf/simulated.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "calibration/fit/observed.hpp"
#include "calibration/profile/apply.hpp"
#include "calibration/profile/profile_json.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/files.hpp"
#include "engine/base/random.hpp"
#include "engine/decide/uncertain/discrepancy.hpp"
#include "engine/decide/uncertain/inputs.hpp"
#include "engine/decide/uncertain/posterior.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "engine/decide/uncertain/sobol.hpp"
#include "scenarios/rules/rules.hpp"
#include "scenarios/scenario_builder.hpp"
#include "stallcast/breakdown.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using base::Json;

constexpr std::uint64_t kRowPoints = 20261124;
/// Draws of a row that calibrates, and independent ones: tables have many of these rows.
constexpr std::size_t kDraws = 256;
constexpr double kEnough = 20.0;
/// Steps of the search until both sides of the bar are known.
constexpr double kWider = 1.35;
/// A bracket of the search is narrow enough at this factor.
constexpr double kNarrow = 1.04;

/// A row's scenario, and what of it is drawn.
struct Drawn {
  Scenario scenario;
  std::vector<uncertain::Input> inputs;

  Drawn(const Json& document, const std::string& name, const CalibrationProfile* profile)
      : scenario(ScenarioBuilder::from_json(document, name, profile)) {
    if (scenario.ok()) inputs = uncertain::inputs_of(scenario.design());
  }

  [[nodiscard]] std::vector<std::vector<double>> points(std::size_t n) const {
    return uncertain::scrambled_sobol(n, inputs.size(), kRowPoints);
  }
  /// Draw `i`, with its inputs at `points[i]`.
  [[nodiscard]] Design draw(const CalibrationProfile* profile, std::size_t i,
                            const std::vector<std::vector<double>>& points) const {
    std::vector<double> point = points[i];
    point.resize(inputs.size(), 0.5);
    Design out = uncertain::drawn(scenario.design(), inputs, point);
    if (profile != nullptr) apply_draw(*profile, i, out);
    return out;
  }
};

/// What is known of how many are enough: `low` are, or it is 0; `high` are too many.
struct Bracket {
  double low = 0.0, high = kMostRanks;
  double next = 1.0;
  std::optional<double> of_one;  ///< the figure of one, where it was looked at

  [[nodiscard]] bool open() const { return high - low > 1.0 && high > low * kNarrow; }
  /// Whether `next` are enough.
  void settle(bool enough) {
    (enough ? low : high) = next;
    const bool above = high<kMostRanks, below = low> 0.0;
    const double wanted = above && below ? std::sqrt(low * high)
                          : above        ? high / kWider
                                         : low * kWider;
    next = std::clamp(std::round(wanted), low + 1.0, std::max(low + 1.0, high - 1.0));
  }
};

/// Where figures that calibrated are outside of what the draws that are left, or those of the data
/// sheets where nothing explains them, say of the same run.
Beyond beyond_of(const uncertain::Posterior& posterior, const Design& design) {
  Beyond out;
  for (const uncertain::Fitted& fitted : posterior.figures) {
    const Interval& draws = posterior.explained ? fitted.after : fitted.before;
    const auto scaled = [&](double x) { return uncertain::on_error_scale(x, fitted.unit); };
    const double low = scaled(draws.low), high = scaled(draws.high);
    const double middle = posterior.explained ? scaled(fitted.median) : 0.5 * (low + high);
    const double model = uncertain::discrepancy_of(fitted.observed.metric, design, {});
    const double above = fitted.at - middle - std::hypot(high - middle, model);
    const double below = middle - fitted.at - std::hypot(middle - low, model);
    if (above <= 0.0 && below <= 0.0) continue;
    const bool slower = (fitted.unit == "s") == (above > 0.0);
    double& most = slower ? out.slower : out.faster;
    // All that may have been measured is held.
    most = std::max(most, std::max(above, below) + uncertain::kStandardNine * fitted.measured);
    if (!out.what.empty()) out.what += ", ";
    out.what += fitted.observed.metric + " was " +
                base::print_value(fitted.observed.value, fitted.unit) +
                ", nine in ten draws give " + base::print_value(draws.low, fitted.unit) + " to " +
                base::print_value(draws.high, fitted.unit);
  }
  return out;
}

/// Of what a run calibrated: one design that explains it may be far from what most do, and of other
/// runs they say more.                                     [docs/validation-mlperf.md]
void hold_among_draws(DrawnFigure& figure) {
  std::sort(figure.draws.begin(), figure.draws.end());
  figure.middle = std::clamp(figure.middle, uncertain::quantile_of(figure.draws, 0.25),
                             uncertain::quantile_of(figure.draws, 0.75));
}

/// A row's id, which may have colons, as a file is called.
std::string file_name(std::string id) {
  for (char& c : id)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  return id;
}

}  // namespace

RowOptions row_options(const predict::PredictOptions& predict, std::size_t draws,
                       std::string folder) {
  RowOptions out{.predict = predict};
  out.folder = std::move(folder);
  if (draws == 0) return out;
  out.draws = draws;
  out.search_draws = std::max<std::size_t>(1, draws / 4);
  return out;
}

Result<DrawnFigures> RowSimulator::figures(const Json& document, const std::string& name,
                                           const CalibrationProfile* profile,
                                           const std::vector<std::string>& metrics) {
  const Drawn row(document, name, profile);
  if (!row.scenario.ok()) return row.scenario.failure();
  if (std::optional<Failure> failed = write(document, name, profile)) return *std::move(failed);
  const auto points = row.points(options_.draws);
  std::vector<Design> designs{row.scenario.design()};
  for (std::size_t i = 0; i < options_.draws; ++i) {
    Design design = row.draw(profile, i, points);
    if (scenarios::fault_of(design).empty()) designs.push_back(std::move(design));
  }
  DrawnFigures out;
  auto predictions = predict::predict_all(designs, predict::one_run(options_.predict));
  if (!predictions.front().ok()) return predictions.front().failure();
  std::vector<Prediction> ended;
  for (auto& one : predictions) {
    if (one.ok()) ended.push_back(*std::move(one));
    // Draws that were cut off would leave out those that take long.
    else if (one.failure().exit == ExitCode::inconclusive)
      return one.failure();
  }
  for (const std::string& metric : metrics) {
    DrawnFigure& figure = out[metric];
    figure.middle = figure_or_zero(ended.front(), metric);
    figure.model = uncertain::discrepancy_of(metric, row.scenario.design(), ended);
    for (std::size_t i = 1; i < ended.size(); ++i)
      figure.draws.push_back(figure_or_zero(ended[i], metric));
    if (figure.draws.empty())
      return Failure{ExitCode::bad_input, name + ": no draw can be built", ""};
    if (profile != nullptr) hold_among_draws(figure);
  }
  return out;
}

std::optional<Failure> RowSimulator::write(Json document, const std::string& name,
                                           const CalibrationProfile* profile) const {
  if (options_.folder.empty()) return std::nullopt;
  const std::string id = file_name(name), path = options_.folder + "/" + id;
  std::string about = "row " + name + ", from what was run on what";
  if (profile != nullptr) {
    const std::string beside = id + ".profile.json";
    about += "; run it with --profile " + beside + ": what the row " + profile->id + " says of it";
    if (const auto written =
            base::write_file(options_.folder + "/" + beside, write_profile(*profile));
        !written.ok())
      return written.failure();
  }
  document["id"] = id;
  document["description"] = about;
  const auto written = base::write_file(path + ".json", document.dump(1) + "\n");
  if (!written.ok()) return written.failure();
  return std::nullopt;
}

Result<Calibrated> RowSimulator::calibrate(const Json& document, const std::string& name,
                                           std::span<const ObservedFigure> observed) {
  const Scenario scenario = ScenarioBuilder::from_json(document, name);
  if (!scenario.ok()) return scenario.failure();
  uncertain::ConditionOptions how{
      .predict = predict::one_run(options_.predict), .draws = kDraws, .effective = kEnough};
  how.valid = [](const Design& design) { return scenarios::fault_of(design).empty(); };
  const Result<uncertain::Posterior> found = uncertain::condition(scenario.design(), observed, how);
  if (!found.ok()) return found.failure();
  return Calibrated{profile_of(*found, scenario.design(), name),
                    beyond_of(*found, scenario.design())};
}

Result<Most> RowSimulator::most_per_host(const std::function<Json(double)>& scenario,
                                         const std::string& name, const CalibrationProfile* profile,
                                         const std::string& metric, double bar, double guess) {
  // The first is that of the middles.
  std::vector<Bracket> brackets(options_.search_draws + 1);
  for (Bracket& bracket : brackets)
    bracket.next = std::clamp(std::round(guess), 1.0, kMostRanks - 1.0);
  Most out;
  std::map<double, Drawn> scenarios;
  std::vector<std::vector<double>> points;
  std::vector<Prediction> of_one;
  while (std::any_of(brackets.begin(), brackets.end(), [](const Bracket& b) { return b.open(); })) {
    std::vector<Design> designs;
    std::vector<std::size_t> whose;
    for (std::size_t i = 0; i < brackets.size(); ++i) {
      if (!brackets[i].open()) continue;
      const double per_host = brackets[i].next;
      auto at = scenarios.find(per_host);
      if (at == scenarios.end())
        at = scenarios.emplace(per_host, Drawn(scenario(per_host), name, profile)).first;
      const Drawn& row = at->second;
      if (!row.scenario.ok()) {
        if (per_host == 1.0) return row.scenario.failure();
        if (i == 0) out.full = row.scenario.failure().message;
        brackets[i].settle(false);
        continue;
      }
      if (points.empty()) points = row.points(options_.search_draws);
      designs.push_back(i == 0 ? row.scenario.design() : row.draw(profile, i - 1, points));
      whose.push_back(i);
      if (!scenarios::fault_of(designs.back()).empty()) {
        brackets[i].settle(false);
        designs.pop_back(), whose.pop_back();
      }
    }
    const auto predictions = predict::predict_all(designs, predict::one_run(options_.predict));
    for (std::size_t k = 0; k < whose.size(); ++k) {
      Bracket& bracket = brackets[whose[k]];
      if (!predictions[k].ok()) return predictions[k].failure();
      const double figure = figure_or_zero(*predictions[k], metric);
      if (bracket.next == 1.0) {
        bracket.of_one = figure;
        of_one.push_back(*predictions[k]);
      }
      if (whose[k] == 0 && figure < bar) out.full.clear();
      bracket.settle(figure >= bar);
    }
  }
  DrawnFigure one{brackets.front().of_one.value_or(0.0), {}};
  out.count.middle = brackets.front().low;
  for (std::size_t i = 1; i < brackets.size(); ++i) {
    out.count.draws.push_back(brackets[i].low);
    if (brackets[i].of_one) one.draws.push_back(*brackets[i].of_one);
  }
  if (profile != nullptr) hold_among_draws(out.count);
  const bool none = std::all_of(brackets.begin(), brackets.end(),
                                [](const Bracket& bracket) { return bracket.low == 0.0; });
  if (!none || one.draws.empty()) return out;
  one.model = uncertain::discrepancy_of(metric, scenarios.at(1.0).scenario.design(), of_one);
  out.of_one = std::move(one);
  return out;
}

PredictedFigure figure_of(DrawnFigure drawn, const std::string& unit, const Beyond& beyond) {
  const double model = drawn.model;
  std::sort(drawn.draws.begin(), drawn.draws.end());
  const auto scaled = [&](double x) { return uncertain::on_error_scale(x, unit); };
  const auto back = [&](double y) { return uncertain::from_error_scale(y, unit); };
  const double middle = scaled(uncertain::quantile_of(drawn.draws, 0.5));
  const double below = unit == "s" ? beyond.faster : beyond.slower,
               above = unit == "s" ? beyond.slower : beyond.faster;
  PredictedFigure out{drawn.middle};
  out.levels = uncertain::by_level(drawn.draws, [&](double from, double to, double times) {
    const double low = std::hypot(middle - scaled(from), model * times) + below * times;
    const double high = std::hypot(scaled(to) - middle, model * times) + above * times;
    return Interval{std::min(out.value, back(middle - low)),
                    std::max(out.value, back(middle + high))};
  });
  out.low = out.levels[kNineInTen].low;
  out.high = out.levels[kNineInTen].high;
  out.draws = std::move(drawn.draws);
  return out;
}

}  // namespace stallcast::calibration::mlperf
