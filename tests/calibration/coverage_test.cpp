#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/random.hpp"
#include "stallcast/coverage.hpp"
#include "stallcast/row_validation.hpp"
#include "ui/report/report.hpp"

namespace coverage_test {

using namespace stallcast;

namespace {

/// Central intervals of a normal, in what is compared: as it is for shares, by logarithms else.
LevelIntervals normal(double middle, double sd, bool is_share) {
  LevelIntervals out;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    const double half = sd * base::normal_quantile((1.0 + kLevels[i]) / 2.0);
    out[i] = is_share ? Interval{middle - half, middle + half}
                      : Interval{middle * std::exp(-half), middle * std::exp(half)};
  }
  return out;
}

/// 1,000 figures said to be 0.5 +- 0.05 (sd), which lie evenly over the quantiles of a normal whose
/// standard deviation is `wider` times that.
std::vector<JudgedFigure> normal_figures(double wider) {
  std::vector<JudgedFigure> out;
  for (int i = 0; i < 1000; ++i) {
    const double z = base::normal_quantile((i + 0.5) / 1000.0);
    out.push_back({"case " + std::to_string(i), "au", "ratio", 0.5 + 0.05 * wider * z, 0.5,
                   normal(0.5, 0.05, true)});
  }
  return out;
}

}  // namespace

TEST_CASE("intervals of the distribution that outcomes come from hold what they say") {
  // Of 1,000 equal parts of the distribution the middle p is inside: (1000 - 1000 p) / 2 are left
  // out at each end, where the outcome i is at (i + 1/2) / 1000.
  const Coverage found = coverage_of(normal_figures(1.0));
  REQUIRE(found.classes.size() == 1);
  const ClassCoverage& au = found.classes[0];
  CHECK(au.figures == 1000);
  const std::size_t inside[] = {500, 600, 700, 800, 900, 950};
  for (std::size_t i = 0; i < kLevels.size(); ++i) CHECK(au.inside[i] == inside[i]);
  // 1.644854 sd of 0.05.
  CHECK(au.half_width == Approx(0.0822427).epsilon(1e-5));
  CHECK(found.missed.size() == 100);
}

TEST_CASE("outcomes that spread twice as wide are inside as often as half the quantile says") {
  // z is inside where |2 z| < q, with a probability of 2 Phi(q / 2) - 1: 0.2641 of the 50 %
  // interval (q = 0.67449), 0.5892 of the 90 % one (1.64485), 0.6729 of the 95 % one (1.95996).
  const Coverage found = coverage_of(normal_figures(2.0));
  const ClassCoverage& au = found.classes.at(0);
  CHECK(au.actual(0) == Approx(0.2641).margin(1e-3));
  CHECK(au.actual(kNineInTen) == Approx(0.5892).margin(1e-3));
  CHECK(au.actual(5) == Approx(0.6729).margin(1e-3));
  // The farthest is at the quantile 0.9995, 3.2905 sd of 0.1, over a half width of 1.64485 of 0.05.
  CHECK(found.missed.front().widths == Approx(2.0 * 3.29053 / 1.644854).epsilon(1e-4));
}

TEST_CASE("times are compared by factors, and an end belongs to its interval") {
  // Half widths of a factor of 1.2 and 1.5 at 90 %; the median of the two is the mean.
  const double q = base::normal_quantile(0.95);
  const std::vector<JudgedFigure> figures = {
      {"near", "save_s", "s", 12.0, 10.0, normal(10.0, std::log(1.2) / q, false)},
      {"far", "save_s", "s", 30.0, 10.0, normal(10.0, std::log(1.5) / q, false)}};
  Coverage found = coverage_of(figures);
  CHECK(found.classes.at(0).half_width == Approx(0.35).epsilon(1e-6));
  REQUIRE(found.missed.size() <= 2);
  // ln 3 over ln 1.5.
  CHECK(found.missed.front().figure.case_id == "far");
  CHECK(found.missed.front().widths == Approx(std::log(3.0) / std::log(1.5)).epsilon(1e-6));
  JudgedFigure at_end = figures[0];
  at_end.measured = at_end.intervals[kNineInTen].high;
  CHECK(coverage_of(std::vector{at_end}).missed.empty());
}

TEST_CASE("a figure without any width that is not met is infinitely far off") {
  LevelIntervals none;
  none.fill({2.0, 2.0});
  const Coverage found = coverage_of(std::vector<JudgedFigure>{{"a", "m", "s", 3.0, 2.0, none}});
  CHECK(std::isinf(found.missed.at(0).widths));
  CHECK(found.classes.at(0).half_width == 0.0);
}

TEST_CASE("rows that calibrate, and metrics that a row does not score, are not counted") {
  RowValidation v;
  v.metrics = {{"au", "ratio", ErrorKind::points}, {"save_s", "s", ErrorKind::factor}};
  PredictedRow row;
  row.case_id = "a";
  row.predicted["au"] = {0.9, 0.8, 0.95, normal(0.9, 0.03, true)};
  row.predicted["save_s"] = {3.0, 2.0, 4.0, normal(3.0, 0.1, false)};
  row.measured = {{"au", 0.9}, {"save_s", 3.0}};
  v.rows = {row, row, row};
  v.rows[1].calibrates = true;
  v.rows[2].unscored = {"save_s"};
  const Coverage found = coverage_of(v);
  REQUIRE(found.classes.size() == 2);
  CHECK(found.classes[0].metric == "au");
  CHECK(found.classes[0].figures == 2);
  CHECK(found.classes[1].figures == 1);
}

TEST_CASE("a validation says its coverage in every format, and draws it") {
  RowValidation v;
  v.title = "Rows";
  v.metrics = {{"au", "ratio", ErrorKind::points}};
  v.coverage = coverage_of(normal_figures(1.0));
  const report::ReportContext context{"0.1.0", "1", {}};
  const std::string page = render(v, context, report::Format::markdown, {});
  CHECK(page.find("| `au` | 1000 | 50 % | 80 % | 90 % | 95 % | 8.22 points |\n") !=
        std::string::npos);
  // The outermost lie at 3.29053 sd, 0.5 -+ 0.1645.
  CHECK(page.find("- `au` of case 0: measured 33.55 %, predicted 50.00 % (41.78 % to 58.22 %), 2.0 "
                  "half widths from its middle\n") != std::string::npos);
  const std::string text = render(v, context, report::Format::text, {});
  CHECK(text.find("  au                              1000   50 %   80 %   90 %   95 %   8.22 "
                  "points\n") != std::string::npos);
  CHECK(text.find("  ... and 80 more: --format markdown\n") != std::string::npos);
  const auto json = nlohmann::json::parse(render(v, context, report::Format::json, {}));
  const auto& au = json["coverage"]["classes"][0];
  CHECK(au["levels"][4]["nominal"] == 0.9);
  CHECK(au["levels"][4]["inside"] == 900);
  CHECK(json["coverage"]["missed"].size() == 100);
  const std::string html = render(v, context, report::Format::html, {});
  CHECK(html.find("90 % of outcomes: 900 of 1000 inside") != std::string::npos);
  const std::string picture = report::calibration_picture(v.coverage);
  CHECK(picture.starts_with("<svg xmlns="));
  CHECK(picture.find("1000 figures, half width 8.22 points") != std::string::npos);
  CHECK(picture.find("var(--") == std::string::npos);
}

}  // namespace coverage_test
