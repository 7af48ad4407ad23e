#include "engine/base/quantity_text.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace stallcast::base {
namespace {

using enum Dimension;

struct Good {
  std::string text;
  Dimension dimension;
  double value;
};

struct Bad {
  std::string text;
  Dimension dimension;
  std::string message;
  std::string hint;
};

const std::vector<Dimension> kNumeric = {count, number, bytes,     time,  rate,      op_rate,
                                         ratio, flops,  flop_rate, money, money_rate};

}  // namespace

TEST_CASE("quantities are read in every documented spelling") {
  const std::vector<Good> goods = {
      {"25 GB/s", rate, 25e9},
      {"25GB/s", rate, 25e9},
      {"  25   GB/s ", rate, 25e9},
      {"25 GBps", rate, 25e9},
      {"2.5e1 GB/s", rate, 25e9},
      {"400 Gb/s", rate, 50e9},
      {"400 Gbit/s", rate, 50e9},
      {"400 Gbps", rate, 50e9},
      {"8 kbps", rate, 1e3},
      {"1 Tb/s", rate, 125e9},
      {"100 Mb/s", rate, 12.5e6},
      {"1 GiB/s", rate, 1073741824.0},
      {"7 B/s", rate, 7},
      {"4 MiB", bytes, 4194304},
      {"1 GiB", bytes, 1073741824.0},
      {"2 PiB", bytes, 2251799813685248.0},
      {"10 EB", bytes, 1e19},
      {"1 EiB", bytes, 1152921504606846976.0},
      {"20 TB", bytes, 20e12},
      {"16kB", bytes, 16e3},
      {"0 B", bytes, 0},
      {"-1 B", bytes, -1},
      {"200 ms", time, 0.2},
      {"850ms", time, 0.85},
      {"1.5 us", time, 1.5e-6},
      {"5 ns", time, 5e-9},
      {"30 min", time, 1800},
      {"2 h", time, 7200},
      {"1 d", time, 86400},
      {"0.5 s", time, 0.5},
      {"95 %", ratio, 0.95},
      {"7%", ratio, 0.07},
      {"99.9 %", ratio, 0.999},
      {"80 kops/s", op_rate, 80e3},
      {"1.5 MIOPS", op_rate, 1.5e6},
      {"100 kIOPS", op_rate, 100e3},
      {"5 /s", op_rate, 5},
      {"30 1/s", op_rate, 30},
      {"70.7 ksamples/s", op_rate, 70.7e3},
      {"1 Gsamples/s", op_rate, 1e9},
      {"2.5 ktokens/s", op_rate, 2.5e3},
      {"12 queries/s", op_rate, 12},
      {"5 k/s", op_rate, 5e3},
      {"3 ops/s", op_rate, 3},
      {"989 TFLOP/s", flop_rate, 989e12},
      {"989 TFLOPS", flop_rate, 989e12},
      {"1 EFLOP/s", flop_rate, 1e18},
      {"4 TFLOP", flops, 4e12},
      {"3.8e25 FLOP", flops, 3.8e25},
      {"120 USD", money, 120},
      {"$120", money, 120},
      {"120 $", money, 120},
      {"3 USD/h", money_rate, 3.0 / 3600.0},
      {"3.6 $/h", money_rate, 0.001},
      {"1 USD/s", money_rate, 1},
      // A year of 8760 h has twelve months.
      {"730 USD/month", money_rate, 1.0 / 3600.0},
      {"8760 USD/y", money_rate, 1.0 / 3600.0},
      {"2.5 MUSD", money, 2.5e6},
      {"300 kUSD", money, 3e5},
      {"64", count, 64},
      {"70B", count, 70e9},
      {"1.5k", count, 1500},
      {"1.8T", number, 1.8e12},
      {"3.25", number, 3.25},
      {"+3", number, 3},
      {"true", boolean, 1},
      {"false", boolean, 0},
  };
  for (const Good& good : goods) {
    CAPTURE(good.text);
    const ParsedQuantity got = parse_quantity(good.text, good.dimension);
    CAPTURE(got.message);
    REQUIRE(got.value.has_value());
    CHECK(*got.value == good.value);
    CHECK(got.message.empty());
  }
}

TEST_CASE("wrong quantities say what is wrong and how to write them") {
  const std::vector<Bad> bads = {
      {"25", rate, "\"25\" has no unit; expected a rate", "write \"25 GB/s\""},
      {"25000000", rate, "\"25000000\" has no unit; expected a rate", "write \"25 MB/s\""},
      {"200", time, "\"200\" has no unit; expected a duration", "write \"200 s\""},
      {"4194304", bytes, "\"4194304\" has no unit; expected a size", "write \"4 MiB\""},
      {"0.95", ratio, "\"0.95\" has no unit; expected a percentage", "write \"95 %\""},
      {"95", ratio, "\"95\" has no unit; expected a percentage", "write \"95 %\""},
      {"2 MB/s", bytes, "\"2 MB/s\" is a rate; expected a size such as \"4 MiB\"",
       "write \"2 MB\""},
      {"25 Gb", rate,
       "\"25 Gb\" is a size in bits; expected a rate such as \"25 GB/s\" or \"25 Gb/s\"",
       "write \"25 Gb/s\""},
      {"25 Mb", bytes, "\"25 Mb\" is a size in bits; expected a size such as \"4 MiB\"",
       "sizes are written in bytes; bits only in rates"},
      {"25 GB", rate, "\"25 GB\" is a size; expected a rate such as \"25 GB/s\" or \"25 Gb/s\"",
       "write \"25 GB/s\""},
      {"5 s", bytes, "\"5 s\" is a duration; expected a size such as \"4 MiB\"",
       "write for example \"4 MiB\""},
      {"4 TFLOP", flop_rate,
       "\"4 TFLOP\" is an amount of computation; expected a compute rate such as \"989 TFLOP/s\"",
       "write \"4 TFLOP/s\""},
      {"5 gb", bytes, "unit \"gb\" is not known; case matters", "write \"5 GB\""},
      {"4 KB", bytes, "unit \"KB\" is not known; case matters", "write \"4 kB\""},
      {"400 gb/s", rate, "unit \"gb/s\" is not known; case matters",
       "write \"400 Gb/s\" or \"400 GB/s\""},
      {"3 GB/s .. 5 GB/s", rate,
       "\"3 GB/s .. 5 GB/s\" is a range, not a quantity; expected a rate such as \"25 GB/s\" or "
       "\"25 Gb/s\"",
       "write how sure a number is as \"25 GB/s +- 10 %\" or { \"value\": ..., \"low\": ..., "
       "\"high\": ... }"},
      {"25 G", bytes, "\"25 G\" has an incomplete unit; expected a size such as \"4 MiB\"",
       "write \"25 GB\" or \"25 GiB\""},
      {"5 m", time, "\"5 m\" has an incomplete unit; expected a duration such as \"200 ms\"",
       "write \"5 ms\" or \"5 min\""},
      {"1h30", time, "unknown unit \"h30\"; expected a duration such as \"200 ms\"",
       "write for example \"200 ms\""},
      {"5 secs", time, "unknown unit \"secs\"; expected a duration such as \"200 ms\"",
       "write \"5 s\""},
      {"3 USD/week", money_rate,
       "unknown unit \"USD/week\"; expected a price per time such as \"3 USD/h\"",
       "write for example \"3 USD/h\""},
      {"20 kUSD/y", money_rate,
       "unknown unit \"kUSD/y\"; expected a price per time such as \"3 USD/h\"",
       "write \"20000 USD/y\""},
      {"1 MUSD/y", money_rate,
       "unknown unit \"MUSD/y\"; expected a price per time such as \"3 USD/h\"",
       "write \"1000000 USD/y\""},
      {"5 kUSD/h", money_rate,
       "unknown unit \"kUSD/h\"; expected a price per time such as \"3 USD/h\"",
       "write \"5000 USD/h\""},
      {"120 USD/d", money_rate,
       "unknown unit \"USD/d\"; expected a price per time such as \"3 USD/h\"",
       "write \"5 USD/h\""},
      {"20 kUSD/yr", money_rate,
       "unknown unit \"kUSD/yr\"; expected a price per time such as \"3 USD/h\"",
       "write \"20000 USD/y\""},
      {"900 USD/mo", money_rate,
       "\"900 USD/mo\" has an incomplete unit; expected a price per time such as \"3 USD/h\"",
       "write \"900 USD/month\""},
      {"0.12 USD/kWh", money_rate,
       "unknown unit \"USD/kWh\"; expected a price per time such as \"3 USD/h\"",
       "write for example \"3 USD/h\""},
      {"0.3 GUSD", money, "unknown unit \"GUSD\"; expected a price such as \"120 USD\"",
       "write \"300 MUSD\""},
      {"0.3M$", money, "unknown unit \"M$\"; expected a price such as \"120 USD\"",
       "write \"300 kUSD\""},
      {"5 GW", power, "unknown unit \"GW\"; expected a power such as \"10.2 kW\"",
       "write \"5000 MW\""},
      {"5 mo", time, "unknown unit \"mo\"; expected a duration such as \"200 ms\"",
       "write for example \"200 ms\""},
      {"6 GB/min", rate,
       "unknown unit \"GB/min\"; expected a rate such as \"25 GB/s\" or \"25 Gb/s\"",
       "write \"100 MB/s\""},
      {"25 GBs", rate, "unknown unit \"GBs\"; expected a rate such as \"25 GB/s\" or \"25 Gb/s\"",
       "write \"25 GB/s\""},
      {"5 ZB", bytes, "unknown unit \"ZB\"; expected a size such as \"4 MiB\"",
       "write for example \"4 MiB\""},
      {"70 G", count, "unknown unit \"G\"; expected a whole number such as 64",
       "write for example 64"},
      {"four", count, "\"four\" is not a whole number", "write for example 64"},
      {"200GbE", rate, "unknown unit \"GbE\"; expected a rate such as \"25 GB/s\" or \"25 Gb/s\"",
       "write \"200 Gb/s\""},
      {"2.5", count, "\"2.5\" is not a whole number", "write 3"},
      {"1e300", count, "\"1e300\" is too large", "write a smaller number"},
      {"1e999 GB", bytes, "\"1e999 GB\" is too large", "write a smaller number"},
      {"NaN", number, "\"NaN\" is not a finite number; expected a number such as 1.5",
       "write for example 1.5"},
      {"-inf GB", bytes, "\"-inf GB\" is not a finite number; expected a size such as \"4 MiB\"",
       "write for example \"4 MiB\""},
      {"", time, "empty text; expected a duration such as \"200 ms\"",
       "write for example \"200 ms\""},
      {"fast", rate, "\"fast\" is not a rate", "write for example \"25 GB/s\" or \"25 Gb/s\""},
      {"1,000 GB", bytes, "\"1,000 GB\" has a separator between digits",
       "write the digits in one run"},
      {"200,5 ms", time, "\"200,5 ms\" has a comma in its number", "write \"200.5 ms\""},
      {"1,25e3 GB", bytes, "\"1,25e3 GB\" has a comma in its number", "write \"1.25e3 GB\""},
      {"1,000,5 GB", bytes, "\"1,000,5 GB\" has a separator between digits",
       "write the digits in one run"},
      {"yes", boolean, "\"yes\" is neither true nor false", "write true or false"},
  };
  for (const Bad& bad : bads) {
    CAPTURE(bad.text);
    const ParsedQuantity got = parse_quantity(bad.text, bad.dimension);
    CHECK_FALSE(got.value.has_value());
    CHECK(got.message == bad.message);
    CHECK(got.hint == bad.hint);
  }
}

TEST_CASE("hexadecimal, half numbers and two units are rejected") {
  for (const char* text : {"0x10 GB", ".5 GB", "5. GB", "- 5 GB", "5 GB GB", "5 GB/s/s",
                           "5 GB 3 MB", "--5 GB", "5e GB", "GB"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_quantity(text, bytes).value.has_value());
  }
}

TEST_CASE("people see three to four digits in a unit of fitting size") {
  struct Row {
    double value;
    Dimension dimension;
    std::string text;
  };
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Row> rows = {
      {102.4e6, rate, "102.4 MB/s"},
      {25e9, rate, "25 GB/s"},
      {0.0, rate, "0 B/s"},
      {999.96e6, rate, "1 GB/s"},
      {999.94e6, rate, "999.9 MB/s"},
      {2.1e12, bytes, "2.1 TB"},
      {4194304, bytes, "4.19 MB"},
      {1.0, bytes, "1 B"},
      {0.85, time, "850 ms"},
      {1.2345e-6, time, "1.23 us"},
      {119.0, time, "119 s"},
      {120.0, time, "2 min"},
      {125.2, time, "2 min 5 s"},
      {4320.0, time, "1 h 12 min"},
      {3599.7, time, "1 h"},
      {3590.0, time, "59 min 50 s"},
      {85500.0, time, "23 h 45 min"},
      {86400.0 * 3 + 4 * 3600, time, "3 d 4 h"},
      {86399.0, time, "1 d"},
      {-0.5, time, "-500 ms"},
      {0.0, time, "0 s"},
      {inf, time, "infinite"},
      {0.951, ratio, "95.1 %"},
      {1.0, ratio, "100 %"},
      {0.0005, ratio, "0.05 %"},
      {5.76e-7, ratio, "0.000058 %"},
      {80e3, op_rate, "80 kops/s"},
      {989e12, flop_rate, "989 TFLOP/s"},
      {120.0, money, "120 USD"},
      {300000.0, money, "300 kUSD"},
      {1234567.0, money, "1.23 MUSD"},
      {3.0 / 3600.0, money_rate, "3 USD/h"},
      {64, count, "64"},
      {1281167, count, "1281167"},
      {70e9, count, "70B"},
      {3.14159, number, "3.14"},
      {1, boolean, "true"},
      {-0.0, number, "0"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CHECK(print_quantity(row.value, row.dimension) == row.text);
  }
}

TEST_CASE("spelled-out durations are understood well enough to say how to write them") {
  CHECK(parse_quantity("60 sec", time).hint == "write \"60 s\"");
  CHECK(parse_quantity("1 hour", time).hint == "write \"1 h\"");
  CHECK(parse_quantity("5 Minutes", time).hint == "write \"5 min\"");
  CHECK_FALSE(parse_quantity("60 sec", time).value.has_value());
}

TEST_CASE("two figures that would read the same get digits until they differ") {
  CHECK(print_apart(0.0500132, 0.05, ratio) == "5.001 %");
  CHECK(print_apart(0.06, 0.05, ratio) == "6 %");
  CHECK(print_apart(0.05, 0.05, ratio) == "5 %");
  CHECK(print_apart(10.0004, 10.0, time) == "10.0004 s");
  CHECK(print_apart(7200.5, 7200.0, time) == "7200.5 s");
  CHECK(print_apart(95080.0, 93600.0, time) == "26.41 h");  // both are "1 d 2 h"
  CHECK(print_apart(237013.0, 65.9 * 3600.0, time) == "65.84 h");
  CHECK(print_apart(216003.0, 216000.0, time) == "60.001 h");
  CHECK(print_apart(199.99999e9, 200e9, rate) == "199.99999 GB/s");
  CHECK(print_apart(50.03, 50.0, number) == "50.03");
  CHECK(print_apart(1.0 + 1e-15, 1.0, number) == "1");
}

TEST_CASE("exact text uses the unit with the fewest digits") {
  CHECK(exact_quantity(25e9, rate) == "25 GB/s");
  CHECK(exact_quantity(0.85, time) == "850 ms");
  CHECK(exact_quantity(1800, time) == "30 min");
  CHECK(exact_quantity(90, time) == "90 s");
  CHECK(exact_quantity(0.5 / 3600.0, money_rate) == "0.5 USD/h");
  CHECK(exact_quantity(0.0, money_rate) == "0 USD/h");
  CHECK(exact_quantity(4194304, bytes) == "4 MiB");
  CHECK(exact_quantity(1.5e9, bytes) == "1.5 GB");
  CHECK(exact_quantity(0, bytes) == "0 B");
  CHECK(exact_quantity(0.5, bytes) == "0.5 B");
  CHECK(exact_quantity(0.07, ratio) == "7 %");
  CHECK(exact_quantity(0.001, ratio) == "0.1 %");
  CHECK(exact_quantity(3.0 / 3600.0, money_rate) == "3 USD/h");
  CHECK(exact_quantity(70e9, count) == "70000000000");
  CHECK(exact_quantity(1, boolean) == "true");
}

TEST_CASE("rates of links are printed in bits where these are exact") {
  CHECK(exact_link_rate(50e9) == "400 Gb/s");
  CHECK(exact_link_rate(1.25e12) == "10 Tb/s");
  CHECK(exact_link_rate(3.125e9) == "25 Gb/s");
  CHECK(exact_link_rate(0.0) == "0 B/s");
  for (const double x : {1.0 / 3.0, 7.0e9 / 3.0, 1e-9, 123456789.0})
    CHECK(*parse_quantity(exact_link_rate(x), rate).value == x);
}

TEST_CASE("text like another keeps its sort of unit, and the unit itself where that is no longer") {
  constexpr double kGi = 1024.0 * 1024.0 * 1024.0;
  CHECK(exact_quantity_like(1.5 * kGi, bytes, "1 GiB") == "1.5 GiB");
  CHECK(exact_quantity_like(kGi / 2.0, bytes, "1 GiB") == "0.5 GiB");
  CHECK(exact_quantity_like(2048.0 * kGi, bytes, "1 GiB") == "2 TiB");
  CHECK(exact_quantity_like(1e9, bytes, "1 GB") == "1 GB");
  CHECK(exact_quantity_like(25e9, rate, "400 Gb/s") == "200 Gb/s");
  CHECK(exact_quantity_like(25e9, rate, "400 Gbps +- 5 %") == "200 Gbps");
  CHECK(exact_quantity_like(25e9, rate, "50 GB/s") == "25 GB/s");
  CHECK(exact_quantity_like(1800, time, "10 min") == "30 min");
  CHECK(exact_quantity_like(2.0, time, "500 ms") == "2 s");
  CHECK(exact_quantity_like(0.95, ratio, "90 %") == "95 %");
  // Without a unit, and for counts, which are written as bare numbers.
  CHECK(exact_quantity_like(25e9, rate, "=n * 2 GB/s") == "25 GB/s");
  CHECK(exact_quantity_like(7e9, count, "70B") == "7000000000");
  CHECK(unit_of_text("4 GiB", bytes) == kGi);
  CHECK_FALSE(unit_of_text("40", count).has_value());
  CHECK(in_unit_of_text(50.3, "50 ms", time) == 0.0503);
  for (const double x : {1.0 / 3.0, 7.0e9 / 3.0, 123456789.0})
    for (const char* like : {"1 GiB/s", "400 Gb/s", "5 MB/s"})
      CHECK(*parse_quantity(exact_quantity_like(x, rate, like), rate).value == x);
}

TEST_CASE("exact text reads back to the same bits for any finite double") {
  std::mt19937_64 random(20240601);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double value = 0.0;
    int exponent = 0;
    std::memcpy(&value, &bits, sizeof value);
    // Half of the draws stay near what scenarios hold; their mantissas use all bits.
    if (i % 2 == 0) value = std::ldexp(std::frexp(value, &exponent), i % 90 - 40);
    if (!std::isfinite(value)) continue;
    for (const Dimension dimension : kNumeric) {
      const double x = dimension == count ? std::floor(std::fmod(value, 9e15)) : value;
      const std::string text = exact_quantity(x, dimension);
      const ParsedQuantity back = parse_quantity(text, dimension);
      CAPTURE(text, back.message);
      if (!back.value || *back.value != x) FAIL("does not read back");
    }
  }
}

TEST_CASE("the shortest decimal text reads back and has no needless digits") {
  CHECK(shortest(0.1) == "0.1");
  CHECK(shortest(25e9) == "25000000000");
  CHECK(shortest(0) == "0");
  CHECK(shortest(1.0 / 3.0) == "0.3333333333333333");
  CHECK(std::stod(shortest(1e300)) == 1e300);
}

TEST_CASE("every dimension has a name, and its example is valid") {
  for (const Dimension dimension : kNumeric) {
    CAPTURE(dimension_name(dimension));
    CHECK(parse_quantity(dimension_example(dimension), dimension).value.has_value());
  }
  CHECK(dimension_name(rate) == "a rate");
}

TEST_CASE("so many significant digits, and what they read as") {
  CHECK(base::significant(1.0 / 3.0, 3) == "0.333");
  CHECK(base::significant(0.5, 3) == "0.5");
  CHECK(base::rounded_to(0.56 * 0.7, 1) == 0.4);
}

}  // namespace stallcast::base
