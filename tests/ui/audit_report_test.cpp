#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "ui/report/report.hpp"

namespace audit_report_test {

using namespace stallcast;

namespace {

/// One claim that is off by a factor of 2, one that is argued, and one with a fault.
Audit sample() {
  ClaimFigure figure;
  figure.what = "14 B per parameter";
  figure.formula = "14 * P";
  figure.inputs = {{"P", "70e9", "parameters of model/m"}};
  figure.claimed = "490 GB";
  figure.correct = "980 GB";
  figure.tolerance = "1 %";
  figure.dimension = Dimension::bytes;
  figure.value = 980e9;
  figure.correct_holds = true;
  figure.assumption = true;
  figure.deviation = "claim 50 % too low";
  AuditedClaim off{"X1", "a save | 70B", "wrong", "note", "", {figure}, ClaimOutcome::off, {}};
  AuditedClaim argued{"X2", "advice", "qualitative", "an opinion", "", {}, ClaimOutcome::none, {}};
  ClaimFigure tested = figure;
  tested.own_test = true;
  tested.deviation = "";
  tested.counter = ClaimCounter::claim;
  tested.against = "X1";
  AuditedClaim faulty{
      "X3", "broken", "right", "n", "definition", {}, ClaimOutcome::argued, {"does not compute"}};
  faulty.figures.push_back(tested);
  Audit out;
  out.files.push_back({"f.json", "f", "Text X", "About it.", {off, argued, faulty}});
  return out;
}

std::string rendered(report::Format format) {
  return report::render(sample(), {"1.2", "3", {}}, format, {});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an audit counts claims by verdict and says what is off") {
  const std::string text = rendered(report::Format::text);
  CHECK(has(text, "  wrong            1  our figure is not the claimed one"));
  CHECK(has(text, "14 B per parameter: off: 980 GB*, not 490 GB (claim 50 % too low)"));
  CHECK(has(text, "fault: does not compute"));
  CHECK(has(text, "off: 980 GB*, test 490 GB, against X1"));
  CHECK(has(text, "3 claims; 2 have figures of ours (2 figures, 2 with an input from"));
}

TEST_CASE("an audit in Markdown keeps its columns and shows the formula with its inputs") {
  const std::string text = rendered(report::Format::markdown);
  CHECK(has(text, "| wrong | 1 | 1 | 0 |"));
  CHECK(has(text,
            "| X1 | a save \\| 70B | wrong | 14 B per parameter: off: 980 GB*, not 490 GB (claim "
            "50 % too low) = `14 * P`, P = 70e9 (parameters of model/m) | note |"));
  CHECK(has(text, "| X2 | advice | qualitative |  | an opinion |"));
  CHECK(has(text, "| (definition) n |"));
  CHECK(has(text, "| outdated | a figure is off against one of a date that it names |"));
  CHECK(has(text, "**fault: does not compute**"));
}

TEST_CASE("an audit in CSV has a row for each figure and for each claim without one") {
  const std::string text = rendered(report::Format::csv);
  CHECK(has(text,
            "X1,a save | 70B,wrong,off,14 B per parameter,490 GB,980 GB,980000000000,980 GB,1 "
            "%,no,claim 50 % too low,\"= 14 * P, P = 70e9 (parameters of model/m)\",note\n"));
  CHECK(has(text, "X2,advice,qualitative,none,,,,,,,,,,an opinion\n"));
}

TEST_CASE("an audit in JSON has base values, faults and counts") {
  const auto json = nlohmann::json::parse(rendered(report::Format::json));
  CHECK(json["schema"] == "stallcast.audit/1");
  CHECK(json["counts"]["wrong"] == 1);
  CHECK(json["counts"]["open"] == 0);
  CHECK(json["claims"][0]["figures"][0]["value"] == 980e9);
  CHECK(json["claims"][0]["figures"][0]["agrees"] == false);
  CHECK(json["claims"][2]["faults"][0] == "does not compute");
  CHECK(json["claims"][2]["basis"] == "definition");
  CHECK(json["claims"][2]["figures"][0]["test"] == "490 GB");
  CHECK(json["claims"][2]["figures"][0]["counter"] == "claim");
}

}  // namespace audit_report_test
