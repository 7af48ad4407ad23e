#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/random.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// How far the saves of a tier can be trusted, and how long they stay.
struct ShelfLife {
  double corrupt = 0.0;              ///< share of the saves that cannot be loaded
  bool verified = false;             ///< such a save is found out when it ends, and does not count
  std::optional<std::int64_t> keep;  ///< newest saves that are kept; absent: all
  std::int64_t spare = 0;            ///< every n-th is kept permanently; 0: none
};

/// The saves of one tier in one history: which is the newest that can be loaded, and how many that
/// cannot are newer. Each is bad with equal probability, independently. Which ones are is drawn
/// when a restart looks at them, as often whatever there are: what changes the number of saves
/// leaves the luck of each failure as it is.
/// docs/models/failures.md, equations 9 and 10.
class Shelf {
 public:
  /// `random` is drawn from only when some saves are bad.
  Shelf(const ShelfLife& life, base::RandomStream random) : life_(life), random_(random) {}

  /// A save of the work up to `position` is on its way and here at the date `at`.
  void send(Seconds position, Seconds at);
  /// What has arrived by `now` is here.
  void settle(Seconds now);
  /// A save of the work up to `position` is here. Ones older than the newest change nothing.
  void add(Seconds position);
  /// `count` saves at equal distances, `newest` the last of them.
  void skip(Seconds newest, Seconds apart, double count);
  /// The copies are gone.
  void clear();
  /// A restart tries them, from the newest back to the first that can be loaded.
  void look();
  /// Work goes on from `position`: what is newer is worth nothing, and what is on its way never
  /// arrives. REQUIRES: looked before.
  void rewind(Seconds position);

  /// Position of the newest save that can be loaded; minus infinity when there is none. REQUIRES:
  /// looked before.
  [[nodiscard]] Seconds good() const { return good_; }
  /// Saves that are newer than that and turned out bad.
  [[nodiscard]] double bad() const { return bad_; }

 private:
  struct Sent {
    Seconds at, position;
  };
  /// Saves at equal distances.
  struct Row {
    Seconds newest, apart;
    double count;
  };
  /// Nobody knows whether they can be loaded; from the oldest on.
  using Untried = std::vector<Row>;
  /// Of two on their way, whether `b` is first.
  static bool later(const Sent& a, const Sent& b) { return a.at > b.at; }
  static constexpr Seconds kNothing = -Seconds::infinity();
  static double count_of(const Untried& saves);
  /// The save so many before the newest. REQUIRES: there are more.
  static Seconds before_newest(const Untried& saves, double count);
  static void drop_newest(Untried& saves, double count);
  /// Bad saves in a row.
  [[nodiscard]] double bad_run();

  ShelfLife life_;
  base::RandomStream random_;
  double number_ = 0.0;  ///< saves that came
  double bad_ = 0.0;
  Seconds newest_ = kNothing, good_ = kNothing;
  Untried untried_;            ///< newer than the newest that is known to be good
  Seconds spared_ = kNothing;  ///< newest of every n-th that is known to be good
  Untried untried_spares_;     ///< of every n-th, newer than that
  /// On their way, a heap by date: where saves cannot keep up there are many, and each is looked at
  /// when it arrives.
  std::vector<Sent> sent_;
  std::vector<Seconds> arrived_;  ///< of one call, kept for its memory
};

}  // namespace stallcast::models
