#include "engine/sim/fair_shares.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace fair_shares_test {

using stallcast::sim::FairShares;

namespace {

struct Random {
  std::mt19937_64 engine;
  double next() { return static_cast<double>(engine() >> 11U) * 0x1p-53; }
  std::uint32_t below(std::size_t n) {
    return static_cast<std::uint32_t>(next() * static_cast<double>(n));
  }
};

struct GroupSpec {
  std::vector<std::uint32_t> path;
  double weight;
  double cap;
  std::uint32_t flows;
};

// Shares of a case, and what its reports of changes add up to.
class Case {
 public:
  std::vector<double> capacities;
  std::vector<GroupSpec> groups;
  FairShares shares;

  void link(double capacity) {
    capacities.push_back(capacity);
    shares.add_link(capacity);
  }
  void group(GroupSpec spec) {
    shares.add_group(spec.path, spec.weight, spec.cap);
    spec.flows = 0;
    groups.push_back(std::move(spec));
    told_.push_back(FairShares::kNobody);
  }
  void flows(std::uint32_t at, std::uint32_t count) {
    groups[at].flows = count;
    shares.set_flows(at, count);
  }
  void capacity(std::uint32_t at, double to) {
    capacities[at] = to;
    shares.set_capacity(at, to);
  }
  void update() {
    shares.update();
    for (const std::uint32_t at : shares.moved()) told_[at] = shares.bound(at);
    for (const std::uint32_t at : shares.shifted()) levels_[at] = shares.level(at);
    for (std::uint32_t at = 0; at < groups.size(); ++at)
      if (groups[at].flows == 0) told_[at] = FairShares::kNobody;
  }
  // The rate of each flow as it was told.
  [[nodiscard]] std::vector<double> rates() const {
    std::vector<double> out;
    for (std::uint32_t at = 0; at < groups.size(); ++at)
      out.push_back(told_[at] == FairShares::kNobody   ? 0.0
                    : told_[at] == FairShares::kOwnCap ? groups[at].cap
                                                       : levels_.at(told_[at]));
    return out;
  }
  // What somebody finds who sees all of it for the first time.
  [[nodiscard]] std::vector<double> afresh() const {
    Case other;
    for (const double one : capacities) other.link(one);
    for (const GroupSpec& one : groups) other.group(one);
    for (std::uint32_t at = 0; at < groups.size(); ++at) other.flows(at, groups[at].flows);
    other.update();
    return other.rates();
  }
  // Max-min: no link carries more than it can, and each flow has its cap or a full link on which
  // nobody has more.
  void check_max_min() const {
    const std::vector<double> rate = rates();
    std::vector<double> used(capacities.size()), most(capacities.size());
    for (std::size_t at = 0; at < groups.size(); ++at) {
      if (groups[at].flows == 0) continue;
      for (const std::uint32_t link : groups[at].path) {
        used[link] += groups[at].weight * groups[at].flows * rate[at];
        most[link] = std::max(most[link], rate[at]);
      }
    }
    for (std::size_t link = 0; link < used.size(); ++link)
      CHECK(used[link] <= capacities[link] * (1.0 + 1e-12));
    for (std::size_t at = 0; at < groups.size(); ++at) {
      if (groups[at].flows == 0) continue;
      bool bounded = rate[at] >= groups[at].cap * (1.0 - 1e-12);
      for (const std::uint32_t link : groups[at].path)
        bounded = bounded || (used[link] >= capacities[link] * (1.0 - 1e-9) &&
                              rate[at] >= most[link] * (1.0 - 1e-9));
      CHECK(bounded);
    }
  }

 private:
  std::vector<std::uint32_t> told_;
  std::map<std::uint32_t, double> levels_;
};

void check_equal(const std::vector<double>& ours, const std::vector<double>& theirs) {
  REQUIRE(ours.size() == theirs.size());
  for (std::size_t at = 0; at < ours.size(); ++at) {
    INFO("group " << at);
    REQUIRE(ours[at] == Approx(theirs[at]).epsilon(1e-10));
  }
}

// Of `links` links, of which each group crosses up to `longest`; `caps` of the groups have one,
// and `kinds` different numbers are drawn, so that few kinds give many ties.
Case random_case(Random& random, std::size_t links, std::size_t groups, std::size_t longest,
                 double caps, std::size_t kinds) {
  const auto draw = [&](double least) { return least * (1.0 + random.below(kinds)); };
  Case out;
  for (std::size_t i = 0; i < links; ++i) out.link(draw(100.0));
  for (std::size_t i = 0; i < groups; ++i) {
    GroupSpec spec{{}, draw(0.5), random.next() < caps ? draw(1.7) : INFINITY, 0};
    const std::size_t length = 1 + random.below(longest);
    for (std::size_t k = 0; k < length; ++k) spec.path.push_back(random.below(links));
    out.group(std::move(spec));
  }
  return out;
}

}  // namespace

TEST_CASE("shares that are kept up to date are those found afresh") {
  Random random{std::mt19937_64(1)};
  struct Size {
    std::size_t links, groups, longest;
  };
  std::uint64_t updates = 0, fillings = 0;
  for (const Size size :
       {Size{1, 3, 1}, {2, 5, 2}, {4, 12, 3}, {10, 30, 4}, {30, 20, 3}, {60, 40, 2}, {5, 60, 5}}) {
    for (const double caps : {0.0, 0.3, 1.0}) {
      for (const std::size_t kinds : {1U, 3U, 1000U}) {
        for (int round = 0; round < 4; ++round) {
          Case one = random_case(random, size.links, size.groups, size.longest, caps, kinds);
          for (int step = 0; step < 60; ++step) {
            const std::size_t changes = 1 + random.below(3);
            for (std::size_t i = 0; i < changes; ++i)
              one.flows(random.below(size.groups), random.below(2) * random.below(5));
            if (random.below(10) == 0)
              one.capacity(random.below(size.links), 100.0 * (1.0 + random.below(kinds)));
            one.update();
            INFO(size.links << " links, " << size.groups << " groups, caps " << caps << ", kinds "
                            << kinds << ", round " << round << ", step " << step);
            check_equal(one.rates(), one.afresh());
            one.check_max_min();
            ++updates;
          }
          fillings += one.shares.fillings();
        }
      }
    }
  }
  CHECK(fillings < updates);
}

TEST_CASE("sums that are kept up to date do not drift") {
  // Weights from 1e-3 to 1e6 come and go on few links, so that small ones follow large ones.
  Random random{std::mt19937_64(2)};
  Case one;
  for (int i = 0; i < 4; ++i) one.link(1e9 * (1.0 + random.next()));
  for (int i = 0; i < 12; ++i)
    one.group({{random.below(4), random.below(4)},
               std::pow(10.0, -3.0 + 9.0 * random.next()),
               i % 3 == 0 ? 1e4 * random.next() : INFINITY,
               0});
  for (int step = 0; step < 100'000; ++step) {
    one.flows(random.below(12), random.below(2) * random.below(4));
    one.update();
    if (step % 100 == 0) check_equal(one.rates(), one.afresh());
  }
}

TEST_CASE("groups that come and go on a full link change its level only") {
  // Clients with a wide link each on one pool: 1000 / n each.
  Case one;
  one.link(1000.0);
  for (std::uint32_t i = 0; i < 100; ++i) {
    one.link(500.0);
    one.group({{0, i + 1}, 1.0, INFINITY, 0});
  }
  for (std::uint32_t i = 0; i < 100; ++i) one.flows(i, 1);
  one.update();
  const std::uint64_t before = one.shares.fillings();
  for (std::uint32_t i = 0; i < 70; ++i) {
    one.flows(i, 0);
    one.update();
    CHECK(one.shares.moved().empty());
    CHECK(one.rates()[99] == Approx(1000.0 / (99.0 - i)).epsilon(1e-14));
  }
  CHECK(one.shares.fillings() - before == 0);
}

TEST_CASE("flows at their cap leave each other alone while links have room") {
  Case one;
  one.link(100.0);
  for (int i = 0; i < 20; ++i) one.group({{0}, 1.0, 5.0 - 0.01 * i, 0});
  for (std::uint32_t i = 0; i < 19; ++i) {
    one.flows(i, 1);
    one.update();
    CHECK(one.shares.moved() == stallcast::sim::LongVector<std::uint32_t>{i});
  }
  CHECK(one.shares.fillings() == 0);
  // One is too many: 20 x 4.905 = 98.1 fits, twice the first does not.
  one.flows(0, 3);
  one.update();
  check_equal(one.rates(), one.afresh());
  CHECK(one.shares.fillings() == 1);
}

TEST_CASE("flows of one cap fill a link and leave it without being shared anew each time") {
  // Room for ten at their cap; one more or less makes it full or not.
  Case all;
  all.link(100.0);
  for (std::uint32_t at = 0; at < 50; ++at) {
    all.link(1000.0);
    all.group({{0, at + 1}, 1.0, 10.0, 0});
  }
  for (std::uint32_t at = 0; at < 11; ++at) {
    all.flows(at, 1);
    all.update();
  }
  const std::uint64_t fillings = all.shares.fillings();
  for (std::uint32_t round = 0; round < 300; ++round) {
    const std::uint32_t at = round % 2 == 0 ? 11 + round % 20 : 11 + (round - 1) % 20;
    all.flows(at, all.groups[at].flows == 0 ? 1 : 0);
    all.flows(0, round % 4 < 2 ? 0 : 1);
    all.update();
    check_equal(all.rates(), all.afresh());
  }
  CHECK(all.shares.fillings() == fillings);
  // A flow that may be faster takes what is left.
  for (std::uint32_t at = 0; at < 50; ++at) all.flows(at, at < 5 ? 1 : 0);
  all.group({{0}, 1.0, 60.0, 0});
  all.flows(50, 1);
  all.update();
  CHECK(all.rates()[50] == Approx(50.0));
  CHECK(all.rates()[0] == Approx(10.0));
}

TEST_CASE("a change concerns only what full links couple to it") {
  // Two pools with ten clients each, and a core that both cross and that stays half empty.
  Case one;
  one.link(1000.0);
  one.link(250.0);
  one.link(250.0);
  for (std::uint32_t i = 0; i < 20; ++i) one.group({{0, 1 + i / 10}, 1.0, INFINITY, 0});
  for (std::uint32_t i = 0; i < 19; ++i) one.flows(i, 1);
  one.update();
  one.flows(19, 1);
  one.update();
  for (const std::uint32_t at : one.shares.moved()) CHECK(at >= 10);
  CHECK(one.rates()[0] == 25.0);
  CHECK(one.rates()[19] == 25.0);
}

TEST_CASE("removed groups make room for others") {
  FairShares shares;
  const std::uint32_t link[] = {shares.add_link(10.0)};
  const std::uint32_t kept = shares.add_group(link, 1.0, INFINITY);
  shares.set_flows(kept, 1);
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t gone[] = {shares.add_group(link, 1.0 + i, INFINITY)};
    CHECK(gone[0] == 1);
    shares.set_flows(gone[0], 1);
    shares.update();
    CHECK(shares.rate(kept) == Approx(10.0 / (2.0 + i)).epsilon(1e-14));
    shares.set_flows(gone[0], 0);
    shares.update();
    shares.remove_groups(gone);
  }
  CHECK(shares.rate(kept) == 10.0);
}

}  // namespace fair_shares_test
