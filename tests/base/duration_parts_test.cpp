#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/assertion.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::base {

TEST_CASE("durations are read in parts, the largest unit first") {
  const std::vector<std::pair<std::string, double>> goods = {
      {"45 min 11 s", 2711.0}, {"7 d 18 h", 186.0 * 3600.0},
      {"1h30min", 5400.0},     {" 1 d  2 h 3 min 4 s ", 93784.0},
      {"1 h 0.5 min", 3630.0}, {"1 s 500 ms", 1.5},
      {"-2 min 5 s", -125.0},  {"+2 min 5 s", 125.0},
  };
  for (const auto& [text, value] : goods) {
    CAPTURE(text);
    CHECK(parse_quantity(text, Dimension::time).value == value);
    CHECK(parse_any_quantity(text)->dimension == Dimension::time);
  }
}

TEST_CASE("parts in another order say which and how they are written") {
  struct Bad {
    std::string text, message, hint;
  };
  const std::vector<Bad> bads = {
      {"13 min 1 h", "\"13 min 1 h\" has \"1 h\" behind the smaller \"13 min\"",
       "write \"1 h 13 min\""},
      {"-5 s 2 min", "\"-5 s 2 min\" has \"2 min\" behind the smaller \"5 s\"",
       "write \"-2 min 5 s\""},
      {"1 h 2 h", "\"1 h 2 h\" has \"h\" twice", "write \"3 h\""},
      {"2 h -5 min", "\"2 h -5 min\" has a sign before \"5 min\"",
       "write one sign, before the whole duration"},
      {"1e308 d 1e308 h", "\"1e308 d 1e308 h\" is too large", "write a smaller number"},
      {"1 h 30", "unknown unit \"h 30\"; expected a duration such as \"200 ms\"",
       "write for example \"200 ms\""},
  };
  for (const Bad& bad : bads) {
    CAPTURE(bad.text);
    const ParsedQuantity got = parse_quantity(bad.text, Dimension::time);
    CHECK_FALSE(got.value.has_value());
    CHECK(got.message == bad.message);
    CHECK(got.hint == bad.hint);
  }
  // Other quantities have one unit.
  CHECK_FALSE(parse_quantity("1 GB 500 MB", Dimension::bytes).value.has_value());
}

// What is printed has at least three significant digits, or two parts of which the smaller is
// whole: of 2 min or more it is off by half a second, half a minute of hours, or half an hour of
// days.
TEST_CASE("a duration that was printed is read back to what it reads as") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> decade(-9.0, 10.0);
  for (int i = 0; i < 20000; ++i) {
    const double x = (i % 2 == 0 ? 1.0 : -1.0) * std::pow(10.0, decade(random));
    const std::string text = print_quantity(x, Dimension::time);
    CAPTURE(x, text);
    const ParsedQuantity read = parse_quantity(text, Dimension::time);
    REQUIRE(read.value.has_value());
    const double size = std::abs(x);
    const double half = size < 119.0     ? 0.005 * size
                        : size < 3599.5  ? 0.5
                        : size < 86370.0 ? 30.0
                                         : std::max(1800.0, 0.005 * size);
    CHECK(std::abs(*read.value - x) <= half * (1.0 + 1e-9));
    CHECK(print_quantity(*read.value, Dimension::time) == text);
  }
  CHECK(print_quantity(119.97, Dimension::time) == "2 min");
}

TEST_CASE("a number is told from what follows it, and of parts in the last unit") {
  using Told = std::pair<double, std::string_view>;
  CHECK(leading_number("4 GB/s") == Told{4.0, "GB/s"});
  CHECK(leading_number("-1.5e3kops/s ") == Told{-1500.0, "kops/s"});
  CHECK(leading_number("40") == Told{40.0, ""});
  CHECK(leading_number("1 h 13 min") == Told{73.0, "min"});
  CHECK(leading_number("1 s 1 ms") == Told{1001.0, "ms"});
  CHECK(leading_number("1 h 13 GB") == Told{1.0, "h 13 GB"});
  for (const char* text : {"", "GB/s", "=n", "nan", "inf s", "1e999 B"})
    CHECK_FALSE(leading_number(text).has_value());
}

TEST_CASE("a change of a duration in parts is in its last unit") {
  CHECK(unit_of_text("1 h 13 min", Dimension::time) == 60.0);
  CHECK(unit_of_text("1 h 13 min +- 10 %", Dimension::time) == 60.0);
  CHECK(in_unit_of_text(73.0, "1 h 13 min", Dimension::time) == 4380.0);
  CHECK(exact_quantity_like(4440.0, Dimension::time, "1 h 13 min") == "74 min");
  CHECK(number_of_units("1 h 30 min", "h") == 1.5);
}

TEST_CASE("targets take durations in parts, also beside a base") {
  const auto limit = parse_assertion("job.a.time <= 1 h 13 min");
  REQUIRE(limit.ok());
  CHECK(limit_in(*limit, "s").value() == 4380.0);
  const auto range = parse_assertion("job.a.time in [1 min 5 s, 2 h 1 s]");
  REQUIRE(range.ok());
  CHECK(range->upper == 7201.0);
  const auto relative = parse_assertion("job.a.time <= base * 2 + 1 min 5 s");
  REQUIRE(relative.ok());
  CHECK(relative_limits(*relative, "s", 100.0).value().limit == 265.0);
  const auto wrong = parse_assertion("job.a.time <= 5 s 1 min");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.failure().message == "\"5 s 1 min\" has \"1 min\" behind the smaller \"5 s\"");
  CHECK(wrong.failure().hint == "write \"1 min 5 s\"");
}

}  // namespace stallcast::base
