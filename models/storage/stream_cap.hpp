#pragma once

#include "stallcast/units.hpp"

namespace stallcast::models {

/// The most that one process moves, and what holds it there: the media, or its own stream.
struct StreamCap {
  Rate rate;
  bool by_media = false;

  // Most kinds know a rate of the stream alone.
  StreamCap(Rate stream) : rate(stream) {}  // NOLINT(google-explicit-constructor)
  StreamCap(Rate most, bool media) : rate(most), by_media(media) {}
  /// Where the stream may do no more than `most`.
  [[nodiscard]] StreamCap within(Rate most) const { return most < rate ? StreamCap(most) : *this; }
  /// Of so many at one time.
  [[nodiscard]] StreamCap times(double at_once) const { return {rate * at_once, by_media}; }
};

/// As window_rate: the media hold it where they are never idle, or their data take longer than the
/// turn that each request waits.    [storage.md, eq. 4]
[[nodiscard]] StreamCap window_cap(Bytes window, Bytes request, Seconds turn, Rate server);

/// As ahead_rate: the media hold it where their data take longer than all turns.
///    [storage.md, eq. 9]
[[nodiscard]] StreamCap ahead_cap(Bytes file, Bytes window, Seconds turn, Rate moving,
                                  double answered);

}  // namespace stallcast::models
