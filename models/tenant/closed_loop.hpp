#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/random.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Some of the requests in flight of those who ask again as soon as they are answered. They go
/// round by themselves, so that while they are at one station others are at the next.
/// [docs/models/tenants.md, eq. 15]
class ClosedLoop {
 public:
  /// Who is in flight together: those of one group of hosts, which wait for nobody elsewhere.
  struct Group {
    std::size_t seat = 0;    ///< of the tenant's groups of hosts
    double in_flight = 1.0;  ///< in it
  };
  /// So many `members` of the `group`, which ask for a multiple of `least` requests in a round, for
  /// `mean` on average: all parts of a group alike, and up to `most`.
  ClosedLoop(double members, const Group& group, double least, std::shared_ptr<double> mean,
             double most, base::RandomStream random)
      : members_(members),
        group_(group),
        least_(least),
        most_(most),
        mean_(std::move(mean)),
        random_(random),
        train_{.members = members} {}

  /// How its members go through links: the first of them goes on before the last.
  ///    [docs/models/tenants.md, eq. 18]
  struct Train {
    double members = 1.0;
    double together = 1.0;  ///< part of the time of their data that each is there for
    Seconds moved{};        ///< their data, in this round,
    Seconds gone{};         ///< of which the first was gone,
    Seconds ahead{};        ///< and what it has begun of what comes next
  };
  [[nodiscard]] Train& train() { return train_; }
  [[nodiscard]] double members() const { return members_; }
  /// Of the others of its group.
  [[nodiscard]] double beside() const { return group_.in_flight - members_; }
  [[nodiscard]] std::size_t seat() const { return group_.seat; }
  /// Requests of each member in the next round, one after the other.
  [[nodiscard]] double next();
  /// A round took so long, of all the time until now: the next ones may be longer.
  void took(Seconds round, Seconds so_far);

 private:
  double members_;
  Group group_;
  double least_, most_;
  std::shared_ptr<double> mean_;
  double owed_ = 0.0;   ///< drawn, and not asked for yet
  double asked_ = 0.0;  ///< in the last round
  base::RandomStream random_;
  Train train_;
};

/// How many of `in_flight` requests go round in each of the parts that they are simulated in; they
/// are the part `share` of their tenant's.
[[nodiscard]] std::vector<double> loop_members(double in_flight, double share = 1.0);

}  // namespace stallcast::models
