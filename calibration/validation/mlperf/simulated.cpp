#include "calibration/validation/mlperf/simulated.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "calibration/fit/observed.hpp"
#include "calibration/profile/apply.hpp"
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
constexpr double kMostRanks = 4096;
/// Independent draws of a row that calibrates.
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
  out.calibrating = 6 * draws;
  return out;
}

Result<DrawnFigures> RowSimulator::figures(const Json& document, const std::string& name,
                                           const CalibrationProfile* profile,
                                           const std::vector<std::string>& metrics) {
  const Drawn row(document, name, profile);
  if (!row.scenario.ok()) return row.scenario.failure();
  if (!options_.folder.empty()) {
    Json own = document;
    own["id"] = file_name(name);
    own["description"] = "row " + name + ", from what was run on what";
    const std::string path = options_.folder + "/" + file_name(name) + ".json";
    const Result<bool> written = base::write_file(path, own.dump(1) + "\n");
    if (!written.ok()) return written.failure();
  }
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
  for (auto& one : predictions)
    if (one.ok()) ended.push_back(*std::move(one));
  for (const std::string& metric : metrics) {
    DrawnFigure& figure = out[metric];
    figure.middle = figure_or_zero(ended.front(), metric);
    figure.model = uncertain::discrepancy_of(metric, row.scenario.design(), ended);
    for (std::size_t i = 1; i < ended.size(); ++i)
      figure.draws.push_back(figure_or_zero(ended[i], metric));
    if (figure.draws.empty()) return Failure{ExitCode::inconclusive, name + ": no draw ended", ""};
  }
  return out;
}

Result<CalibrationProfile> RowSimulator::calibrate(const Json& document, const std::string& name,
                                                   std::span<const ObservedFigure> observed) {
  const Scenario scenario = ScenarioBuilder::from_json(document, name);
  if (!scenario.ok()) return scenario.failure();
  uncertain::ConditionOptions how{.predict = predict::one_run(options_.predict),
                                  .draws = options_.calibrating,
                                  .effective = kEnough};
  how.valid = [](const Design& design) { return scenarios::fault_of(design).empty(); };
  const Result<uncertain::Posterior> found = uncertain::condition(scenario.design(), observed, how);
  if (!found.ok()) return found.failure();
  return profile_of(*found, scenario.design(), name);
}

Result<DrawnFigure> RowSimulator::most_per_host(const std::function<Json(double)>& scenario,
                                                const std::string& name,
                                                const CalibrationProfile* profile,
                                                const std::string& metric, double bar,
                                                double guess) {
  struct Bracket {
    double low = 1.0, high = kMostRanks;
    double next = 1.0;
    [[nodiscard]] bool open() const { return high - low > 1.0 && high > low * kNarrow; }
  };
  // The first is that of the middles.
  std::vector<Bracket> brackets(options_.search_draws + 1);
  for (Bracket& bracket : brackets)
    bracket.next = std::clamp(std::round(guess), 2.0, kMostRanks - 1.0);
  std::map<double, Drawn> scenarios;
  std::vector<std::vector<double>> points;
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
      if (!row.scenario.ok()) return row.scenario.failure();
      if (points.empty()) points = row.points(options_.search_draws);
      designs.push_back(i == 0 ? row.scenario.design() : row.draw(profile, i - 1, points));
      whose.push_back(i);
    }
    const auto predictions = predict::predict_all(designs, predict::one_run(options_.predict));
    for (std::size_t k = 0; k < whose.size(); ++k) {
      Bracket& bracket = brackets[whose[k]];
      if (!predictions[k].ok()) return predictions[k].failure();
      const bool keeps = figure_or_zero(*predictions[k], metric) >= bar;
      (keeps ? bracket.low : bracket.high) = bracket.next;
      const bool above = bracket.high<kMostRanks, below = bracket.low> 1.0;
      const double wanted = above && below ? std::sqrt(bracket.low * bracket.high)
                            : above        ? bracket.high / kWider
                                           : bracket.low * kWider;
      bracket.next = std::clamp(std::round(wanted), bracket.low + 1.0,
                                std::max(bracket.low + 1.0, bracket.high - 1.0));
    }
  }
  DrawnFigure out{brackets.front().low, {}};
  for (std::size_t i = 1; i < brackets.size(); ++i) out.draws.push_back(brackets[i].low);
  return out;
}

PredictedFigure figure_of(DrawnFigure drawn, const std::string& unit) {
  const double model = drawn.model;
  std::sort(drawn.draws.begin(), drawn.draws.end());
  const auto scaled = [&](double x) { return uncertain::on_error_scale(x, unit); };
  const auto back = [&](double y) { return uncertain::from_error_scale(y, unit); };
  const double middle = scaled(uncertain::quantile_of(drawn.draws, 0.5));
  PredictedFigure out{drawn.middle};
  out.levels = uncertain::by_level(drawn.draws, [&](double from, double to, double times) {
    const double low = std::hypot(middle - scaled(from), model * times);
    const double high = std::hypot(scaled(to) - middle, model * times);
    return Interval{std::min(out.value, back(middle - low)),
                    std::max(out.value, back(middle + high))};
  });
  out.low = out.levels[kNineInTen].low;
  out.high = out.levels[kNineInTen].high;
  out.draws = std::move(drawn.draws);
  return out;
}

}  // namespace stallcast::calibration::mlperf
