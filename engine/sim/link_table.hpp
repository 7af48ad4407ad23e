#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/memory.hpp"
#include "stallcast/units.hpp"

namespace stallcast::sim {

/// What every context keeps per link, whichever solver shares the capacity: who is active and what
/// was carried. A link that occurs twice in a path counts twice.
class LinkTable {
 public:
  LinkId add(std::string name, Rate capacity);
  void set_capacity(LinkId link, Rate capacity) { at(link).capacity = capacity; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(links_.size()); }
  [[nodiscard]] LinkUse use(LinkId link, Seconds now) const;

  /// `spent` gets, by link of `path`, the time that members have spent on it since it was last
  /// idle, all added up: what it grows by while a flow runs, over the time, is how many there were
  /// on average.
  void enter(std::span<const LinkId> path, double members, Seconds now, std::span<Seconds> spent);
  /// REQUIRES: one earlier `enter` with the same path and members.
  void leave(std::span<const LinkId> path, double members, Bytes carried, Seconds now);
  /// The link of `path` with the least capacity per active member; invalid if `cap` is less.
  [[nodiscard]] LinkId binding(std::span<const LinkId> path, Rate cap) const;

  /// The same as `binding` of all the time from `began`, when `enter` gave these `spent`.
  struct Share {
    LinkId link;
    Rate rate = Rate::infinity();  ///< per member
  };
  [[nodiscard]] Share mean_share(std::span<const LinkId> path, std::span<const Seconds> spent,
                                 Seconds began, Seconds now) const;

  void prefetch(LinkId link) const { sim::prefetch(&links_[link.index]); }

  void describe(Ledger& ledger);

 private:
  struct alignas(kCacheLine) Link {
    Rate capacity;
    Bytes carried{};
    double weight = 0.0;
    double peak_weight = 0.0;
    std::uint32_t flows = 0;
    Seconds active{}, since{};  ///< had flows for so long, up to this date
    Seconds spent{};            ///< by members, up to the same date
  };
  void pass(Link& link, Seconds now);
  [[nodiscard]] Link& at(LinkId link);
  [[nodiscard]] const Link& at(LinkId link) const;
  LongVector<Link> links_;
  std::vector<std::string> names_;  // apart, since only reports read them
  std::vector<Seconds> spent_;      // by members before the link was last idle; apart, as rare
};

}  // namespace stallcast::sim
