#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "models/plant/host_groups.hpp"

namespace host_groups_test {

using namespace stallcast::models;

namespace {

constexpr double kOneArea = std::numeric_limits<double>::infinity();

std::vector<double> sizes(const HostCut& cut) {
  std::vector<double> out;
  for (const HostGroup& group : cut.groups) out.push_back(group.hosts);
  return out;
}

}  // namespace

TEST_CASE("hosts that are alike are one group, or as many as wanted") {
  CHECK(sizes(cut_hosts({.hosts = 10, .area = kOneArea})) == std::vector{10.0});
  CHECK(sizes(cut_hosts({.hosts = 10, .area = kOneArea, .parts = 4})) ==
        std::vector{2.5, 2.5, 2.5, 2.5});
}

TEST_CASE("stragglers are the last group") {
  const HostCut cut = cut_hosts({.hosts = 10, .slow = 3, .area = kOneArea});
  CHECK(sizes(cut) == std::vector{7.0, 3.0});
  CHECK_FALSE(cut.groups[0].slow);
  CHECK(cut.groups[1].slow);
  CHECK(cut_hosts({.hosts = 10, .slow = 10, .area = kOneArea}).groups[0].slow);
}

TEST_CASE("every host by itself stays so next to borders") {
  const HostCut cut = cut_hosts({.hosts = 7, .slow = 2, .area = 3, .parts = 7});
  CHECK(sizes(cut) == std::vector<double>(7, 1.0));
  CHECK_FALSE(cut.groups[4].slow);
  CHECK(cut.groups[5].slow);
}

TEST_CASE("an area that is not full, or has a border inside, stands by itself") {
  SECTION("the last of three has two hosts instead of four") {
    const HostCut cut = cut_hosts({.hosts = 10, .area = 4});
    CHECK(sizes(cut) == std::vector{8.0, 2.0});
    REQUIRE(cut.areas.size() == 2);
    CHECK(cut.areas[0].areas == 2.0);
    CHECK(cut.areas[1].areas == 1.0);
  }
  SECTION("one straggler shares its area with three others") {
    const HostCut cut = cut_hosts({.hosts = 12, .slow = 1, .area = 4});
    CHECK(sizes(cut) == std::vector{8.0, 3.0, 1.0});
    REQUIRE(cut.areas.size() == 2);
    CHECK(cut.areas[1].areas == 1.0);
    CHECK(cut.areas[1].groups == 2);
  }
  SECTION("borders of whole areas need none of their own") {
    const HostCut cut = cut_hosts({.hosts = 12, .slow = 4, .area = 4});
    CHECK(sizes(cut) == std::vector{8.0, 4.0});
  }
}

TEST_CASE("hosts that have readers are apart from those that have none, in every area") {
  // a quarter of 12 hosts reads: 3 of them, and 9 do not; next to one straggler, a quarter of 11,
  // and the straggler is as it was
  CHECK(sizes(cut_hosts({.hosts = 12, .area = kOneArea, .reading = {0.25}})) ==
        std::vector{3.0, 9.0});
  CHECK(sizes(cut_hosts({.hosts = 12, .slow = 1, .area = kOneArea, .reading = {0.25}})) ==
        std::vector{2.75, 8.25, 1.0});
  // the ranks of all 11 are with the readers of their part, those of the straggler on it
  const HostCut cut = cut_hosts({.hosts = 12, .slow = 1, .area = 4, .reading = {0.25}});
  CHECK(sizes(cut) == std::vector{2.0, 6.0, 1.0, 2.0, 1.0});
  REQUIRE(cut.areas.size() == 2);
  CHECK(cut.areas[0].areas == 2.0);
  CHECK(cut.areas[0].groups == 2);
  CHECK(cut.areas[1].groups == 3);
  std::vector<double> ranks;
  for (const HostGroup& group : cut.groups) ranks.push_back(group.read_for(12.0, 0.25));
  CHECK(ranks == std::vector{8.0, 0.0, 3.0, 0.0, 1.0});
}

TEST_CASE("borders closer than an area cut only what lies around them") {
  const HostCut cut = cut_hosts({.hosts = 16, .area = 4, .cuts = {5.0, 6.0}});
  CHECK(sizes(cut) == std::vector{4.0, 1.0, 1.0, 2.0, 8.0});
  REQUIRE(cut.areas.size() == 3);
  CHECK(cut.areas[1].groups == 3);
  CHECK(cut.areas[2].areas == 2.0);
}

}  // namespace host_groups_test
