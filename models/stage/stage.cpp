#include "models/stage/stage.hpp"

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::array<Field<StageParams>, 3> kCommon{
    field("after", &StageParams::after, kOptional,
          "ids of the stages and jobs it follows; absent: none"),
    field("when", &StageParams::when, "done",
          "done: it starts when they are done; streaming: it works on what they have brought so "
          "far, and does not overtake them",
          one_of(kWhen)),
    field("start", &StageParams::start, "0 s", "it starts no earlier", kNonNegative)};

}  // namespace

StageParams stage_params(const Component& component) { return bind<kCommon>(component); }
std::span<const FieldInfo> stage_common_fields() { return kInfos<kCommon>; }
MoveParams move_params(const Component& component) { return bind<kMoveFields>(component); }

}  // namespace stallcast::models
