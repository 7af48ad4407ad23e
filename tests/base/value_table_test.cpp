#include <catch2/catch.hpp>
#include <utility>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"

namespace value_table_test {

using namespace stallcast;

Value number(double value) { return {Dimension::number, value, "", {}, {}}; }

ValueTable two_values() { return ValueTable({{"a", number(1.0)}, {"b", number(2.0)}}); }

TEST_CASE("copies of a table share their values until one of them changes") {
  const ValueTable first = two_values();
  ValueTable second = first;
  CHECK(second.shares(first));
  second["a"].number = 7.0;
  CHECK_FALSE(second.shares(first));
  CHECK(first.at("a").number == 1.0);
  CHECK(std::as_const(second).at("a").number == 7.0);
  second.erase("b");
  CHECK(first.size() == 2);
  CHECK(std::as_const(second).size() == 1);
}

TEST_CASE("what was asked for to be changed stays that of its own table") {
  ValueTable first = two_values();
  Value& a = first.at("a");
  const ValueTable second = first;
  a.number = 7.0;
  CHECK(second.at("a").number == 1.0);
  ValueTable moved = std::move(first);
  const ValueTable third = moved;
  a.number = 8.0;
  CHECK(third.at("a").number == 7.0);
  CHECK(std::as_const(moved).at("a").number == 8.0);
}

TEST_CASE("a table without values is like any other") {
  const ValueTable none;
  ValueTable some = none;
  CHECK(none.empty());
  CHECK_FALSE(none.contains("a"));
  CHECK(none.find("a") == none.end());
  some["a"] = number(1.0);
  CHECK(none.empty());
  CHECK(some.size() == 1);
}

struct Params {
  double late = 0.0;
  std::string early = "as it was";
  std::optional<double> between;
  bool last = false;
};

constexpr std::array<base::Field<Params>, 4> kTable{
    base::field("x.late", &Params::late, "1", ""),
    base::field("a.early", &Params::early, base::kOptional, ""),
    base::field("x.between", &Params::between, base::kOptional, ""),
    base::field("z", &Params::last, "false", "")};

TEST_CASE("rows of a table find their values in whatever order both are") {
  Component component;
  component.values["x.late"] = number(3.0);
  component.values["b"] = number(9.0);  // of another table
  component.values["zz"] = number(9.0);
  component.values["z"] = {Dimension::boolean, 1.0, "", {}, {}};
  const auto some = base::bind<kTable>(component);
  CHECK(some.late == 3.0);
  CHECK(some.early == "as it was");
  CHECK_FALSE(some.between.has_value());
  CHECK(some.last);
  component.values["a.early"] = {Dimension::text, 0.0, "said", {}, {}};
  component.values["x.between"] = number(4.0);
  component.values.erase("zz");
  const auto all = base::bind<kTable>(component);
  CHECK(all.early == "said");
  CHECK(all.between == 4.0);
}

}  // namespace value_table_test
