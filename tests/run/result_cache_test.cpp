#include "engine/runtime/run/result_cache.hpp"

#include <catch2/catch.hpp>

namespace result_cache_test {

using namespace stallcast;

namespace {

RunResult result_of(std::uint64_t seed, double value) {
  RunResult result;
  result.seed = seed;
  result.metrics["m"] = {value, "s", {}};
  return result;
}

}  // namespace

TEST_CASE("a result is found by the hash of its design and its seed, and by nothing less") {
  run::ResultCache cache(10);
  cache.keep("a", result_of(1, 0.1));
  cache.keep("a", result_of(2, 0.2));
  cache.keep("b", result_of(1, 0.3));
  CHECK(cache.find("a", 1)->metrics.at("m").value == 0.1);
  CHECK(cache.find("a", 2)->metrics.at("m").value == 0.2);
  CHECK(cache.find("b", 1)->metrics.at("m").value == 0.3);
  CHECK_FALSE(cache.find("b", 2).has_value());
  CHECK_FALSE(cache.find("", 1).has_value());
}

TEST_CASE("a full cache forgets what was asked for longest ago") {
  run::ResultCache cache(2);
  cache.keep("a", result_of(1, 0.1));
  cache.keep("b", result_of(1, 0.2));
  CHECK(cache.find("a", 1).has_value());
  cache.keep("c", result_of(1, 0.3));
  CHECK(cache.size() == 2);
  CHECK_FALSE(cache.find("b", 1).has_value());
  CHECK(cache.find("a", 1).has_value());
  CHECK(cache.find("c", 1).has_value());
}

TEST_CASE("a cache of no size keeps nothing") {
  run::ResultCache cache(0);
  cache.keep("a", result_of(1, 0.1));
  CHECK_FALSE(cache.find("a", 1).has_value());
}

}  // namespace result_cache_test
