#include "models/contract/capacity.hpp"

#include <array>
#include <string>
#include <string_view>

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kOther = "capacity.other";

constexpr std::array<Field<CapacityParams>, 6> kCapacity{
    field("capacity.fill", &CapacityParams::fill, "85 %",
          "most of the space that is to be used; fuller, allocation slows down and Ceph warns",
          between("75 %", "95 %",
                  cited(kPositiveShare, "Ceph: mon_osd_nearfull_ratio 0.85, full at 0.95"),
                  "expert range: 75 % for copy-on-write file systems to 95 %")),
    field("capacity.overhead", &CapacityParams::overhead, "3 %",
          "space of its parts that the file system takes itself: inodes, journals, reserves",
          between("0.5 %", "7 %",
                  assumed(kShare, "XFS 0.5 %; ext4 1.6 % of inodes and 5 % reserved by default"),
                  "from XFS to ext4 with all its defaults")),
    field(kOther, &CapacityParams::other, "0 B",
          "what else lies on it, besides the data sets, checkpoints and tenants of the scenario",
          kNonNegative),
    field("endurance.dwpd", &CapacityParams::drive_writes, kOptional,
          "drive writes a day that its drives are rated for: 0.3 of QLC, 1 of TLC for reads, 3 of "
          "mixed use; absent: nothing wears out",
          kPositive),
    field("endurance.warranty", &CapacityParams::warranty, "1825 d",
          "time over which they are rated for it: five years as a rule", kPositive),
    field("endurance.amplification", &CapacityParams::amplification, "1",
          "what is written to flash for each byte, over what it is in the rating's workload",
          between("0.3", "1.2", cited(kPositive, "ratings are of JESD219, random writes"),
                  "large writes in sequence wear less than the rating's; small ones as much"))};

}  // namespace

CapacityParams capacity_params(const Component& component) { return bind<kCapacity>(component); }
std::span<const FieldInfo> capacity_fields() { return kInfos<kCapacity>; }

void add_other(Component& storage, Bytes bytes) {
  Value& other = storage.values[std::string(kOther)];
  other.dimension = Dimension::bytes;
  other.number += bytes.in(unit::B);
}

}  // namespace stallcast::models
