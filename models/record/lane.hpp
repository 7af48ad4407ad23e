#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/contract/phase_clock.hpp"
#include "models/contract/resources.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

class Recorder;

/// One line of the timeline: spans are opened and closed as on a stack, so that they nest. Whoever
/// may record holds a pointer that is null when nothing is recorded. docs/guide/trace.md.
class Lane {
 public:
  Lane(Recorder& recorder, std::uint32_t track) : recorder_(recorder), track_(track) {}

  /// From now on, inside what is open. `number`: of the step, batch or save; -1: none.
  void open(std::string_view name, std::int64_t number = -1);
  /// As if it had been opened at `began`, or when what the lane showed before ended.
  void open_since(Seconds began, std::string_view name, std::int64_t number = -1);
  /// A span inside what is open that is over already.
  void note(std::string_view name, Seconds began, Seconds ended, ResourceIndex cause = kNoResource);
  /// The one opened last ends now; `cause` was waited for. A span that took no time is forgotten.
  void close(ResourceIndex cause = kNoResource);
  /// The same as spans one after the other, from the longest on: each names what was waited for,
  /// for as long as that was, and its cause is a set of cores where it waits for these, and none
  /// else.
  void close(const WaitSplit& waited);
  void close_all();
  [[nodiscard]] bool idle() const { return open_.empty(); }
  [[nodiscard]] std::size_t depth() const { return open_.size(); }
  [[nodiscard]] std::uint32_t track() const { return track_; }

  // Of a PhaseClock: phases within what is open. Those of a worker with nothing open are rest.
  void enter(Phase phase);
  void leave(ResourceIndex limited_by);

 private:
  friend class Recorder;
  struct Open {
    std::uint32_t name;
    std::int64_t number;
    Seconds began;
  };
  void end(bool cut, ResourceIndex cause);

  Recorder& recorder_;
  std::uint32_t track_;
  std::vector<Open> open_;
  Seconds last_;  ///< date at which something ended last
  Phase phase_ = Phase::cpu;
  bool in_phase_ = false;
};

// For pointers that may be null.
inline void open(Lane* lane, std::string_view name, std::int64_t number = -1) {
  if (lane != nullptr) lane->open(name, number);
}
/// Its name is of two parts, put together only where something records.
inline void open(Lane* lane, std::string_view what, std::string_view which) {
  if (lane != nullptr) lane->open(std::string(what).append(which));
}
inline void open_since(Lane* lane, Seconds began, std::string_view name, std::int64_t number = -1) {
  if (lane != nullptr) lane->open_since(began, name, number);
}
template <class Cause = ResourceIndex>
void close(Lane* lane, const Cause& cause = kNoResource) {
  if (lane != nullptr) lane->close(cause);
}
inline void close_all(Lane* lane) {
  if (lane != nullptr) lane->close_all();
}
/// The one opened last ends, limited by `cause`, and another begins.
template <class Cause = ResourceIndex>
void then(Lane* lane, std::string_view name, const Cause& cause = kNoResource,
          std::int64_t number = -1) {
  if (lane == nullptr) return;
  lane->close(cause);
  lane->open(name, number);
}

}  // namespace stallcast::models
