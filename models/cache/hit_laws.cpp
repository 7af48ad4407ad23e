#include "models/cache/hit_laws.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

/// Derivations: docs/models/cache.md, whose letters are used here: c cached share, p share of the
/// data set that one reader reads each epoch, k readers, w written in an epoch, m miss ratio.
namespace stallcast::models::cache {
namespace {

// h = r + (1-c)/p ln(1 - p r) + (1-r) (1 - (1-c)^(1-1/k)),  r = min(1, (1 - (1-c)^(1/k)) / p);
// with p = k = 1: c + (1-c) ln(1-c).    [docs/models/cache.md, eq. 2]
double lru(double c, double p, double k) {
  const double left = 1.0 - c;
  const double r = std::min(1.0, (1.0 - std::pow(left, 1.0 / k)) / p);
  const double whole_tail = (1.0 - r) * (1.0 - std::pow(left, 1.0 - 1.0 / k));
  // p r = 1 only for the whole data set in one epoch, where left is 0.
  return r + left / p * std::log1p(-p * r) + whole_tail;
}

/// Integral of `f` over 0..1 by Simpson's rule, fine enough for exp(-rate x).
template <class F>
double integral(double rate, F f) {
  const int steps = 2 * static_cast<int>(std::clamp(8.0 * rate, 64.0, 1e5));
  double sum = f(0.0) + f(1.0);
  for (int i = 1; i < steps; ++i)
    sum += (i % 2 == 1 ? 4.0 : 2.0) * f(static_cast<double>(i) / steps);
  return sum / (3.0 * steps);
}

// Probability that a piece is read again before it is evicted, when pieces are evicted at `rate`
// per epoch.    [docs/models/cache.md, eq. 3]
double survives(double rate, double p, double k) {
  const auto others = [&](double x) { return std::exp(-rate * x) * std::pow(1.0 - p * x, k - 1); };
  const double this_epoch = integral(rate, [&](double x) { return (1.0 - x) * others(x); });
  const double until_end = integral(rate, others);
  const double next = integral(rate, [&](double x) { return (1.0 - p * x) * others(x); });
  const double skipped = 1.0 - std::exp(-rate) * std::pow(1.0 - p, k);
  return 1.0 - rate * (this_epoch + until_end * next / skipped);
}

// A read at v finds what was touched in the last L, in which 1 - U of the data set was touched and
// w L written: 1 - U + w L = c. U is the share that nobody touched; the reader itself has not
// touched the piece in this epoch, so it is missed with U / (1 - p min(v, L)).
//    [docs/models/cache.md, eq. 12]
double lru_beside_writes(double c, double p, double k, double w) {
  const auto others = [&](double v, double length) {
    const double before = std::max(0.0, length - v);  // in earlier epochs
    const double whole = std::floor(before);
    return std::pow(1.0 - p * std::min(v, length), k - 1.0) * std::pow(1.0 - p, k * whole) *
           std::pow(1.0 - p * (before - whole), k);
  };
  const double fine = 64.0;  // there is a kink where the window leaves the epoch
  return integral(fine, [&](double v) {
    double low = 0.0, high = c / w;
    for (int i = 0; i < 60; ++i) {
      const double length = 0.5 * (low + high);
      const double untouched = others(v, length) * (1.0 - p * std::min(v, length));
      (1.0 - untouched + w * length < c ? low : high) = length;
    }
    return 1.0 - others(v, high);
  });
}

// m = 1 - survives((m k p + w) / c): what is missed and what is written set the rate of eviction.
// One root in (0, 1): the right side minus the left is concave, and above 0 or, without writes, 0
// at m = 0, where it rises for c < 1.
// With p = k = 1: m = 1 - ((1 - e^(-m/c)) / (m/c))^2.    [docs/models/cache.md, eq. 3]
double random(double c, double p, double k, double w) {
  double low = 1e-9, high = 1.0;
  while (high - low > 1e-9) {
    const double m = 0.5 * (low + high);
    (1.0 - survives((m * k * p + w) / c, p, k) > m ? low : high) = m;
  }
  return 1.0 - high;
}

// The same order each epoch: the next use of a piece is one whole epoch away. LRU has always just
// dropped it; random eviction keeps it with e^(-(m + w)/c).    [docs/models/cache.md, eq. 4, 12]
double scan(Eviction eviction, double c, double w) {
  if (eviction == Eviction::none) return c;
  if (eviction == Eviction::lru) return c >= 1.0 + w ? 1.0 : 0.0;
  double low = 1e-9, high = 1.0;
  while (high - low > 1e-9) {
    const double m = 0.5 * (low + high);
    (1.0 - std::exp(-(m + w) / c) > m ? low : high) = m;
  }
  return 1.0 - high;
}

// Of k jobs in step that read in one order the first brings a piece, and the others find it, unless
// nothing more is kept.    [docs/models/cache.md, eq. 4]
double brought(Eviction eviction, double hit, double k) {
  return eviction == Eviction::none ? hit : 1.0 - (1.0 - hit) / k;
}

// When c of the data set was touched, in epochs, from an empty cache; 1 when an epoch touches less:
// 1 - (1 - p u)^k = c.    [docs/models/cache.md, eq. 6]
double filled_at(double c, double p, double k) {
  return std::min(1.0, (1.0 - std::pow(std::max(0.0, 1.0 - c), 1.0 / k)) / p);
}

// From an empty cache, pinned: all that is touched until u is kept, and each reader finds what
// another brought: 1 - c/(k p) - (1 - c) (1 - u) / (1 - p u).    [docs/models/cache.md, eq. 6]
double first_pinned(double c, double p, double k) {
  const double u = filled_at(c, p, k), kept = 1.0 - std::pow(1.0 - p * u, k);
  const double late = u < 1.0 ? std::pow(1.0 - p * u, k - 1.0) * (1.0 - u) : 0.0;
  return 1.0 - kept / (k * p) - late;
}

// LRU: of the last u, in which c was touched, what one of the k - 1 others read.
//    [docs/models/cache.md, eq. 6]
double first_lru(double c, double p, double k) {
  const double u = filled_at(c, p, k), left = 1.0 - p * u;
  return u - (1.0 - std::pow(left, k)) / (k * p) + (1.0 - u) * (1.0 - std::pow(left, k - 1.0));
}

// Random eviction: nothing is lost until u, then at the rate k p m / c. A read at v finds what
// another read last at t, if it lasted: m(v) = 1 - int_0^v e^(A(t) - A(v)) (k - 1) p (1 - p (v -
// t))^(k - 2) dt, A' = k p m / c.    [docs/models/cache.md, eq. 6]
double first_random(double c, double p, double k) {
  const auto steps = static_cast<std::size_t>(std::clamp(4.0 * k * p / c, 200.0, 4000.0));
  const double step = 1.0 / static_cast<double>(steps), full = filled_at(c, p, k);
  const auto unread = [&](double gap) { return std::pow(1.0 - p * gap * step, k - 1.0); };
  constexpr double kGone = 40.0;         // e^-40 of what was kept is left
  std::vector<double> lost(steps, 0.0);  // A
  double found = 0.0, rate = 0.0;
  for (std::size_t i = 0; i < steps; ++i) {
    if (i > 0) lost[i] = lost[i - 1] + step * rate;
    double hit = 1.0 - unread(0.5);
    for (std::size_t gap = 1; gap <= i && lost[i] - lost[i - gap] < kGone; ++gap) {
      const auto ago = static_cast<double>(gap);
      hit += (unread(ago - 0.5) - unread(ago + 0.5)) * std::exp(lost[i - gap] - lost[i]);
    }
    found += hit * step;
    if ((static_cast<double>(i) + 1.0) * step > full) rate = k * p * (1.0 - hit) / c;
  }
  return found;
}

/// From an empty cache, each epoch in another order.    [docs/models/cache.md, eq. 6]
double first_hit(Eviction eviction, double c, double p, double k) {
  if (c <= 0.0 || k <= 1.0) return 0.0;
  if (eviction == Eviction::none) return first_pinned(c, p, k);
  return eviction == Eviction::lru ? first_lru(c, p, k) : first_random(c, p, k);
}

}  // namespace

Fraction warm_hit(Eviction eviction, Fraction cached, const Pattern& pattern) {
  const double c = cached.in(unit::ratio);
  const auto share = [](double value) {
    return Fraction::from(std::clamp(value, 0.0, 1.0), unit::ratio);
  };
  if (c <= 0.0) return share(0.0);
  const double p = pattern.share, k = pattern.readers, w = pattern.written;
  const bool displaced = w > 0.0 && eviction != Eviction::none;
  if (c >= 1.0 && !displaced) return share(1.0);
  if (pattern.in_order)
    return share(c >= p && !displaced ? 1.0 : brought(eviction, scan(eviction, c / p, w / p), k));
  switch (eviction) {
    case Eviction::lru:
      return share(displaced ? lru_beside_writes(c, p, k, w) : lru(c, p, k));
    case Eviction::random:
      return share(random(c, p, k, w));
    case Eviction::none:
      break;
  }
  return cached;  // [docs/models/cache.md, eq. 1]
}

Fraction hit(Eviction eviction, Fraction cached, const Revisits& revisits) {
  const Pattern& pattern = revisits.pattern;
  const double p = pattern.share, k = pattern.readers;
  const double warm = warm_hit(eviction, cached, pattern).in(unit::ratio);
  const double c = std::min(1.0, cached.in(unit::ratio));
  const auto at_most = [&](double found) {
    return Fraction::from(std::min(warm, found), unit::ratio);
  };
  if (pattern.in_order) {
    const double brings = eviction == Eviction::none ? warm : 1.0;  // the first of k, to the others
    return at_most(revisits.passes > 0.0 ? warm : (1.0 - 1.0 / k) * brings);
  }
  if (revisits.passes == 0.0) return at_most(first_hit(eviction, c, p, k));
  // Seen in an earlier epoch, or by another reader earlier in this one.    [cache.md, eq. 6]
  const double seen = 1.0 - std::pow(1.0 - p, k * revisits.passes);
  if (eviction == Eviction::none && seen >= c) return at_most(c);
  const double rest = eviction == Eviction::none ? (c - seen) / (1.0 - seen) : 1.0;
  return at_most(seen + (1.0 - seen) * first_pinned(rest, p, k));
}

}  // namespace stallcast::models::cache
