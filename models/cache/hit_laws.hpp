#pragma once

#include "stallcast/units.hpp"

/// How much of a data set a cache returns when the data set is read again and again. Pure functions
/// of shares; derivations and the simulations they are held to: docs/models/cache.md.
namespace stallcast::models::cache {

/// Which of the cached pieces makes room for a new one.
enum class Eviction {
  none,    ///< what came first stays (pinned: CoorDL's MinIO, a staged subset)
  lru,     ///< the least recently used
  random,  ///< any, equally likely: close to what Linux' page cache did in published runs
};

/// How a reader comes back to the same bytes. One reader's epochs follow each other; every epoch
/// has an order of its own.
struct Pattern {
  double share = 1.0;  ///< of the data set, drawn anew each epoch, that is read through this cache
                       ///< by one reader: 1/N for one of N nodes that reshuffle globally
  double readers = 1.0;   ///< jobs that read the same data through it, their epochs in step
  bool in_order = false;  ///< the same share in the same order each epoch, by all readers
  double written = 0.0;  ///< bytes written through it in an epoch, evenly spread and never read, as
                         ///< a share of the data set
};

/// Where a reader is: its pattern, and how many epochs it has behind it.
struct Revisits {
  Pattern pattern = {};
  double passes = 0.0;
};

/// Share of reads found in a cache that holds `cached` of the data set (1 or more: all of it), once
/// it is warm. 0 for an empty cache, 1 when all of it fits
/// and nothing is written.
[[nodiscard]] Fraction warm_hit(Eviction eviction, Fraction cached, const Pattern& pattern = {});

/// The same in the epoch after `passes` complete ones, from an empty cache: in the first what other
/// readers brought and the cache still has, later no more than what was seen by then.
///    [docs/models/cache.md, eq. 6]
[[nodiscard]] Fraction hit(Eviction eviction, Fraction cached, const Revisits& revisits);

}  // namespace stallcast::models::cache
