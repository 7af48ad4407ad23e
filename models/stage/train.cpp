#include "models/stage/stage.hpp"

/// A job of the scenario as a stage. docs/models/stages.md.
namespace stallcast::models {
namespace {

using namespace base;

struct TrainParams {
  std::string job;
};

constexpr std::array<Field<TrainParams>, 1> kTrainFields{
    field("job", &TrainParams::job, kRequired, "id of the job that it is")};

}  // namespace

std::string job_of_stage(const Component& stage) { return bind<kTrainFields>(stage).job; }

StageRow train_stage() {
  return {{"train", "a job of the scenario", stage_common_fields(), kInfos<kTrainFields>}, nullptr};
}

}  // namespace stallcast::models
