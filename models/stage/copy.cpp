#include "models/stage/stage.hpp"

/// Data on their way from one storage system to another, as they are: ingest, stage in, prefetch,
/// demotion, archive, recall. docs/models/stages.md.
namespace stallcast::models {
namespace {

using namespace base;

struct CopyParams {
  std::string to;
  Seconds delay, per_file;
  bool release = false;
};

constexpr std::array<Field<CopyParams>, 4> kCopyFields{
    field("to", &CopyParams::to, kRequired, "id of the storage system it writes"),
    field("delay", &CopyParams::delay, "0 s",
          "before the first byte: a tape is mounted, an archive class thaws", kNonNegative),
    field("per_file", &CopyParams::per_file, "0 s",
          "of a worker for each file: the request of an HSM agent, a seek on tape", kNonNegative),
    field("release", &CopyParams::release, "false",
          "a file that was copied is removed at `from`: one request to its metadata more")};

StageWork copied(const Component& component) {
  const CopyParams p = bind<kCopyFields>(component);
  return {.to = p.to,
          .ratio = 1.0,
          .file = {},
          .delay = p.delay,
          .per_file = p.per_file,
          .release = p.release};
}

}  // namespace

StageRow copy_stage() {
  return {{"copy", "data from one storage system to another: ingest, prefetch, archive, recall",
           stage_common_fields(), kMoving<kCopyFields>},
          copied};
}

}  // namespace stallcast::models
