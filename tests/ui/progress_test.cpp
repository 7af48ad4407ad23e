#include "ui/app/progress.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace progress_test {

using namespace stallcast::client;

TEST_CASE("progress that begins anew is shown as one that goes on") {
  ShownProgress progress(Passes::one);
  double before = 0.0;
  for (const double told :
       {0.0, 0.2, 0.5, 0.25, 0.3, 0.5, 0.25, 0.4, 0.5, 0.5, 0.75, 0.6, 0.75, 0.9, 1.0}) {
    progress.tell(told, 1.0);
    CHECK(progress.done() >= before);
    CHECK(progress.done() >= told);
    CHECK((progress.done() < 1.0 || told == 1.0));
    before = progress.done();
  }
  CHECK(progress.done() == 1.0);
}

TEST_CASE("a pass that is told again moves what is shown") {
  ShownProgress progress(Passes::one);
  progress.tell(0.5, 1.0);
  progress.tell(0.25, 1.0);
  CHECK(progress.done() == 0.5);
  progress.tell(0.4, 1.0);
  CHECK(progress.done() == Approx(0.5 + 0.5 * 0.5 * 0.15 / 0.75));
}

TEST_CASE("of passes that nobody counted the first is not all") {
  ShownProgress progress(Passes::several);
  progress.tell(1.0, 1.0);
  CHECK(progress.done() == 0.5);
  progress.tell(0.0, 1.0);
  CHECK(progress.done() == 0.5);
  progress.tell(1.0, 1.0);
  CHECK(progress.done() == 0.75);
}

TEST_CASE("what is left follows from the pace, once there is one") {
  ShownProgress progress(Passes::one);
  progress.tell(0.5, 1.0);
  CHECK_FALSE(progress.left());
  progress.tell(0.5, 10.0);
  CHECK(progress.left() == Approx(10.0));
  progress.tell(0.8, 12.0);
  CHECK(progress.left() == Approx(3.0));
  progress.tell(1.0, 15.0);
  CHECK_FALSE(progress.left());
  CHECK(left_phrase(0.2) == "1 s left");
  CHECK(left_phrase(59.4) == "59 s left");
  CHECK(left_phrase(59.6) == "1 min left");
  CHECK(left_phrase(200.0) == "3 min left");
  CHECK(left_phrase(7300.0) == "2 h left");
}

TEST_CASE("what takes long is said once, as soon as the pace tells") {
  LongAhead ahead;
  ShownProgress progress(Passes::one);
  progress.tell(0.04, 3.0);  // no pace yet
  CHECK_FALSE(ahead.ask(progress));
  progress.tell(0.1, 4.0);
  CHECK(ahead.ask(progress).value_or(0.0) == Approx(36.0));
  CHECK_FALSE(ahead.ask(progress));
  LongAhead other;
  ShownProgress quick(Passes::one);
  quick.tell(0.4, 3.0);
  CHECK_FALSE(other.ask(quick));
  // At 1 % after 9 s it takes 891 s more, so that nobody need wait for 5 %.
  LongAhead slow;
  ShownProgress hours(Passes::one);
  hours.tell(0.01, 7.0);
  CHECK_FALSE(slow.ask(hours));
  hours.tell(0.01, 9.0);
  CHECK(slow.ask(hours).value_or(0.0) == Approx(891.0));
  CHECK(about_phrase(36.0) == "36 s");
  CHECK(about_phrase(150.0) == "3 min");
}

}  // namespace progress_test
