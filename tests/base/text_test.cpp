#include "engine/base/text.hpp"

#include <catch2/catch.hpp>

namespace stallcast::base {

TEST_CASE("the nearest word is found across case, slips and swaps, and no further") {
  const std::vector<std::string> keys = {"count", "stripe", "nic", "read", "write", "oss"};
  CHECK(nearest("cuont", keys) == "count");
  CHECK(nearest("Stripe", keys) == "stripe");
  CHECK(nearest("stipes", keys) == "stripe");
  CHECK(nearest("raed", keys) == "read");
  CHECK(nearest("nik", keys) == "nic");
  CHECK(nearest("ost", keys) == "oss");
  CHECK(nearest("xyz", keys).empty());
  CHECK(nearest("bandwidth", keys).empty());
  CHECK(nearest("", keys).empty());
  CHECK(nearest("x", std::vector<std::string>{"y"}).empty());
}

TEST_CASE("split keeps empty parts and join puts them back") {
  const std::vector<std::string> parts = split("a,,b,", ',');
  CHECK(parts == std::vector<std::string>{"a", "", "b", ""});
  CHECK(join(parts, ",") == "a,,b,");
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(join({}, ", ").empty());
}

TEST_CASE("trim removes space at both ends only") {
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim(" \n").empty());
  CHECK(trim("").empty());
}

}  // namespace stallcast::base
