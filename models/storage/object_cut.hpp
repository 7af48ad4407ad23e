#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stallcast/units.hpp"

/// Objects that are read or written in parts: docs/models/s3.md, eq. 3.
namespace stallcast::models {

/// How one object is cut into requests over the connections of one process.
struct Cut {
  double requests = 1.0;     ///< in all
  double connections = 1.0;  ///< at one time
  double turns = 1.0;        ///< of the busiest connection, one after the other
  double speedup = 1.0;      ///< over one connection that carries all
};

// Parts of equal size but for the last, `most` at one time. The busiest connection has a part in
// every turn; in the last turn that is the short part if nobody else has one.    [s3.md, eq. 3]
inline Cut cut(Bytes object, Bytes part, std::int64_t most) {
  constexpr double kRounding = 1e-9;  // of an object's size, which is a mean over a group's bytes
  Cut out;
  const double parts = std::ceil(object / part * (1.0 - kRounding));
  if (parts <= 1.0) return out;
  out.requests = parts;
  out.connections = std::min(out.requests, static_cast<double>(most));
  out.turns = std::ceil(out.requests / out.connections);
  const bool alone = out.requests - (out.turns - 1.0) * out.connections == 1.0;
  const Bytes last = object - part * (out.requests - 1.0);
  const Bytes busiest = part * (out.turns - 1.0) + (alone ? last : part);
  out.speedup = object / busiest;
  return out;
}

}  // namespace stallcast::models
