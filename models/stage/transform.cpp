#include "models/stage/stage.hpp"

/// Data that change on their way: cleaned, tokenised, decoded, shuffled. docs/models/stages.md.
namespace stallcast::models {
namespace {

using namespace base;

struct TransformParams {
  std::string to;
  Rate cpu;
  double ratio = 1.0;
  std::optional<Bytes> written;
};

constexpr std::array<Field<TransformParams>, 4> kTransformFields{
    field("to", &TransformParams::to, kRequired, "id of the storage system it writes"),
    field("cpu", &TransformParams::cpu, "50 MB/s", "input one core takes in per second",
          between("10 MB/s", "100 MB/s",
                  assumed(kPositive, "tokenising and image decoding: tens of MB/s per core"),
                  "as cited: tens of MB/s; Python tokenisers 10, native filters 100")),
    field("ratio", &TransformParams::ratio, "1",
          "bytes written per byte read: tokenising 0.25-0.5, decoding images 5-10", kNonNegative),
    field("written.file", &TransformParams::written, kOptional,
          "size of a file it writes; absent: file x ratio", kPositive)};

StageWork transformed(const Component& component) {
  const TransformParams p = bind<kTransformFields>(component);
  return {.to = p.to, .ratio = p.ratio, .file = p.written, .cpu = p.cpu};
}

}  // namespace

StageRow transform_stage() {
  return {{"transform", "data that change on their way: cleaned, tokenised, decoded, shuffled",
           stage_common_fields(), kMoving<kTransformFields>},
          transformed};
}

}  // namespace stallcast::models
