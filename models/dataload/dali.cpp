#include <algorithm>
#include <array>

#include "models/dataload/loaders.hpp"

/// NVIDIA DALI: threads that read and decode one batch together, and a stage on the GPU that takes
/// a share of it from training. docs/models/dataloader.md.
namespace stallcast::models {
namespace {

using namespace base;

struct DaliParams {
  bool mmap = true;
  Bytes window;
  Seconds gpu_decode;
  Fraction gpu_share;
};
constexpr std::array<Field<DaliParams>, 4> kDaliFields{
    field("mmap", &DaliParams::mmap, "true",
          "files are mapped: every thread reads by page faults; false (dont_use_mmap): one thread "
          "reads all files"),
    field("window", &DaliParams::window, "128 KiB", "bytes a page fault fetches: read_ahead_kb",
          cited(kPositive, "Linux default read_ahead_kb")),
    field(
        "gpu.decode", &DaliParams::gpu_decode, "0 s",
        "time of the stage on the GPU per sample, alongside training; 0: decoding on the CPU alone",
        kNonNegative),
    field("gpu.share", &DaliParams::gpu_share, "30 %",
          "share of the GPU that this stage takes from training meanwhile",
          between("10 %", "60 %", assumed(kShare),
                  "expert range: hardware decoders 10 %, kernels that resize and augment 60 %"))};

}  // namespace

std::span<const FieldInfo> dali_fields() { return kInfos<kDaliFields>; }

LoaderPolicy dali_policy(const Component& component) {
  const DaliParams p = bind<kDaliFields>(component);
  LoaderPolicy out{.split_batch = true};
  if (p.mmap) {
    out.window = p.window;
  } else {
    out.readers = 1;
    out.decoders = std::max<std::int64_t>(loader_params(component).workers, 1);
  }
  out.gpu_copies = true;
  out.gpu_decode = p.gpu_decode;
  out.gpu_share = p.gpu_share;
  return out;
}

}  // namespace stallcast::models
