#include "models/bounds/coming.hpp"

#include <algorithm>
#include <set>

#include "engine/base/design_values.hpp"

namespace stallcast::models {
Bytes Coming::by(Seconds date) const {
  return rate * std::max(Seconds{}, std::min(date, until) - from);
}

// A file is a create and a write.    [docs/models/capacity.md, eq. 4]
Coming ingested(const Component& ingest) {
  Coming out;
  out.what = "what tenant \"" + ingest.id + "\" brings";
  out.rate = Rate::from(base::number_of(ingest, "rate"), unit::Bps);
  if (const auto limit = base::number_if(ingest, "limit"))
    out.rate = std::min(out.rate, Rate::from(*limit, unit::Bps));
  if (const auto operations = base::number_if(ingest, "limit_operations"))
    out.rate = std::min(out.rate,
                        Rate::from(base::number_of(ingest, "file") * *operations / 2.0, unit::Bps));
  if (const auto start = base::number_if(ingest, "start"))
    out.from = Seconds::from(*start, unit::s);
  if (const auto stop = base::number_if(ingest, "stop")) out.until = Seconds::from(*stop, unit::s);
  return out;
}

Bytes come_by(std::span<const Coming> all, Seconds date) {
  Bytes sum;
  for (const Coming& each : all) sum += each.by(date);
  return sum;
}

// Between two dates at which anything begins or ends it comes evenly.
std::optional<Seconds> date_of(std::span<const Coming> all, Bytes bytes) {
  std::set<Seconds> dates;
  Rate last;  // after all of them
  for (const Coming& each : all) {
    dates.insert(each.from);
    if (each.until.finite())
      dates.insert(each.until);
    else
      last += each.rate;
  }
  Seconds from;
  for (const Seconds to : dates) {
    const Bytes before = come_by(all, from), then = come_by(all, to);
    if (then > before && then >= bytes)
      return from + (to - from) * ((bytes - before) / (then - before));
    from = to;
  }
  if (last <= Rate{}) return std::nullopt;
  return from + (bytes - come_by(all, from)) / last;
}

}  // namespace stallcast::models
