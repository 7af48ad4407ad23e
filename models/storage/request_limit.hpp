#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/asker.hpp"
#include "models/contract/resources.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// How a client tries again: the n-th wait is uniform in [0, min(cap, base x 2^(n-1))), the "full
/// jitter" of cloud SDKs.
struct BackOff {
  Seconds base, cap;
};

/// A limit that rises by `factor` when more was asked for over `every` at a stretch, up to `most`
/// times what it was: prefixes that split, buckets that ramp up.
struct Ramp {
  Seconds every;
  double factor = 2.0;
  double most = 1.0;
};

struct Client;

/// Requests a service takes per second. What is too much is refused, and its client backs off.
class RequestLimit {
 public:
  /// REQUIRES: rate > 0, back_off.base > 0.
  RequestLimit(sim::Context& context, ResourceTable& resources, std::string name, OpRate rate,
               Seconds burst, BackOff back_off);

  /// From now on the rate rises as `ramp` says.    [docs/models/s3.md, eq. 8]
  void grow(const Ramp& ramp) { ramp_ = ramp; }
  /// Times the first rate that it is now, by its ramp.
  [[nodiscard]] double grown() const { return grown_; }
  /// When there is room for requests: `wait` from when they came, unless the rate was another than
  /// its own since; then when `due` tokens were given in all.
  struct Turn {
    Seconds wait;
    Ops due;
  };
  /// `each` more requests of each member of `client` come, first come, first served.
  [[nodiscard]] Turn ask(const Client& client, double each);
  /// Waits for a turn, of which `wait` is to come; yields whether its requests, `count` of all
  /// members, are refused until then. They are counted at once: the run may end before.
  [[nodiscard]] sim::Task<bool> pass(Turn turn, Seconds wait, double count);
  /// How many of the next `left` of each member of `client`, of which it has `at_once` under way,
  /// may be asked for before they are sent: there is room for four times as many, so that others
  /// find some, too. None where only few would be.    [docs/models/s3.md, eq. 5]
  [[nodiscard]] double ahead(const Client& client, double left, double at_once) const;
  /// Of so many that each asks for next, those to ask for while it waits for answers: what comes
  /// meanwhile and the bucket does not hold is lost.
  [[nodiscard]] double above_burst(const Client& client, double each) const;
  /// Waits for the turn of `count` requests.
  [[nodiscard]] sim::Task<void> take(double count);
  /// Whether they would have their turn at once.
  [[nodiscard]] bool has_room(double count) const {
    return !changed() && bucket_.has(Ops::from(count, unit::ops));
  }
  /// Whether `wait` does not tell when a turn comes, but `accrue`.
  [[nodiscard]] bool changed() const { return changes_ > 0; }
  /// Until the bucket's rate has given `due` tokens in all, at whatever rate.
  [[nodiscard]] sim::Task<void> accrue(Ops due);
  /// From now on `factor` times the present rate, also for who waits; 1e-6 or less of it is none.
  void scale(double factor);
  /// Whether a request for which there is room `wait` after its first try is refused then.
  [[nodiscard]] bool refuses(Seconds wait) const { return wait > context_.now() * kDateRounding; }
  /// Whether the requests of a turn are refused for now: `left` of its wait is to come.
  [[nodiscard]] bool refuses(const Turn& turn, Seconds left) const;
  /// When a request for which there is room `wait` after its first try is tried then or next: the
  /// first retry at or after `wait`. Counts `count` such requests as refused unless it is 0.
  /// `jitter` belongs to the client.    [docs/models/s3.md, eq. 5]
  [[nodiscard]] Seconds back_off(Seconds wait, double count, base::RandomStream& jitter);

  [[nodiscard]] ResourceIndex resource() const { return resource_; }
  [[nodiscard]] double asked() const { return asked_; }
  /// Of those, for which there has been room by now.
  [[nodiscard]] double served() const;
  /// Requests that were refused at first.
  [[nodiscard]] double refused() const { return refused_; }
  /// Most tries a request took.
  [[nodiscard]] std::int64_t most_tries() const { return most_tries_; }
  void report(Seconds wall, std::vector<ResourceUse>& out) const;
  /// Those that were served, by asker: each has an equal share of those that wait.
  void count(RequestCounts& out) const;

 private:
  // A wait that is a smaller part of the date is the rounding of dates, not a lack of tokens.
  static constexpr double kDateRounding = 1e-12;
  /// Somebody has to wait: the rate rises when that has lasted.
  void press();
  /// What it could have served so far.
  [[nodiscard]] double offered() const;
  static sim::Task<void> wake(sim::Context& context, Seconds after,
                              std::shared_ptr<sim::Signal> waiter);

  sim::Context& context_;
  std::string name_;
  OpRate rate_;
  BackOff back_off_;
  std::optional<Ramp> ramp_;
  double grown_ = 1.0;
  double offered_ = 0.0;                 ///< requests, until it rose last
  Seconds rose_, pressed_, pressed_at_;  ///< dates: when it rose, since when and when it was full
  double factor_ = 1.0;                  ///< of the rate
  std::int64_t changes_ = 0;             ///< of the factor so far
  std::vector<std::shared_ptr<sim::Signal>> waiters_;  ///< while the rate is not its own
  sim::TokenBucket bucket_;
  ResourceIndex resource_;
  Ops due_;  ///< tokens given in all when the last turn comes
  double asked_ = 0.0, refused_ = 0.0;
  RequestCount asked_by_;
  std::int64_t most_tries_ = 1;
};

}  // namespace stallcast::models
