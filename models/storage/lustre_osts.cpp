#include "models/storage/lustre_osts.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {
namespace {

constexpr Bytes kTebibyte = Bytes::from(1.0, unit::TiB);

}  // namespace

// A managed service sells its rate with the capacity.
Rate LustreOsts::nominal(Rate own) const {
  return p_.provisioned && p_.ost_capacity ? *p_.provisioned * (*p_.ost_capacity / kTebibyte) : own;
}

// Full stripes of k chunks cost k + p drive writes. Of j chunks that are left over, the rest of the
// stripe is read (k + p in all) or the old data and parity are (twice j + p).    [lustre.md, eq. 7]
double LustreOsts::parity(Bytes request) const {
  if (!p_.raid_data || !request.finite() || request == Bytes{}) return 1.0;
  const double k = static_cast<double>(*p_.raid_data), p = static_cast<double>(p_.raid_parity);
  const double chunks = request / p_.raid_chunk, full = std::floor(chunks / k + 1e-9);
  const double rest = std::max(0.0, std::ceil(chunks - full * k - 1e-9));
  const double partial = rest > 0.0 ? std::min(k + p, 2.0 * (rest + p)) : 0.0;
  return std::max(1.0, (full * (k + p) + partial) / (chunks * (k + p) / k));
}

// One seek a request over the disks that seek alone; none while there is a disk for every stream of
// large requests.    [lustre.md, eq. 7]
Rate LustreOsts::seeking(Rate rate, Bytes request, double streams) const {
  const double disks = static_cast<double>(p_.spindles);
  if (p_.seek == Seconds{} || request == Bytes{} || (request >= p_.rpc && streams <= disks))
    return rate;
  return request / (request / rate + p_.seek / disks);
}

}  // namespace stallcast::models
