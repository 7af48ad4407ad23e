#include "models/dataload/parquet_params.hpp"

/// Petastorm: a pool of threads or processes reads and decodes row groups of Parquet files into a
/// queue, alongside whoever takes rows out of it. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct PetastormParams : ParquetParams {
  std::int64_t pool = 10, queue = 50;
  std::optional<Rate> transfer;
};
constexpr auto kPetastormFields = with_costs(
    joined<PetastormParams>(
        kParquetFiles,
        std::array{field("pool.workers", &PetastormParams::pool, "10",
                         "threads or processes that read row groups (workers_count)",
                         cited(up_to(1024), "petastorm make_reader")),
                   field("pool.queue", &PetastormParams::queue, "50",
                         "row groups that wait decoded (results_queue_size)",
                         cited(up_to(1e6), "petastorm make_reader")),
                   field("pool.transfer", &PetastormParams::transfer, kOptional,
                         "stored bytes a second that pass from a process of the pool to the "
                         "reader; threads pass nothing",
                         kPositive)}),
    kParquetTrips, kParquetParse, kParquetFixed);

}  // namespace

std::span<const FieldInfo> petastorm_fields() { return kInfos<kPetastormFields>; }

SampleAccess petastorm_access(const Component& component, const DatasetParams& dataset) {
  const PetastormParams p = bind<kPetastormFields>(component);
  SampleAccess out = p.access(dataset);
  // The queue is full, and each of the pool holds a group it cannot put.
  //    [docs/models/formats.md, eq. 9]
  out.ahead = static_cast<double>(p.queue + p.pool) * std::max(out.unit, 1.0);
  out.fetchers = static_cast<double>(p.pool);
  out.decoded_ahead = true;
  if (p.transfer) out.parse = *p.transfer / out.columns;
  return out;
}

}  // namespace stallcast::models
