#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stallcast/units.hpp"

namespace stallcast::sim {

/// What a running simulation is at one date, told by all of its parts, so that a stretch that only
/// repeats itself can be skipped. Each part has one function
///
///     void describe(Ledger& ledger);
///
/// that names all it remembers, in a fixed order and each by its nature: what decides the future
/// (`state`, `due`), what counts without deciding anything (`count`, `repeat`), how long things go
/// on as they are (`bound`). The same function serves three passes: to see the state, to read the
/// counters, and to add what skipped periods would have added. docs/models/fast-forward.md.
///
/// A part that leaves something out makes a skip wrong; one that cannot tell says `never`.
class Ledger {
 public:
  /// Looks at the state at date `now`.
  void look(Seconds now);
  /// Reads the counters and bounds, which `growth` and `bound` are to see.
  void read();
  /// Adds `times` what was counted from `before` to `after`, two readings a period of `period`
  /// apart.
  void skip(const Ledger& before, const Ledger& after, std::int64_t times, Seconds period);

  /// The run is never skipped: something is drawn, or not described.
  void never() { never_ = true; }
  [[nodiscard]] bool is_never() const { return never_; }

  /// Decides the future and is compared exactly: queue lengths, flags, positions in a cycle.
  void state(std::int64_t value) {
    if (pass_ == Pass::look) discrete_.push_back(value);
  }
  void state(std::size_t value) { state(static_cast<std::int64_t>(value)); }
  void state(bool value) { state(static_cast<std::int64_t>(value)); }
  /// Decides the future and is compared within rounding: levels, sizes, shares.
  void state(double value) {
    if (pass_ == Pass::look) levels_.push_back(value);
  }
  void state(Bytes value) { state(value.in(unit::B)); }
  /// A date that decides the future, by its distance from now.
  void due(Seconds date) {
    if (pass_ == Pass::look) delays_.push_back((date - now_).in(unit::s));
  }
  /// What is left until something happens that has happened `fired` times so far. It decides the
  /// future when that happens within a period; otherwise it only bounds how many are skipped.
  void countdown(double left, std::int64_t fired);
  /// A date that time is counted from without deciding anything else: it stays as far back as if
  /// nothing had been skipped.
  void since(Seconds& date) {
    if (pass_ == Pass::skip) date = date - skipped();
  }

  /// What `value`, which grows by as much in every period, gets beyond by skipping; zero in the
  /// other passes.
  template <class T>
  [[nodiscard]] T growth(const T& value);
  /// A counter, which gets what skipped periods would have added.
  template <class T>
  void count(T& value) {
    value += growth(value);
  }
  /// A list to which every period adds the same entries; what fills it is not skipped.
  template <class T>
  void repeat(std::vector<T>& entries);
  /// No more is skipped than leaves `left`, which shrinks by as much in every period, at `reserve`
  /// or above.
  void bound(double left, double reserve);

  /// The second is the key under which equal states are found again, the others its neighbours,
  /// where a state may have been filed that differs by rounding only.
  [[nodiscard]] std::array<std::uint64_t, 3> keys() const;
  /// Whether both are the same state; delays within `slack`.
  [[nodiscard]] bool same_state(const Ledger& other, Seconds slack) const;
  /// Most periods that may be skipped after these two readings; none when they have nothing in
  /// common.
  [[nodiscard]] std::optional<double> most_times(const Ledger& before) const;
  /// Numbers it holds.
  [[nodiscard]] std::size_t size() const {
    return discrete_.size() + levels_.size() + delays_.size() + countdowns_.size();
  }

 private:
  enum class Pass { look, read, skip };
  /// Of a list that repeats: 0.8 GB of numbers, a year of steps of a third of a second.
  static constexpr double kMostEntries = 1e8;
  double grown(double value);
  [[nodiscard]] Seconds skipped() const { return period_ * static_cast<double>(times_); }

  Pass pass_ = Pass::look;
  bool never_ = false;
  Seconds now_;
  std::vector<std::int64_t> discrete_;
  std::vector<double> levels_, delays_;  // in base units; in s
  struct Countdown {
    double left;
    std::int64_t fired;
  };
  std::vector<Countdown> countdowns_;
  std::vector<double> counters_;
  struct Bound {
    double left, reserve;
  };
  std::vector<Bound> bounds_;

  const Ledger *before_ = nullptr, *after_ = nullptr;  // of the skip
  std::int64_t times_ = 0;
  Seconds period_;
  std::size_t next_ = 0;
};

namespace detail {
template <class T>
struct Counted {
  static double number(T value) { return static_cast<double>(value); }
  static T amount(double value) { return static_cast<T>(value); }
};
template <class Tag>
struct Counted<Quantity<Tag>> {
  static double number(Quantity<Tag> value) { return value.in(kBase); }
  static Quantity<Tag> amount(double value) { return Quantity<Tag>::from(value, kBase); }
  static constexpr Unit<Tag> kBase{1.0};
};
}  // namespace detail

template <class T>
T Ledger::growth(const T& value) {
  using Counted = detail::Counted<T>;
  return Counted::amount(grown(Counted::number(value)));
}

template <class T>
void Ledger::repeat(std::vector<T>& entries) {
  if (pass_ != Pass::skip) {
    (void)growth(entries.size());
    bound(kMostEntries - static_cast<double>(entries.size()), 0.0);
    return;
  }
  const auto from = static_cast<std::size_t>(before_->counters_[next_]);
  const auto to = static_cast<std::size_t>(after_->counters_[next_]);
  ++next_;
  entries.reserve(entries.size() + (to - from) * static_cast<std::size_t>(times_));
  for (std::int64_t t = 0; t < times_; ++t)
    for (std::size_t i = from; i < to; ++i) entries.push_back(entries[i]);
}

}  // namespace stallcast::sim
