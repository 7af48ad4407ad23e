#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ui/report/report.hpp"

namespace validation_report_test {

using namespace stallcast;
using namespace stallcast::report;

namespace {

Validation sample() {
  Validation v;
  v.files = {{"cases.json", "site", "Our cluster", "Logbook, May 2026", "Nothing is fitted."}};
  ValidatedCase c;
  c.id = "site-72";
  c.scenario = "site.json";
  c.source = "page 3, \"final\"";
  c.comparisons = {
      {"job.train.au", "ratio", 0.9249, {0.9117, "ratio", {{0.9107, 0.9127}}}, -1.32},
      {"job.train.throughput.dlio", "1/s", 713.2, {700.0, "1/s", {{695.1, 704.9}}}, -1.851},
      {"job.train.first_step", "s", 10.0, {10.0, "s", {}}, 0.0}};
  c.warnings = {"the loader is slow"};
  c.replicas = 3;
  v.cases = {c};
  v.summary = {{"job.*.au", "ratio", 1, 1.32, 1.0145, 1.0},
               {"job.*.throughput.dlio", "1/s", 1, 1.851, 1.0189, 1.0},
               {"job.*.first_step", "s", 1, 0.0, 1.0, 1.0}};
  v.wall_s = 12.5;
  return v;
}

const ReportContext kContext{"0.1.0", "1", {}};

}  // namespace

TEST_CASE("a validation as text fits 80 columns and says the error of each figure") {
  const std::string text = render(sample(), kContext, Format::text, {});
  CHECK(text == R"(Our cluster
  Logbook, May 2026
  Nothing is fitted.

                                measured   predicted      95 % +-         error

site-72
  job.train.au                   92.49 %     91.17 %  0.10 points  -1.32 points
  job.train.throughput.dlio     713.2 /s      700 /s        0.7 %        -1.9 %
  job.train.first_step              10 s        10 s                      0.0 %
  warning: the loader is slow

Errors
                                   figures    mean error  median x  within x 1.2
  job.*.au                               1   1.32 points         -             -
  job.*.throughput.dlio                  1         1.9 %     1.019         100 %
  job.*.first_step                       1         0.0 %     1.000         100 %

3 replicas each; stallcast 0.1.0, models 1
)");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("an interval of outcomes is told from where to where, as figures are counted in it") {
  // Inside: 90 % lies 4.74 points below the prediction, and above the end of the interval.
  Validation v = sample();
  v.coverage.classes.resize(1);
  v.cases[0].comparisons = {{"job.t.gpu.utilization", "ratio", 0.9, {0.9474, "ratio", {}}, 4.74}};
  v.cases[0].comparisons[0].predicted.ci90 = {{0.8893, 0.962}};
  const std::string text = render(v, kContext, Format::text, {});
  CHECK(text.find("90 % interval") != std::string::npos);
  CHECK(text.find("90.00 %   94.74 %     88.93 % to 96.20 %  +4.74 points") != std::string::npos);
  // Figures as long as these are stand apart from each other, too.
  Validation of_rates = v;
  Comparison& rate = of_rates.cases[0].comparisons[0];
  rate = {"job.t.throughput.bytes", "B/s", 4.89e9, {3.99e9, "B/s", {}}, -18.4};
  rate.predicted.ci90 = {{3.99e9, 5.93e9}};
  const std::string rates = render(of_rates, kContext, Format::text, {});
  CHECK(rates.find(" 4.89 GB/s 3.99 GB/s 3.99 GB/s to 5.93 GB/s ") != std::string::npos);
  std::istringstream lines(text.substr(0, text.find("Errors")));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  CHECK(render(v, kContext, Format::markdown, {}).find("| 88.93 % to 96.20 % |") !=
        std::string::npos);
}

TEST_CASE("wall-clock time is shown only when asked for") {
  CHECK(render(sample(), kContext, Format::text, {}).find("12.5") == std::string::npos);
  CHECK(render(sample(), kContext, Format::text, {false, true}).find("wall clock 12.5 s") !=
        std::string::npos);
}

TEST_CASE("a validation as JSON holds measured, predicted and error by metric") {
  const auto json = nlohmann::json::parse(render(sample(), kContext, Format::json, {}));
  CHECK(json["schema"] == "stallcast.validation/1");
  const auto& c = json["cases"][0];
  CHECK(c["case_id"] == "site-72");
  CHECK(c["measured"]["job.train.au"]["value"] == 0.9249);
  CHECK(c["predicted"]["job.train.au"]["ci95"] == nlohmann::json::array({0.9107, 0.9127}));
  CHECK_FALSE(c["predicted"]["job.train.first_step"].contains("ci95"));
  CHECK(c["error"]["job.train.au"]["unit"] == "points");
  CHECK(json["summary"]["job.*.au"]["mean_absolute_error"]["value"] == 1.32);
  CHECK(json["summary"]["job.*.au"]["median_factor"].is_null());
  CHECK(json["summary"]["job.*.throughput.dlio"]["median_factor"] == 1.0189);
  CHECK_FALSE(json.contains("elapsed"));
}

TEST_CASE("a validation as CSV has one row a figure") {
  CHECK(render(sample(), kContext, Format::csv, {}) ==
        "case,metric,unit,measured,predicted,ci95_low,ci95_high,error,error_unit,source\n"
        "site-72,job.train.au,ratio,0.9249,0.9117,0.9107,0.9127,-1.32,points,\"page 3, "
        "\"\"final\"\"\"\n"
        "site-72,job.train.throughput.dlio,1/s,713.2,700,695.1,704.9,-1.851,%,\"page 3, "
        "\"\"final\"\"\"\n"
        "site-72,job.train.first_step,s,10,10,,,0,%,\"page 3, \"\"final\"\"\"\n");
}

TEST_CASE("a validation as Markdown is a page: protocol, figures, errors, sources") {
  const std::string page = render(sample(), kContext, Format::markdown, {});
  CHECK(page.starts_with("# Our cluster\n\nSource: Logbook, May 2026.\n\nNothing is fitted.\n"));
  CHECK(page.find(
            "| site-72 | `job.train.au` | 92.49 % | 91.17 % | 0.10 points | -1.32 points |\n") !=
        std::string::npos);
  CHECK(page.find("| `job.*.au` | 1 | 1.32 points | - | - |\n") != std::string::npos);
  CHECK(page.find("- site-72: page 3, \"final\"; `site.json`\n  - warning: the loader is slow\n") !=
        std::string::npos);
}

}  // namespace validation_report_test
