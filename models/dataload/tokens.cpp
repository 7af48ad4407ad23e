#include <cmath>
#include <limits>

#include "models/dataload/format_costs.hpp"

/// A memory-mapped file of tokens, read at random places (Megatron): no open per sample, each page
/// fault fetches the window around it. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct TokensParams : FormatCosts {
  Bytes window;
  bool reopen = false;
  std::int64_t files = 1;
};
constexpr auto kTokensFields = with_costs(
    std::array{
        field(
            "window", &TokensParams::window, "128 KiB",
            "bytes a page fault fetches: read_ahead_kb of the mount; 4 KiB after madvise(RANDOM)",
            cited(kPositive, "Linux default read_ahead_kb; own probe: one fault reads just that")),
        field("reopen", &TokensParams::reopen, "false",
              "open and map the file again for every sample"),
        field("files", &TokensParams::files, "1",
              "files of equal size that the tokens lie in; each lies on as many targets of the "
              "storage system as that stripes a file over",
              up_to(1e9))},
    {"1", "dependent requests per page fault",
     between("1", "2", assumed(kNonNegative),
             "expert range: a shared file system may ask for a lock first")},
    {"10 GB/s", "stored bytes one core takes in per second: copy out of the page cache",
     between("4 GB/s", "15 GB/s", assumed(kPositive),
             "memcpy of one core 8-15 GB/s; small samples and busy memory 4 GB/s")},
    {"20 us", "fixed CPU time per sample: index look-up and faults",
     between("8 us", "80 us", assumed(kNonNegative),
             "expert range: an index in memory 8 us, samples over documents 80 us")});

}  // namespace

std::span<const FieldInfo> tokens_fields() { return kInfos<kTokensFields>; }

SampleAccess tokens_access(const Component& component, const DatasetParams& dataset) {
  const TokensParams p = bind<kTokensFields>(component);
  SampleAccess out = p.access(p.reopen ? 1.0 : 0.0);
  out.in_file = std::numeric_limits<double>::infinity();
  out.large = static_cast<double>(p.files);
  // [docs/models/formats.md, eq. 6]
  out.ranges = std::max(1.0, std::ceil(dataset.sample / p.window - 1e-9));
  out.amplification = p.window * out.ranges / dataset.sample;
  return out;
}

}  // namespace stallcast::models
