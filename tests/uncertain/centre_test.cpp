#include "engine/decide/uncertain/centre.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "engine/decide/uncertain/sobol.hpp"

namespace centre_test {

using namespace stallcast;
using uncertain::Error;
using uncertain::Particle;
using Vector = std::vector<double>;

namespace {

constexpr std::size_t kInputs = 5;

/// A figure that is exp(f(scores)), so that it is f on its error's scale.
uncertain::Simulate simulating(const std::function<double(const Vector&)>& f, const Error& error) {
  return [&f, &error](std::vector<Vector> points) {
    std::vector<Particle> out;
    for (Vector& point : points) {
      Particle one;
      one.point = std::move(point);
      const double y = f(one.scores());
      one.figures.push_back(std::exp(y));
      one.likelihood = -0.5 * error.off(y) * error.off(y);
      out.push_back(std::move(one));
    }
    return out;
  };
}

Vector found(const std::function<double(const Vector&)>& f, const Error& error) {
  const uncertain::Simulate simulate = simulating(f, error);
  return uncertain::least_surprising(simulate(uncertain::scrambled_sobol(128, kInputs, 7)), {error},
                                     simulate)
      .scores();
}

}  // namespace

TEST_CASE("the least surprising place of a linear figure is the normal closed form", "[unit]") {
  // Minimum of z^2 / 2 + (2 z - c)^2 / (2 s^2): z = 2 c / (4 + s^2).
  const Error error{1.0, 0.5, "s"};
  const Vector z = found([](const Vector& at) { return 2.0 * at[3]; }, error);
  CHECK(z[3] == Approx(2.0 / 4.25).margin(0.03));
  for (const std::size_t i : {0U, 1U, 2U, 4U}) CHECK(z[i] == 0.0);
}

TEST_CASE("of two limits the one that is nearer explains, and the other stays", "[unit]") {
  // The smaller of two limits, both 1 above the observed: one varies by 1, the other by 0.5.
  const Error error{-1.0, 0.05, "s"};
  const Vector z = found(
      [](const Vector& at) {
        return std::min({0.5 * at[1], at[2], 0.3 + at[4]});
      },
      error);
  CHECK(z[2] == Approx(-1.0).margin(0.05));
  CHECK(z[1] == 0.0);
  CHECK(z[4] == 0.0);
}

TEST_CASE("a design that gave what was observed stays as it is", "[unit]") {
  const Error error{0.0, 0.2, "s"};
  for (const double z : found([](const Vector& at) { return at[0] * at[1] + at[2]; }, error))
    CHECK(z == 0.0);
}

}  // namespace centre_test
