#include "engine/base/deadline.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace stallcast::base {
namespace {

TEST_CASE("without a limit no deadline passes") {
  CHECK_FALSE(Deadline().passed());
  CHECK(std::isinf(Deadline().left_s()));
}

TEST_CASE("a limit of nothing has passed, and parts of the work share what is left") {
  CHECK(Deadline::in(0.0).passed());
  CHECK(Deadline::in(-1.0).passed());
  const Deadline whole = Deadline::in(1e6);
  CHECK_FALSE(whole.passed());
  const double first = whole.left_s();
  CHECK(first <= 1e6);
  const Deadline part = whole;
  CHECK(part.left_s() <= first);
  CHECK(part.left_s() <= Deadline::in(1e6).left_s());
}

}  // namespace
}  // namespace stallcast::base
