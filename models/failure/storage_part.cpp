#include <algorithm>

#include "models/failure/kinds.hpp"

/// Parts of storage systems that fail.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kParts[] = {"target", "server", "metadata", "service"};
constexpr std::string_view kTakeovers[] = {"partner", "spread"};

constexpr std::array<Field<StorageFaultParams>, 9> kStorage{
    field("on", &StorageFaultParams::on, kRequired, "id of the storage system"),
    field("part", &StorageFaultParams::part, "server",
          "what fails: a target (OST, drive, drive group), a server (OSS, node, head), a metadata "
          "server, or the service: all of it (an outage, a bucket that answers 503)",
          one_of(kParts)),
    field("at", &StorageFaultParams::at, kOptional, "date in the run at which one fails",
          kNonNegative),
    field("mtbf", &StorageFaultParams::mtbf, kOptional,
          "mean time between failures of one such part", kPositive),
    field("failover", &StorageFaultParams::failover, "60 s",
          "until others have taken over; until then what lies evenly on all parts stands still",
          between("20 s", "3 min", assumed(kNonNegative, "30-120 s"),
                  "as cited, widened: tuned systems are faster, recovery of many clients slower")),
    field("takeover", &StorageFaultParams::takeover, "partner",
          "partner: one carries the load of two; spread: all that are left share it",
          one_of(kTakeovers)),
    field("rebuild", &StorageFaultParams::rebuild, "20 %",
          "target: share of the media's rate that rebuilding takes until the repair",
          between("10 %", "30 %", assumed(up_to(0.99, kNonNegative), "10-30 %"), "as cited")),
    field("left", &StorageFaultParams::left, "100 %",
          "service: share of its rate, or of its requests a second, from the end of the failover "
          "until the repair",
          kPositiveShare),
    field(
        "repair", &StorageFaultParams::repair, "1 h",
        "from the takeover until everything is as before",
        between(
            "10 min", "1 d", assumed(kPositive),
            "expert range: a restarted server minutes, a rebuilt drive or a part most of a day"))};

}  // namespace

StorageFaultParams storage_fault_params(const Component& component) {
  return bind<kStorage>(component);
}
std::span<const FieldInfo> storage_failure_fields() { return kInfos<kStorage>; }

StoragePart storage_part(const StorageFaultParams& p) {
  const auto found = std::find(std::begin(kParts), std::end(kParts), p.part);
  return static_cast<StoragePart>(found - std::begin(kParts));
}

}  // namespace stallcast::models
