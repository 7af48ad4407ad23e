#include "engine/base/glob.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace glob_test {

using stallcast::base::globs_meet;
using stallcast::base::matches_glob;
using stallcast::base::matches_metric;

TEST_CASE("a star stands for any text, also for none, dots and slashes included") {
  CHECK(matches_glob("resource.*.utilization", "resource.storage.a.ost.utilization"));
  CHECK(matches_glob("designs/*", "designs/eu/a.json"));
  CHECK(matches_glob("a*", "a"));
  CHECK(matches_glob("*", ""));
  CHECK(matches_glob("*a*a*", "banana"));
  CHECK(matches_glob("a*b*c", "aXbYbZc"));
}

TEST_CASE("a star in the place of an id of a metric stands for one id, which has no dots") {
  CHECK(matches_metric("job.*.step.time", "job.train.step.time"));
  CHECK_FALSE(matches_metric("job.*.step.time", "job.train.steady.step.time"));
  CHECK_FALSE(matches_metric("job.*.step.time", "stage.train.step.time"));
  CHECK_FALSE(matches_metric("job.*.step.time", "job.train.step.time.p99"));
  CHECK(matches_metric("job.*.step.time.p99", "job.train.step.time.p99"));
  CHECK(matches_metric("job.*.step.*", "job.train.step.time.p99"));
  CHECK(matches_metric("storage.*.ost.count", "storage.fs.ost.count"));
  // Elsewhere, and of names of resources, for any text.
  CHECK(matches_metric("job.*", "job.train.steady.step.time"));
  CHECK(matches_metric("job.*step.time", "job.train.steady.step.time"));
  CHECK(matches_metric("*.step.time", "job.train.steady.step.time"));
  CHECK(matches_metric("resource.*.utilization", "resource.storage.a.ost.utilization"));
  CHECK(matches_metric("cost.*", "cost.capex"));
  CHECK_FALSE(matches_metric("job.*.step.time", "job"));
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
