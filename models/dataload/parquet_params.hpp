#pragma once

#include <string>

#include "models/dataload/format_costs.hpp"

/// What reading row groups of Parquet files takes, by whatever library. docs/models/formats.md.
namespace stallcast::models {

struct ParquetParams : FormatCosts {
  Bytes row_group;
  std::int64_t groups_per_file = 1;
  Fraction columns;
  std::int64_t column_reads = 1;
  std::string order;
  bool reopen = false;
  double ratio = 1.0;

  /// Rows in a group.
  [[nodiscard]] double rows(const DatasetParams& dataset) const;
  [[nodiscard]] SampleAccess access(const DatasetParams& dataset) const;
};

/// Fields of the files; `P` is ParquetParams or derives from it.
template <class P>
constexpr std::array<base::Field<P>, 5> parquet_file_fields() {
  using base::assumed;
  return {cost<P, Bytes>("row_group", &P::row_group,
                         {"128 MiB", "stored size of one row group",
                          assumed(base::kPositive, "64 to 512 MiB are common")}),
          cost<P, std::int64_t>("groups_per_file", &P::groups_per_file,
                                {"1", "row groups in one file", assumed(base::kAtLeastOne)}),
          cost<P, Fraction>(
              "columns", &P::columns,
              {"100 %", "share of the stored bytes that lies in the columns that are read",
               base::kPositiveShare}),
          cost<P, std::int64_t>(
              "column_reads", &P::column_reads,
              {"1", "reads per row group: its wanted columns, fewer where neighbours are merged",
               assumed(base::kAtLeastOne)}),
          cost<P, double>("ratio", &P::ratio,
                          {"1", "bytes in memory per stored byte", base::kPositive})};
}

inline constexpr CostDefault kParquetTrips{
    "2", "dependent requests per opened file: length of the footer, the footer",
    base::cited(base::kNonNegative,
                "Parquet file format: footer length and magic are the last 8 bytes")};
inline constexpr CostDefault kParquetParse{
    "1 GB/s", "fetched bytes one core decompresses and decodes in a second",
    base::assumed(base::kPositive)};
inline constexpr CostDefault kParquetFixed{"5 us", "fixed CPU time per sample",
                                           base::assumed(base::kNonNegative)};

}  // namespace stallcast::models
