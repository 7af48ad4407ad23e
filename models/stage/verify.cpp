#include "models/stage/stage.hpp"

/// Data that are read again and compared with their checksums. docs/models/stages.md.
namespace stallcast::models {
namespace {

using namespace base;

struct VerifyParams {
  Rate cpu;
};

constexpr std::array<Field<VerifyParams>, 1> kVerifyFields{
    field("cpu", &VerifyParams::cpu, "1.5 GB/s",
          "checksum pass of one core: CRC32C 10 GB/s, SHA-256 1.5 GB/s, MD5 0.6 GB/s",
          between("0.4 GB/s", "2 GB/s",
                  assumed(kPositive, "SHA-256 with SHA extensions, as jobs[].checkpoint.checksum"),
                  "expert range: SHA-256 without SHA extensions, to the fastest cores with them"))};

StageWork verified(const Component& component) {
  return {.to = {}, .ratio = 0.0, .file = {}, .cpu = bind<kVerifyFields>(component).cpu};
}

}  // namespace

StageRow verify_stage() {
  return {{"verify", "data that are read again and compared with their checksums",
           stage_common_fields(), kMoving<kVerifyFields>},
          verified};
}

}  // namespace stallcast::models
