#include "engine/decide/uncertain/prior.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace prior_test {

using namespace stallcast;
using uncertain::Prior;
using uncertain::prior_of;
using uncertain::quantile;
using Shape = Prior::Shape;

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

Value ranged(Dimension dimension, double number, double low, double high) {
  Value value;
  value.dimension = dimension;
  value.number = number;
  value.range = Range{low, high, "test"};
  return value;
}

Prior made(Dimension dimension, double number, double low, double high) {
  return prior_of(ranged(dimension, number, low, high), -kAny, kAny);
}

void check_quantiles(const Prior& prior, double low, double median, double high) {
  CHECK(quantile(prior, 0.05) == Approx(low).epsilon(1e-9).margin(1e-12));
  CHECK(quantile(prior, 0.5) == Approx(median).epsilon(1e-12).margin(1e-12));
  CHECK(quantile(prior, 0.95) == Approx(high).epsilon(1e-9));
}

void check_rises(const Prior& prior) {
  double last = -kAny;
  for (double u = 1e-6; u < 1.0; u += 1e-3) {
    const double x = quantile(prior, u);
    CHECK(x >= last);
    last = x;
  }
}

}  // namespace

TEST_CASE("A positive value is lognormal, with its number as the median") {
  const Prior prior = made(Dimension::rate, 2.0e9, 1.0e9, 8.0e9);
  CHECK(prior.shape == Shape::lognormal);
  check_quantiles(prior, 1.0e9, 2.0e9, 8.0e9);
  check_rises(prior);
  // Above the median ln x grows by ln 4 in 1.6448536 standard deviations, so one of them, the
  // quantile at 0.8413447, is a factor of 4^(1 / 1.6448536).
  CHECK(quantile(prior, 0.8413447460685429) ==
        Approx(2.0e9 * std::pow(4.0, 1.0 / 1.6448536269514722)));
}

TEST_CASE("A ceiling is above all that is drawn, a floor below, and half is near it") {
  // What is missing is an exponential factor, of which 5 % are beyond the range: 4 = 9 * 0.05^k.
  const double half = std::log(0.5) / std::log(0.05);
  for (const double number : {9.0, 12.0}) {
    const Prior prior = made(Dimension::time, number, 4.0, 9.0);
    CHECK(prior.shape == Shape::ceiling);
    check_quantiles(prior, 4.0, 9.0 * std::pow(4.0 / 9.0, half),
                    9.0 * std::pow(4.0 / 9.0, std::log(0.95) / std::log(0.05)));
    check_rises(prior);
    CHECK(quantile(prior, 1.0 - 1e-12) <= 9.0);
  }
  for (const double number : {4.0, 1.0}) {
    const Prior prior = made(Dimension::time, number, 4.0, 9.0);
    CHECK(prior.shape == Shape::floor);
    check_quantiles(prior, 4.0 * std::pow(9.0 / 4.0, std::log(0.95) / std::log(0.05)),
                    4.0 * std::pow(9.0 / 4.0, half), 9.0);
    check_rises(prior);
    CHECK(quantile(prior, 1e-12) >= 4.0);
  }
  // Stated rates that arrive with 83 % in 5 of 100 cases: the median is 96 %.
  CHECK(made(Dimension::rate, 1.0, 0.83, 1.0).median == Approx(0.958).margin(0.001));
  // Where factors make no sense, differences do.
  const Prior below = made(Dimension::number, 3.0, -1.0, 3.0);
  CHECK(below.shape == Shape::shortfall);
  check_quantiles(below, -1.0, 3.0 - 4.0 * half, 3.0 - 4.0 * std::log(0.95) / std::log(0.05));
}

TEST_CASE("A share is logit-normal and stays a share") {
  const Prior prior = made(Dimension::ratio, 0.9, 0.5, 0.95);
  CHECK(prior.shape == Shape::logit_normal);
  check_quantiles(prior, 0.5, 0.9, 0.95);
  check_rises(prior);
  CHECK(quantile(prior, 1e-12) > 0.0);
  CHECK(quantile(prior, 1.0 - 1e-12) < 1.0);
  // What may be more than 1 is no share.
  CHECK(made(Dimension::ratio, 1.2, 0.8, 1.5).shape == Shape::lognormal);
  CHECK(made(Dimension::ratio, 0.9, 0.8, 1.5).shape == Shape::lognormal);
  // Small shares keep their ranges.
  check_quantiles(made(Dimension::ratio, 1e-6, 1e-7, 1e-5), 1e-7, 1e-6, 1e-5);
}

TEST_CASE("A share may range from 0 and to 1") {
  // The ends are 10^-4 of the way from 0 to 0.25, and from 1 to it.
  const Prior both = made(Dimension::ratio, 0.25, 0.0, 1.0);
  check_quantiles(both, 0.25e-4, 0.25, 1.0 - 0.75e-4);
  check_rises(both);
  check_quantiles(made(Dimension::ratio, 1e-6, 0.0, 0.1), 1e-10, 1e-6, 0.1);
  // All of it is a ceiling: what is missing is exponential.
  const Prior ceiling = made(Dimension::ratio, 1.0, 0.5, 1.0);
  CHECK(ceiling.shape == Shape::shortfall);
  check_quantiles(ceiling, 0.5, 1.0 - 0.5 * std::log(0.5) / std::log(0.05),
                  1.0 - 0.5 * std::log(0.95) / std::log(0.05));
}

TEST_CASE("What may be negative is normal on either side of its number") {
  const Prior prior = made(Dimension::number, 1.0, -1.0, 5.0);
  CHECK(prior.shape == Shape::linear);
  check_quantiles(prior, -1.0, 1.0, 5.0);
  check_quantiles(made(Dimension::number, 0.0, -2.0, 1.0), -2.0, 0.0, 1.0);
  check_quantiles(made(Dimension::time, 3.0, 0.0, 4.0), 0.0, 3.0, 4.0);
}

TEST_CASE("A cost that is left out is most likely small") {
  for (const Dimension dimension : {Dimension::time, Dimension::ratio}) {
    const Prior prior = made(dimension, 0.0, 0.0, 0.2);
    CHECK(prior.shape == Shape::cost);
    // Exponential with P(x > 0.2) = 0.05: x = 0.2 ln(1 - u) / ln 0.05.
    check_quantiles(prior, 0.2 * std::log(0.95) / std::log(0.05),
                    0.2 * std::log(0.5) / std::log(0.05), 0.2);
    check_rises(prior);
    CHECK(prior.median == quantile(prior, 0.5));
    CHECK(quantile(prior, 1e-12) == Approx(0.0).margin(1e-12));
    CHECK(quantile(prior, 1e-12) >= 0.0);
  }
}

TEST_CASE("Counts are whole, and one stays one") {
  Prior prior = prior_of(ranged(Dimension::count, 4.0, 1.0, 20.0), 0.0, kAny);
  CHECK(prior.whole);
  for (double u = 0.001; u < 1.0; u += 0.001) {
    const double x = quantile(prior, u);
    CHECK(x == std::round(x));
    CHECK(x >= 1.0);
  }
  CHECK(quantile(prior, 0.05) == 1.0);
  CHECK(quantile(prior, 0.5) == 4.0);
  CHECK(quantile(prior, 0.95) == 20.0);
  CHECK(quantile(prior_of(ranged(Dimension::count, 4.0, 2.0, 9.0), 3.0, 8.0), 0.01) == 3.0);
  CHECK(quantile(prior_of(ranged(Dimension::count, 4.0, 2.0, 9.0), 3.0, 8.5), 0.99) == 8.0);
  // None at all is possible where the number is 0.
  CHECK(quantile(prior_of(ranged(Dimension::count, 0.0, 0.0, 3.0), 0.0, kAny), 0.1) == 0.0);
}

TEST_CASE("What is drawn is valid") {
  const Prior rate = prior_of(ranged(Dimension::rate, 5.0, 2.0, 9.0), 1.5, 10.0);
  CHECK(quantile(rate, 1e-9) == 1.5);
  CHECK(quantile(rate, 1.0 - 1e-9) == 10.0);
  const Prior time = prior_of(ranged(Dimension::time, 3.0, 0.0, 4.0), 0.0, kAny);
  CHECK(quantile(time, 0.01) == 0.0);
  const Prior share = prior_of(ranged(Dimension::ratio, 0.0, 0.0, 0.9), 0.0, 1.0);
  CHECK(quantile(share, 1.0 - 1e-6) == 1.0);
}

TEST_CASE("A range of one value gives that value") {
  for (const double x : {0.0, 0.5, 1.0})
    for (const double u : {0.001, 0.3, 0.999}) {
      CHECK(quantile(made(Dimension::ratio, x, x, x), u) == x);
      CHECK(quantile(made(Dimension::time, x, x, x), u) == x);
    }
}

}  // namespace prior_test
