#include "models/contract/loader.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kCopies[] = {"gds", "none", "pageable", "pinned"};
constexpr std::string_view kProbe = "own probe, PyTorch 1.13, 2 cores, 2026-11";

constexpr std::array<Field<LoaderParams>, 7> kLoader{
    field("batch", &LoaderParams::batch, "1", "samples per GPU and step", up_to(1e7)),
    field("workers", &LoaderParams::workers, "4",
          "worker processes per GPU; 0: the training process loads itself",
          assumed(up_to(4096, kNonNegative))),
    field("prefetch", &LoaderParams::prefetch, "2", "batches asked for ahead per worker",
          cited(up_to(4096), "PyTorch default prefetch_factor")),
    field("persistent", &LoaderParams::persistent, "false",
          "workers live over epochs (persistent_workers)"),
    field(
        "start", &LoaderParams::start, "17 ms",
        "time to start one worker process, one after the other; threads (tf.data, DALI) take none",
        between("8 ms", "80 ms", cited(kNonNegative, kProbe),
                "expert range: a fork grows with the memory of the training process")),
    field("handover", &LoaderParams::handover, "1.2 ms",
          "time of the training process per batch: receive, map, free",
          between("0.4 ms", "4 ms", cited(kNonNegative, kProbe),
                  "expert range: faster cores 0.4 ms, batches of many tensors several ms")),
    field("copy", &LoaderParams::copy, "pinned",
          "copy of each batch to the GPU: pinned, pageable, or none; gds: storage writes into the "
          "GPU (GPUDirect Storage), no copy",
          one_of(kCopies))};

}  // namespace

LoaderParams loader_params(const Component& component) { return bind<kLoader>(component); }
std::span<const FieldInfo> loader_common_fields() { return kInfos<kLoader>; }

namespace {

double files_of(double samples, double per_file) {
  return std::max(1.0, std::round(samples / per_file));
}

}  // namespace

double dealt_more(double samples, double per_file, double ranks) {
  if (!std::isfinite(samples)) return 0.0;
  const double files = files_of(samples, per_file);
  return files > ranks ? std::fmod(files, ranks) : 0.0;
}

std::vector<double> deal(double samples, double per_file, double ranks, std::int64_t workers,
                         bool more) {
  const double count = static_cast<double>(std::max<std::int64_t>(workers, 1));
  std::vector<double> out(static_cast<std::size_t>(count), samples / ranks / count);
  if (!std::isfinite(samples)) return out;
  // n files: floor(n / N) for a rank, one more for the first n mod N, and of those m for a worker
  // floor(m / W), one more for the first m mod W.    [docs/models/dataloader.md, eq. 3]
  const double files = files_of(samples, per_file);
  const double mine = std::max(1.0, std::floor(files / ranks)) + (more ? 1.0 : 0.0);
  for (double w = 0.0; double& share : out) {
    const double extra = w++ < std::fmod(mine, count) ? 1.0 : 0.0;
    share =
        std::floor(samples / std::max(files, ranks) * (std::floor(mine / count) + extra) + 1e-6);
  }
  return out;
}

}  // namespace stallcast::models
