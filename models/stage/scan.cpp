#include "models/stage/stage.hpp"

/// Data that are read, and perhaps worked on, and not written: statistics, evaluation.
/// docs/models/stages.md.
namespace stallcast::models {
namespace {

using namespace base;

struct ScanParams {
  std::optional<Rate> cpu;
};

constexpr std::array<Field<ScanParams>, 1> kScanFields{
    field("cpu", &ScanParams::cpu, kOptional,
          "input one core takes in per second; absent: no core time", kPositive)};

StageWork scanned(const Component& component) {
  return {.to = {}, .ratio = 0.0, .file = {}, .cpu = bind<kScanFields>(component).cpu};
}

}  // namespace

StageRow scan_stage() {
  return {{"scan", "data that are read and not written: statistics, evaluation",
           stage_common_fields(), kMoving<kScanFields>},
          scanned};
}

}  // namespace stallcast::models
