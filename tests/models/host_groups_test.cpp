#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "models/plant/rank_layout.hpp"

namespace host_groups_test {

using namespace stallcast::models;

namespace {

using Groups = std::vector<std::size_t>;

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
    CHECK(cut.areas[1].groups == Groups{2});
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
  CHECK(cut.areas[0].groups == Groups{2});
  CHECK(cut.areas[1].groups == Groups{3});
  const RankLayout layout{.ranks = 12, .per_copy = 4, .hosts = 12};
  std::vector<double> ranks;
  for (const HostGroup& group : cut.groups) ranks.push_back(4.0 * layout.readers_in(group));
  CHECK(ranks == std::vector{8.0, 0.0, 3.0, 0.0, 1.0});
}

TEST_CASE("groups end where areas do") {
  SECTION("more groups than areas: some areas have one more, in smaller groups") {
    const HostCut cut = cut_hosts({.hosts = 48, .area = 16, .parts = 4});
    CHECK(sizes(cut) == std::vector{16.0, 16.0, 8.0, 8.0});
    REQUIRE(cut.areas.size() == 1);
    CHECK(cut.areas[0].groups == Groups{1, 1, 2});
  }
  SECTION("fewer groups than areas: each has an equal part of them") {
    const HostCut cut = cut_hosts({.hosts = 48, .area = 16, .parts = 2});
    CHECK(sizes(cut) == std::vector{24.0, 24.0});
    CHECK(cut.areas[0].groups == Groups{1, 1});
  }
  SECTION("those without readers are in the areas of those with some") {
    const HostCut cut = cut_hosts({.hosts = 48, .area = 16, .reading = {0.25}});
    CHECK(sizes(cut) == std::vector{12.0, 36.0});
    CHECK(cut.areas[0].groups == Groups{2});
  }
  SECTION("however many of either: what an area carries is what its hosts have") {
    for (double areas = 1.0; areas <= 12.0; ++areas)
      for (double parts = 1.0; parts <= 24.0; ++parts) {
        const HostCut cut =
            cut_hosts({.hosts = areas * 4.0, .area = 4, .parts = parts, .reading = {0.5}});
        REQUIRE(cut.areas.size() == 1);
        const Groups& groups = cut.areas[0].groups;
        std::size_t g = 0;
        for (const std::size_t in_it : groups) {
          double hosts = 0.0;
          for (std::size_t i = 0; i < in_it; ++i) hosts += cut.groups[g++].hosts;
          CHECK(hosts == Approx(areas * 4.0 / static_cast<double>(groups.size())));
        }
        CHECK(g == cut.groups.size());
      }
  }
}

TEST_CASE("borders closer than an area cut only what lies around them") {
  const HostCut cut = cut_hosts({.hosts = 16, .area = 4, .cuts = {5.0, 6.0}});
  CHECK(sizes(cut) == std::vector{4.0, 1.0, 1.0, 2.0, 8.0});
  REQUIRE(cut.areas.size() == 3);
  CHECK(cut.areas[1].groups == Groups{3});
  CHECK(cut.areas[2].areas == 2.0);
}

}  // namespace host_groups_test
