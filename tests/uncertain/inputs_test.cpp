#include "engine/decide/uncertain/inputs.hpp"

#include <catch2/catch.hpp>

namespace inputs_test {

using namespace stallcast;

namespace {

// Two storage systems whose rates have the same figure and range, known in this way.
Design two(Source::Kind kind) {
  Component storage;
  storage.kind = "measured";
  Value rate;
  rate.dimension = Dimension::rate;
  rate.number = 2e9;
  rate.range = Range{1e9, 3e9, "as it is stated"};
  rate.source.kind = kind;
  storage.values["read.rate"] = rate;
  Design design;
  for (const char* id : {"fast", "slow"}) {
    storage.id = id;
    design.storage.push_back(storage);
  }
  return design;
}

}  // namespace

TEST_CASE(
    "what is stated of two systems is two inputs; a default, or a parameter of both, is one") {
  CHECK(uncertain::inputs_of(two(Source::Kind::scenario)).size() == 2);
  CHECK(uncertain::inputs_of(two(Source::Kind::set_option)).size() == 2);
  for (const auto kind :
       {Source::Kind::default_value, Source::Kind::catalogue, Source::Kind::expression}) {
    const auto inputs = uncertain::inputs_of(two(kind));
    REQUIRE(inputs.size() == 1);
    CHECK(inputs[0].places.size() == 2);
  }
}

}  // namespace inputs_test
