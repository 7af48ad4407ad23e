#include "models/contract/credits.hpp"

#include <array>

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::array<Field<CreditParams>, 6> kCredits{
    field(
        "credits.base", &CreditParams::base, kOptional,
        "bytes a second that it moves when its credits are gone, reads and writes together; until "
        "then it is as fast as its other fields say; absent: bytes cost no credits",
        kPositive),
    field("credits.size", &CreditParams::size, "0 B",
          "bytes that it moves beyond that with all its credits: EFS 2.1 TiB for each TiB stored",
          kNonNegative),
    field("credits.ops", &CreditParams::ops, kOptional,
          "requests a second that it serves when its credits are gone: EBS gp2 3 /s for each GiB; "
          "absent: requests cost none",
          kPositive),
    field("credits.ops_size", &CreditParams::ops_size, "0",
          "requests that it serves beyond that with all its credits: EBS gp2 5.4 million",
          kNonNegative),
    field("credits.request", &CreditParams::request, "256 KiB",
          "largest request that counts as one",
          cited(kPositive, "EBS: I/O of up to 256 KiB on SSD volumes")),
    field("credits.start", &CreditParams::start, "100 %",
          "share of the credits at the start of the run; 0 %: as it is when they are gone",
          kShare)};

}  // namespace

bool has_credits(const Component& component) {
  return component.find("credits.base") != nullptr || component.find("credits.ops") != nullptr;
}
void set_empty(Component& component) {
  Value& start = component.values["credits.start"];
  start.dimension = Dimension::ratio;
  start.number = 0.0;
}
CreditParams credit_params(const Component& component) { return bind<kCredits>(component); }
std::span<const FieldInfo> credit_fields() { return kInfos<kCredits>; }

}  // namespace stallcast::models
