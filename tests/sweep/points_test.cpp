#include "engine/decide/sweep/points.hpp"

#include "engine/base/range_values.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "scenarios/questions/sweep_reader.hpp"

namespace points_test {

using namespace stallcast;

namespace {

/// "16 a, 16 b, 32 a": the points of what the command line says.
std::string points(const std::vector<std::string>& varied, const std::string& mode = "product",
                   std::uint64_t seed = 0) {
  SweepSpec spec;
  Diagnostics diags;
  for (const std::string& option : varied) scenarios::add_vary(option, spec, diags);
  REQUIRE(scenarios::set_mode(mode, spec));
  std::string out;
  for (const sweep::Point& point : sweep::points_of(spec, seed, diags)) {
    if (!out.empty()) out += ", ";
    for (std::size_t a = 0; a < point.size(); ++a)
      out += (a > 0 ? " " : "") + text_of(point[a].value);
  }
  for (const Diagnostic& d : diags.items()) out += "! " + d.position.file + ": " + d.message;
  return out;
}

}  // namespace

TEST_CASE("a product counts up in the last axis first") {
  CHECK(points({"n=16,32", "mode=a,b"}) == "16 a, 16 b, 32 a, 32 b");
}

TEST_CASE("zip takes the first of each, then the second of each") {
  CHECK(points({"n=16,32", "mode=a,b"}, "zip") == "16 a, 32 b");
  CHECK(points({"n=16,32,48", "mode=a,b"}, "zip") ==
        "! --vary mode=a,b: \"mode\" has 2 values and \"n\" has 3");
}

TEST_CASE("ranges have equal differences or equal ratios, and keep their unit") {
  CHECK(points({"n=16..64:4"}) == "16, 32, 48, 64");
  CHECK(points({"n=1..16:5:log"}) == "1, 2, 4, 8, 16");
  CHECK(points({"every=5 min..1 h:3"}) == "5 min, 32.5 min, 1 h");
  CHECK(points({"rate=100 Gb/s..400 Gb/s:3:log"}) == "100 Gb/s, 200 Gb/s, 400 Gb/s");
  CHECK(points({"n=64..16:2"}) == "64, 16");
  CHECK(points({"n=5..5:1"}) == "5");
}

TEST_CASE("both ends of a range are numbers in its unit, however they are written") {
  SweepSpec spec;
  Diagnostics diags;
  scenarios::add_vary("every=5 min..1 h:3", spec, diags);
  REQUIRE(spec.axes.size() == 1);
  const SweepRange& range = *spec.axes[0].range;
  CHECK(base::number_at(range, 0.0) == 5.0);
  CHECK(base::number_at(range, 1.0) == Approx(60.0));  // 1 h in min, not 1
  CHECK(text_of(base::value_at(range, 1.0)) == "1 h");
}

TEST_CASE("faults of a range name the option and what is wrong") {
  CHECK(points({"n=16..64"}).find("does not say how many values") != std::string::npos);
  CHECK(points({"n=16..5 GB:3"}).find("differ in kind") != std::string::npos);
  CHECK(points({"n=a..b:3"}).find("is not a number") != std::string::npos);
  CHECK(points({"n=0..8:3:log"}).find("above 0") != std::string::npos);
  CHECK(points({"n=1..8:0"}).find("not a number of values") != std::string::npos);
  CHECK(points({"n"}).find("is not path=values") != std::string::npos);
  CHECK(points({"n=1,,2"}).find("is empty") != std::string::npos);
  CHECK(points({}).find("nothing is varied") != std::string::npos);
}

TEST_CASE("commas within brackets do not separate values") {
  CHECK(points({"tiers=[\"a\",\"b\"],[\"c\"]"}) == "[\"a\",\"b\"], [\"c\"]");
}

TEST_CASE("an option replaces an axis of the same path") {
  CHECK(points({"n=1,2", "m=3", "n=4"}) == "4 3");
}

TEST_CASE("a range with a step has whole steps only, each equally often in a sample") {
  SweepRange range;
  range.from = 4.0;
  range.to = 16.0;
  range.step = 4.0;
  CHECK(text_of(base::value_at(range, 0.0)) == "4");
  CHECK(text_of(base::value_at(range, 0.5)) == "12");  // 10 is as near to 8; away from zero
  CHECK(text_of(base::value_at(range, 1.0)) == "16");
  range.to = 15.0;  // no whole step reaches it
  CHECK(text_of(base::value_at(range, 1.0)) == "12");
  SweepRange rates;
  rates.from = 0.2;
  rates.to = 1.0;
  rates.step = 0.1;
  rates.unit = "GB/s";
  CHECK(text_of(base::value_at(rates, 0.5)) == "0.6 GB/s");

  SweepSpec spec;
  SweepAxis axis;
  axis.path = "n";
  range.to = 16.0;
  axis.range = range;
  spec.axes = {axis, axis};
  spec.axes[1].path = "m";
  spec.mode = SweepMode::latin;
  spec.samples = 8;
  Diagnostics diags;
  std::multiset<std::string> seen;
  for (const sweep::Point& p : sweep::points_of(spec, 4, diags)) seen.insert(text_of(p[0].value));
  // eight samples of four values, less those that are the same in both
  for (const char* value : {"4", "8", "12", "16"}) {
    CHECK(seen.count(value) >= 1);
    CHECK(seen.count(value) <= 2);
  }
}

TEST_CASE("samples of lists take each value equally often") {
  const std::string text = points({"a=x,y", "n=0 s..1 s"}, "latin:8", 1);
  CHECK(std::count(text.begin(), text.end(), 'x') == 4);
  CHECK(std::count(text.begin(), text.end(), 'y') == 4);
}

TEST_CASE("modes that are none are refused") {
  SweepSpec spec;
  for (const char* text : {"", "latin", "latin:", "latin:0", "latin:x", "zip:3", "grid"})
    CHECK_FALSE(scenarios::set_mode(text, spec));
  CHECK(scenarios::set_mode("sobol:64", spec));
  CHECK(spec.samples == 64);
}

TEST_CASE("too many points are refused before they are made") {
  CHECK(points({"a=1..1000000:1000000", "b=1..1000000:1000000"}).find("more than 1000000") !=
        std::string::npos);
  CHECK(points({"a=1 s..2 s"}, "latin:1000001").find("a sample has 1 to") != std::string::npos);
}

}  // namespace points_test
