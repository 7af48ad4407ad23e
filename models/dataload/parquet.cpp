#include <cmath>

#include "models/dataload/parquet_params.hpp"

/// Parquet files: the footer at the tail, then row groups, of which only the wanted columns are
/// read. A row group is read and decoded as a whole before its first row. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr auto kParquetFields = with_costs(
    joined<ParquetParams>(
        kParquetFiles,
        std::array{field("order", &ParquetParams::order, "sequential",
                         "sequential: all rows of a group are used; random: each row reads a "
                         "whole group",
                         one_of(kOrders)),
                   field("reopen", &ParquetParams::reopen, "false",
                         "open the file again for every sample in random order")}),
    kParquetTrips, kParquetParse, kParquetFixed);

}  // namespace

double ParquetParams::rows(const DatasetParams& dataset) const {
  return std::max(1.0, std::floor(row_group / dataset.sample + 1e-9));
}

double ParquetParams::groups_read(double rows) const {
  const double s = matching.in(unit::ratio);
  // Probability that a run of matching rows begins at a row which matches not.
  const double begins = s / (s + matching_run * (1.0 - s));
  return 1.0 - (1.0 - s) * std::pow(1.0 - begins, rows - 1.0);
}

SampleAccess ParquetParams::access(const DatasetParams& dataset) const {
  const bool random = order == "random";
  const double rows = this->rows(dataset);
  const double share = columns.in(unit::ratio), used = matching.in(unit::ratio);
  // Of a group that is read so many rows are used.
  const double taken = rows * used / groups_read(rows);
  SampleAccess out = FormatCosts::access(
      random && reopen ? 1.0 : 1.0 / (rows * used * static_cast<double>(groups_per_file)));
  out.in_file = rows * static_cast<double>(groups_per_file);
  out.used = used;
  out.touched = share * groups_read(rows);  // [docs/models/formats.md, eq. 18]
  // [docs/models/formats.md, eq. 4]
  out.ranges = static_cast<double>(column_reads) / (random ? 1.0 : taken);
  out.round_trips = 1.0 + round_trips * out.files / out.ranges;
  out.amplification = share * (random ? rows : rows / taken);
  out.expansion = share * ratio;
  out.columns = share;
  out.unit = random ? 0.0 : taken;
  out.unpack = parse;
  out.parse = Rate::infinity();
  return out;
}

std::span<const FieldInfo> parquet_fields() { return kInfos<kParquetFields>; }

SampleAccess parquet_access(const Component& component, const DatasetParams& dataset) {
  return bind<kParquetFields>(component).access(dataset);
}

}  // namespace stallcast::models
