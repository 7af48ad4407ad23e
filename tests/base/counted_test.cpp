#include "engine/base/counted.hpp"

#include <catch2/catch.hpp>

#include "engine/base/metric_units.hpp"

namespace counted_test {

using namespace stallcast;

namespace {

PlanAxis axis(const std::string& name, const std::string& noun, const std::string& metric) {
  PlanAxis out;
  out.name = name;
  out.noun = noun;
  out.metric = metric;
  return out;
}

}  // namespace

TEST_CASE("one of many is named in the singular") {
  for (const auto& [many, one] : {std::pair{"OSTs", "OST"},
                                  {"boxes", "box"},
                                  {"prefixes", "prefix"},
                                  {"shelves", "shelf"},
                                  {"drives", "drive"},
                                  {"OSS", "OSS"},
                                  {"replicas", "replica"},
                                  {"copies", "copy"}})
    CHECK(base::singular(many) == one);
}

TEST_CASE("what a plan searches reads as a number of things, or as a name and its value") {
  CHECK(base::counted(axis("storage.a.ost.count", "OSTs", "storage.a.osts.required"), "24") ==
        "24 OSTs");
  CHECK(base::counted(axis("boxes", "boxes", ""), "3") == "3 boxes");
  CHECK(base::counted(axis("boxes", "boxes", ""), "1") == "1 box");
  CHECK(base::counted(axis("n_ost", "n_ost", ""), "3") == "n_ost = 3");
  CHECK(base::counted(axis("storage.a.ost.read", "read", ""), "4 GB/s") ==
        "storage.a.ost.read = 4 GB/s");
}

TEST_CASE("every dimension of a number has the unit of its metrics") {
  CHECK(base::unit_of(Dimension::money_rate) == "USD/s");
  CHECK(base::unit_of(Dimension::flops) == "FLOP");
  CHECK(base::unit_of(Dimension::number) == "count");
  CHECK(base::unit_of(Dimension::text).empty());
}

}  // namespace counted_test
