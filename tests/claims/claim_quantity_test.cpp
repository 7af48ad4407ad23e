#include "calibration/validation/claim_quantity.hpp"

#include <catch2/catch.hpp>

namespace claim_quantity_test {

using namespace stallcast;
using namespace stallcast::calibration;

namespace {

Statement statement(const std::string& text) {
  std::string message;
  const auto out = parse_statement(text, message);
  INFO(text << ": " << message);
  REQUIRE(out.has_value());
  return *out;
}

ClaimTolerance tolerance(const std::string& text) {
  std::string message;
  const auto out = parse_tolerance(text, message);
  INFO(text << ": " << message);
  REQUIRE(out.has_value());
  return *out;
}

std::string fault_of(const std::string& text) {
  std::string message;
  CHECK_FALSE(any_quantity(text, message).has_value());
  return message;
}

}  // namespace

TEST_CASE("a quantity is what its unit says") {
  std::string message;
  CHECK(any_quantity("4 GB/s", message)->dimension == Dimension::rate);
  CHECK(any_quantity("4 GB/s", message)->value == 4e9);
  CHECK(any_quantity("70e9", message)->dimension == Dimension::number);
  CHECK(any_quantity("95 %", message)->value == 0.95);
  CHECK(any_quantity("3 USD/h", message)->dimension == Dimension::money_rate);
  CHECK(message.empty());
}

TEST_CASE("two bytes and two billion are not told apart, so neither is taken") {
  CHECK(fault_of("2 B") == "\"2 B\" may be a number or a size");
  CHECK(fault_of("4 furlongs") == "cannot read \"4 furlongs\" as a quantity");
}

TEST_CASE("a figure holds within its tolerance, whichever kind it is") {
  CHECK(statement("100 s").holds_for(100.0, tolerance("")));
  CHECK_FALSE(statement("100 s").holds_for(100.1, tolerance("")));
  CHECK(statement("100 s").holds_for(99.0, tolerance("1 %")));
  CHECK_FALSE(statement("100 s").holds_for(98.9, tolerance("1 %")));
  CHECK(statement("100 s").holds_for(200.0, tolerance("x2")));
  CHECK_FALSE(statement("100 s").holds_for(49.0, tolerance("x2")));
  CHECK(statement("90 %").holds_for(0.905, tolerance("0.5 points")));
  CHECK_FALSE(statement("90 %").holds_for(0.906, tolerance("0.5 points")));
}

TEST_CASE("ranges and bounds hold for what lies inside") {
  CHECK(statement("30 % to 50 %").holds_for(0.3, {}));
  CHECK_FALSE(statement("30 % to 50 %").holds_for(0.51, {}));
  CHECK(statement(">= 1 TB").holds_for(1e12, {}));
  CHECK_FALSE(statement(">= 1 TB").holds_for(0.9e12, {}));
  CHECK(statement("< 1 ms").holds_for(0.0, {}));
  CHECK_FALSE(statement("< 1 ms").holds_for(0.002, {}));
}

TEST_CASE("a claim that is off says by how much and to which side") {
  // 420 GB of 980 GB is 43 % of it: 57 % too low.
  CHECK(statement("700 GB").deviation(980e9) == "claim 29 % too low");
  CHECK(statement("420 GB").deviation(980e9) == "claim 2.33 times too low");
  CHECK(statement("1.5 TB/s").deviation(7.5e5) == "claim 2000000 times too high");
  // The nearest end of a range counts.
  CHECK(statement("2 to 3").deviation(4.0) == "claim 25 % too low");
  CHECK(statement(">= 1 TB").deviation(1.0).empty());
}

TEST_CASE("ranges of two units and unknown tolerances are faults") {
  std::string message;
  CHECK_FALSE(parse_statement("1 s to 2 GB", message).has_value());
  CHECK(message == "\"1 s to 2 GB\" is not a range");
  CHECK_FALSE(parse_statement("3 s to 2 s", message).has_value());
  CHECK_FALSE(parse_tolerance("roughly", message).has_value());
  CHECK(message == "a tolerance is \"1 %\", \"x2\" or \"0.5 points\", not \"roughly\"");
}

}  // namespace claim_quantity_test
