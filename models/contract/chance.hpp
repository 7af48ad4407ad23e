#pragma once

#include <algorithm>
#include <cmath>

#include "models/contract/storage.hpp"
#include "stallcast/units.hpp"

/// Requests that come by chance and find others before them.
namespace stallcast::models {

/// Busier than this nothing is: queues would have no end.
inline constexpr double kFullLine = 0.999;

/// What one waits that comes by chance at `servers` with one line, of which requests of `service`
/// each, likewise by chance, keep `busy` at a time: those of Erlang's C wait, an exponential time
/// of mean service / 2 c (1 - rho), as services are equal.    [docs/models/inference.md, eq. 8]
inline Tail line_wait(double servers, double busy, Seconds service) {
  if (busy <= 0.0) return {};
  const double rho = std::min(busy / servers, kFullLine), load = rho * servers;
  double blocked = 1.0;  // Erlang's B
  for (double k = 1.0; k <= servers; k += 1.0) blocked = load * blocked / (k + load * blocked);
  const double all_busy = blocked / (1.0 - rho * (1.0 - blocked));
  return {.mean = service * (all_busy / (2.0 * servers * (1.0 - rho))), .chance = all_busy};
}

/// The part of `took` that it waited where all who move data share what `busy` of is taken by
/// others that come by chance, and would take `alone`: in processor sharing near to exponential.
inline Tail shared_wait(Seconds took, Seconds alone, double busy) {
  const Seconds waited = std::max(Seconds{}, took - alone);
  return {.mean = std::min(waited, took * std::min(busy, 1.0))};
}

}  // namespace stallcast::models
