#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "engine/base/random.hpp"
#include "models/storage/object_cut.hpp"
#include "models/storage/s3_delays.hpp"

namespace s3_delays_test {

using namespace stallcast;
using namespace stallcast::literals;
using models::S3Chain;
using models::S3Delays;

// sigma = ln(5) / 2.326, over the median: e^(sigma^2 / 2).
constexpr double kSpread = 5.0;
double sigma() { return std::log(kSpread) / 2.3263478740408408; }
double mean_of_one() { return std::exp(sigma() * sigma() / 2.0); }

double mean_drawn(S3Delays& delays, const S3Chain& chain) {
  base::RandomStream random(1, "store", "delays");
  constexpr int kDraws = 20000;
  double sum = 0.0;
  for (int i = 0; i < kDraws; ++i) sum += delays.draw(chain, 1.0, random);
  return sum / kDraws;
}

// The larger of two lognormals of mean 1 is 2 F(sigma / sqrt(2)) in the mean, F of a standard
// normal variable, = 1 + erf(sigma / 2).
TEST_CASE("the mean of the larger of two lognormal draws is known") {
  const double cv = std::sqrt(std::expm1(sigma() * sigma()));
  const base::LargestOfLognormals one = base::largest_of_lognormals(cv, 1.0);
  CHECK(one.mean == Approx(1.0).epsilon(1e-12));
  CHECK(one.cv == Approx(cv).epsilon(1e-10));
  CHECK(base::largest_of_lognormals(cv, 2.0).mean ==
        Approx(1.0 + std::erf(sigma() / 2.0)).epsilon(1e-12));
  CHECK(base::largest_of_lognormals(0.0, 4.0).cv == Approx(0.0).margin(1e-7));
}

// The next object begins when the last part of this one is there: k objects of 2 parts side by side
// take k times the mean of the larger of two.
TEST_CASE("objects one after the other wait for the slowest part of each") {
  S3Delays delays(kSpread);
  const double each = mean_of_one() * (1.0 + std::erf(sigma() / 2.0));
  for (const double files : {1.0, 2.0, 16.0, 256.0})
    CHECK(mean_drawn(delays, {.files = files, .chains = 2.0}) ==
          Approx(each * files).epsilon(0.01));
  CHECK(delays.mean({.files = 16.0, .chains = 2.0}) == Approx(16.0 * each).epsilon(1e-9));
}

TEST_CASE("without spread each turn takes the median") {
  S3Delays delays(1.0);
  CHECK(mean_drawn(delays, {.files = 2.5, .turns = 3.0, .chains = 4.0}) ==
        Approx(7.5).epsilon(1e-9));
}

// A group of samples has the bytes of so many objects, in binary fractions: 1.4 x 4 MB / 1.4 may be
// more than 4 MB by a rounding, which is no part of its own.
TEST_CASE("an object that is two parts but for a rounding is two parts") {
  for (const double up : {-1e-12, 0.0, 1e-12}) {
    const models::Cut cut = models::cut(4_MB * (1.0 + up), 2_MB, 8);
    CHECK(cut.requests == 2.0);
    CHECK(cut.turns == 1.0);
    CHECK(cut.speedup == Approx(2.0).epsilon(1e-9));
    CHECK(models::cut(2_MB * (1.0 + up), 2_MB, 8).requests == 1.0);
  }
}

}  // namespace s3_delays_test
