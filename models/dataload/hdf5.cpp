#include <cmath>

#include "models/dataload/format_costs.hpp"

/// HDF5 files: small dependent reads to find a data set, then the sample in one piece or chunk by
/// chunk. The library holds one lock per process. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kProbe = "own probe, h5py 3.7 on one core, 2026-11";

struct Hdf5Params : FormatCosts {
  std::int64_t samples_per_file = 1;
  bool reopen = false;
  Seconds open_cpu;
  std::optional<Bytes> chunk;
  Bytes chunk_cache;
  std::string order;
  double ratio = 1.0;
  std::optional<Rate> decompress;
};
constexpr auto kHdf5Fields = with_costs(
    std::array{
        field("samples_per_file", &Hdf5Params::samples_per_file, "1", "samples in one file",
              kAtLeastOne),
        field("reopen", &Hdf5Params::reopen, "false",
              "open the file again for every sample; else once per file"),
        field("open_cpu", &Hdf5Params::open_cpu, "45 us",
              "CPU time to open a file and look up its data set",
              between("25 us", "200 us", cited(kNonNegative, kProbe),
                      "expert range: deep groups and many attributes take longer")),
        field("chunk", &Hdf5Params::chunk, kOptional,
              "stored size of one chunk, read and decompressed whole; contiguous when not given",
              kPositive),
        field("chunk_cache", &Hdf5Params::chunk_cache, "1 MiB",
              "chunk cache of an open data set: a larger chunk is read again for every sample",
              cited(kNonNegative, "HDF5 1.x default rdcc_nbytes")),
        field("order", &Hdf5Params::order, "random",
              "random: no sample shares a chunk with the one before; sequential", one_of(kOrders)),
        field("ratio", &Hdf5Params::ratio, "1", "bytes in memory per stored byte", kPositive),
        field("decompress", &Hdf5Params::decompress, kOptional,
              "bytes in memory one core decompresses in a second: gzip 0.43, lzf 1.0 GB/s",
              cited(kPositive, kProbe))},
    {"4", "dependent requests per opened file: superblock and headers, group, B-tree nodes",
     between(
         "2", "10",
         assumed(kNonNegative, "own probe: 10 small reads, those in one page being one request"),
         "own probe: 10 small reads, fewer where pages hold several")},
    {"8.3 GB/s", "stored bytes one core takes in per second: copies out of chunks",
     between("3 GB/s", "12 GB/s", cited(kPositive, kProbe),
             "expert range: cores differ by two, and share memory bandwidth")},
    {"10 us", "fixed CPU time per sample",
     between("6 us", "100 us", assumed(kNonNegative),
             "expert range: h5py selections in Python take tens of us")});

}  // namespace

std::span<const FieldInfo> hdf5_fields() { return kInfos<kHdf5Fields>; }

SampleAccess hdf5_access(const Component& component, const DatasetParams& dataset) {
  const Hdf5Params p = bind<kHdf5Fields>(component);
  SampleAccess out = p.access(p.reopen ? 1.0 : 1.0 / static_cast<double>(p.samples_per_file));
  out.in_file = static_cast<double>(p.samples_per_file);
  out.ranges = 1.0;
  if (p.chunk) {
    // A sample lies in whole chunks, and each is a read of its own. In sequence the chunk cache
    // gives its samples a chunk once, if it fits.    [docs/models/formats.md, eq. 3]
    const bool kept = p.order == "sequential" && *p.chunk <= p.chunk_cache && !p.reopen;
    const double chunks = dataset.sample / *p.chunk;
    out.ranges = kept ? chunks : std::ceil(chunks - 1e-9);
    out.amplification = out.ranges / chunks;
  }
  out.round_trips = 1.0 + p.round_trips * out.files / out.ranges;
  out.expansion = p.ratio;
  out.one_lock = true;
  if (p.decompress) out.unpack = *p.decompress / p.ratio;
  out.parse_fixed += p.open_cpu * out.files;
  return out;
}

}  // namespace stallcast::models
