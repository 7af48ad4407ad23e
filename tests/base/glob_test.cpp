#include "engine/base/glob.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace glob_test {

using stallcast::base::globs_meet;
using stallcast::base::matches_glob;

TEST_CASE("a star stands for any text, also for none, dots and slashes included") {
  CHECK(matches_glob("resource.*.utilization", "resource.storage.a.ost.utilization"));
  CHECK(matches_glob("designs/*", "designs/eu/a.json"));
  CHECK(matches_glob("a*", "a"));
  CHECK(matches_glob("*", ""));
  CHECK(matches_glob("*a*a*", "banana"));
  CHECK(matches_glob("a*b*c", "aXbYbZc"));
}

TEST_CASE("everything else stands for itself") {
  CHECK(matches_glob("a.b", "a.b"));
  CHECK_FALSE(matches_glob("a.b", "axb"));
  CHECK_FALSE(matches_glob("a", "ab"));
  CHECK_FALSE(matches_glob("a*c", "ab"));
  CHECK_FALSE(matches_glob("", "a"));
  CHECK_FALSE(matches_glob("a?", "ab"));
}

TEST_CASE("many stars do not take for ever") {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  CHECK_FALSE(matches_glob(pattern + "b", std::string(5000, 'a')));
}

TEST_CASE("two patterns meet where some text is what both say") {
  CHECK(globs_meet("a.b", "a.b"));
  CHECK_FALSE(globs_meet("a.b", "a.c"));
  CHECK(globs_meet("a.*", "*.b"));
  CHECK(globs_meet("took.storage.*", "took.*"));
  CHECK(globs_meet("*", ""));
  CHECK(globs_meet("a*", "a"));
  CHECK_FALSE(globs_meet("a*", ""));
  CHECK_FALSE(globs_meet("a*c", "*b"));
  CHECK_FALSE(globs_meet(std::string(200, '*') + "b", std::string(200, '*') + "a"));
}

}  // namespace glob_test
