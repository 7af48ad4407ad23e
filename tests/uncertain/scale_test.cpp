#include "engine/decide/uncertain/scale.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/decide/uncertain/widths.hpp"

namespace scale_test {

using namespace stallcast;
using uncertain::chance;
using uncertain::ErrorScale;
using Kind = ErrorScale::Kind;

namespace {

constexpr std::array kValues = {0.0, 1e-9, 0.01, 0.2, 0.5, 0.99, 1.0};
constexpr std::array kScales = {ErrorScale{Kind::linear}, ErrorScale{Kind::odds},
                                ErrorScale{Kind::factors}};
constexpr std::array kBlurs = {0.0, 0.05, 0.7};

double at(const char* op, double value, double limit, ErrorScale scale, double blur) {
  return chance(op, value, limit, limit, scale, blur);
}

}  // namespace

TEST_CASE("A laxer limit is never less probable", "[uncertain]") {
  for (const ErrorScale scale : kScales)
    for (const double blur : kBlurs)
      for (const double value : kValues)
        for (std::size_t i = 1; i < kValues.size(); ++i) {
          const double low = kValues[i - 1], high = kValues[i];
          CAPTURE(static_cast<int>(scale.kind), blur, value, low, high);
          for (const char* op : {"<", "<="})
            CHECK(at(op, value, low, scale, blur) <= at(op, value, high, scale, blur));
          for (const char* op : {">", ">="})
            CHECK(at(op, value, low, scale, blur) >= at(op, value, high, scale, blur));
        }
}

TEST_CASE("What is not below a limit is at it or above", "[uncertain]") {
  for (const ErrorScale scale : kScales)
    for (const double blur : kBlurs)
      for (const double value : kValues)
        for (const double limit : kValues) {
          CHECK(at("<", value, limit, scale, blur) + at(">=", value, limit, scale, blur) ==
                Approx(1.0));
          CHECK(at("<=", value, limit, scale, blur) + at(">", value, limit, scale, blur) ==
                Approx(1.0));
          CHECK(at("<", value, limit, scale, blur) <= at("<=", value, limit, scale, blur));
        }
}

TEST_CASE("Both ends of a range belong to it", "[uncertain]") {
  const ErrorScale linear{Kind::linear}, factors{Kind::factors};
  CHECK(chance("in", 6.0, 6.0, 8.0, linear, 0.0) == 1.0);
  CHECK(chance("in", 8.0, 6.0, 8.0, factors, 0.0) == 1.0);
  CHECK(chance("in", 8.1, 6.0, 8.0, factors, 0.0) == 0.0);
  // From nothing on, where most of the blurred values are above it.
  CHECK(chance("in", 0.0, 0.0, 0.005, factors, 0.2) == 1.0);
}

TEST_CASE("No blur goes beyond what is possible", "[uncertain]") {
  const ErrorScale odds{ErrorScale::Kind::odds};
  CHECK(chance(">=", 0.25, 0.3, 0.3, odds, 0.7) > 0.3);
  CHECK(chance(">=", 0.25, 0.3, 0.3, odds, 0.7, {.most = 0.271}) == 0.0);
  CHECK(chance("<=", 0.25, 0.3, 0.3, odds, 0.7, {.most = 0.271}) == 1.0);
  CHECK(chance("<", 0.25, 0.1, 0.1, odds, 0.7, {.least = 0.2}) == 0.0);
  // Within it all is as before.
  CHECK(chance(">=", 0.25, 0.2, 0.2, odds, 0.7, {.most = 0.271}) ==
        chance(">=", 0.25, 0.2, 0.2, odds, 0.7));
}

TEST_CASE("What is nothing times any factor stays nothing", "[uncertain]") {
  const ErrorScale factors{Kind::factors};
  CHECK(at("<=", 0.0, 0.0, factors, 0.2) == 1.0);
  CHECK(at("<", 0.0, 0.0, factors, 0.2) == 0.0);
  CHECK(at("<=", 1.0, 0.0, factors, 0.2) == 0.0);
  CHECK(at("<=", 0.0, 0.01, factors, 0.2) == 1.0);
  // A tenth more than the value, which the blur's standard deviation is as well: normal(1).
  CHECK(at("<=", 1.0, 1.1, factors, std::log(1.1)) == Approx(0.8413).margin(1e-4));
}

TEST_CASE("A metric has one scale whatever it is compared with", "[uncertain]") {
  CHECK(ErrorScale::of("job.t.au", "ratio", 0.2, 0.9, true).kind == Kind::odds);
  CHECK(ErrorScale::of("job.t.time.data", "s", 5.0, 9.0, true).kind == Kind::factors);
  CHECK(ErrorScale::of("job.t.time.data", "s", 5.0, 9.0, true, 60.0).kind == Kind::odds);
  CHECK(ErrorScale::of("job.t.time.data", "s", 5.0, 69.0, true, 60.0).kind == Kind::factors);
  CHECK(ErrorScale::of("job.t.stall.data", "ratio", 0.2, 0.9, true).kind == Kind::odds);
  CHECK(ErrorScale::of("job.t.cache.hit", "ratio", 0.2, 0.9, true).kind == Kind::linear);
  CHECK(ErrorScale::of("job.t.step.time", "s", 0.2, 9.0, false).kind == Kind::factors);
  CHECK(ErrorScale::of("job.t.checkpoint.stall", "s", 0.0, 9.0, false).kind == Kind::linear);
  CHECK(ErrorScale::of("job.t.checkpoint.stall", "s", 0.0, 9.0, true).kind == Kind::factors);
  CHECK(ErrorScale::of("job.t.checkpoint.stall", "s", 0.0, 0.0, true).kind == Kind::linear);
}

TEST_CASE("An input that is known takes its part of the inputs' width and no other",
          "[uncertain]") {
  const uncertain::Widths widths{{Kind::factors}, 10.0, 0.3};
  const Interval inputs{10.0 * std::exp(-0.4), 10.0 * std::exp(0.4)};
  const auto half = [](Interval of) { return std::log(of.high / of.low) / 2.0; };
  CHECK(half(widths.with(inputs)) == Approx(0.5));
  CHECK(half(widths.left_of(inputs, 1.0)) == Approx(0.5));
  CHECK(half(widths.left_of(inputs, 0.25)) == Approx(std::hypot(0.2, 0.3)));
  CHECK(half(widths.left_of(inputs, 0.0)) == Approx(0.3));
  // Nothing else is unsure: then the median is all that is left.
  CHECK(half(uncertain::Widths{{Kind::factors}, 10.0}.left_of(inputs, 0.0)) == 0.0);
}

TEST_CASE("A time that is a part of a run is as probable as the share that says the same") {
  const ErrorScale share{Kind::odds}, time{Kind::odds, 60.0};
  for (const double value : kValues) {
    CHECK(time.to(60.0 * value) == Approx(share.to(value)));
    CHECK(time.from(share.to(value)) == Approx(60.0 * share.from(share.to(value))));
    CHECK(60.0 * time.slope(60.0 * value) == Approx(share.slope(value)));
    for (const double limit : kValues)
      CHECK(at("<=", 60.0 * value, 60.0 * limit, time, 0.7) ==
            Approx(at("<=", value, limit, share, 0.7)));
  }
}

}  // namespace scale_test
