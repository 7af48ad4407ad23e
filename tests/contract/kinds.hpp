#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/contract/registry.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

/// Designs that put every kind of every role to work, one at a time.
namespace stallcast::testing {

struct Kinds {
  std::string storage = "lustre", fabric = "switched", format = "raw", loader = "pytorch",
              step = "given", checkpoint = "async", communication = "given", tenant = "",
              failure = "", elastic = "", stage = "";
  bool stragglers = false;  ///< one of the hosts is slow
  bool outage = false;      ///< one of the hosts fails at a date
  [[nodiscard]] std::string name() const {
    return storage + " " + fabric + " " + format + " " + loader + " " + step + " " + checkpoint +
           " " + communication + " " + tenant + " " + failure + " " + elastic + " " + stage +
           (stragglers ? " stragglers" : "") + (outage ? " outage" : "");
  }
};

/// What storage kinds name differently: the key that counts their servers or media, and the
/// resource that every byte read crosses at the media.
struct StorageNames {
  const char* count;
  const char* media;
};
[[nodiscard]] StorageNames storage_names(const std::string& kind);

/// 32 GPUs that read 1.3 GB/s each from 32 GB/s and save 64 GB every 8 s: loaded, every part in
/// use.
[[nodiscard]] Design design_of(const Kinds& kinds);

/// One combination per registry row, one with stragglers, one with a failure at a date: a new row
/// is tested by being there.
[[nodiscard]] std::vector<Kinds> all_kinds();

/// Every component of a design with the role it plays there.
using ComponentVisitor = std::function<void(models::Role, Component&)>;
void for_each_component(Design& design, const ComponentVisitor& visit);

/// All rates halved and all delays doubled.
[[nodiscard]] Design half_as_fast(Design design);
/// What a figure in `unit` is multiplied by then.
[[nodiscard]] double slow_factor(const std::string& unit);

/// A given number of steps with a save every 20, in place of a given time: what is faster must not
/// be given more to do.
void give_work(Design& design, const char* steps);
/// How long that took. REQUIRES: give_work.
[[nodiscard]] Seconds work_time(const RunResult& result);
/// All ranks alike, one read of each at a time, and nothing drawn: no order of events to change.
void leave_no_races(Design& design);

}  // namespace stallcast::testing
