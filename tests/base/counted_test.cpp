#include "engine/base/counted.hpp"

#include <catch2/catch.hpp>

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
                                  {"drives per host", "drive per host"},
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

TEST_CASE("a figure is printed in the unit of its dimension, or as a number of things") {
  CHECK(base::print_value(4.2, "s") == "4.2 s");
  CHECK(base::print_value(3.1, "USD/h") == "3.1 USD/h");
  CHECK(base::print_value(1.0, "cores") == "1 core");
  CHECK(base::print_value(512.0, "count") == "512");
}

}  // namespace counted_test
